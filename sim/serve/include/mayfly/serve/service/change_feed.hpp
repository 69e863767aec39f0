#pragma once

#include "mayfly/serve/service/call.hpp"

namespace mayfly::serve {

/// Answers with the items of the container that were written since the client last asked, each once and as it is now,
/// in the order of their latest writes; 304 if there are none. Throws Refusal.
Response answer_changes(const Call& call, const Container& container);

}  // namespace mayfly::serve
