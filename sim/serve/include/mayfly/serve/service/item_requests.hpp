#pragma once

#include "mayfly/serve/service/call.hpp"

namespace mayfly::serve {

/// Answers requests for /dbs/{db}/colls/{c}/docs... Throws Refusal.
Response answer_items(const Call& call);

}  // namespace mayfly::serve
