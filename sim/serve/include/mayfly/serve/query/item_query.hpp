#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>

#include "mayfly/model/time.hpp"
#include "mayfly/serve/query/work_meter.hpp"

namespace mayfly::serve {

/// An invalid or unsupported query. The message names the part and its position.
class QueryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a query reads: items in the order of their numbers. An item keeps its number as long as it exists, and no other
/// item ever has it.
class QueryItems {
 public:
  struct Item {
    std::uint64_t number = 0;
    const void* place = nullptr;  ///< by which the source finds it; nullptr if the item is passed over
  };

  virtual ~QueryItems() = default;
  /// Visits the items with a greater number than `after`, until `visit` answers false.
  virtual void walk(std::uint64_t after, const std::function<bool(const Item&)>& visit) const = 0;
  /// Appends the JSON text of an item that was visited since the last change.
  virtual void append_text(std::string& out, const void* place) const = 0;
};

/// A query on the items of one container, in the part of Cosmos DB's language that tests of TTL need:
///
///     SELECT [DISTINCT] [TOP n] * | VALUE expression | expression [[AS] name], ...
///     [FROM c | FROM root r | FROM c AS r
///     [WHERE expression] [GROUP BY property, ...] [ORDER BY property [ASC | DESC], ...]] [OFFSET n LIMIT m]
///
/// An expression is built of properties (`c.a.b`, `c["a"]`, `c.a[0]`, `c[@name]`), literals, parameters (`@name`),
/// objects and lists (`{"a": c.a}`, `[c.a]`), comparisons, IN, BETWEEN, LIKE, AND, OR, NOT, `??`, `? :`, arithmetic,
/// `||`, the functions of query_function.cpp and parentheses; in SELECT also of COUNT, SUM, MIN, MAX and AVG.
///
/// As in the service, a missing property is undefined, and so is a comparison of two types or of anything undefined;
/// `WHERE` selects items for which it is true. Numbers compare as doubles. ORDER BY shows every item: undefined, null,
/// booleans, numbers, strings, arrays, objects. Items that are equal or incomparable, and those of a query without
/// ORDER BY, are in the order of their numbers.
class ItemQuery {
 public:
  /// `parameters` are objects `{"name":"@x","value":...}`. Throws QueryError.
  static ItemQuery parse(std::string_view sql, const boost::json::array& parameters);

  struct Page {
    std::string from;  ///< where the last page said to go on; empty for the first
    std::size_t most_rows = 0;
    /// Takes a row as JSON text. Answers whether there is room for more.
    std::function<bool(std::string_view row)> show;
  };

  /// Shows a page of the results, and says where the next one goes on, or nothing if there is no next.
  ///
  /// A page goes on after the last row shown: after its ORDER BY values and its item's number. So what expires, is
  /// deleted or added between two pages neither hides nor repeats the row of an item that stays. Rows of DISTINCT and
  /// GROUP BY belong to the first item that has them: if it is gone, another one may repeat them.
  ///
  /// Throws Refusal if `from` is not what a page of this query said, or the query takes too much work.
  std::string run(const QueryItems& items, Instant now, const Page& page, WorkMeter& work) const;

  /// Whether only items in which this property has one certain value can be selected.
  bool fixes(const std::vector<std::string>& path) const;

  ItemQuery(ItemQuery&&) noexcept;
  ItemQuery& operator=(ItemQuery&&) noexcept;
  ~ItemQuery();

 private:
  struct Plan;
  explicit ItemQuery(std::unique_ptr<const Plan> plan);
  std::unique_ptr<const Plan> plan_;
};

}  // namespace mayfly::serve
