#include <algorithm>

#include "pass_list.hpp"

namespace mayfly {

namespace {

// Passes over pairs are for cases that the others have made short.
constexpr std::size_t most_pairs = 256;

/// The representatives steps of one kind.
template <class Kind>
std::vector<std::size_t> representatives(const Case& test_case) {
  auto steps = representative_steps(test_case);
  std::erase_if(steps, [&](std::size_t at) { return !std::holds_alternative<Kind>(test_case.steps[at].operation); });
  return steps;
}

// Values.

// Documents that inherit are simpler than documents with a ttl of their own: the ttl becomes the default.
void let_inherit(Case& test_case, const TtlField& ttl) {
  for (auto& step : test_case.steps)
    std::visit(
        [&](auto& o) {
          if constexpr (requires { o.content; }) {
            if (o.content.ttl == ttl) o.content.ttl = Absent{};
          } else if constexpr (requires { o.definition; }) {
            if (o.definition.default_ttl == TtlField{std::int64_t{-1}}) o.definition.default_ttl = ttl;
          }
        },
        step.operation);
}

TtlField* default_in(Operation& operation) {
  return std::visit(
      [](auto& o) -> TtlField* {
        if constexpr (requires { o.definition; })
          return &o.definition.default_ttl;
        else
          return nullptr;
      },
      operation);
}

/// Numbers below n, from far below to just below: each try halves what is left.
std::vector<std::int64_t> numbers_below(std::int64_t n) {
  std::vector<std::int64_t> numbers{1, 2};
  for (std::int64_t gap = n / 2; gap > 0; gap /= 2) numbers.push_back(n - gap);
  return numbers;
}

std::vector<TtlField> simpler(const TtlField& ttl) {
  std::vector<TtlField> values{Absent{}, std::int64_t{-1}};
  const auto* number = std::get_if<std::int64_t>(&ttl);
  if (number && *number > 1)
    for (const auto below : numbers_below(*number)) values.emplace_back(below);
  values.insert(values.end(),
                {TtlField{std::int64_t{1}}, TtlField{std::int64_t{0}}, TtlField{Null{}}, TtlField{largest_ttl + 1}});
  return values;
}
std::vector<Seconds> simpler(Seconds step) {
  std::vector<Seconds> steps{Seconds{0}};
  for (const auto below : numbers_below(step.count())) steps.emplace_back(below);
  return steps;
}
std::vector<Budget> simpler(Budget budget) {
  std::vector<Budget> budgets{{0}};
  for (const auto below : numbers_below(static_cast<std::int64_t>(budget.units)))
    budgets.push_back({static_cast<std::uint64_t>(below)});
  return budgets;
}
std::vector<Indexing> simpler(Indexing) { return {Indexing::consistent, Indexing::lazy}; }
std::vector<std::string> simpler(const std::string&) { return {""}; }
std::vector<std::optional<std::string>> simpler(const std::optional<std::string>&) { return {std::nullopt, ""}; }
std::vector<bool> simpler(bool) { return {false}; }

template <class Value>
void set_field(Operation& operation, std::size_t which, const Value& value) {
  std::size_t at = 0;
  for_each_field(operation, [&](std::string_view, auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, Value>)
      if (at == which) field = value;
    ++at;
  });
}

Changes simplify_values_in(const Case& test_case, const std::vector<Spot>& spots) {
  Changes changes;
  for (const Spot& spot : spots) {
    std::size_t which = 0;
    for_each_field(test_case.steps[spot.front()].operation, [&](std::string_view name, const auto& field) {
      using Value = std::decay_t<decltype(field)>;
      if (!is_name(name) || std::is_same_v<Value, std::optional<std::string>>)
        for (const auto& simple : simpler(field))
          changes.push_back([=, value = Value(simple)](Case& c) {
            for (const std::size_t at : spot) set_field(c.steps[at].operation, which, value);
          });
      ++which;
    });
  }
  return changes;
}

// Time.

/// The number of seconds that an operation sets as a ttl or default, if it is more than one.
template <class AnyOperation>
auto* seconds_in(AnyOperation& operation) {
  std::conditional_t<std::is_const_v<AnyOperation>, const std::int64_t, std::int64_t>* seconds = nullptr;
  for_each_field(operation, [&](std::string_view, auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, TtlField>)
      if (auto* number = std::get_if<std::int64_t>(&field); number && *number > 1 && *number <= largest_ttl)
        seconds = number;
  });
  return seconds;
}

/// Those numbers, each once.
std::vector<std::int64_t> numbers_in(const Case& test_case) {
  std::vector<std::int64_t> numbers;
  for (const std::size_t at : representative_steps(test_case))
    if (const auto* number = seconds_in(test_case.steps[at].operation))
      if (std::find(numbers.begin(), numbers.end(), *number) == numbers.end()) numbers.push_back(*number);
  return numbers;
}

// A ttl of 1000 that matters because the clock moves by 999 can only shrink together with that step; two documents with
// the same ttl, only together with each other.
void lower_together(Case& test_case, std::size_t advance, std::int64_t number, Seconds by) {
  std::get<Advance>(test_case.steps[advance].operation).seconds -= by;
  for (auto& step : test_case.steps)
    if (auto* seconds = seconds_in(step.operation); seconds && *seconds == number) *seconds -= by.count();
}

void remove_step(Case& test_case, std::size_t at) {
  test_case.steps.erase(test_case.steps.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace

// Two definitions exchange their defaults, so that a default is set as early as possible.
Changes set_defaults_sooner(const Case& test_case) {
  Changes changes;
  const auto later_ones = representatives<ReplaceCollection>(test_case),
             sooner_ones = representatives<CreateCollection>(test_case);
  if (later_ones.size() * sooner_ones.size() > most_pairs) return changes;
  for (const std::size_t later : later_ones)
    for (const std::size_t sooner : sooner_ones)
      if (sooner < later)
        changes.push_back(
            [=](Case& c) { std::swap(*default_in(c.steps[sooner].operation), *default_in(c.steps[later].operation)); });
  return changes;
}

Changes inherit_instead(const Case& test_case) {
  Changes changes;
  std::vector<TtlField> ttls{Absent{}};
  for (const std::size_t at : representative_steps(test_case))
    for_each_field(test_case.steps[at].operation, [&](std::string_view name, const auto& field) {
      if constexpr (std::is_same_v<std::decay_t<decltype(field)>, TtlField>) {
        if (name != "ttl" || std::find(ttls.begin(), ttls.end(), field) != ttls.end()) return;
        ttls.push_back(field);
        changes.push_back([ttl = field](Case& c) { let_inherit(c, ttl); });
      }
    });
  return changes;
}

Changes simplify_all_values(const Case& test_case) { return simplify_values_in(test_case, wide_spots_of(test_case)); }

Changes simplify_values(const Case& test_case) { return simplify_values_in(test_case, spots_of(test_case)); }

Changes lower_linked(const Case& test_case) {
  Changes changes;
  const auto advances = representatives<Advance>(test_case);
  const auto numbers = numbers_in(test_case);
  if (advances.size() * numbers.size() > most_pairs) return changes;
  for (const std::size_t at : advances)
    for (const std::int64_t number : numbers)
      for (Seconds by = std::min(std::get<Advance>(test_case.steps[at].operation).seconds, Seconds{number - 1});
           by > Seconds{0}; by /= 2)
        changes.push_back([=](Case& c) { lower_together(c, at, number, by); });
  return changes;
}

Changes merge_steps(const Case& test_case) {
  Changes changes;
  std::optional<std::size_t> previous;
  const auto advances = representatives<Advance>(test_case);
  if (advances.size() > most_groups) return changes;
  for (const std::size_t at : advances) {
    if (previous)
      changes.push_back([at, first = *previous](Case& c) {
        auto& step = std::get<Advance>(c.steps[at].operation).seconds;
        step = std::min(step + std::get<Advance>(c.steps[first].operation).seconds, latest_instant.time_since_epoch());
        remove_step(c, first);
      });
    previous = at;
  }
  return changes;
}

// A later start replaces a clock step, or a long ttl that only makes a deadline late.
Changes start_later(const Case& test_case) {
  Changes changes;
  for (const std::size_t at : representatives<Advance>(test_case))
    if (const Seconds step = std::get<Advance>(test_case.steps[at].operation).seconds; step > Seconds{0})
      changes.push_back([=](Case& c) {
        c.start = std::min(c.start + step, latest_instant);
        remove_step(c, at);
      });
  for (const std::int64_t number : numbers_in(test_case))
    changes.push_back([number](Case& c) {
      c.start = std::min(c.start + Seconds{number - 1}, latest_instant);
      for (auto& step : c.steps)
        if (auto* same = seconds_in(step.operation); same && *same == number) *same = 1;
    });
  return changes;
}

Changes start_earlier(const Case& test_case) {
  Changes changes;
  for (Seconds to{0}; Instant{to} < test_case.start; to = (to + test_case.start.time_since_epoch() + Seconds{1}) / 2)
    changes.push_back([to](Case& c) { c.start = Instant{to}; });
  return changes;
}

}  // namespace mayfly
