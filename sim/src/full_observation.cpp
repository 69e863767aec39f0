#include "mayfly/sim/full_observation.hpp"

namespace mayfly {

void FullObservation::remember(const Operation& operation) {
  touched_.is_to_be_read = !touched_.is_to_be_read;
  if (is_due(operation)) ++turn_;
  std::visit(
      [&](const auto& o) {
        if constexpr (requires { o.key; }) {
          const auto [read, is_new] = at(o.key.collection).reads.try_emplace({o.key.partition, o.key.id});
          if (is_new) read->second = Read{{o.key}};
          documents_ += is_new ? 1 : 0;
          touched_.collection = o.key.collection;
          touched_.read = Read{{o.key}};
          touched_.partition = Query{{o.key.collection, o.key.partition}};
        } else if constexpr (requires { o.collection; }) {
          at(o.collection);
        }
      },
      operation);
}

bool FullObservation::is_due(const Operation& operation) const {
  const bool is_about_one = key_of(operation) || is_read_only(operation);
  return documents_ <= crowd || !is_about_one;
}

FullObservation::AtCollection& FullObservation::at(const std::string& name) {
  const auto found = collections_.find(name);
  if (found != collections_.end()) return found->second;
  return collections_.emplace(name, AtCollection{ReadCollection{{name}}, Query{{name, {}}}, {}}).first->second;
}

}  // namespace mayfly
