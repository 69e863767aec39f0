#include "mayfly/props/explore/explore.hpp"

#include <algorithm>
#include <string>

namespace mayfly {

namespace {

constexpr Budget whole_backlog{1'000'000};

class Alphabet {
 public:
  explicit Alphabet(const Scope& scope) : scope_(scope) {
    for (std::size_t c = 0; c < scope.collections; ++c) names_.push_back("c" + std::to_string(c));
    for (const auto& name : names_)
      for (std::size_t d = 0; d < scope.documents; ++d) keys_.push_back({name, "p0", "d" + std::to_string(d)});
  }

  std::vector<Operation> operations() && {
    for (const auto& name : names_) read(name);
    for (const auto& key : keys_) add(Read{{key}});
    for (const Seconds step : scope_.steps) add(Advance{step});
    for (const auto& name : names_) define(name);
    for (const auto& key : keys_) write(key);
    add(Purge{Budget{1}});
    add(Purge{whole_backlog});
    return std::move(operations_);
  }

 private:
  void add(Operation operation) { operations_.push_back(std::move(operation)); }

  // The number of held documents is left to the laws (P5): its allowed range depends on facts that merged states do not
  // share.
  void read(const std::string& name) {
    add(ReadCollection{{name}});
    add(Query{{name, std::nullopt}});
    add(Query{{name, "p0"}});
    add(Count{{name, std::nullopt}});
  }

  void define(const std::string& name) {
    for (const Indexing indexing : {Indexing::consistent, Indexing::lazy}) {
      if (indexing == Indexing::lazy && !scope_.lazy) continue;
      for (const auto& default_ttl : scope_.defaults) {
        add(CreateCollection{{name, {default_ttl, indexing}}});
        add(ReplaceCollection{{name, {default_ttl, indexing}}});
      }
    }
    add(DeleteCollection{{name}});
    if (scope_.lazy) add(Index{name, whole_backlog});
  }

  // Patches write other values than the other writes, so that a mix-up shows.
  void write(const DocumentKey& key) {
    for (const auto& ttl : scope_.ttls) {
      add(Create{{key, {ttl, "a"}}});
      add(Replace{{key, {ttl, "a"}}});
      add(Upsert{{key, {ttl, "a"}}});
      const bool names_ttl = !std::holds_alternative<Absent>(ttl);
      add(PatchDocument{key, names_ttl ? Patch{.ttl = ttl} : Patch{.remove_ttl = true}});
    }
    add(PatchDocument{key, {.value = "b"}});
    add(Delete{{key}});
  }

  const Scope& scope_;
  std::vector<std::string> names_;
  std::vector<DocumentKey> keys_;
  std::vector<Operation> operations_;
};

std::uint64_t number_of(const auto& ttl) {
  const auto* seconds = std::get_if<Seconds>(&ttl);
  return seconds ? static_cast<std::uint64_t>(seconds->count()) + 1 : ttl.index();
}

void encode_document(const ReferenceStore::Identity& identity, const ReferenceStore::StoredDocument& document,
                     StateEncoder& state) {
  state.text(identity.first);
  state.text(identity.second);
  state.text(document.value);
  state.number(number_of(document.ttl));
  state.ts(document.ts);
}

}  // namespace

std::vector<Operation> alphabet_of(const Scope& scope) { return Alphabet(scope).operations(); }

Seconds horizon_of(const Scope& scope) {
  std::int64_t largest = 1;
  for (const auto* fields : {&scope.ttls, &scope.defaults})
    for (const auto& field : *fields)
      if (const auto* number = std::get_if<std::int64_t>(&field)) largest = std::max(largest, *number);
  return Seconds{largest};
}

// In a conforming store, expired documents have no effect, marked or about to be: no later request sees them (X2, X4).
// They only matter in that a lazy index has something to take in; how much does not matter, because the index always
// takes in whole_backlog.
void encode(const ReferenceStore& reference, bool lazy, StateEncoder& state, Expired expired) {
  state.number(reference.collections().size());
  for (const auto& [name, collection] : reference.collections()) {
    const auto& [default_ttl, indexing] = collection.settings;
    state.text(name);
    state.number(number_of(default_ttl));
    state.number(static_cast<std::uint64_t>(indexing));
    if (lazy) state.number((collection.unindexed > 0 ? 1U : 0U) + (collection.may_hold() == 0 ? 2U : 0U));
    for (const auto& [identity, document] : collection.documents) {
      const bool is_gone = document.expired || is_expired(document.ts, document.ttl, default_ttl, state.now());
      if (is_gone && expired == Expired::left_out) continue;
      state.number(is_gone ? 2 : 1);
      encode_document(identity, document, state);
    }
    state.number(0);
  }
}

}  // namespace mayfly
