#pragma once

#include "mayfly/serve/service/call.hpp"

namespace mayfly::serve {

/// Executes several operations on items of one partition, atomically if the request says so. Throws Refusal.
Response answer_batch(const Call& call, const Container& container);

}  // namespace mayfly::serve
