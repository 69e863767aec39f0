#include "mayfly/props/property/exercise.hpp"

#include <fmt/format.h>

#include "mayfly/model/expiry.hpp"
#include "mayfly/sim/full_observation.hpp"

namespace mayfly {

namespace {

using Collection = ReferenceStore::Collection;
using StoredDocument = ReferenceStore::StoredDocument;

const Collection* find(const ReferenceStore& store, const std::string& name) {
  const auto found = store.collections().find(name);
  return found == store.collections().end() ? nullptr : &found->second;
}

bool is_on(const Collection& collection) { return !std::holds_alternative<Off>(collection.settings.default_ttl); }

bool is_exact(const Collection& collection) {
  return collection.settings.indexing != Indexing::none && collection.unindexed == 0;
}

/// The rules that can decide the answer to the operation, among those that are decisive for it.
RuleSet decides_answer(const ReferenceStore& before, const Operation& operation) {
  if (std::holds_alternative<ReplaceCollection>(operation)) return {Rule::T1, Rule::T2, Rule::I1, Rule::C2};
  if (std::holds_alternative<DeleteCollection>(operation)) return {Rule::C2};
  if (std::holds_alternative<Index>(operation)) return {};
  if (std::holds_alternative<Held>(operation)) return {Rule::P4, Rule::P5};
  const RuleSet all = ~RuleSet{Rule::P1, Rule::P4, Rule::P5, Rule::R1, Rule::R2, Rule::T6, Rule::W2};
  if (!std::holds_alternative<Purge>(operation)) return all;
  // Only if TTL is off everywhere must the answer be that nothing was deleted.
  for (const auto& [name, collection] : before.collections())
    if (is_on(collection)) return {Rule::P2};
  return {Rule::P2, Rule::P3};
}

bool is_rejected(const Named& named, const Operation& operation) {
  if (!named.live()) return false;
  if (std::holds_alternative<Create>(operation)) return true;  // a conflict, or an invalid ttl
  if (const auto* patch = std::get_if<PatchDocument>(&operation)) return !is_valid(patch->patch);
  const auto* replace = std::get_if<Replace>(&operation);
  const auto* upsert = std::get_if<Upsert>(&operation);
  const Content* content = replace ? &replace->content : upsert ? &upsert->content : nullptr;
  return content && !valid_ttl(content->ttl);
}

/// Whether the document is live although its older part alone would have expired: a store in which parts expire shows
/// it here (T6).
bool loses_a_part(const Collection& collection, const StoredDocument* live, Instant now, Instant older_part) {
  return live && !live->expired && is_expired(older_part, live->ttl, collection.settings.default_ttl, now);
}

const StoredDocument* find(const Collection& collection, const ReferenceStore::Identity& identity) {
  const auto found = collection.documents.find(identity);
  return found == collection.documents.end() ? nullptr : &found->second;
}

/// The rules that any request shows by finding or not finding the document.
constexpr RuleSet about_life{Rule::X4, Rule::W5, Rule::W6, Rule::F1, Rule::F2, Rule::F3, Rule::P4, Rule::C3};

}  // namespace

RuleSet Exercise::rules_at(const ReferenceStore& before, Instant now, const Operation& operation) {
  const Named named(before, operation);
  RuleSet rules = decisive_rules(before, now, operation, named) & decides_answer(before, operation);
  if (!pending_.empty()) rules |= seen_by(named, now, operation);
  if (const auto* key = key_of(operation))
    add_effects(named, now, operation, *key);
  else
    add_effects(before, now, operation, named);
  return rules;
}

void Exercise::add_effects(const Named& named, Instant now, const Operation& operation, const DocumentKey& key) {
  const auto effects = [&]() -> Effects& { return pending_[key.collection][{key.partition, key.id}]; };
  const auto* patch = std::get_if<PatchDocument>(&operation);
  if (is_rejected(named, operation)) {
    effects().rules.add(Rule::W2);
  } else if (std::holds_alternative<Read>(operation)) {
    if (named.live()) effects().rules.add(Rule::W2);
  } else if (patch) {
    const bool names_all =
        patch->patch.value && (patch->patch.remove_ttl || !std::holds_alternative<Absent>(patch->patch.ttl));
    if (named.live() && named.live()->ts < now && !names_all) effects().older_part = named.live()->ts;
  } else if (const auto collection = pending_.find(key.collection); collection != pending_.end()) {
    const auto found = collection->second.find(ReferenceStore::identity_of(key));
    if (found != collection->second.end()) collection->second.erase(found);
  }
}

void Exercise::add_effects(const ReferenceStore& before, Instant now, const Operation& operation, const Named& named) {
  const auto for_each = [&](const std::string& name, const Collection& collection, auto rules_for) {
    for (const auto& [identity, document] : collection.documents) {
      const RuleSet rules = rules_for(document);
      if (!rules.empty()) pending_[name][identity].rules |= rules;
    }
  };
  if (const auto* replace = std::get_if<ReplaceCollection>(&operation)) {
    const auto settings = valid_settings(replace->definition);
    if (!named.collection || !settings || *settings == named.collection->settings) return;
    for_each(replace->collection, *named.collection, [&](const StoredDocument& document) {
      return rules_of_change(now, named.collection->settings, *settings, document).without({Rule::I3});
    });
  } else if (std::holds_alternative<Purge>(operation)) {
    for (const auto& [name, collection] : before.collections())
      for_each(name, collection,
               [](const StoredDocument& document) { return document.expired ? RuleSet{} : RuleSet{Rule::P4}; });
  } else if (const auto* gone = std::get_if<DeleteCollection>(&operation); gone && named.collection) {
    for_each(gone->collection, *named.collection, [](const StoredDocument&) { return RuleSet{Rule::C3}; });
  }
}

RuleSet Exercise::seen_by(const Named& named, Instant now, const Operation& operation) {
  const std::string* name = collection_of(operation);
  const auto* search = search_of(operation);
  const auto* key = key_of(operation);
  const auto pending = name && named.collection ? pending_.find(*name) : pending_.end();
  if (pending == pending_.end()) return {};
  if (key) {
    const auto found = pending->second.find(ReferenceStore::identity_of(*key));
    if (found == pending->second.end()) return {};
    const bool shows_it = std::holds_alternative<Read>(operation);
    return see(*named.collection, found->first, found->second, now, shows_it ? ~RuleSet{Rule::I2} : about_life,
               shows_it);
  }
  if (!search || !is_exact(*named.collection)) return {};
  const bool shows_them = std::holds_alternative<Query>(operation);
  RuleSet rules;
  for (auto& [identity, effects] : pending->second)
    if (!search->partition || *search->partition == identity.first)
      rules |= see(*named.collection, identity, effects, now, shows_them ? ~RuleSet{} : about_life, shows_them);
  return rules;
}

RuleSet Exercise::rules_shown(const FullObservation& observation, const ReferenceStore& after, Instant now) {
  RuleSet rules;
  for (auto& [name, pending] : pending_) {
    if (!observation.shows(name)) continue;
    const Collection* collection = find(after, name);
    for (auto& [identity, effects] : pending) {
      if (!observation.shows(identity, collection)) continue;
      if (collection) {
        rules |= see(*collection, identity, effects, now, ~RuleSet{}, true);
      } else {
        rules |= effects.rules.without({Rule::C3});  // C3 shows once a collection of the same name exists again
        effects.rules = effects.rules & RuleSet{Rule::C3};
      }
    }
  }
  return rules;
}

RuleSet Exercise::see(const Collection& collection, const ReferenceStore::Identity& identity, Effects& effects,
                      Instant now, RuleSet seen, bool is_content_shown) {
  RuleSet rules = effects.rules & seen;
  effects.rules = effects.rules.without(seen);
  if (is_content_shown && effects.older_part)
    rules.add_if(loses_a_part(collection, find(collection, identity), now, *effects.older_part), Rule::T6);
  return rules;
}

std::vector<RuleSet> exercised_steps(const Case& test_case, Watch watch) {
  Exercise exercise;
  FullObservation observation;
  ReferenceStore reference;
  Clock clock{test_case.start};
  std::vector<RuleSet> steps;
  steps.reserve(test_case.steps.size());
  for (const auto& step : test_case.steps) {
    reference.settle(clock.now());
    steps.push_back(exercise.rules_at(reference, clock.now(), step.operation));
    const Status answer = apply(reference, clock, step.operation).answer.status;
    if (watch == Watch::nothing) continue;
    observation.remember(step.operation, answer);
    if (&step == &test_case.steps.back()) observation.end();
    reference.settle(clock.now());
    steps.back() |= exercise.rules_shown(observation, reference, clock.now());
  }
  return steps;
}

RuleSet exercised_by_law(const Property& property, const Case& test_case) {
  const Law& law = *property.law();
  RuleSet decisive;
  for (const RuleSet rules : decisive_steps(law.base ? law.base(test_case) : test_case)) decisive |= rules;
  // The remains of an expired document, purged or not, may raise the charge of every request that touches them.
  decisive.add_if(law.needs == &Features::charge && decisive.contains(Rule::X2), Rule::R1);
  return decisive & property.rules;
}

std::string lacking(Rule rule, const Features& features) {
  struct Need {
    RuleSet rules;
    Feature feature;
  };
  constexpr Need needs[] = {
      {{Rule::P1, Rule::P2, Rule::P3, Rule::P4, Rule::P5}, &Features::purge},
      {{Rule::P5}, &Features::held},
      {{Rule::P2, Rule::R1, Rule::R2}, &Features::charge},
      {{Rule::W4, Rule::T6}, &Features::patch},
      {{Rule::I3, Rule::I4}, &Features::lazy},
  };
  for (const auto& [rules, feature] : needs)
    if (rules.contains(rule) && !has(features, feature))
      for (const auto& text : all_features)
        if (text.feature == feature) return fmt::format("it has no {}", text.name);
  return {};
}

RuleSet hidden_by(Subject& subject) {
  RuleSet hidden;
  const Features features = subject.features();
  for (const auto& rule : all_rules()) hidden.add_if(!lacking(rule.rule, features).empty(), rule.rule);
  if (is_in_real_time(subject)) hidden |= {Rule::P1, Rule::R1, Rule::R2};  // laws would take too long
  return hidden;
}

}  // namespace mayfly
