#pragma once

#include "mayfly/serve/service/call.hpp"

namespace mayfly::serve {

// Both throw Refusal.

Response answer_account(const Call& call);    ///< /
Response answer_databases(const Call& call);  ///< /dbs...

}  // namespace mayfly::serve
