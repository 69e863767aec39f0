#include "mayfly/serve/query/item_query.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include <boost/json/monotonic_resource.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "aggregation.hpp"
#include "mayfly/serve/message/json_text.hpp"
#include "query_place.hpp"

// Rows are produced one at a time, for one page at a time. Without ORDER BY, a page reads items from the last one shown
// until it is full. With it, a page reads all items, and keeps the keys of those that come first after the last row
// shown. Aggregates read all items, too.

namespace mayfly::serve {

namespace {

namespace json = boost::json;
using Item = QueryItems::Item;

/// Shows rows until the page is full, and notes where the next one goes on.
class PageOfRows {
 public:
  PageOfRows(const ItemQuery::Page& page, QueryPlace place) : page_(page), place_(std::move(place)) {}

  const QueryPlace& place() const { return place_; }
  const std::string& next_page() const { return next_page_; }

  /// Offers the next row, which `make` makes if there is room. False if no further row is wanted.
  template <class Make>
  bool offer(std::uint64_t number, const SortKey& key, Make make) {
    if (place_.limit == 0) return false;
    if (is_full_) return end_here();
    if (place_.offset > 0) {
      --place_.offset;
    } else {
      if (const auto row = make()) is_full_ = !page_.show(*row);
      --place_.limit;
    }
    pass(number, key);
    return place_.limit > 0;
  }

  /// Nothing is shown of this item.
  void pass(std::uint64_t number, const SortKey& key) {
    place_.number = number;
    place_.key = key;
    place_.is_first = false;
  }

  /// The next page goes on after the last item that was offered or passed. False.
  bool end_here() {
    next_page_ = place_.to_text();
    return false;
  }

 private:
  const ItemQuery::Page& page_;
  QueryPlace place_;
  bool is_full_ = false;
  std::string next_page_;
};

/// One request for a page.
class Run {
 public:
  Run(const QueryPlan& plan, const QueryItems& items, Instant now, const ItemQuery::Page& page, WorkMeter& work)
      : plan_(plan),
        items_(items),
        now_(now),
        work_(work),
        most_rows_(page.most_rows),
        start_(page.from.empty() ? QueryPlace(plan) : QueryPlace(plan, page.from)),
        rows_(page, start_) {}

  std::string next_page() {
    if (!plan_.has_source)
      show_one_row();
    else if (!plan_.group_by.empty() || !plan_.aggregates.empty())
      show_groups();
    else if (!plan_.order.empty())
      show_sorted();
    else
      show_in_turn();
    return rows_.next_page();
  }

 private:
  /// Calls `use(context)` with the content of an item.
  template <class Use>
  auto with(const void* place, std::span<const QueryValue> aggregates, Use use) {
    json::monotonic_resource memory(buffer_.data(), buffer_.size());
    text_.clear();
    if (place && plan_.reads_items) items_.append_text(text_, place);
    work_.take_bytes(text_.size());
    const json::value item = plan_.reads_items && place ? parse_json(text_, &memory) : json::value();
    return use(QueryContext{item, now_, work_, aggregates});
  }

  bool is_wanted(const QueryContext& context) const {
    return !plan_.condition || is_true_for(*plan_.condition, context);
  }

  /// Calls `use(item, context)` for each item that the condition selects, until it answers false.
  template <class Use>
  void walk(std::uint64_t after, Use use) {
    items_.walk(after, [&](const Item& item) {
      work_.take(1);
      return !item.place || with(item.place, {}, [&](const QueryContext& context) {
        return !is_wanted(context) || use(item, context);
      });
    });
  }

  /// Nothing if the query selects a value that is undefined.
  std::optional<std::string_view> row(const QueryContext& context) {
    if (plan_.form == QueryPlan::Form::whole_items) return text_;
    row_.clear();
    if (plan_.form == QueryPlan::Form::values) {
      const QueryValue value = evaluated(*plan_.columns.front().expression, context);
      if (!value) return std::nullopt;
      append_json(row_, *value, work_);
      return row_;
    }
    row_ += '{';
    for (const Column& column : plan_.columns) {
      const QueryValue value = evaluated(*column.expression, context);
      if (!value) continue;
      if (row_.size() > 1) row_ += ',';
      append_json(row_, json::value(json::string(column.name)), work_);
      row_ += ':';
      append_json(row_, *value, work_);
    }
    return row_ += '}';
  }

  /// Whether no equal row was seen before.
  bool is_new(std::string_view row) {
    std::string canonical;
    const json::value value = parse_json(row, {}, 2 * greatest_depth);
    append_canonical(canonical, &value, work_);
    return seen_.insert(std::move(canonical)).second;
  }

  void show_one_row() {
    with(nullptr, {}, [&](const QueryContext& context) { return rows_.offer(0, {}, [&] { return row(context); }); });
  }

  void show_in_turn() {
    if (plan_.is_distinct) return show_distinct_in_turn();
    items_.walk(start_.number, [&](const Item& item) {
      work_.take(1);
      if (work_.is_half_used()) return rows_.end_here();
      const bool goes_on = !item.place || with(item.place, {}, [&](const QueryContext& context) {
        return !is_wanted(context) || rows_.offer(item.number, {}, [&] { return row(context); });
      });
      if (goes_on) rows_.pass(item.number, {});
      return goes_on;
    });
  }

  void show_distinct_in_turn() {
    walk(0, [&](const Item& item, const QueryContext& context) {
      const auto shown = row(context);
      if (!shown || !is_new(*shown) || !start_.is_before(plan_, {}, item.number)) return true;
      return rows_.offer(item.number, {}, [&] { return shown; });
    });
  }

  struct Candidate {
    SortKey key;
    Item item;
  };

  SortKey key_of(const QueryContext& context) {
    SortKey key;
    for (const OrderTerm& term : plan_.order) {
      const QueryValue value = evaluated(*term.by, context);
      if (!value)
        key.emplace_back();
      else if (value->is_structured())
        key.emplace_back(value->is_array() ? json::value(json::array()) : json::value(json::object()));
      else
        key.emplace_back(copied(*value, work_));
    }
    return key;
  }

  /// The candidates for this page, sorted: one more than fit, to know whether there is another page.
  std::vector<Candidate> candidates() {
    const auto is_before = [&](const Candidate& a, const Candidate& b) {
      const auto order = compare_keys(plan_, a.key, b.key);
      return order < 0 || (order == 0 && a.item.number < b.item.number);
    };
    const std::size_t most = most_candidates();
    std::vector<Candidate> first;  // a heap whose top is the last of them
    walk(0, [&](const Item& item, const QueryContext& context) {
      SortKey key = key_of(context);
      if (!plan_.is_distinct && !start_.is_before(plan_, key, item.number)) return true;
      work_.take(4 + 2 * static_cast<std::uint64_t>(std::bit_width(first.size())));
      first.push_back({std::move(key), item});
      std::push_heap(first.begin(), first.end(), is_before);
      if (first.size() <= most) return true;
      std::pop_heap(first.begin(), first.end(), is_before);
      first.pop_back();
      return true;
    });
    std::sort_heap(first.begin(), first.end(), is_before);
    return first;
  }

  std::size_t most_candidates() const {
    constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max() / 4;
    if (plan_.is_distinct) return unlimited;
    return std::min(unlimited, start_.offset) + std::min({unlimited, start_.limit, most_rows_}) + 1;
  }

  void show_sorted() {
    for (const Candidate& candidate : candidates()) {
      const bool goes_on = with(candidate.item.place, {}, [&](const QueryContext& context) {
        if (!plan_.is_distinct) return rows_.offer(candidate.item.number, candidate.key, [&] { return row(context); });
        const auto shown = row(context);
        const bool is_due = shown && is_new(*shown) && start_.is_before(plan_, candidate.key, candidate.item.number);
        return !is_due || rows_.offer(candidate.item.number, candidate.key, [&] { return shown; });
      });
      if (!goes_on) return;
    }
  }

  struct Group {
    Item first;
    std::vector<Aggregation> aggregations;
  };

  Group new_group(const Item& first) {
    Group group{first, {}};
    for (const Aggregate& aggregate : plan_.aggregates) group.aggregations.emplace_back(aggregate.kind);
    work_.take(8 + group.aggregations.size());
    return group;
  }

  std::vector<Group> groups() {
    std::vector<Group> all;
    boost::unordered_flat_map<std::string, std::size_t> places;
    if (plan_.group_by.empty()) all.push_back(new_group({}));  // one row, also of no items
    walk(0, [&](const Item& item, const QueryContext& context) {
      std::string key;
      for (const auto& by : plan_.group_by) {
        append_canonical(key, evaluated(*by, context).get(), work_);
        key += '\0';
      }
      std::size_t place = 0;
      if (!plan_.group_by.empty()) place = places.try_emplace(std::move(key), all.size()).first->second;
      if (place == all.size()) all.push_back(new_group(item));
      for (std::size_t i = 0; i < plan_.aggregates.size(); ++i)
        all[place].aggregations[i].add(evaluated(*plan_.aggregates[i].operand, context), work_);
      return true;
    });
    return all;
  }

  void show_groups() {
    for (const Group& group : groups()) {
      if (group.first.number != 0 && group.first.number <= start_.number) continue;
      std::vector<QueryValue> results;
      for (const Aggregation& aggregation : group.aggregations) results.push_back(aggregation.result());
      const bool goes_on = with(group.first.place, results, [&](const QueryContext& context) {
        return rows_.offer(group.first.number, {}, [&] { return row(context); });
      });
      if (!goes_on) return;
    }
  }

  const QueryPlan& plan_;
  const QueryItems& items_;
  Instant now_;
  WorkMeter& work_;
  std::size_t most_rows_;
  const QueryPlace start_;
  PageOfRows rows_;
  boost::unordered_flat_set<std::string> seen_;  ///< rows of DISTINCT
  std::string text_;                             ///< of the present item
  std::string row_;
  std::array<unsigned char, 4096> buffer_;
};

bool is_property(const Expression& expression, const std::vector<std::string>& path) {
  const auto* property = std::get_if<Property>(&expression.kind);
  return property && std::equal(property->steps.begin(), property->steps.end(), path.begin(), path.end(),
                                [](const auto& step, const std::string& name) {
                                  const auto* own = std::get_if<std::string>(&step);
                                  return own && *own == name;
                                });
}

bool fixes_property(const Expression& condition, const std::vector<std::string>& path) {
  if (const auto* logic = std::get_if<Logic>(&condition.kind))
    return logic->is_and && std::any_of(logic->operands.begin(), logic->operands.end(),
                                        [&](const auto& operand) { return fixes_property(*operand, path); });
  const auto* comparison = std::get_if<Comparison>(&condition.kind);
  if (!comparison || comparison->by != QueryOperator::equal) return false;
  const auto is_fixed = [&](const Expression& one, const Expression& other) {
    return is_property(one, path) && std::holds_alternative<Literal>(other.kind);
  };
  return is_fixed(*comparison->left, *comparison->right) || is_fixed(*comparison->right, *comparison->left);
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

std::string ItemQuery::run(const QueryItems& items, Instant now, const Page& page, WorkMeter& work) const {
  return Run(*plan_, items, now, page, work).next_page();
}

bool ItemQuery::fixes(const std::vector<std::string>& path) const {
  return !plan_->has_source || (plan_->condition && fixes_property(*plan_->condition, path));
}

}  // namespace mayfly::serve
