#pragma once

#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace mayfly::serve {

/// An invalid or unsupported query. The message names the part and its position.
class QueryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A query on the items of one container, in the part of Cosmos DB's language that tests of TTL need:
///
///     SELECT [TOP n] * | VALUE expression | expression [AS name], ...
///     FROM c | FROM root r | FROM c AS r
///     [WHERE expression] [ORDER BY property [ASC | DESC]] [OFFSET n LIMIT m]
///
/// An expression is built of properties (`c.a.b`, `c["a"]`, `c.a[0]`), literals, parameters (`@name`), comparisons, IN,
/// AND, OR, NOT, the functions of query_function.cpp and parentheses; COUNT(expression) may be selected alone.
///
/// As in the service, a missing property is undefined, and so is a comparison of two types or of anything undefined;
/// `WHERE` selects items for which it is true. Numbers compare as doubles. ORDER BY shows every item: undefined,
/// null, booleans, numbers, strings, arrays, objects. Items that are equal or incomparable stay in the given order.
class ItemQuery {
 public:
  /// `parameters` are objects `{"name":"@x","value":...}`. Throws QueryError.
  static ItemQuery parse(std::string_view sql, const boost::json::array& parameters);

  boost::json::array run(std::vector<boost::json::object> items) const;

  /// Whether the query decides on each item independently of the others: then it can be run on some of them at a time.
  bool is_row_by_row() const;

  ItemQuery(ItemQuery&&) noexcept;
  ItemQuery& operator=(ItemQuery&&) noexcept;
  ~ItemQuery();

 private:
  struct Plan;
  explicit ItemQuery(std::unique_ptr<const Plan> plan);
  std::unique_ptr<const Plan> plan_;
};

}  // namespace mayfly::serve
