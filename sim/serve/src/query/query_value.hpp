#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <string>

#include <boost/json/value.hpp>

#include "mayfly/serve/query/work_meter.hpp"

// Values of queries and their comparison.

namespace mayfly::serve {

/// A value that is part of an item or of a query, or was computed. A null pointer means undefined, which is a value of
/// its own: neither true nor false nor null.
using QueryValue = std::shared_ptr<const boost::json::value>;

/// Refers to a value that lives as long as the item and the query, or to none.
inline QueryValue refer_to(const boost::json::value* value) { return {QueryValue(), value}; }

inline QueryValue computed(boost::json::value value) {
  return std::make_shared<const boost::json::value>(std::move(value));
}

QueryValue truth(bool is_true);

/// Whole if the number is; undefined if it is infinite or none.
QueryValue number(double number);

/// Nothing if the value is neither true nor false.
std::optional<bool> as_truth(const QueryValue& value);

enum class QueryOperator { equal, not_equal, less, at_most, greater, at_least };

QueryValue compare(QueryOperator by, const QueryValue& left, const QueryValue& right, WorkMeter& work);

/// Whether two values are the same to a query: numbers by their doubles, objects whatever the order of their names.
bool are_equal(const boost::json::value& left, const boost::json::value& right, WorkMeter& work);

/// The order of ORDER BY, which covers all types and undefined: a null pointer.
std::weak_ordering sorted_as(const boost::json::value* left, const boost::json::value* right);

/// A copy that the meter knows of.
boost::json::value copied(const boost::json::value& value, WorkMeter& work);

/// Appends the value as JSON.
void append_json(std::string& out, const boost::json::value& value, WorkMeter& work);

/// Appends JSON that is the same for equal values, and only for them; nothing if the value is undefined.
void append_canonical(std::string& out, const boost::json::value* value, WorkMeter& work);

}  // namespace mayfly::serve
