#pragma once

#include <compare>
#include <memory>
#include <optional>

#include <boost/json/value.hpp>

// Values of queries and their comparison.

namespace mayfly::serve {

/// A value that is part of an item or of a query, or was computed. A null pointer means undefined, which is a value of
/// its own: neither true nor false nor null.
using QueryValue = std::shared_ptr<const boost::json::value>;

/// Refers to a value that lives as long as the item and the query, or to none.
inline QueryValue refer_to(const boost::json::value* value) { return {QueryValue(), value}; }

QueryValue truth(bool is_true);

/// Nothing if the value is neither true nor false.
std::optional<bool> as_truth(const QueryValue& value);

enum class QueryOperator { equal, not_equal, less, at_most, greater, at_least };

QueryValue compare(QueryOperator by, const QueryValue& left, const QueryValue& right);

/// The order of ORDER BY, which covers all types and undefined.
std::weak_ordering sorted_as(const QueryValue& left, const QueryValue& right);

}  // namespace mayfly::serve
