#include "mayfly/props/property/decisive.hpp"

#include <algorithm>

#include "mayfly/model/expiry.hpp"
#include "mayfly/sim/apply.hpp"

namespace mayfly {

namespace {

using Collection = ReferenceStore::Collection;
using StoredDocument = ReferenceStore::StoredDocument;
using Documents = ReferenceStore::MapByIdentity<StoredDocument>;

bool inherits(const StoredDocument& document) { return std::holds_alternative<Inherit>(document.ttl); }

// Whether a deadline of 31 or 32 bits would wrap.
bool crosses_a_word(Instant ts, Instant deadline) {
  const auto from = static_cast<std::uint64_t>(ts.time_since_epoch().count());
  const auto to = static_cast<std::uint64_t>(deadline.time_since_epoch().count());
  return from >> 31 != to >> 31;
}

/// Whether it is a letter and a number, as c0 and d17 are: no other of these is taken for it.
bool is_usual(const std::string& name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (name.size() < 2 || name[0] < 'a' || name[0] > 'z' || (name[1] == '0' && name.size() > 2)) return false;
  return std::all_of(name.begin() + 1, name.end(), is_digit);
}
bool is_usual(const std::string& partition, const std::string& id) { return is_usual(partition) && is_usual(id); }

class Decision {
 public:
  Decision(const ReferenceStore& before, Instant now, const Named& named)
      : before_(before), now_(now), collection_(named.collection), stored_(named.stored), live_(named.live()) {}

  RuleSet operator()(const Advance&) const { return {}; }

  RuleSet operator()(const CreateCollection& o) const {
    if (!valid_settings(o.definition)) return {invalid_definition(o.definition)};
    RuleSet rules{Rule::C2};
    rules.add_if(!collection_, Rule::T1);
    rules.add_if(may_be_confused(o.collection), Rule::C1);
    return rules;
  }

  RuleSet operator()(const ReplaceCollection& o) const {
    const auto asked = valid_settings(o.definition);
    if (!asked) return {invalid_definition(o.definition)};
    if (!collection_) return {Rule::C2};
    RuleSet rules{Rule::T1};
    if (collection_->settings != *asked)
      for (const auto& [identity, document] : collection_->documents)
        rules |= rules_of_change(now_, collection_->settings, *asked, document);
    return rules;
  }

  RuleSet operator()(const ReadCollection& o) const {
    RuleSet rules{collection_ ? Rule::T1 : Rule::C2};
    rules.add_if(may_be_confused(o.collection), Rule::C1);
    return rules;
  }

  RuleSet operator()(const DeleteCollection&) const {
    return {collection_ && !collection_->documents.empty() ? Rule::C3 : Rule::C2};
  }

  RuleSet operator()(const Create& o) const { return write(o, nullptr); }

  RuleSet operator()(const Replace& o) const { return write(o, &o.content); }

  RuleSet operator()(const Upsert& o) const { return write(o, &o.content); }

  RuleSet operator()(const PatchDocument& o) const {
    const bool names_ttl = !std::holds_alternative<Absent>(o.patch.ttl);
    if (!valid_ttl(o.patch.ttl)) return invalid_ttl();
    if (!is_valid(o.patch)) return {Rule::C2};
    RuleSet rules = access(o.key);
    if (!live_) return rules;
    rules.add_if(live_->ts < now_, Rule::W1);
    rules.add_if(!names_ttl && !o.patch.remove_ttl && !inherits(*live_), Rule::W4);
    rules.add_if(names_ttl, Rule::R2);
    return rules;
  }

  RuleSet operator()(const Read& o) const {
    RuleSet rules = access(o.key);
    rules.add_if(live_ != nullptr, Rule::W2);
    rules.add_if(collection_ && collection_->settings.indexing != Indexing::consistent, Rule::I5);
    return rules;
  }

  RuleSet operator()(const Delete& o) const { return access(o.key); }

  RuleSet operator()(const FindsDocuments& o) const {
    if (!collection_) return may_be_confused(o.collection) ? RuleSet{Rule::C1, Rule::C2} : RuleSet{Rule::C2};
    const Indexing indexing = collection_->settings.indexing;
    if (indexing == Indexing::none) return {Rule::I6};
    RuleSet rules;
    rules.add_if(indexing == Indexing::lazy, collection_->unindexed > 0 ? Rule::I3 : Rule::I4);
    for (const auto& [identity, document] : collection_->documents) {
      rules.add_if(!is_usual(identity.first, identity.second), Rule::C1);
      if (o.partition && *o.partition != identity.first) {
        rules.add(Rule::C1);
        continue;
      }
      rules |= life(document);
      rules.add_if(document.expired, Rule::T6);
    }
    return rules;
  }

  RuleSet operator()(const Purge& o) const {
    RuleSet rules;
    std::uint64_t stored = 0;
    for (const auto& [name, collection] : before_.collections()) stored += collection.documents.size();
    for (const auto& [name, collection] : before_.collections())
      for (const auto& [identity, document] : collection.documents) {
        if (!document.expired)
          rules.add(Rule::P4);
        else if (is_off(collection.settings.default_ttl))
          rules.add(Rule::P3);
        else
          rules |= o.budget.units < stored ? RuleSet{Rule::P1, Rule::P2, Rule::R1}
                                           : RuleSet{Rule::P1, Rule::P2, Rule::P5, Rule::R1};
      }
    return rules;
  }

  // A store that deletes too little holds more than it may: it has expired documents left to purge.
  RuleSet operator()(const Held&) const {
    RuleSet rules;
    for (const auto& [name, collection] : before_.collections()) {
      rules.add_if(collection.documents.size() + collection.unpurged > collection.may_purge(), Rule::P4);
      rules.add_if(collection.gone > collection.unpurged, Rule::P5);
    }
    return rules;
  }

  RuleSet operator()(const Index&) const {
    const bool takes_in = collection_ && collection_->settings.indexing == Indexing::lazy && collection_->unindexed > 0;
    return takes_in ? RuleSet{Rule::I3} : RuleSet{};
  }

 private:
  static Rule invalid_definition(const Definition& definition) {
    return valid_default(definition.default_ttl) ? Rule::I1 : Rule::T2;
  }

  RuleSet invalid_ttl() const {
    RuleSet rules{Rule::T3};
    rules.add_if(collection_ && is_off(collection_->settings.default_ttl), Rule::T4);
    rules.add_if(live_ != nullptr, Rule::W2);
    return rules;
  }

  /// Whether a careless store may take the name for that of another collection, or another's for it.
  bool may_be_confused(const std::string& collection) const {
    const auto& all = before_.collections();
    const bool is_alone = all.empty() || (all.size() == 1 && all.contains(collection));
    return !is_alone && !is_usual(collection);
  }

  /// The same of a document.
  bool may_be_confused(const DocumentKey& key) const {
    if (may_be_confused(key.collection)) return true;
    return collection_ && !collection_->documents.empty() && !is_usual(key.partition, key.id);
  }

  bool has_a_namesake(const DocumentKey& key) const {
    for (const auto& [name, collection] : before_.collections()) {
      const auto& documents = collection.documents;
      for (auto at = documents.begin(); at != documents.end(); at = next_of_namesakes(documents, at, key.id)) {
        const auto& [partition, id] = at->first;
        if (id == key.id && (partition != key.partition || name != key.collection)) return true;
      }
    }
    return false;
  }

  // In a crowd, which has many documents in few partitions, the next place where the id may be.
  static Documents::const_iterator next_of_namesakes(const Documents& documents, Documents::const_iterator at,
                                                     const std::string& id) {
    constexpr std::size_t few = 32;
    if (documents.size() <= few) return std::next(at);
    const std::string& partition = at->first.first;
    if (at->first.second < id) return documents.lower_bound({partition, id});
    return documents.lower_bound({partition + '\0', {}});
  }

  // The rules that decide whether the document exists.
  RuleSet life(const StoredDocument& document) const {
    const DefaultTtl& default_ttl = collection_->settings.default_ttl;
    const auto due = deadline(document.ts, document.ttl, default_ttl);
    RuleSet rules{inherits(document) ? Rule::E1 : std::holds_alternative<Never>(document.ttl) ? Rule::E2 : Rule::E3};
    rules.add_if(due && (*due == now_ || *due == now_ + Seconds{1}), Rule::X1);
    rules.add_if(due && crosses_a_word(document.ts, *due), Rule::X5);
    if (document.expired) {
      rules |= {Rule::X2, Rule::P1};
      rules.add_if(!due || *due > now_, Rule::X4);
    } else if (is_off(default_ttl)) {
      rules.add_if(!inherits(document), Rule::T5);
      rules.add_if(is_expired(document.ts, document.ttl, Never{}, now_), Rule::F1);
    }
    return rules;
  }

  RuleSet access(const DocumentKey& key) const {
    RuleSet rules{Rule::C2};
    if (stored_) rules |= life(*stored_);
    rules.add_if(has_a_namesake(key) || may_be_confused(key), Rule::C1);
    return rules;
  }

  // `exact` is the content that a write stores in place of the old document; null for a create, which never replaces a
  // live one.
  RuleSet write(const WritesDocument& o, const Content* exact) const {
    if (!valid_ttl(o.content.ttl)) return invalid_ttl();
    RuleSet rules = access(o.key);
    const bool says_ttl = !std::holds_alternative<Absent>(o.content.ttl);
    rules.add_if(says_ttl && collection_, Rule::R2);
    rules.add_if(stored_ && !live_, Rule::X3);
    if (!live_) return rules;
    rules.add_if(!exact, Rule::W2);
    rules.add_if(exact && live_->ts < now_, Rule::W1);
    rules.add_if(exact && !says_ttl && !inherits(*live_), Rule::W3);
    return rules;
  }

  const ReferenceStore& before_;
  Instant now_;
  const Collection* collection_;  ///< that the operation names
  const StoredDocument* stored_;
  const StoredDocument* live_;
};

}  // namespace

Named::Named(const ReferenceStore& before, const Operation& operation) {
  const std::string* name = collection_of(operation);
  const auto found = name ? before.collections().find(*name) : before.collections().end();
  if (found == before.collections().end()) return;
  collection = &found->second;
  const DocumentKey* key = key_of(operation);
  const auto document =
      key ? collection->documents.find(ReferenceStore::identity_of(*key)) : collection->documents.end();
  if (document != collection->documents.end()) stored = &document->second;
}

RuleSet rules_of_change(Instant now, const Settings& from, const Settings& to, const StoredDocument& document) {
  const bool was_off = is_off(from.default_ttl);
  const bool is_nowoff = is_off(to.default_ttl);
  const bool expires = !document.expired && is_expired(document.ts, document.ttl, to.default_ttl, now);
  RuleSet rules;
  rules.add_if(document.expired, Rule::X4);
  rules.add_if(!document.expired && inherits(document) && from.default_ttl != to.default_ttl, Rule::W5);
  rules.add_if(!inherits(document) && !was_off && !is_nowoff && is_never(from.default_ttl) != is_never(to.default_ttl),
               Rule::W6);
  rules.add_if(!was_off && is_nowoff, Rule::F1);
  rules.add_if(was_off && !is_nowoff && std::holds_alternative<Seconds>(document.ttl), Rule::F2);
  rules.add_if(was_off && expires, Rule::F3);
  rules.add_if(was_off && !is_nowoff && to.indexing == Indexing::consistent, Rule::I2);
  rules.add_if(to.indexing == Indexing::lazy, Rule::I3);
  return rules;
}

RuleSet decisive_rules(const ReferenceStore& before, Instant now, const Operation& operation, const Named& named) {
  return std::visit(Decision{before, now, named}, operation);
}

std::vector<RuleSet> decisive_steps(const Case& test_case) {
  ReferenceStore reference;
  Clock clock{test_case.start};
  std::vector<RuleSet> steps;
  steps.reserve(test_case.steps.size());
  for (const auto& step : test_case.steps) {
    reference.settle(clock.now());
    steps.push_back(decisive_rules(reference, clock.now(), step.operation));
    apply(reference, clock, step.operation);
  }
  return steps;
}

}  // namespace mayfly
