#include "mayfly/props/report/fold.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/format.h>

#include "mayfly/props/shrink/alike.hpp"

namespace mayfly {

namespace {

constexpr std::size_t fewest_folded = most_unfolded + 1;
constexpr std::size_t most_digits_numbered = 18;

/// A name as what is before its number, and the number.
struct Numbered {
  std::string_view stem;
  std::uint64_t number;
  std::size_t width;  ///< d09 comes before d10
  auto operator<=>(const Numbered&) const = default;
};

std::optional<Numbered> numbered(std::string_view name) {
  const auto stem_size = name.find_last_not_of("0123456789") + 1;
  const std::string_view digits = name.substr(stem_size);
  if (digits.empty() || digits.size() > most_digits_numbered) return std::nullopt;
  Numbered result{name.substr(0, stem_size), 0, digits.size()};
  std::from_chars(digits.data(), digits.data() + digits.size(), result.number);
  return result;
}

using Names = std::vector<std::string>;

Names names_of(const DocumentKey& key) { return {key.collection, key.partition, key.id}; }

Names names_of(const Operation& operation) {
  Names names;
  for_each_field(operation, [&](std::string_view field, const auto& name) {
    if constexpr (std::is_same_v<std::decay_t<decltype(name)>, std::string>)
      if (is_name(field)) names.push_back(name);
    if constexpr (std::is_same_v<std::decay_t<decltype(name)>, std::optional<std::string>>)
      if (is_name(field)) names.push_back(name ? "+" + *name : "");
  });
  return names;
}

/// The place of the only name that differs, if it is the next name.
std::optional<std::size_t> place_of_next(const Names& names, const Names& others) {
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == others[i]) continue;
    if (place || next_name(names[i]) != others[i]) return std::nullopt;
    place = i;
  }
  return place;
}

/// Whether `next` continues the sequence from `first` to `last`.
bool is_further(const Names& first, const Names& last, const Names& next) {
  if (first == last) return last == next;
  const auto place = place_of_next(last, next);
  if (!place) return false;
  Names others = first;
  others[*place] = last[*place];
  return others == last;
}

void absorb(StoryStep& step, const StoryStep& next) {
  step.last = next.operation;
  step.times += next.times;
  step.rules |= next.rules;
}

bool are_alike(const Lane& lane, const Lane& other) {
  return lane.kind == other.kind && lane.lives == other.lives && lane.marks == other.marks &&
         lane.ghosts == other.ghosts;
}

Numbered sort_key(std::string_view name) { return numbered(name).value_or(Numbered{name, 0, 0}); }

}  // namespace

std::optional<std::string> next_name(const std::string& name) {
  const auto parts = numbered(name);
  if (!parts) return std::nullopt;
  return fmt::format("{}{:0{}}", parts->stem, parts->number + 1, parts->width);
}

bool comes_before(const DocumentKey& key, const DocumentKey& other) {
  const auto order = [](const DocumentKey& k) {
    return std::tuple(sort_key(k.collection), sort_key(k.partition), sort_key(k.id));
  };
  return order(key) < order(other);
}

bool goes_on(const StoryStep& step, const StoryStep& next) {
  if (step.differs() || next.differs() || step.now != next.now || step.kind != next.kind) return false;
  if (std::holds_alternative<Advance>(next.operation)) return false;
  if (step.exchange.actual.status != next.exchange.actual.status) return false;
  if (!are_alike(step.last_operation(), next.operation)) return false;
  const Names last = names_of(step.last_operation()), names = names_of(next.operation);
  if (step.times == 1) return last == names || place_of_next(last, names);
  return is_further(names_of(step.operation), last, names);
}

std::size_t add_folded(std::vector<StoryStep>& steps, StoryStep next) {
  if (!steps.empty() && steps.back().times > 1 && goes_on(steps.back(), next)) {
    absorb(steps.back(), next);
    return 1;
  }
  steps.push_back(std::move(next));
  if (steps.size() < fewest_folded) return 0;
  const auto first = steps.end() - fewest_folded;
  StoryStep all = *first;
  for (auto step = first + 1; step != steps.end(); ++step) {
    if (all.times + step->times > fewest_folded || !goes_on(all, *step)) return 0;
    absorb(all, *step);
  }
  *first = std::move(all);
  steps.erase(first + 1, steps.end());
  return fewest_folded - 1;
}

std::vector<KeyRun> runs_of_keys(const std::vector<DocumentKey>& keys,
                                 const std::function<bool(std::size_t)>& is_like_before) {
  std::vector<KeyRun> runs;
  const auto joins = [&](std::size_t begin, std::size_t at) {
    const Names last = names_of(keys[at - 1]), names = names_of(keys[at]);
    return is_like_before(at) && place_of_next(last, names) &&
           (at == begin + 1 || is_further(names_of(keys[begin]), last, names));
  };
  for (std::size_t begin = 0; begin < keys.size(); begin = runs.back().end) {
    std::size_t end = begin + 1;
    while (end < keys.size() && joins(begin, end)) ++end;
    runs.push_back({begin, end - begin < fewest_folded ? begin + 1 : end});
  }
  return runs;
}

std::vector<Lane> fold_lanes(const std::vector<Lane>& lanes) {
  std::vector<DocumentKey> keys;
  for (const Lane& lane : lanes) keys.push_back(lane.key);
  std::vector<Lane> shown;
  for (const auto& [begin, end] :
       runs_of_keys(keys, [&](std::size_t at) { return are_alike(lanes[at - 1], lanes[at]); })) {
    shown.push_back(lanes[begin]);
    shown.back().last = keys[end - 1];
    shown.back().times = end - begin;
  }
  return shown;
}

}  // namespace mayfly
