#include "mayfly/props/shrink/passes.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace mayfly {

namespace {

using Changes = std::vector<Change>;

/// The text of a name or value, wherever it stands; nothing where the field is absent or no text.
template <class Field>
auto* text_in(Field& field) {
  using Text = std::conditional_t<std::is_const_v<Field>, const std::string, std::string>;
  Text* text = nullptr;
  if constexpr (std::is_same_v<std::remove_const_t<Field>, std::string>) text = &field;
  if constexpr (std::is_same_v<std::remove_const_t<Field>, std::optional<std::string>>)
    text = field ? &*field : nullptr;
  return text;
}

template <class AnyCase, class F>
void for_each_text(AnyCase& test_case, F f) {
  for (auto& step : test_case.steps)
    for_each_field(step.operation, [&](std::string_view name, auto& field) {
      if (auto* text = text_in(field)) f(name, *text);
    });
}

// Names. Each kind of name has a letter of its own.

char letter_of(std::string_view field) {
  return field == "collection" ? 'c' : field == "partition" ? 'p' : field == "id" ? 'd' : 'v';
}

/// The texts of a kind by first use, the empty value left out.
std::vector<std::string> texts_of(const Case& test_case, char letter) {
  std::vector<std::string> texts;
  for_each_text(test_case, [&](std::string_view field, const std::string& text) {
    const bool is_new = std::find(texts.begin(), texts.end(), text) == texts.end();
    if (letter_of(field) == letter && is_new && !(letter == 'v' && text.empty())) texts.push_back(text);
  });
  return texts;
}

void rename(Case& test_case, char letter, const std::map<std::string, std::string>& names) {
  for_each_text(test_case, [&](std::string_view field, std::string& text) {
    const auto found = names.find(text);
    if (letter_of(field) == letter && found != names.end()) text = found->second;
  });
}

Changes rename_by_first_use(const Case&) {
  return {[](Case& test_case) {
    for (const char letter : {'c', 'p', 'd', 'v'}) {
      std::map<std::string, std::string> names;
      for (const auto& text : texts_of(test_case, letter)) names[text] = letter + std::to_string(names.size());
      rename(test_case, letter, names);
    }
  }};
}

// All documents in one partition, numbered by first use.
Changes gather_documents(const Case&) {
  return {[](Case& test_case) {
    std::map<std::pair<std::string, std::string>, std::string> ids;
    for (auto& step : test_case.steps)
      std::visit(
          [&](auto& o) {
            if constexpr (requires { o.key; }) {
              const std::string next = "d" + std::to_string(ids.size());
              o.key.id = ids.try_emplace({o.key.partition, o.key.id}, next).first->second;
              o.key.partition = "p0";
            }
          },
          step.operation);
  }};
}

Changes merge_names(const Case& test_case) {
  Changes changes;
  for (const char letter : {'c', 'p', 'd', 'v'}) {
    const auto texts = texts_of(test_case, letter);
    for (std::size_t later = texts.size(); later-- > 1;)
      for (std::size_t earlier = 0; earlier < later; ++earlier)
        changes.push_back([letter, from = texts[later], to = texts[earlier]](Case& c) {
          rename(c, letter, {{from, to}});
        });
  }
  return changes;
}

// Operations.

auto position(Case& test_case, std::size_t at) { return test_case.steps.begin() + static_cast<std::ptrdiff_t>(at); }

void remove(Case& test_case, std::size_t at, std::size_t count = 1) {
  test_case.steps.erase(position(test_case, at), position(test_case, at + count));
}

Changes remove_runs(const Case& test_case) {
  Changes changes;
  const std::size_t size = test_case.steps.size();
  for (std::size_t run = size; run > 0; run /= 2)
    for (std::size_t end = size; end > 0; end -= std::min(end, run)) {
      const std::size_t count = std::min(end, run);
      changes.push_back([at = end - count, count](Case& c) { remove(c, at, count); });
    }
  return changes;
}

// Passes over pairs of operations are for cases that the others have made short.
constexpr std::size_t short_enough = 100;

// Two operations that are only of use together, such as off and on again.
Changes remove_pairs(const Case& test_case) {
  Changes changes;
  const std::size_t size = test_case.steps.size();
  if (size > 8) return changes;
  for (std::size_t second = size; second-- > 1;)
    for (std::size_t first = second; first-- > 0;)
      changes.push_back([=](Case& c) {
        remove(c, second);
        remove(c, first);
      });
  return changes;
}

// A collection that is created and then replaced might as well be created as it is in the end; the same for a document.
Changes fold_writes(const Case& test_case) {
  Changes changes;
  const auto& steps = test_case.steps;
  if (steps.size() > short_enough) return changes;
  for (std::size_t later = steps.size(); later-- > 1;)
    for (std::size_t earlier = later; earlier-- > 0;) {
      const auto fold = [&](auto change) {
        changes.push_back([=](Case& c) {
          change(c.steps[earlier].operation, c.steps[later].operation);
          remove(c, later);
        });
      };
      const bool same_document = key_of(steps[later].operation) && key_of(steps[earlier].operation) &&
                                 *key_of(steps[later].operation) == *key_of(steps[earlier].operation);
      if (std::holds_alternative<CreateCollection>(steps[earlier].operation) &&
          std::holds_alternative<ReplaceCollection>(steps[later].operation))
        fold([](Operation& to, const Operation& from) {
          std::get<CreateCollection>(to).definition = std::get<ReplaceCollection>(from).definition;
        });
      if (same_document)
        std::visit(
            [&](const auto& to, const auto& from) {
              using To = std::decay_t<decltype(to)>;
              using From = std::decay_t<decltype(from)>;
              if constexpr (requires {
                              to.content;
                              from.content;
                            })
                fold([](Operation& a, const Operation& b) { std::get<To>(a).content = std::get<From>(b).content; });
              else if constexpr (requires {
                                   to.content;
                                   from.patch;
                                 })
                fold([](Operation& a, const Operation& b) {
                  std::get<To>(a).content.ttl = std::get<From>(b).patch.ttl;
                });
            },
            steps[earlier].operation, steps[later].operation);
    }
  return changes;
}

/// The same request as an operation of another kind, where there is one.
std::vector<Operation> of_simpler_kind(const Operation& operation) {
  if (const auto* o = std::get_if<Upsert>(&operation)) return {Create{*o}};
  if (const auto* o = std::get_if<Replace>(&operation)) return {Create{*o}, Upsert{*o}};
  if (const auto* o = std::get_if<PatchDocument>(&operation)) {
    const WritesDocument write{o->key, {o->patch.ttl, o->patch.value.value_or("")}};
    return {Create{write}, Upsert{write}, Replace{write}, PatchDocument{o->key, {.value = ""}}};
  }
  if (const auto* o = std::get_if<ReplaceCollection>(&operation))
    return {CreateCollection{*o}, ReplaceCollection{{o->collection, {.default_ttl = std::int64_t{-1}}}}};
  if (const auto* o = std::get_if<CreateCollection>(&operation))
    return {CreateCollection{{o->collection, {.default_ttl = std::int64_t{-1}}}}};
  if (const auto* o = std::get_if<DeleteCollection>(&operation)) return {Query{{o->collection, {}}}};
  if (const auto* o = std::get_if<Count>(&operation)) return {Query{*o}};
  if (const auto* o = std::get_if<Index>(&operation)) return {Query{{o->collection, {}}}};
  return {};
}

Changes simplify_kinds(const Case& test_case) {
  Changes changes;
  const auto put = [&](std::size_t at, const Operation& operation) {
    changes.push_back([=](Case& c) { c.steps[at].operation = operation; });
  };
  for (std::size_t at = test_case.steps.size(); at-- > 0;) {
    if (const auto* key = key_of(test_case.steps[at].operation)) put(at, Read{{*key}});
    for (const auto& operation : of_simpler_kind(test_case.steps[at].operation)) put(at, operation);
  }
  // What shows the difference in the end is best a read of one of the documents.
  for (std::size_t at = 0; at + 1 < test_case.steps.size(); ++at)
    if (const auto* key = key_of(test_case.steps[at].operation)) put(test_case.steps.size() - 1, Read{{*key}});
  return changes;
}

// The story may be over sooner, if only somebody looks.
Changes end_with_a_look(const Case& test_case) {
  Changes changes;
  const std::size_t size = test_case.steps.size();
  if (size > short_enough) return changes;
  std::vector<Operation> looks;
  const auto add_look = [&](Operation look) {
    if (std::find(looks.begin(), looks.end(), look) == looks.end()) looks.push_back(std::move(look));
  };
  for (const auto& step : test_case.steps) {
    if (const auto* key = key_of(step.operation)) add_look(Read{{*key}});
    if (const auto* collection = collection_of(step.operation)) {
      add_look(Query{{*collection, {}}});
      add_look(ReadCollection{{*collection}});
    }
  }
  for (std::size_t length = 1; length < size; ++length)
    for (const auto& look : looks)
      changes.push_back([=](Case& c) {
        c.steps.resize(length);
        c.steps.push_back(look);
      });
  return changes;
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

// Two definitions exchange their defaults: where it does not matter which of them brings it, the first does.
Changes set_defaults_sooner(const Case& test_case) {
  Changes changes;
  const auto& steps = test_case.steps;
  if (steps.size() > short_enough) return changes;
  for (std::size_t later = 1; later < steps.size(); ++later)
    for (std::size_t sooner = 0; std::holds_alternative<ReplaceCollection>(steps[later].operation) && sooner < later;
         ++sooner)
      if (std::holds_alternative<CreateCollection>(steps[sooner].operation))
        changes.push_back(
            [=](Case& c) { std::swap(*default_in(c.steps[sooner].operation), *default_in(c.steps[later].operation)); });
  return changes;
}

Changes inherit_instead(const Case& test_case) {
  Changes changes;
  for (const auto& step : test_case.steps)
    for_each_field(step.operation, [&](std::string_view name, const auto& field) {
      if constexpr (std::is_same_v<std::decay_t<decltype(field)>, TtlField>)
        if (name == "ttl" && !std::holds_alternative<Absent>(field))
          changes.push_back([ttl = field](Case& c) { let_inherit(c, ttl); });
    });
  return changes;
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

Changes simplify_values(const Case& test_case) {
  Changes changes;
  for (std::size_t at = 0; at < test_case.steps.size(); ++at) {
    std::size_t which = 0;
    for_each_field(test_case.steps[at].operation, [&](std::string_view name, const auto& field) {
      using Value = std::decay_t<decltype(field)>;
      if (!is_name(name) || std::is_same_v<Value, std::optional<std::string>>)
        for (const auto& simple : simpler(field))
          if (simple != field)
            changes.push_back([=, value = Value(simple)](Case& c) { set_field(c.steps[at].operation, which, value); });
      ++which;
    });
  }
  return changes;
}

// Time.

/// The number of seconds that an operation sets as a ttl or default, if it is more than one.
std::int64_t* seconds_in(Operation& operation) {
  std::int64_t* seconds = nullptr;
  for_each_field(operation, [&](std::string_view, auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, TtlField>)
      if (auto* number = std::get_if<std::int64_t>(&field); number && *number > 1 && *number <= largest_ttl)
        seconds = number;
  });
  return seconds;
}

// A ttl of 1000 that matters because the clock moves by 999 can only shrink together with that step; two documents with
// the same ttl, only together with each other.
void lower_together(Case& test_case, std::size_t advance, std::int64_t number, Seconds by) {
  std::get<Advance>(test_case.steps[advance].operation).seconds -= by;
  for (auto& step : test_case.steps)
    if (auto* seconds = seconds_in(step.operation); seconds && *seconds == number) *seconds -= by.count();
}

Changes lower_linked(const Case& test_case) {
  Changes changes;
  if (test_case.steps.size() > short_enough) return changes;
  Case copy = test_case;
  for (std::size_t at = 0; at < copy.steps.size(); ++at) {
    const auto* advance = std::get_if<Advance>(&copy.steps[at].operation);
    if (!advance) continue;
    for (auto& step : copy.steps) {
      const auto* number = seconds_in(step.operation);
      if (!number) continue;
      for (Seconds by = std::min(advance->seconds, Seconds{*number - 1}); by > Seconds{0}; by /= 2)
        changes.push_back([=, seconds = *number](Case& c) { lower_together(c, at, seconds, by); });
    }
  }
  return changes;
}

Changes merge_steps(const Case& test_case) {
  Changes changes;
  std::optional<std::size_t> previous;
  for (std::size_t at = 0; at < test_case.steps.size(); ++at) {
    if (!std::holds_alternative<Advance>(test_case.steps[at].operation)) continue;
    if (previous)
      changes.push_back([at, first = *previous](Case& c) {
        auto& step = std::get<Advance>(c.steps[at].operation).seconds;
        step = std::min(step + std::get<Advance>(c.steps[first].operation).seconds, latest_instant.time_since_epoch());
        remove(c, first);
      });
    previous = at;
  }
  return changes;
}

// What happens in the first steps may as well have happened before the start; and where a deadline has to be late, a
// late start does as well as a long ttl.
Changes start_later(const Case& test_case) {
  Changes changes;
  Case copy = test_case;
  for (std::size_t at = 0; at < copy.steps.size(); ++at) {
    if (const auto* advance = std::get_if<Advance>(&copy.steps[at].operation); advance && advance->seconds > Seconds{0})
      changes.push_back([at, step = advance->seconds](Case& c) {
        c.start = std::min(c.start + step, latest_instant);
        remove(c, at);
      });
    if (const auto* number = seconds_in(copy.steps[at].operation))
      changes.push_back([seconds = *number](Case& c) {
        c.start = std::min(c.start + Seconds{seconds - 1}, latest_instant);
        for (auto& step : c.steps)
          if (auto* same = seconds_in(step.operation); same && *same == seconds) *same = 1;
      });
  }
  return changes;
}

Changes start_earlier(const Case& test_case) {
  Changes changes;
  for (Seconds to{0}; Instant{to} < test_case.start; to = (to + test_case.start.time_since_epoch() + Seconds{1}) / 2)
    changes.push_back([to](Case& c) { c.start = Instant{to}; });
  return changes;
}

Changes put_in_order(const Case& test_case) {
  Changes changes;
  for (std::size_t at = 0; at + 1 < test_case.steps.size(); ++at)
    if (!are_inverted(test_case.steps[at + 1].operation,
                      test_case.steps[at].operation))  // equal ones too, for their names
      changes.push_back([at](Case& c) { std::swap(c.steps[at], c.steps[at + 1]); });
  return changes;
}

constexpr Pass all_passes[] = {
    remove_runs,    fold_writes,     rename_by_first_use, gather_documents, merge_names,        end_with_a_look,
    simplify_kinds, inherit_instead, simplify_values,     lower_linked,     merge_steps,        start_later,
    start_earlier,  put_in_order,    rename_by_first_use, remove_pairs,     set_defaults_sooner};

}  // namespace

std::span<const Pass> passes() { return all_passes; }

}  // namespace mayfly
