#include "mayfly/serve/query/item_query.hpp"

#include <algorithm>

#include "query_parser.hpp"

namespace mayfly::serve {

namespace {

namespace json = boost::json;

void sort(std::vector<json::value>& items, const Expression& by, bool is_descending) {
  std::stable_sort(items.begin(), items.end(), [&](const json::value& left, const json::value& right) {
    const auto order = sorted_as(evaluated(by, left), evaluated(by, right));
    return is_descending ? order > 0 : order < 0;
  });
}

json::object shown_columns(const std::vector<Column>& columns, const json::value& item) {
  json::object shown;
  for (const auto& column : columns)
    if (const QueryValue value = evaluated(*column.expression, item)) shown[column.name] = *value;
  return shown;
}

json::value count_of(const QueryPlan& plan, const std::vector<json::value>& items) {
  const auto& column = plan.columns.front();
  const auto count = std::count_if(items.begin(), items.end(),
                                   [&](const auto& item) { return evaluated(*column.expression, item) != nullptr; });
  if (plan.form == QueryPlan::Form::values) return count;
  return json::object{{column.name, count}};
}

// Shows nothing if the query selects a value that the item does not have.
void show(const QueryPlan& plan, json::value&& item, json::array& results) {
  if (plan.form == QueryPlan::Form::whole_items) {
    results.push_back(std::move(item));
  } else if (plan.form == QueryPlan::Form::objects) {
    results.push_back(shown_columns(plan.columns, item));
  } else if (const QueryValue value = evaluated(*plan.columns.front().expression, item)) {
    results.push_back(*value);
  }
}

}  // namespace

struct ItemQuery::Plan : QueryPlan {};

ItemQuery::ItemQuery(std::unique_ptr<const Plan> plan) : plan_(std::move(plan)) {}
ItemQuery::ItemQuery(ItemQuery&&) noexcept = default;
ItemQuery& ItemQuery::operator=(ItemQuery&&) noexcept = default;
ItemQuery::~ItemQuery() = default;

ItemQuery ItemQuery::parse(std::string_view sql, const json::array& parameters) {
  return ItemQuery(std::make_unique<const Plan>(Plan{parse_query(sql, parameters)}));
}

bool ItemQuery::is_row_by_row() const {
  return !plan_->counts && !plan_->order && plan_->offset == 0 && plan_->limit == QueryPlan{}.limit;
}

json::array ItemQuery::run(std::vector<json::object> items) const {
  std::vector<json::value> found;
  for (auto& object : items) {
    json::value item(std::move(object));
    if (!plan_->condition || is_true_for(*plan_->condition, item)) found.push_back(std::move(item));
  }
  if (plan_->order) sort(found, *plan_->order, plan_->is_descending);
  json::array results;
  std::uint64_t rows = 0;
  const auto is_on_page = [&] { return rows >= plan_->offset && rows - plan_->offset < plan_->limit; };
  if (plan_->counts) {
    if (is_on_page()) results.push_back(count_of(*plan_, found));
    return results;
  }
  for (auto& item : found) {
    if (is_on_page()) show(*plan_, std::move(item), results);
    ++rows;
  }
  return results;
}

}  // namespace mayfly::serve
