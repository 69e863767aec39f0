#include "mayfly/model/rule.hpp"

#include <algorithm>
#include <array>

namespace mayfly {

namespace {

constexpr std::array<RuleText, rule_count> rules{{
    {Rule::T1, "T1", Level::stated,
     "A collection's default is off, never (-1), or n seconds with n at least 1; unless set, it is off."},
    {Rule::T2, "T2", Level::stated,
     "Any other default, such as 0 or anything below -1, is rejected with 400 and changes nothing."},
    {Rule::T3, "T3", Level::stated,
     "A document's ttl is absent (inherit), never (-1), or n seconds with n at least 1; all else is a 400."},
    {Rule::T4, "T4", Level::decided, "A document's ttl is checked even while the collection's TTL is off."},
    {Rule::T5, "T5", Level::stated,
     "While TTL is off, a document's ttl has no effect, but it is kept and returned as written."},
    {Rule::T6, "T6", Level::stated, "A document expires as a whole; its single properties have no TTL."},
    {Rule::E1, "E1", Level::stated,
     "A document without ttl expires n seconds after its _ts under a default of n, otherwise never."},
    {Rule::E2, "E2", Level::stated, "A document whose ttl is never does not expire under any default."},
    {Rule::E3, "E3", Level::stated,
     "A document with a ttl of m expires m seconds after its _ts, unless the default is off."},
    {Rule::X1, "X1", Level::stated,
     "A document is expired exactly when its _ts plus its effective ttl is not later than now."},
    {Rule::X2, "X2", Level::stated, "From the second it expires, no operation sees a document, whether purged or not."},
    {Rule::X3, "X3", Level::decided,
     "The identity of an expired document is free at once: create and upsert both answer 201."},
    {Rule::X4, "X4", Level::decided,
     "Expiry is final: no later change of the settings brings an expired document back."},
    {Rule::X5, "X5", Level::decided,
     "Deadlines are exact for every valid ttl: _ts + 2147483647 neither wraps nor saturates."},
    {Rule::W1, "W1", Level::stated,
     "Every successful create, replace, upsert or patch sets _ts to now and so restarts the countdown."},
    {Rule::W2, "W2", Level::stated, "Reads, queries and rejected writes change neither _ts nor anything else."},
    {Rule::W3, "W3", Level::stated,
     "Replace and upsert store exactly what they are given; without a ttl, the document has none."},
    {Rule::W4, "W4", Level::decided, "Patch changes only what it names, so a ttl that it does not name is kept."},
    {Rule::W5, "W5", Level::stated,
     "A new default counts at once for every document that inherits, and changes no _ts."},
    {Rule::W6, "W6", Level::stated,
     "A change of the default between never and n does not touch documents that have their own ttl."},
    {Rule::F1, "F1", Level::stated,
     "Removing the default switches TTL off: nothing expires any more, whatever its own ttl."},
    {Rule::F2, "F2", Level::stated, "When TTL is switched on again, each document's own ttl counts again."},
    {Rule::F3, "F3", Level::decided, "Countdowns depend on _ts alone and run on while TTL is off."},
    {Rule::P1, "P1", Level::stated,
     "Expired documents are purged in the background, and nothing a user sees depends on it."},
    {Rule::P2, "P2", Level::stated, "Purging costs the user no request units."},
    {Rule::P3, "P3", Level::stated, "While TTL is off, the background process does not run."},
    {Rule::P4, "P4", Level::stated, "A document that is not expired is never purged."},
    {Rule::P5, "P5", Level::decided,
     "While TTL is on, a background process with enough budget purges every expired document."},
    {Rule::I1, "I1", Level::stated,
     "A default other than off needs consistent or lazy indexing; with indexing none it is a 400."},
    {Rule::I2, "I2", Level::stated,
     "Switching TTL on rebuilds the index; under consistent indexing this has no visible effect."},
    {Rule::I3, "I3", Level::stated,
     "A lazy index trails the writes and restarts at any change of the default, so queries may miss."},
    {Rule::I4, "I4", Level::decided,
     "Once a lazy index has caught up and nothing is written, queries are complete and exact."},
    {Rule::I5, "I5", Level::decided, "Reads by identity are exact under every indexing mode."},
    {Rule::I6, "I6", Level::decided, "A query on a collection with indexing none is rejected with 400."},
    {Rule::R1, "R1", Level::stated, "Deletion by TTL is charged neither at once nor as part of a later request."},
    {Rule::R2, "R2", Level::stated,
     "A ttl costs nothing extra: the same write has the same charge with it and without it."},
    {Rule::C1, "C1", Level::decided,
     "The same id in two partitions or two collections is two documents, and TTL treats each alone."},
    {Rule::C2, "C2", Level::decided,
     "Each outcome has one status, and an invalid request is a 400 before anything else is checked."},
    {Rule::C3, "C3", Level::decided,
     "A deleted collection takes its documents along; a later one of the same name starts empty."},
}};

}  // namespace

std::span<const RuleText, rule_count> all_rules() { return rules; }

std::optional<Rule> rule_named(std::string_view id) {
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const RuleText& text) { return text.id == id; });
  return found == rules.end() ? std::nullopt : std::optional(found->rule);
}

std::string ids_of(RuleSet set) {
  std::string ids;
  for (const auto& text : rules)
    if (set.contains(text.rule)) ids.append(ids.empty() ? "" : " ").append(text.id);
  return ids;
}

}  // namespace mayfly
