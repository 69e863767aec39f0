#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "mayfly/props/property.hpp"
#include "mayfly/sim/json.hpp"

// The properties: agreement with the reference, and laws that need none. Most laws say: run a case, run a variant of
// it, and the operations that both have in common get the same answers. Such a law is a few functions: `base` brings a
// case into the law's scope, `vary` makes the variant, `view` strips what may differ.

namespace mayfly {

namespace {

using Outcomes = std::vector<Outcome>;

constexpr Budget plenty{1'000'000'000};

Outcomes run(const Case& test_case, Subject& subject) {
  subject.reset(test_case.start);
  Outcomes outcomes;
  outcomes.reserve(test_case.operations.size());
  for (const auto& operation : test_case.operations) outcomes.push_back(subject.apply(operation));
  return outcomes;
}

/// A case made from another, and for each of its operations the one it stands for, or `added`.
struct Variant {
  static constexpr std::size_t added = static_cast<std::size_t>(-1);

  Case test_case;
  std::vector<std::size_t> origin;

  void add(Operation operation, std::size_t stands_for = added) {
    test_case.operations.push_back(std::move(operation));
    origin.push_back(stands_for);
  }
};

/// Answers are the same if a reference that gave the one would allow the other; charges too, of one and the same store.
bool are_same(const Outcome& expected, const Outcome& actual) {
  return expected.charge == actual.charge && allows({.answer = expected, .may_purge = plenty}, actual);
}

struct Law {
  Case (*base)(const Case&);
  Variant (*vary)(const Case& base, const Outcomes& answers);
  void (*view)(Outcome&, const Case& of_whom) = [](Outcome&, const Case&) {};
};

template <const Law& law>
std::optional<Violation> check_law(const Case& test_case, Subject& subject) {
  const Case base = law.base(test_case);
  const Outcomes answers = run(base, subject);
  const Variant variant = law.vary(base, answers);
  const Outcomes varied = run(variant.test_case, subject);
  for (std::size_t i = 0; i < varied.size(); ++i) {
    const std::size_t origin = variant.origin[i];
    if (origin == Variant::added) continue;
    Outcome expected = answers[origin];
    Outcome actual = varied[i];
    law.view(expected, base);
    law.view(actual, variant.test_case);
    if (!are_same(expected, actual))
      return Violation{
          std::min(origin, test_case.operations.size() - 1), variant.test_case.operations[i], {{expected}, actual}};
  }
  return std::nullopt;
}

Case as_it_is(const Case& test_case) { return test_case; }

template <class Keep>
Variant keep_if(const Case& base, Keep keep) {
  Variant variant{{base.start, {}}, {}};
  for (std::size_t i = 0; i < base.operations.size(); ++i)
    if (keep(base.operations[i], i)) variant.add(base.operations[i], i);
  return variant;
}

/// Changes every operation of a kind, as `change(operation&)` does.
template <class Change>
Case changed(Case test_case, Change change) {
  for (auto& operation : test_case.operations)
    std::visit(
        [&](auto& o) {
          if constexpr (std::is_invocable_v<Change, decltype(o)>) change(o);
        },
        operation);
  return test_case;
}

template <class Kind>
bool is(const Operation& operation) {
  return std::holds_alternative<Kind>(operation);
}

// While a lazy index is behind, what it shows depends on how the store happens to walk its slots (I3): the laws about
// answers look at consistent collections.
Case with_exact_queries(const Case& test_case) {
  return changed(test_case, [](std::derived_from<DefinesCollection> auto& o) {
    if (o.definition.indexing == Indexing::lazy) o.definition.indexing = Indexing::consistent;
  });
}

// Purging.

constexpr Law purging_is_unseen{with_exact_queries, [](const Case& base, const Outcomes&) {
                                  return keep_if(base, [](const Operation& o, std::size_t) { return !is<Purge>(o); });
                                }};

constexpr Law purging_always_is_unseen{with_exact_queries, [](const Case& base, const Outcomes&) {
                                         Variant variant{{base.start, {}}, {}};
                                         for (std::size_t i = 0; i < base.operations.size(); ++i) {
                                           variant.add(Purge{plenty});
                                           variant.add(base.operations[i], i);
                                         }
                                         return variant;
                                       }};

// Writes and reads.

bool only_looks(const Operation& o) { return is<Read>(o) || is<Query>(o) || is<ReadCollection>(o); }

constexpr Law looking_changes_nothing{as_it_is, [](const Case& base, const Outcomes& answers) {
                                        return keep_if(base, [&](const Operation& o, std::size_t i) {
                                          return !only_looks(o) && answers[i].status < Status::bad_request;
                                        });
                                      }};

// A ttl while TTL is off: no collection has a default, and no ttl is invalid.
Case always_off(const Case& test_case) {
  auto off = changed(with_exact_queries(test_case),
                     [](std::derived_from<DefinesCollection> auto& o) { o.definition.default_ttl = Absent{}; });
  const auto drop_invalid = [](TtlField& ttl) {
    const auto* number = std::get_if<std::int64_t>(&ttl);
    if (!number || *number < -1 || *number == 0 || *number > largest_ttl) ttl = Absent{};
  };
  off = changed(std::move(off), [&](std::derived_from<WritesDocument> auto& o) { drop_invalid(o.content.ttl); });
  return changed(std::move(off), [&](PatchDocument& o) { drop_invalid(o.patch.ttl); });
}

void strip_ttl(Outcome& outcome) {
  if (outcome.document) outcome.document->ttl = Inherit{};
  if (outcome.documents)
    for (auto& document : *outcome.documents) document.ttl = Inherit{};
}

constexpr Law ttl_is_free{always_off,
                          [](const Case& base, const Outcomes&) {
                            Case plain = changed(
                                base, [](std::derived_from<WritesDocument> auto& o) { o.content.ttl = Absent{}; });
                            plain = changed(std::move(plain), [](PatchDocument& o) {
                              if (std::exchange(o.patch.ttl, Absent{}) == TtlField{Absent{}}) return;
                              if (!std::exchange(o.patch.remove_ttl, true)) return;
                              o.patch.remove_ttl = false;  // it was invalid for naming both: keep it invalid
                              o.patch.value.reset();
                            });
                            return keep_if(plain, [](const Operation&, std::size_t) { return true; });
                          },
                          [](Outcome& outcome, const Case&) { strip_ttl(outcome); }};

// Time.

constexpr Law steps_add_up{as_it_is, [](const Case& base, const Outcomes&) {
                             Variant variant{{base.start, {}}, {}};
                             for (std::size_t i = 0; i < base.operations.size(); ++i) {
                               Operation operation = base.operations[i];
                               if (auto* advance = std::get_if<Advance>(&operation)) {
                                 const Seconds half = advance->seconds / 2;
                                 variant.add(Advance{half});
                                 advance->seconds -= half;
                               }
                               variant.add(std::move(operation), i);
                             }
                             return variant;
                           }};

constexpr Seconds shift{1'000'003};

bool can_shift(const Case& test_case) {
  Seconds room = latest_instant - test_case.start - shift;
  for (const auto& operation : test_case.operations) {
    if (const auto* advance = std::get_if<Advance>(&operation)) room -= std::min(advance->seconds, room);
  }
  return room > Seconds{0};
}

constexpr Law time_has_no_origin{[](const Case& test_case) {
                                   return can_shift(test_case) ? test_case : Case{test_case.start, {}};
                                 },
                                 [](const Case& base, const Outcomes&) {
                                   auto variant = keep_if(base, [](const Operation&, std::size_t) { return true; });
                                   variant.test_case.start += shift;
                                   return variant;
                                 },
                                 [](Outcome& outcome, const Case& of_whom) {
                                   const auto since_start = [&](Instant instant) {
                                     return Instant{instant - of_whom.start};
                                   };
                                   if (outcome.now) outcome.now = since_start(*outcome.now);
                                   if (outcome.document) outcome.document->ts = since_start(outcome.document->ts);
                                   if (outcome.documents)
                                     for (auto& document : *outcome.documents) document.ts = since_start(document.ts);
                                 }};

// Identity: what happens to one partition of one collection does not depend on the others.

const DocumentKey* key_of(const Operation& operation) {
  return std::visit(
      [](const auto& o) -> const DocumentKey* {
        if constexpr (requires { o.key; }) return &o.key;
        return nullptr;
      },
      operation);
}

const std::string* collection_of(const Operation& operation) {
  return std::visit(
      [](const auto& o) -> const std::string* {
        if constexpr (requires { o.collection; }) return &o.collection;
        return nullptr;
      },
      operation);
}

constexpr Law partitions_are_apart{
    with_exact_queries, [](const Case& base, const Outcomes&) {
      const auto first = std::find_if(base.operations.begin(), base.operations.end(), key_of);
      const DocumentKey one = first == base.operations.end() ? DocumentKey{} : *key_of(*first);
      return keep_if(base, [&](const Operation& o, std::size_t) {
        if (const auto* key = key_of(o)) return key->collection == one.collection && key->partition == one.partition;
        if (const auto* query = std::get_if<Query>(&o))
          return query->collection == one.collection && query->partition == one.partition;
        const auto* collection = collection_of(o);
        return !collection || *collection == one.collection;
      });
    }};

// Inheriting n is the same as having ttl n, while the default stays n.

constexpr Seconds fixed_default{7};

constexpr Law inheriting_equals_having{
    [](const Case& test_case) {
      Case base{test_case.start, {}};
      for (const auto& operation : test_case.operations)
        if (!is<ReplaceCollection>(operation)) base.operations.push_back(operation);
      return changed(std::move(base), [](CreateCollection& o) {
        o.definition = {.default_ttl = fixed_default.count(), .indexing = Indexing::consistent};
      });
    },
    [](const Case& base, const Outcomes&) {
      Case explicit_ttl = changed(base, [](std::derived_from<WritesDocument> auto& o) {
        if (std::holds_alternative<Absent>(o.content.ttl)) o.content.ttl = fixed_default.count();
      });
      explicit_ttl = changed(std::move(explicit_ttl), [](PatchDocument& o) {
        if (!std::holds_alternative<Absent>(o.patch.ttl) || !std::exchange(o.patch.remove_ttl, false)) return;
        o.patch.ttl = fixed_default.count();
      });
      return keep_if(explicit_ttl, [](const Operation&, std::size_t) { return true; });
    },
    [](Outcome& outcome, const Case&) {
      const auto hide = [](Document& document) {
        if (document.ttl == Ttl{fixed_default}) document.ttl = Inherit{};
      };
      if (outcome.document) hide(*outcome.document);
      if (outcome.documents) std::for_each(outcome.documents->begin(), outcome.documents->end(), hide);
    }};

// A lazy index that has caught up answers as a consistent one.

constexpr Law caught_up_is_exact{[](const Case& test_case) {
                                   Case base{test_case.start, {}};
                                   for (const auto& operation : test_case.operations)
                                     if (!is<Index>(operation)) base.operations.push_back(operation);
                                   return with_exact_queries(base);
                                 },
                                 [](const Case& base, const Outcomes&) {
                                   const Case lazy = changed(base, [](std::derived_from<DefinesCollection> auto& o) {
                                     if (o.definition.indexing == Indexing::consistent)
                                       o.definition.indexing = Indexing::lazy;
                                   });
                                   Variant variant{{base.start, {}}, {}};
                                   for (std::size_t i = 0; i < lazy.operations.size(); ++i) {
                                     if (const auto* query = std::get_if<Query>(&lazy.operations[i]))
                                       variant.add(Index{query->collection, plenty});
                                     variant.add(lazy.operations[i], i);
                                   }
                                   return variant;
                                 },
                                 [](Outcome& outcome, const Case&) { outcome.indexing.reset(); }};

// The laws that are not about a variant.

std::set<DocumentKey> keys_in(const Case& test_case) {
  std::set<DocumentKey> keys;
  for (const auto& operation : test_case.operations)
    if (const auto* key = key_of(operation)) keys.insert(*key);
  return keys;
}

/// Whether the operation may make the document appear: a write of just this identity that succeeded.
bool may_bring(const Operation& operation, const Outcome& outcome, const DocumentKey& key) {
  const auto* written = key_of(operation);
  return (is<Create>(operation) || is<Upsert>(operation)) && *written == key && outcome.status == Status::created;
}

bool may_take_away(const Operation& operation, const DocumentKey& key) {
  if (is<Advance>(operation)) return true;
  if (is<ReplaceCollection>(operation) || is<DeleteCollection>(operation))
    return *collection_of(operation) == key.collection;
  return is<Delete>(operation) && *key_of(operation) == key;
}

// X2 and X4 without a model: a document that is not seen stays so until somebody writes it, and one that is seen goes
// only by a delete, by time, or by a change of its own collection's settings.
std::optional<Violation> check_gone_is_gone(const Case& test_case, Subject& subject) {
  std::map<DocumentKey, bool> seen;
  for (const auto& key : keys_in(test_case)) seen[key] = false;
  subject.reset(test_case.start);
  for (std::size_t i = 0; i < test_case.operations.size(); ++i) {
    const auto& operation = test_case.operations[i];
    const Outcome outcome = subject.apply(operation);
    for (auto& [key, was_seen] : seen) {
      const Outcome look = subject.apply(Read{{key}});
      const bool now_seen = look.status == Status::ok;
      const bool is_fine =
          now_seen == was_seen || (now_seen ? may_bring(operation, outcome, key) : may_take_away(operation, key));
      if (!is_fine) {
        const Status status = was_seen ? Status::ok : Status::not_found;
        return Violation{i, Read{{key}}, {{.answer = {.status = status}}, look}};
      }
      was_seen = now_seen;
    }
  }
  return std::nullopt;
}

// P4 and P5: with TTL on everywhere and budget enough, what is left is what can be seen.
std::optional<Violation> check_purge_is_complete(const Case& test_case, Subject& subject) {
  if (test_case.operations.empty()) return std::nullopt;
  run(test_case, subject);
  const auto keys = keys_in(test_case);
  for (const auto& key : keys) subject.apply(ReplaceCollection{{key.collection, {.default_ttl = std::int64_t{-1}}}});
  std::map<DocumentKey, Outcome> before;
  std::uint64_t live = 0;
  for (const auto& key : keys) live += (before[key] = subject.apply(Read{{key}})).status == Status::ok ? 1 : 0;
  const std::size_t last = test_case.operations.size() - 1;
  const auto held = subject.held();
  const Outcome purge = subject.apply(Purge{plenty});
  for (const auto& [key, expected] : before) {
    const Outcome actual = subject.apply(Read{{key}});
    if (!are_same(expected, actual)) return Violation{last, Read{{key}}, {{expected}, actual}};
  }
  Outcome expected = purge;
  if (held) expected.purged = *held - live;
  if (held && (purge.purged != expected.purged || subject.held() != live))
    return Violation{last, Purge{plenty}, {{expected}, purge}};
  const Outcome again = subject.apply(Purge{plenty});
  expected.purged = 0;
  if (again.purged != expected.purged) return Violation{last, Purge{plenty}, {{expected}, again}};
  return std::nullopt;
}

std::optional<Violation> check_deterministic(const Case& test_case, Subject& subject) {
  const Outcomes first = run(test_case, subject);
  const Outcomes second = run(test_case, subject);
  for (std::size_t i = 0; i < first.size(); ++i)
    if (to_line(to_json(first[i])) != to_line(to_json(second[i])))
      return Violation{i, test_case.operations[i], {{first[i]}, second[i]}};
  return std::nullopt;
}

// Every rule that decides an answer. That purging shows nowhere and costs nothing (P1, P2, P5, R1), and that a ttl is
// free (R2), only a law can tell.
constexpr RuleSet answers{Rule::T1, Rule::T2, Rule::T3, Rule::T4, Rule::T5, Rule::T6, Rule::E1, Rule::E2, Rule::E3,
                          Rule::X1, Rule::X2, Rule::X3, Rule::X4, Rule::X5, Rule::W1, Rule::W2, Rule::W3, Rule::W4,
                          Rule::W5, Rule::W6, Rule::F1, Rule::F2, Rule::F3, Rule::P3, Rule::P4, Rule::I1, Rule::I2,
                          Rule::I3, Rule::I4, Rule::I5, Rule::I6, Rule::C1, Rule::C2, Rule::C3};

constexpr Property properties[] = {
    {"the store answers every request as the rules allow", answers,
     [](const Case& test_case, Subject& subject) { return check_agreement(test_case, subject, Watch::nothing); }},
    {"everything that can be seen is as the rules allow after every request", answers,
     [](const Case& test_case, Subject& subject) { return check_agreement(test_case, subject, Watch::everything); }},
    {"removing every purge changes no answer and no charge",
     {Rule::P1, Rule::P2, Rule::P4, Rule::R1},
     check_law<purging_is_unseen>},
    {"purging everything before each request changes no answer and no charge",
     {Rule::P1, Rule::P2, Rule::P3, Rule::P4, Rule::R1},
     check_law<purging_always_is_unseen>},
    {"removing what only looks or is rejected changes nothing else", {Rule::W2}, check_law<looking_changes_nothing>},
    {"while TTL is off a ttl changes nothing but itself, not even the charge",
     {Rule::T5, Rule::F1, Rule::R2, Rule::E2, Rule::E3},
     check_law<ttl_is_free>},
    {"advancing by a and then by b is advancing by a + b", {Rule::X1, Rule::P1}, check_law<steps_add_up>},
    {"shifting every time by a constant shifts only _ts", {Rule::X1, Rule::X5}, check_law<time_has_no_origin>},
    {"a partition answers as if it were alone", {Rule::C1, Rule::R1}, check_law<partitions_are_apart>},
    {"inheriting n equals having ttl n while the default stays n",
     {Rule::E1, Rule::E3, Rule::W3, Rule::R2},
     check_law<inheriting_equals_having>},
    {"a lazy index that caught up answers as a consistent one",
     {Rule::I2, Rule::I3, Rule::I4, Rule::I5},
     check_law<caught_up_is_exact>},
    {"a document that is not seen is never seen again until it is written",
     {Rule::X2, Rule::X4, Rule::P4, Rule::C1},
     check_gone_is_gone},
    {"after enough purging nothing expired is left and nothing live is gone",
     {Rule::P4, Rule::P5},
     check_purge_is_complete},
    {"the same case gives the same answers, byte for byte", {}, check_deterministic},
};

}  // namespace

std::span<const Property> all_properties() { return properties; }

}  // namespace mayfly
