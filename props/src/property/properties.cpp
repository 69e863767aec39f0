#include <algorithm>
#include <map>

#include "charge_laws.hpp"
#include "law.hpp"

// The properties: agreement with the reference, and laws, which need no reference.

namespace mayfly {

namespace {

using namespace law;

// Purging.

Variant without_purges(const Case& base, const Outcomes&) {
  return keep_if(base, [](const Operation& o, std::size_t) { return !is<Purge>(o); });
}
constexpr Comparison purging_is_unseen{with_exact_queries, without_purges};

Variant purged_all_the_time(const Case& base, const Outcomes&) {
  Variant variant{{base.start, {}}, {}};
  for (std::size_t i = 0; i < base.steps.size(); ++i) {
    variant.add(Purge{plenty});
    variant.add(base.steps[i], i);
  }
  return variant;
}
constexpr Comparison purging_always_is_unseen{with_exact_queries, purged_all_the_time};

// Writes and reads.

Variant without_reads(const Case& base, const Outcomes& answers) {
  return keep_if(base, [&](const Operation& o, std::size_t i) {
    return !is_read_only(o) && answers[i].status < Status::bad_request;
  });
}
constexpr Comparison reading_changes_nothing{as_it_is, without_reads};

// A ttl while TTL is off: no collection has a default, and no write is invalid because of its ttl.
Case always_off(const Case& test_case) {
  const auto drop_invalid = [](TtlField& ttl) {
    if (!valid_ttl(ttl)) ttl = Absent{};
  };
  Case off = changed(with_exact_queries(test_case),
                     [](std::derived_from<DefinesCollection> auto& o) { o.definition.default_ttl = Absent{}; });
  off = changed(std::move(off), [&](std::derived_from<WritesDocument> auto& o) { drop_invalid(o.content.ttl); });
  return changed(std::move(off), [&](PatchDocument& o) {
    if (o.patch.remove_ttl) o.patch.ttl = Absent{};
    drop_invalid(o.patch.ttl);
  });
}

Variant without_ttl(const Case& base, const Outcomes&) {
  Case plain = changed(base, [](std::derived_from<WritesDocument> auto& o) { o.content.ttl = Absent{}; });
  plain = changed(std::move(plain), [](PatchDocument& o) {
    if (std::exchange(o.patch.ttl, Absent{}) != TtlField{Absent{}}) o.patch.remove_ttl = true;
  });
  return operation_by_operation(plain);
}

constexpr Comparison ttl_is_free{always_off, without_ttl, but_for_ttl};

// Time. Between the two halves of a step every document is read, so that the store meets that second.

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
constexpr Comparison steps_add_up{with_exact_queries, in_half_steps};

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
constexpr Comparison time_has_no_origin{with_exact_queries, shifted, since_start};

// Identity: the answers about one partition of one collection do not depend on the others.

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

// A query may cost more the more its collection contains.
void but_for_charge(Outcome& outcome, const Operation&, const Case&) { outcome.charge.reset(); }
constexpr Comparison partitions_are_apart{with_exact_queries, one_partition, but_for_charge};

// Inheriting n equals having ttl n, while the default stays n.

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
constexpr Comparison inheriting_equals_having{with_fixed_default, with_explicit_ttl, but_for_the_fixed_ttl};

// A lazy index that has caught up answers like a consistent one.

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
  outcome.charge.reset();  // the charges under the two modes may differ
}
constexpr Comparison caught_up_is_exact{without_lazy_indexing, with_lazy_indexing, but_for_indexing};

// A store remembers nothing of other cases, and its answers are not random, except for the order of documents.

Variant once_more(const Case& base, const Outcomes&) { return operation_by_operation(base); }
constexpr Comparison is_deterministic{with_exact_queries, once_more};

// Laws without a variant.

/// Whether the operation may make the document appear: a successful write of this identity.
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

// X2 and X4 without a model: a missing document stays missing until it is written, and a visible one disappears only by
// a delete, by time, or by a change of its own collection's settings. Every document is read after each step.
std::optional<Violation> check_gone_is_gone(const Case& test_case, Subject& subject) {
  const auto keys = keys_in(test_case);
  Case asked{test_case.start, {}};
  for (const auto& step : test_case.steps) {
    asked.steps.push_back(step);
    for (const auto& key : keys) asked.steps.push_back(Read{{key}});
  }
  const Outcomes answers = run(asked, subject);
  std::map<DocumentKey, bool> seen;
  auto answer = answers.begin();
  for (std::size_t i = 0; i < test_case.steps.size(); ++i) {
    const auto& operation = test_case.steps[i].operation;
    const Outcome& outcome = *answer++;
    for (const auto& key : keys) {
      const Outcome& read = *answer++;
      const bool now_seen = read.status == Status::ok;
      const bool was_seen = std::exchange(seen[key], now_seen);
      if (now_seen == was_seen) continue;
      if (now_seen ? may_bring(operation, outcome, key) : may_take_away(operation, key)) continue;
      Expectation expected;
      expected.answer.status = was_seen ? Status::ok : Status::not_found;
      return Violation{i, Read{{key}}, {std::move(expected), read}};
    }
  }
  return std::nullopt;
}

// A purge deletes as many documents as it answers. Besides the purges of the case, a small one follows each advance,
// when documents may just have expired. The number of held documents is requested before and after each purge.
std::optional<Violation> check_purge_deletes_what_it_says(const Case& test_case, Subject& subject) {
  if (!subject.features().held) return std::nullopt;
  Case asked{test_case.start, {}};
  std::vector<std::pair<std::size_t, std::size_t>> purges;  // the step of the case, and of the requests
  for (std::size_t i = 0; i < test_case.steps.size(); ++i) {
    const Step& step = test_case.steps[i];
    const bool is_purge = is<Purge>(step.operation);
    if (!is_purge) asked.steps.push_back(step);
    if (!is_purge && !is<Advance>(step.operation)) continue;
    asked.steps.push_back(Held{});
    purges.emplace_back(i, asked.steps.size());
    asked.steps.push_back(is_purge ? step : Step(Purge{{1 + i % 3}}));
    asked.steps.push_back(Held{});
  }
  const Outcomes answers = run(asked, subject);
  for (const auto& [step, at] : purges) {
    const Outcome& actual = answers[at];
    const std::uint64_t before = answers[at - 1].held.value_or(0);
    const std::uint64_t gone = before - std::min(before, answers[at + 1].held.value_or(0));
    if (actual.purged.value_or(0) <= gone) continue;
    Outcome expected = actual;
    expected.purged = gone;
    return Violation{step, asked.steps[at].operation, {{expected}, actual, false}};
  }
  return std::nullopt;
}

/// Requests that set this default in every collection of the case.
std::vector<Step> with_default_everywhere(const Case& test_case, const TtlField& default_ttl) {
  std::set<std::string> names;
  for (const auto& step : test_case.steps)
    if (const auto* collection = collection_of(step.operation)) names.insert(*collection);
  std::vector<Step> requests;
  for (const auto& name : names) requests.push_back(ReplaceCollection{{name, {.default_ttl = default_ttl}}});
  return requests;
}

void append(Case& test_case, const std::vector<Step>& steps) {
  test_case.steps.insert(test_case.steps.end(), steps.begin(), steps.end());
}

// The requests of `check_purge_is_complete`, without its reads.
Case with_purges_after_it(const Case& test_case) {
  Case whole = test_case;
  for (const TtlField& default_ttl : {TtlField{Absent{}}, TtlField{std::int64_t{-1}}}) {
    append(whole, with_default_everywhere(test_case, default_ttl));
    whole.steps.push_back(Purge{plenty});
  }
  return whole;
}

/// A violation if a purge did not delete `count` documents, where that is given, or was charged (P2).
std::optional<Violation> demand_purged(const Case& test_case, const Outcome& actual,
                                       std::optional<std::uint64_t> count) {
  Outcome expected = actual;
  if (count) expected.purged = count;
  if (expected.charge) expected.charge = Charge{0};
  if (actual == expected) return std::nullopt;
  return Violation{last_step(test_case), Purge{plenty}, {{expected}, actual}};
}

// With TTL off everywhere nothing is purged (P3). With TTL on and enough budget, exactly the visible documents remain
// (P4, P5).
std::optional<Violation> check_purge_is_complete(const Case& test_case, Subject& subject) {
  if (test_case.steps.empty()) return std::nullopt;
  std::vector<Step> reads;
  for (const auto& key : keys_in(test_case)) reads.push_back(Read{{key}});
  Case asked = test_case;
  append(asked, with_default_everywhere(test_case, Absent{}));
  const std::size_t purged_while_off = asked.steps.size();
  asked.steps.push_back(Purge{plenty});
  append(asked, with_default_everywhere(test_case, std::int64_t{-1}));
  const std::size_t before = asked.steps.size();
  append(asked, reads);
  const std::size_t purged = asked.steps.size();
  asked.steps.push_back(Purge{plenty});
  append(asked, reads);
  asked.steps.push_back(Purge{plenty});
  if (subject.features().held) asked.steps.push_back(Held{});

  const Outcomes answers = run(asked, subject);
  if (auto violation = demand_purged(test_case, answers[purged_while_off], 0)) return violation;
  if (auto violation = demand_purged(test_case, answers[purged], std::nullopt)) return violation;
  std::uint64_t live = 0;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const Outcome &expected = answers[before + i], &actual = answers[purged + 1 + i];
    live += expected.status == Status::ok ? 1 : 0;
    if (!are_same(expected, actual)) return Violation{last_step(test_case), reads[i].operation, {{expected}, actual}};
  }
  if (auto violation = demand_purged(test_case, answers[purged + 1 + reads.size()], 0)) return violation;
  if (!subject.features().held) return std::nullopt;
  const Expectation expected{.answer = {.held = live}, .must_hold = live, .may_hold = live};
  if (allows(expected, answers.back())) return std::nullopt;
  return Violation{last_step(test_case), Held{}, {expected, answers.back()}};
}

// Every rule that decides an answer. Only laws can check that purging is invisible and expiry costs nothing later (P1,
// R1), and that a ttl is free (R2).
constexpr RuleSet decides_answers{Rule::T1, Rule::T2, Rule::T3, Rule::T4, Rule::T5, Rule::T6, Rule::E1, Rule::E2,
                                  Rule::E3, Rule::X1, Rule::X2, Rule::X3, Rule::X4, Rule::X5, Rule::W1, Rule::W2,
                                  Rule::W3, Rule::W4, Rule::W5, Rule::W6, Rule::F1, Rule::F2, Rule::F3, Rule::P2,
                                  Rule::P3, Rule::P4, Rule::P5, Rule::I1, Rule::I2, Rule::I3, Rule::I4, Rule::I5,
                                  Rule::I6, Rule::C1, Rule::C2, Rule::C3};

constexpr Property properties[] = {
    {"the store answers every request as the rules allow", decides_answers, Agreement{Watch::nothing}},
    {"everything that can be seen is as the rules allow after every request", decides_answers,
     Agreement{Watch::everything}},
    {"removing every purge changes no answer and no charge",
     {Rule::P1, Rule::P4, Rule::R1},
     law_of<purging_is_unseen>(&Features::purge)},
    {"purging everything before each request changes no answer and no charge",
     {Rule::P1, Rule::P4, Rule::R1},
     law_of<purging_always_is_unseen>(&Features::purge, true)},
    {"removing reads and rejected requests changes nothing else", {Rule::W2}, law_of<reading_changes_nothing>()},
    {"while TTL is off a ttl changes nothing but itself, not even the charge",
     {Rule::T5, Rule::F1, Rule::R2, Rule::E2, Rule::E3},
     law_of<ttl_is_free>()},
    {"advancing by a and then by b is advancing by a + b", {Rule::X1, Rule::P1}, law_of<steps_add_up>()},
    {"shifting every time by a constant shifts only _ts", {Rule::X1, Rule::X5}, law_of<time_has_no_origin>()},
    {"a partition answers as if it were alone", {Rule::C1}, law_of<partitions_are_apart>()},
    {"inheriting n equals having ttl n while the default stays n",
     {Rule::E1, Rule::E3, Rule::W3, Rule::R2},
     law_of<inheriting_equals_having>()},
    {"a lazy index that caught up answers as a consistent one",
     {Rule::I2, Rule::I3, Rule::I4, Rule::I5},
     law_of<caught_up_is_exact>(&Features::lazy)},
    {"a document that is not seen is never seen again until it is written",
     {Rule::X2, Rule::X4, Rule::P4, Rule::C1},
     Law{.check = check_gone_is_gone, .is_for_few = true}},
    {"after enough purging nothing expired is left and nothing live is gone, and none of it was charged",
     {Rule::P2, Rule::P3, Rule::P4, Rule::P5},
     Law{check_purge_is_complete, &Features::purge, with_purges_after_it}},
    {"a purge deletes as many documents as it says",
     {Rule::P5},
     Law{check_purge_deletes_what_it_says, &Features::purge}},
    {"a write costs the same with any ttl and without one",
     {Rule::R2},
     Law{law::check_ttl_costs_nothing, &Features::charge, law::up_to_a_write_with_ttl}},
    {"an expired document costs later requests the same as a deleted one",
     {Rule::R1},
     Law{law::check_expiry_costs_nothing, &Features::charge, law::with_fixed_settings}},
    {"the same case gives the same answers", {}, law_of<is_deterministic>()},
};

}  // namespace

std::span<const Property> all_properties() { return properties; }

}  // namespace mayfly
