#include "mayfly/sim/lockstep.hpp"

namespace mayfly {

Lockstep::Lockstep(Instant start, Subject& subject) : subject_(subject), clock_(start) { subject_.reset(start); }

std::optional<Difference> Lockstep::step(const Operation& operation) {
  remember(operation);
  if (agree(operation)) return std::nullopt;
  return Difference{operation, expected_, actual_};
}

std::optional<Difference> Lockstep::observe() {
  for (const auto& [name, looks] : looks_) {
    const Operation* differs = nullptr;
    if (!agree(looks.settings))
      differs = &looks.settings;
    else if (expected_.answer.indexing == Indexing::consistent)
      differs = agree(looks.documents) ? nullptr : &looks.documents;
    else
      differs = first_read_that_differs(looks);
    if (differs) return Difference{*differs, expected_, actual_};
  }
  return std::nullopt;
}

bool Lockstep::agree(const Operation& operation) {
  expected_ = apply(reference_, clock_, operation);
  actual_ = subject_.apply(operation);
  return allows(expected_, actual_);
}

const Operation* Lockstep::first_read_that_differs(const Looks& looks) {
  for (const auto& [identity, read] : looks.reads)
    if (!agree(read)) return &read;
  return nullptr;
}

void Lockstep::remember(const Operation& operation) {
  const auto looks_at = [&](const std::string& name) -> Looks& {
    const auto found = looks_.find(name);
    if (found != looks_.end()) return found->second;
    return looks_.emplace(name, Looks{ReadCollection{{name}}, Query{name, {}}, {}}).first->second;
  };
  std::visit(
      [&](const auto& o) {
        if constexpr (requires { o.key; }) {
          auto& reads = looks_at(o.key.collection).reads;
          ReferenceStore::Identity identity{o.key.partition, o.key.id};
          if (!reads.contains(identity)) reads.emplace(std::move(identity), Read{{o.key}});
        } else if constexpr (requires { o.collection; }) {
          looks_at(o.collection);
        }
      },
      operation);
}

}  // namespace mayfly
