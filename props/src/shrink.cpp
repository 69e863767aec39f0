#include "mayfly/props/shrink.hpp"

#include <algorithm>

namespace mayfly {

namespace {

using Ways = std::vector<Simplification>;
using Kind = Simplification::Kind;

void add_removals(Ways& ways, std::size_t size) {
  for (std::size_t run = size; run > 0; run /= 2)
    for (std::size_t end = size; end >= run; end -= run) ways.push_back({Kind::remove, end - run, run, {}, {}});
}

// Simpler values of one field, simplest first. A value is simpler if it comes earlier here, or is nearer to zero.

std::vector<TtlField> simpler(const TtlField& field) {
  std::vector<TtlField> values;
  if (std::holds_alternative<Absent>(field)) return values;
  values.emplace_back(Absent{});
  if (field == TtlField{std::int64_t{-1}}) return values;
  values.emplace_back(std::int64_t{-1});
  const auto* number = std::get_if<std::int64_t>(&field);
  if (!number) return values;
  if (*number > 1)
    values.insert(values.end(), {TtlField{std::int64_t{1}}, TtlField{*number / 2}, TtlField{*number - 1}});
  return values;
}

std::vector<Seconds> simpler(Seconds step) {
  if (step <= Seconds{1}) return {};
  if (step == Seconds{2}) return {Seconds{1}};
  return {Seconds{1}, step / 2, step - Seconds{1}};
}

std::vector<Budget> simpler(Budget budget) {
  if (budget.units <= 1) return {};
  return {{1}};
}

std::vector<std::string> simpler_name(const std::string& name, const char* simplest) {
  if (name <= simplest && name.size() <= 2) return {};
  return {simplest};
}

std::vector<std::string> simpler_value(const std::string& value) {
  if (value.empty()) return {};
  return {""};
}

/// Collects the copies of one operation in which one field is simpler.
class FieldSimplifier {
 public:
  FieldSimplifier(Ways& ways, std::size_t at, const Operation& operation)
      : ways_(ways), at_(at), operation_(operation) {}

  void operator()(const Advance& o) {
    try_all<Advance>(simpler(o.seconds), [](auto& c, auto v) { c.seconds = v; });
  }

  template <std::derived_from<DefinesCollection> O>
  void operator()(const O& o) {
    name(o);
    try_all<O>(simpler(o.definition.default_ttl), [](auto& c, auto v) { c.definition.default_ttl = v; });
    if (o.definition.indexing != Indexing::consistent)
      try_all<O>(std::vector{Indexing::consistent}, [](auto& c, auto v) { c.definition.indexing = v; });
  }

  template <std::derived_from<NamesCollection> O>
  void operator()(const O& o) {
    name(o);
  }

  template <std::derived_from<WritesDocument> O>
  void operator()(const O& o) {
    key(o);
    try_all<O>(simpler(o.content.ttl), [](auto& c, auto v) { c.content.ttl = v; });
    try_all<O>(simpler_value(o.content.value), [](auto& c, auto v) { c.content.value = v; });
  }

  template <std::derived_from<NamesDocument> O>
  void operator()(const O& o) {
    key(o);
  }

  void operator()(const PatchDocument& o) {
    key(o);
    using O = PatchDocument;
    try_all<O>(simpler(o.patch.ttl), [](auto& c, auto v) { c.patch.ttl = v; });
    if (o.patch.remove_ttl) try_all<O>(std::vector{false}, [](auto& c, bool v) { c.patch.remove_ttl = v; });
    if (!o.patch.value) return;
    try_all<O>(std::vector{std::optional<std::string>{}}, [](auto& c, auto v) { c.patch.value = v; });
    try_all<O>(simpler_value(*o.patch.value), [](auto& c, auto v) { c.patch.value = v; });
  }

  void operator()(const Query& o) {
    name(o);
    if (!o.partition) return;
    try_all<Query>(std::vector{std::optional<std::string>{}}, [](auto& c, auto v) { c.partition = v; });
    try_all<Query>(simpler_name(*o.partition, "p0"), [](auto& c, auto v) { c.partition = v; });
  }

  void operator()(const Purge& o) {
    try_all<Purge>(simpler(o.budget), [](auto& c, auto v) { c.budget = v; });
  }

  void operator()(const Index& o) {
    name(o);
    try_all<Index>(simpler(o.budget), [](auto& c, auto v) { c.budget = v; });
  }

 private:
  template <class O, class Values, class Set>
  void try_all(const Values& values, Set set) {
    for (const auto& value : values) {
      Operation copy = operation_;
      set(std::get<O>(copy), value);
      ways_.push_back({Kind::replace, at_, 0, {}, std::move(copy)});
    }
  }

  template <class O>
  void name(const O& o) {
    try_all<O>(simpler_name(o.collection, "c0"), [](auto& c, auto v) { c.collection = v; });
  }

  template <class O>
  void key(const O& o) {
    try_all<O>(simpler_name(o.key.collection, "c0"), [](auto& c, auto v) { c.key.collection = v; });
    try_all<O>(simpler_name(o.key.partition, "p0"), [](auto& c, auto v) { c.key.partition = v; });
    try_all<O>(simpler_name(o.key.id, "d0"), [](auto& c, auto v) { c.key.id = v; });
  }

  Ways& ways_;
  std::size_t at_;
  const Operation& operation_;
};

/// The number of seconds that an operation sets as a ttl or default, or nothing.
std::int64_t* seconds_in(Operation& operation) {
  TtlField* field = std::visit(
      [](auto& o) -> TtlField* {
        if constexpr (requires { o.definition; }) return &o.definition.default_ttl;
        if constexpr (requires { o.content; }) return &o.content.ttl;
        if constexpr (requires { o.patch; }) return &o.patch.ttl;
        return nullptr;
      },
      operation);
  auto* number = field ? std::get_if<std::int64_t>(field) : nullptr;
  return number && *number > 1 ? number : nullptr;
}

// A ttl of 1000 that matters because the clock moves by 999 can only shrink together with that step.
void add_linked(Ways& ways, Case test_case) {
  auto& operations = test_case.operations;
  for (std::size_t at = 0; at < operations.size(); ++at) {
    const auto* advance = std::get_if<Advance>(&operations[at]);
    if (!advance) continue;
    for (std::size_t other = 0; other < operations.size(); ++other) {
      const auto* number = seconds_in(operations[other]);
      if (!number) continue;
      const auto most = std::min(advance->seconds, Seconds{*number - 1});
      for (Seconds by = most; by > Seconds{0}; by /= 2) ways.push_back({Kind::lower_together, at, other, by, {}});
    }
  }
}

void add_merges(Ways& ways, const Case& test_case) {
  std::optional<std::size_t> previous;
  for (std::size_t at = 0; at < test_case.operations.size(); ++at) {
    if (!std::holds_alternative<Advance>(test_case.operations[at])) continue;
    if (previous) ways.push_back({Kind::merge_steps, *previous, at, {}, {}});
    previous = at;
  }
}

void add_starts(Ways& ways, Instant start) {
  for (Seconds to{0}; Instant{to} < start; to = (to + start.time_since_epoch() + Seconds{1}) / 2)
    ways.push_back({Kind::start, 0, 0, to, {}});
}

}  // namespace

std::vector<Simplification> simplifications(const Case& test_case) {
  Ways ways;
  add_removals(ways, test_case.operations.size());
  add_merges(ways, test_case);
  add_starts(ways, test_case.start);
  for (std::size_t at = 0; at < test_case.operations.size(); ++at)
    std::visit(FieldSimplifier{ways, at, test_case.operations[at]}, test_case.operations[at]);
  add_linked(ways, test_case);
  return ways;
}

Case simplified(const Case& test_case, const Simplification& way) {
  Case smaller = test_case;
  auto& operations = smaller.operations;
  const auto position = operations.begin() + static_cast<std::ptrdiff_t>(way.at);
  switch (way.kind) {
    case Kind::remove:
      operations.erase(position, position + static_cast<std::ptrdiff_t>(way.other));
      break;
    case Kind::replace:
      *position = way.simpler;
      break;
    case Kind::lower_together:
      std::get<Advance>(*position).seconds -= way.by;
      *seconds_in(operations[way.other]) -= way.by.count();
      break;
    case Kind::merge_steps:
      std::get<Advance>(operations[way.other]).seconds += std::get<Advance>(*position).seconds;
      operations.erase(position);
      break;
    case Kind::start:
      smaller.start = Instant{way.by};
      break;
  }
  return smaller;
}

}  // namespace mayfly
