#pragma once

#include "mayfly/serve/service/call.hpp"

namespace mayfly::serve {

// Both throw Refusal.

Response answer_containers(const Call& call);  ///< /dbs/{db}/colls...
Response answer_ranges(const Call& call);      ///< /dbs/{db}/colls/{c}/pkranges

}  // namespace mayfly::serve
