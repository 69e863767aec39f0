#pragma once

#include "mayfly/serve/service/call.hpp"

namespace mayfly::serve {

// The items of a container: all, or those that a query selects. Both functions throw Refusal.

Response read_items(const Call& call, const Container& container);
Response query_items(const Call& call, const Container& container);

}  // namespace mayfly::serve
