#include "mayfly/sim/full_observation.hpp"

namespace mayfly {

void FullObservation::remember(const Operation& operation, Status answer) {
  if (const auto* key = key_of(operation)) {
    auto& entry = at(key->collection);
    const auto [read, is_new] = entry.second.reads.try_emplace({key->partition, key->id});
    if (is_new) read->second = Read{{*key}};
    documents_ += is_new ? 1 : 0;
    named_ = touched_in_ = &entry;
    touched_ = &*read;
  } else if (const auto* name = collection_of(operation)) {
    named_ = &at(*name);
  }
  is_touched_read_ = !is_touched_read_;
  extent_ = extent_of(operation, answer);
  turn_ += extent_ > Extent::document ? 1 : 0;
}

FullObservation::Extent FullObservation::extent_of(const Operation& operation, Status answer) const {
  if (is_read_only(operation) || answer >= Status::bad_request) return Extent::nothing;
  if (key_of(operation)) return documents_ <= crowd ? Extent::document : Extent::nothing;
  return collection_of(operation) ? Extent::collection : Extent::documents;
}

FullObservation::Collections::value_type& FullObservation::at(const std::string& name) {
  const auto [entry, is_new] = collections_.try_emplace(name);
  if (is_new) entry->second = {ReadCollection{{name}}, Query{{name, {}}}, {}};
  return *entry;
}

bool FullObservation::shows(const DocumentKey& key, const ReferenceStore& reference) const {
  if (extent_ == Extent::nothing) return false;
  if (extent_ == Extent::everything) return true;
  const auto found = reference.collections().find(key.collection);
  if (extent_ == Extent::documents) return found != reference.collections().end();
  if (key.collection != named_->first) return false;
  if (extent_ == Extent::collection || found->second.settings.indexing == Indexing::consistent) return true;
  return touched_->first == ReferenceStore::Identity{key.partition, key.id};
}

}  // namespace mayfly
