#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/sim/state_encoder.hpp"

// The state for exhaustive search: everything there is, since a defect may make any of it matter. What would make many
// more states, and matters to one defect only, is left out for the others, and so is what only charges depend on.

namespace mayfly {

namespace {

void encode(StateEncoder& state, const std::optional<Seconds>& seconds) {
  state.number(seconds ? 1 + static_cast<std::uint64_t>(seconds->count()) : 0);
}

template <class First>
void encode(StateEncoder& state, const std::variant<First, Never, Seconds>& ttl) {
  const auto* seconds = std::get_if<Seconds>(&ttl);
  state.number(seconds ? 2 + static_cast<std::uint64_t>(seconds->count()) : ttl.index());
}

void encode(StateEncoder& state, const Document& document) {
  state.text(document.partition);
  state.text(document.id);
  state.text(document.value);
  state.ts(document.ts);
  encode(state, document.ttl);
}

}  // namespace

void DefectiveStore::encode_documents(StateEncoder& state, const Documents& documents) const {
  state.number(documents.size());
  for (const auto& [identity, document] : documents) {
    mayfly::encode(state, document.shown);
    state.ts(document.counts_from);
    state.number((document.expired ? 1U : 0U) + (document.has_forgotten_ttl ? 2U : 0U) +
                 (document.is_lost_to_queries ? 4U : 0U) + (document.indexed ? 8U : 0U) +
                 (document.lives_on ? 16U : 0U));
    if (is(Defect::value_expires_alone)) state.ts(document.value_since);
    if (is(Defect::view_keeps_removed_ttl)) state.deadline(document.view_ends.value_or(Instant{}));
    if (is(Defect::lazy_stays_a_write_behind) && document.previous) mayfly::encode(state, *document.previous);
    if (document.indexed) mayfly::encode(state, *document.indexed);
    mayfly::encode(state, document.default_at_write);
    mayfly::encode(state, document.previous_default);
  }
}

void DefectiveStore::encode(StateEncoder& state) const {
  state.number(collections_.size());
  for (const auto& [name, collection] : collections_) {
    state.text(name);
    mayfly::encode(state, collection.settings.default_ttl);
    state.number(static_cast<std::uint64_t>(collection.settings.indexing));
    encode_documents(state, collection.documents);
    mayfly::encode(state, collection.last_seconds);
    state.number((collection.had_default ? 1U : 0U) + (collection.default_since == state.now() ? 2U : 0U) +
                 (is(Defect::made_off_ignores_ttl) && collection.was_made_off ? 4U : 0U));
    state.ts(collection.off_since);
    state.number(collection.tombstones.size());
    for (const auto& [partition, id] : collection.tombstones) state.text(id);
    state.number(collection.timers.size());
    for (const auto& [identity, second] : collection.timers) {
      state.text(identity.second);
      state.deadline(second);
    }
    state.number(collection.deleted_entries.size());
    for (const auto& document : collection.deleted_entries) mayfly::encode(state, document);
    state.number(collection.rejected_entries.size());
    for (const auto& document : collection.rejected_entries) mayfly::encode(state, document);
  }
  state.number(deleted_collections_.size());
  for (const auto& [name, documents] : deleted_collections_) {
    state.text(name);
    encode_documents(state, documents);
  }
  state.number(static_cast<std::uint64_t>(owed_));
}

}  // namespace mayfly
