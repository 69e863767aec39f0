#pragma once

#include <string>
#include <string_view>

#include "mayfly/serve/service/call.hpp"

namespace mayfly::serve {

/// An operation of a batch, as a client wrote it. What is missing is empty.
struct WrittenOperation {
  std::string kind, id, if_match, if_none_match;
  std::string partition;    ///< as in the header of a request
  std::string_view body;    ///< part of the request
  bool is_minimal = false;  ///< whether the result of a write may leave out the item
};

/// Executes several operations in JSON or HybridRow, and answers in the same format. An atomic batch executes them as a
/// whole, in one partition. Otherwise each has an effect of its own, up to the first that fails if the request does not
/// say that the others go on. Throws Refusal.
Response answer_batch(const Call& call, const Container& container);

}  // namespace mayfly::serve
