#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "query_parser.hpp"

namespace mayfly::serve {

/// The values of an item by which ORDER BY sorts it; nothing for undefined. Of lists and objects only the type counts,
/// so they are empty here.
using SortKey = std::vector<std::optional<boost::json::value>>;

/// How ORDER BY sorts two items with these keys.
std::weak_ordering compare_keys(const QueryPlan& plan, const SortKey& left, const SortKey& right);

/// The last row that was shown, and what is left of OFFSET and LIMIT after it.
struct QueryPlace {
  /// Before the first row.
  explicit QueryPlace(const QueryPlan& plan) : offset(plan.offset), limit(plan.limit) {}
  /// From `to_text`. Throws Refusal if it is not the text of a place in such a query.
  QueryPlace(const QueryPlan& plan, std::string_view text);

  /// Digits and small letters, as a header takes them. Throws QueryError if an ORDER BY value is too long for a header.
  std::string to_text() const;

  /// Whether an item is sorted after this place.
  bool is_before(const QueryPlan& plan, const SortKey& other_key, std::uint64_t other_number) const;

  bool is_first = true;
  std::uint64_t number = 0;  ///< of the item
  SortKey key;
  std::uint64_t offset, limit;
};

}  // namespace mayfly::serve
