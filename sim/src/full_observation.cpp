#include "mayfly/sim/full_observation.hpp"

namespace mayfly {

void FullObservation::remember(const Operation& operation) {
  touched_.is_to_be_read = !touched_.is_to_be_read;
  std::visit(
      [&](const auto& o) {
        if constexpr (requires { o.key; }) {
          auto& reads = at(o.key.collection).reads;
          ReferenceStore::Identity identity{o.key.partition, o.key.id};
          if (!reads.contains(identity)) reads.emplace(std::move(identity), Read{{o.key}});
          touched_.collection = o.key.collection;
          touched_.read = Read{{o.key}};
          touched_.partition = Query{{o.key.collection, o.key.partition}};
        } else if constexpr (requires { o.collection; }) {
          at(o.collection);
        }
      },
      operation);
}

FullObservation::AtCollection& FullObservation::at(const std::string& name) {
  const auto found = collections_.find(name);
  if (found != collections_.end()) return found->second;
  return collections_.emplace(name, AtCollection{ReadCollection{{name}}, Query{{name, {}}}, {}}).first->second;
}

}  // namespace mayfly
