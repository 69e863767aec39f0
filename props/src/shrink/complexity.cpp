#include "mayfly/props/shrink/complexity.hpp"

#include <array>

#include "mayfly/props/shrink/alike.hpp"
#include "mayfly/props/shrink/texts.hpp"
#include "mayfly/sim/operation_info.hpp"

namespace mayfly {

namespace {

// Another collection is more to understand than another partition, and that more than another document.
std::uint64_t name_cost(std::string_view field, const std::string& name) {
  const char letter = letter_of(field);
  return text_cost(letter, name) * (letter == 'c' ? 30 : letter == 'p' ? 6 : 1);
}

constexpr std::uint64_t invalid_cost = 1'000'000'000'000;

std::uint64_t cost(const TtlField& ttl) {
  if (std::holds_alternative<Absent>(ttl)) return 0;
  if (const auto* number = std::get_if<std::int64_t>(&ttl)) {
    if (*number == -1) return 2;
    if (*number >= 1 && *number <= largest_ttl) return 2 + static_cast<std::uint64_t>(*number);
    return invalid_cost + (*number == 0 ? 0 : 2);
  }
  return invalid_cost + (std::holds_alternative<Null>(ttl) ? 1 : 3);
}
std::uint64_t cost(const std::string& value, char letter = 'v') {
  return value.empty() ? 0 : 1 + text_cost(letter, value);
}
std::uint64_t cost(const std::optional<std::string>& text, char letter) { return text ? 1 + cost(*text, letter) : 0; }
std::uint64_t cost(Budget budget) { return budget.units; }
std::uint64_t cost(Indexing indexing) { return 3 * static_cast<std::uint64_t>(indexing); }
std::uint64_t cost(bool flag) { return flag ? 2 : 0; }

}  // namespace

bool are_inverted(const Operation& first, const Operation& second) {
  return info_of(first).place > info_of(second).place;
}

Complexity complexity(const Case& test_case) {
  Complexity sum{.operations = test_case.steps.size(),
                 .start = static_cast<std::uint64_t>(test_case.start.time_since_epoch().count())};
  for (std::size_t at = 0; at < test_case.steps.size(); ++at) {
    const auto& operation = test_case.steps[at].operation;
    const std::uint64_t still_to_come = test_case.steps.size() - at;
    sum.kinds += info_of(operation).cost;
    // A default is better there from the beginning.
    if (const auto* later = std::get_if<ReplaceCollection>(&operation))
      sum.values += later->definition.default_ttl == TtlField{Absent{}} ? 0 : 1;
    for_each_field(operation, [&](std::string_view name, const auto& field) {
      using Value = std::decay_t<decltype(field)>;
      if constexpr (std::is_same_v<Value, Seconds>)
        sum.seconds += static_cast<std::uint64_t>(field.count());
      else if constexpr (std::is_same_v<Value, std::string>)
        (is_name(name) ? sum.names : sum.values) +=
            is_name(name) ? name_cost(name, field) * still_to_come : cost(field);
      else if constexpr (std::is_same_v<Value, std::optional<std::string>>)
        sum.values += cost(field, letter_of(name));
      else
        sum.values += cost(field);
    });
  }
  std::array<std::uint64_t, std::variant_size_v<Operation>> before{};  // how many so far, by place
  for (const auto& step : test_case.steps) {
    const std::uint64_t place = info_of(step.operation).place;
    for (std::size_t later = place + 1; later < before.size(); ++later) sum.inversions += before[later];
    ++before[place];
  }
  return sum;
}

}  // namespace mayfly
