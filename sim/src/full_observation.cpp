#include "mayfly/sim/full_observation.hpp"

namespace mayfly {

void FullObservation::remember(const Operation& operation, Status answer) {
  if (const auto* key = key_of(operation)) {
    auto& entry = at(key->collection);
    auto& reads = entry.second.reads;
    auto read = reads.find(ReferenceStore::identity_of(*key));
    if (read == reads.end()) {
      read = reads.try_emplace({key->partition, key->id}, Read{{*key}}).first;
      ++documents_;
    }
    touched_in_ = named_ = &entry;
    touched_ = &*read;
  } else if (const auto* name = collection_of(operation)) {
    named_ = &at(*name);
  }
  extent_ = extent_of(operation, answer);
  turn_ += extent_ == Extent::nothing ? 0 : 1;
}

FullObservation::Extent FullObservation::extent_of(const Operation& operation, Status answer) const {
  if (is_read_only(operation) || answer >= Status::bad_request) return Extent::nothing;
  if (key_of(operation)) return documents_ <= crowd ? Extent::document : Extent::nothing;
  return collection_of(operation) ? Extent::collection : Extent::documents;
}

FullObservation::Collections::value_type& FullObservation::at(const std::string& name) {
  if (named_ && named_->first == name) return *named_;
  const auto [entry, is_new] = collections_.try_emplace(name);
  if (is_new) entry->second = {ReadCollection{{name}}, Query{{name, {}}}, {}};
  return *entry;
}

bool FullObservation::shows(const std::string& collection) const {
  if (extent_ == Extent::nothing) return false;
  return extent_ >= Extent::documents || collection == named_->first;
}

bool FullObservation::shows(const ReferenceStore::Identity& identity,
                            const ReferenceStore::Collection* collection) const {
  if (extent_ == Extent::documents) return collection;
  return extent_ != Extent::document || touched_->first == identity ||
         (turn_ % 3 == 0 && collection->settings.indexing == Indexing::consistent);
}

}  // namespace mayfly
