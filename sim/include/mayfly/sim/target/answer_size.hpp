#pragma once

#include <cstddef>
#include <cstdint>

#include <boost/unordered/unordered_flat_map.hpp>

#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// Estimates how long answers are. None of a store that keeps the rules is longer, though the store may write every
/// character as an escape, and white space between the parts: a query shows at most every document that was ever
/// written, each with the longest of its values.
class AnswerSize {
 public:
  /// Takes in the next request, and returns the bytes that its answer may have.
  std::size_t of(const Request& request);

 private:
  std::size_t of_operation(const Operation& operation);
  std::size_t of_document(const DocumentKey& key, const std::string* value);

  // Two documents of one hash make an estimate too small by one of them, which it can bear.
  boost::unordered_flat_map<std::uint64_t, std::size_t> documents_;  ///< of this case, each as long as it ever was
  std::size_t all_ = 0;                                              ///< of them together
};

}  // namespace mayfly
