#include "mayfly/serve/query/work_meter.hpp"

#include <fmt/format.h>

#include "mayfly/serve/message/message.hpp"

namespace mayfly::serve {

void WorkMeter::refuse() {
  throw Refusal(400, fmt::format("The request takes more work than one request may: {} steps. Use a simpler query, one "
                                 "partition, or fewer and smaller items.",
                                 most_steps));
}

}  // namespace mayfly::serve
