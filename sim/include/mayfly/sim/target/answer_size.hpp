#pragma once

#include <cstddef>
#include <cstdint>

#include <boost/unordered/unordered_flat_map.hpp>

#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// Estimates the longest answer that keeps the rules, even if the store escapes every character and writes white space
/// between the parts. A query is taken to show every document that was ever written, each with the longest of its
/// values.
class AnswerSize {
 public:
  /// The estimated size in bytes of the answer to the next request.
  std::size_t of(const Request& request);

 private:
  std::size_t of_operation(const Operation& operation);
  std::size_t of_document(const DocumentKey& key, const std::string* value);

  // If two documents have one hash, the estimate is too small by one document, which the limits on lines allow for.
  boost::unordered_flat_map<std::uint64_t, std::size_t> documents_;  ///< by hash, the longest size of each in this case
  std::size_t all_ = 0;                                              ///< their sum
};

}  // namespace mayfly
