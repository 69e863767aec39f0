#include <algorithm>
#include <map>

#include "charge_laws.hpp"
#include "law.hpp"

// The properties: agreement with the reference, and laws that need none.

namespace mayfly {

namespace {

using namespace law;

// Purging.

Variant without_purges(const Case& base, const Outcomes&) {
  return keep_if(base, [](const Operation& o, std::size_t) { return !is<Purge>(o); });
}
constexpr Law purging_is_unseen{with_exact_queries, without_purges};

Variant purged_all_the_time(const Case& base, const Outcomes&) {
  Variant variant{{base.start, {}}, {}};
  for (std::size_t i = 0; i < base.steps.size(); ++i) {
    variant.add(Purge{plenty});
    variant.add(base.steps[i], i);
  }
  return variant;
}
constexpr Law purging_always_is_unseen{with_exact_queries, purged_all_the_time};

// Writes and reads.

Variant without_looks(const Case& base, const Outcomes& answers) {
  return keep_if(base, [&](const Operation& o, std::size_t i) {
    return !only_looks(o) && answers[i].status < Status::bad_request;
  });
}
constexpr Law looking_changes_nothing{as_it_is, without_looks};

// A ttl while TTL is off: no collection has a default, and no ttl is invalid.
Case always_off(const Case& test_case) {
  const auto drop_invalid = [](TtlField& ttl) {
    if (!valid_ttl(ttl)) ttl = Absent{};
  };
  Case off = changed(with_exact_queries(test_case),
                     [](std::derived_from<DefinesCollection> auto& o) { o.definition.default_ttl = Absent{}; });
  off = changed(std::move(off), [&](std::derived_from<WritesDocument> auto& o) { drop_invalid(o.content.ttl); });
  return changed(std::move(off), [&](PatchDocument& o) { drop_invalid(o.patch.ttl); });
}

Variant without_ttl(const Case& base, const Outcomes&) {
  Case plain = changed(base, [](std::derived_from<WritesDocument> auto& o) { o.content.ttl = Absent{}; });
  plain = changed(std::move(plain), [](PatchDocument& o) {
    if (std::exchange(o.patch.ttl, Absent{}) == TtlField{Absent{}}) return;
    if (!std::exchange(o.patch.remove_ttl, true)) return;
    o.patch.remove_ttl = false;  // it was invalid for naming both: keep it invalid
    o.patch.value.reset();
  });
  return operation_by_operation(plain);
}

constexpr Law ttl_is_free{always_off, without_ttl, but_for_ttl};

// Time. Between the two halves of a step somebody looks at every document, so that the store learns of that second.

Variant in_half_steps(const Case& base, const Outcomes& answers) {
  const auto keys = keys_in(base);
  Variant variant{{base.start, {}}, {}};
  for (std::size_t i = 0; i < base.steps.size(); ++i) {
    Operation operation = base.steps[i].operation;
    auto* advance = std::get_if<Advance>(&operation);
    if (advance && answers[i].status == Status::ok) {
      const Seconds half = advance->seconds / 2;
      variant.add(Advance{half});
      for (const auto& key : keys) variant.add(Read{{key}});
      advance->seconds -= half;
    }
    variant.add(std::move(operation), i);
  }
  return variant;
}
constexpr Law steps_add_up{with_exact_queries, in_half_steps};

constexpr Seconds shift{1'000'003};

bool can_shift(const Case& test_case) {
  Seconds room = latest_instant - test_case.start - shift;
  for (const auto& step : test_case.steps)
    if (const auto* advance = std::get_if<Advance>(&step.operation)) room -= advance->seconds;
  return room > Seconds{0};
}

Variant shifted(const Case& base, const Outcomes&) {
  Variant variant = operation_by_operation(base);
  if (can_shift(base)) variant.test_case.start += shift;
  return variant;
}

void since_start(Outcome& outcome, const Operation&, const Case& of_whom) {
  const auto relative = [&](Instant instant) { return Instant{instant - of_whom.start}; };
  if (outcome.now) outcome.now = relative(*outcome.now);
  for_each_document(outcome, [&](Document& document) { document.ts = relative(document.ts); });
}
constexpr Law time_has_no_origin{with_exact_queries, shifted, since_start};

// Identity: what happens to one partition of one collection does not depend on the others.

Variant one_partition(const Case& base, const Outcomes&) {
  const auto names_document = [](const Step& step) { return key_of(step.operation) != nullptr; };
  const auto first = std::find_if(base.steps.begin(), base.steps.end(), names_document);
  const DocumentKey one = first == base.steps.end() ? DocumentKey{} : *key_of(first->operation);
  return keep_if(base, [&](const Operation& o, std::size_t) {
    const auto* collection = collection_of(o);
    if (collection && *collection != one.collection) return false;
    if (const auto* key = key_of(o)) return key->partition == one.partition;
    const auto* search = search_of(o);
    return !search || search->partition == one.partition;
  });
}
constexpr Law partitions_are_apart{with_exact_queries, one_partition};

// Inheriting n is the same as having ttl n, while the default stays n.

constexpr Seconds fixed_default{7};

Case with_fixed_default(const Case& test_case) {
  return changed(without<ReplaceCollection>(test_case), [](CreateCollection& o) {
    o.definition = {.default_ttl = fixed_default.count(), .indexing = Indexing::consistent};
  });
}

Variant with_explicit_ttl(const Case& base, const Outcomes&) {
  Case explicit_ttl = changed(base, [](std::derived_from<WritesDocument> auto& o) {
    if (std::holds_alternative<Absent>(o.content.ttl)) o.content.ttl = fixed_default.count();
  });
  explicit_ttl = changed(std::move(explicit_ttl), [](PatchDocument& o) {
    if (!std::holds_alternative<Absent>(o.patch.ttl) || !std::exchange(o.patch.remove_ttl, false)) return;
    o.patch.ttl = fixed_default.count();
  });
  return operation_by_operation(explicit_ttl);
}

void but_for_the_fixed_ttl(Outcome& outcome, const Operation&, const Case&) {
  for_each_document(outcome, [](Document& document) {
    if (document.ttl == Ttl{fixed_default}) document.ttl = Inherit{};
  });
}
constexpr Law inheriting_equals_having{with_fixed_default, with_explicit_ttl, but_for_the_fixed_ttl};

// A lazy index that has caught up answers as a consistent one.

Case without_lazy_indexing(const Case& test_case) { return with_exact_queries(without<Index>(test_case)); }

Variant with_lazy_indexing(const Case& base, const Outcomes&) {
  const Case lazy = changed(base, [](std::derived_from<DefinesCollection> auto& o) {
    if (o.definition.indexing == Indexing::consistent) o.definition.indexing = Indexing::lazy;
  });
  Variant variant{{base.start, {}}, {}};
  for (std::size_t i = 0; i < lazy.steps.size(); ++i) {
    if (const auto* search = search_of(lazy.steps[i].operation)) variant.add(Index{search->collection, plenty});
    variant.add(lazy.steps[i], i);
  }
  return variant;
}

void but_for_indexing(Outcome& outcome, const Operation&, const Case&) {
  outcome.indexing.reset();
  outcome.charge.reset();  // the two may have different prices
}
constexpr Law caught_up_is_exact{without_lazy_indexing, with_lazy_indexing, but_for_indexing};

// A store has no memory of other cases, and no other source of chance than what may be in any order.

Variant once_more(const Case& base, const Outcomes&) { return operation_by_operation(base); }
constexpr Law is_deterministic{with_exact_queries, once_more};

// The laws that are not about a variant.

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
  for (std::size_t i = 0; i < test_case.steps.size(); ++i) {
    const auto& operation = test_case.steps[i].operation;
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

/// Asks for all there is to purge, and demands so many; nothing is charged for it (P2).
std::optional<Violation> demand_purged(const Case& test_case, Subject& subject, std::optional<std::uint64_t> count) {
  const Outcome actual = subject.apply(Purge{plenty});
  Outcome expected = actual;
  if (count) expected.purged = count;
  if (expected.charge) expected.charge = Charge{0};
  if (actual == expected) return std::nullopt;
  return Violation{last_step(test_case), Purge{plenty}, {{expected}, actual}};
}

/// Demands that the store holds so many documents, if it tells.
std::optional<Violation> demand_held(const Case& test_case, Subject& subject, std::uint64_t count) {
  if (!subject.features().held) return std::nullopt;
  const Outcome actual = subject.apply(Held{});
  const Expectation expected{.answer = {.held = count}, .must_hold = count, .may_hold = count};
  if (allows(expected, actual)) return std::nullopt;
  return Violation{last_step(test_case), Held{}, {expected, actual}};
}

/// Purges, and demands that the store holds as many documents less as it says that it deleted.
std::optional<Violation> purge_and_count(std::size_t step, Subject& subject, const Purge& purge) {
  const std::uint64_t before = subject.apply(Held{}).held.value_or(0);
  const std::uint64_t purged = subject.apply(purge).purged.value_or(0);
  const std::uint64_t left = before - std::min(before, purged);
  const Expectation expected{.answer = {.held = left}, .may_hold = left};
  const Outcome after = subject.apply(Held{});
  if (allows(expected, after)) return std::nullopt;
  return Violation{step, Held{}, {expected, after}};
}

// A purge that says that it deleted documents has deleted as many. Beside the purges of the case there is a small one
// after each step of time, when documents may just have expired.
std::optional<Violation> check_purge_deletes_what_it_says(const Case& test_case, Subject& subject) {
  if (!subject.features().held) return std::nullopt;
  subject.reset(test_case.start);
  for (std::size_t i = 0; i < test_case.steps.size(); ++i) {
    const Operation& operation = test_case.steps[i].operation;
    const auto* purge = std::get_if<Purge>(&operation);
    const Purge small{{1 + i % 3}};
    if (!purge) subject.apply(operation);
    if (!purge && !is<Advance>(operation)) continue;
    if (auto violation = purge_and_count(i, subject, purge ? *purge : small)) return violation;
  }
  return std::nullopt;
}

/// Requests that give every collection of the case this default.
std::vector<Operation> with_default_everywhere(const Case& test_case, const TtlField& default_ttl) {
  std::set<std::string> names;
  for (const auto& step : test_case.steps)
    if (const auto* collection = collection_of(step.operation)) names.insert(*collection);
  std::vector<Operation> requests;
  for (const auto& name : names) requests.push_back(ReplaceCollection{{name, {.default_ttl = default_ttl}}});
  return requests;
}

// What `check_purge_is_complete` asks a store, but for its reads.
Case with_purges_after_it(const Case& test_case) {
  Case whole = test_case;
  for (const TtlField& default_ttl : {TtlField{Absent{}}, TtlField{std::int64_t{-1}}}) {
    const auto requests = with_default_everywhere(test_case, default_ttl);
    whole.steps.insert(whole.steps.end(), requests.begin(), requests.end());
    whole.steps.push_back(Purge{plenty});
  }
  return whole;
}

// With TTL off everywhere nothing is purged (P3); with TTL on and budget enough, what is left is what can be seen (P4,
// P5).
std::optional<Violation> check_purge_is_complete(const Case& test_case, Subject& subject) {
  if (test_case.steps.empty()) return std::nullopt;
  run(test_case, subject);
  for (const auto& request : with_default_everywhere(test_case, Absent{})) subject.apply(request);
  if (auto violation = demand_purged(test_case, subject, 0)) return violation;
  for (const auto& request : with_default_everywhere(test_case, std::int64_t{-1})) subject.apply(request);
  std::map<DocumentKey, Outcome> before;
  for (const auto& key : keys_in(test_case)) before[key] = subject.apply(Read{{key}});
  const auto live = static_cast<std::uint64_t>(
      std::count_if(before.begin(), before.end(), [](const auto& look) { return look.second.status == Status::ok; }));
  if (auto violation = demand_purged(test_case, subject, std::nullopt)) return violation;
  if (auto violation = demand_held(test_case, subject, live)) return violation;
  for (const auto& [key, expected] : before) {
    const Outcome actual = subject.apply(Read{{key}});
    if (!are_same(expected, actual)) return Violation{last_step(test_case), Read{{key}}, {{expected}, actual}};
  }
  return demand_purged(test_case, subject, 0);
}

// Every rule that decides an answer. That purging shows nowhere and expiry costs nothing later (P1, R1), and that a ttl
// is free (R2), only a law can tell.
constexpr RuleSet answers{Rule::T1, Rule::T2, Rule::T3, Rule::T4, Rule::T5, Rule::T6, Rule::E1, Rule::E2, Rule::E3,
                          Rule::X1, Rule::X2, Rule::X3, Rule::X4, Rule::X5, Rule::W1, Rule::W2, Rule::W3, Rule::W4,
                          Rule::W5, Rule::W6, Rule::F1, Rule::F2, Rule::F3, Rule::P2, Rule::P3, Rule::P4, Rule::P5,
                          Rule::I1, Rule::I2, Rule::I3, Rule::I4, Rule::I5, Rule::I6, Rule::C1, Rule::C2, Rule::C3};

constexpr Property properties[] = {
    {"the store answers every request as the rules allow", answers,
     [](const Case& test_case, Subject& subject) { return check_agreement(test_case, subject, Watch::nothing); }},
    {"everything that can be seen is as the rules allow after every request", answers,
     [](const Case& test_case, Subject& subject) { return check_agreement(test_case, subject, Watch::everything); }},
    {"removing every purge changes no answer and no charge",
     {Rule::P1, Rule::P4, Rule::R1},
     check_law<purging_is_unseen>,
     &Features::purge,
     purging_is_unseen.base},
    {"purging everything before each request changes no answer and no charge",
     {Rule::P1, Rule::P4, Rule::R1},
     check_law<purging_always_is_unseen>,
     &Features::purge,
     purging_always_is_unseen.base},
    {"removing what only looks or is rejected changes nothing else",
     {Rule::W2},
     check_law<looking_changes_nothing>,
     nullptr,
     looking_changes_nothing.base},
    {"while TTL is off a ttl changes nothing but itself, not even the charge",
     {Rule::T5, Rule::F1, Rule::R2, Rule::E2, Rule::E3},
     check_law<ttl_is_free>,
     nullptr,
     ttl_is_free.base},
    {"advancing by a and then by b is advancing by a + b",
     {Rule::X1, Rule::P1},
     check_law<steps_add_up>,
     nullptr,
     steps_add_up.base},
    {"shifting every time by a constant shifts only _ts",
     {Rule::X1, Rule::X5},
     check_law<time_has_no_origin>,
     nullptr,
     time_has_no_origin.base},
    {"a partition answers as if it were alone",
     {Rule::C1, Rule::R1},
     check_law<partitions_are_apart>,
     nullptr,
     partitions_are_apart.base},
    {"inheriting n equals having ttl n while the default stays n",
     {Rule::E1, Rule::E3, Rule::W3, Rule::R2},
     check_law<inheriting_equals_having>,
     nullptr,
     inheriting_equals_having.base},
    {"a lazy index that caught up answers as a consistent one",
     {Rule::I2, Rule::I3, Rule::I4, Rule::I5},
     check_law<caught_up_is_exact>,
     &Features::lazy,
     caught_up_is_exact.base},
    {"a document that is not seen is never seen again until it is written",
     {Rule::X2, Rule::X4, Rule::P4, Rule::C1},
     check_gone_is_gone},
    {"after enough purging nothing expired is left and nothing live is gone, and none of it was charged",
     {Rule::P2, Rule::P3, Rule::P4, Rule::P5},
     check_purge_is_complete,
     &Features::purge,
     with_purges_after_it},
    {"a purge deletes as many documents as it says", {Rule::P5}, check_purge_deletes_what_it_says, &Features::purge},
    {"a write costs the same with any ttl and without one",
     {Rule::R2},
     law::check_ttl_costs_nothing,
     &Features::charge,
     law::up_to_a_write_with_ttl},
    {"what an expiry leaves behind costs what a delete leaves behind",
     {Rule::R1},
     law::check_expiry_costs_nothing,
     &Features::charge,
     law::with_fixed_settings},
    {"the same case gives the same answers", {}, check_law<is_deterministic>, nullptr, is_deterministic.base},
};

}  // namespace

std::span<const Property> all_properties() { return properties; }

}  // namespace mayfly
