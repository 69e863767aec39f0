#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "mayfly/props/explore/visited.hpp"
#include "mayfly/props/property/agreement.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/sim/state_encoder.hpp"

// Exhaustive search of a small scope: every sequence of the operations of an alphabet, on the reference and a store in
// lockstep, breadth first. When no new state is found, the scope is closed: it is then proved that the store answers
// every sequence over that alphabet, however long, as the rules allow.
//
// The search ends because states are merged if no future can distinguish them: those with equal encodings. See
// sim/state_encoder.hpp for why a shift in time and the age of old seconds do not matter, `encode` of the engine's
// collection for what it leaves out, and `encode` of the reference in explore.cpp. No state needs a separate
// observation: reads and queries are in the alphabet, and the whole alphabet is applied to every state.
//
// An operation that leads back to the same state (a read, a rejected write: W2) changed nothing that matters, so the
// next operation is applied without copying the stores again.

namespace mayfly {

/// The operations of a search: every kind, on these documents, with these values.
struct Scope {
  std::size_t collections = 1;
  std::size_t documents = 2;  ///< in each collection, in one partition
  std::vector<TtlField> ttls{Absent{}, std::int64_t{-1}, std::int64_t{1}, std::int64_t{2}};
  std::vector<TtlField> defaults{Absent{}, std::int64_t{-1}, std::int64_t{1}, std::int64_t{2}};
  std::vector<Seconds> steps{Seconds{1}, Seconds{2}};
  bool lazy = false;  ///< includes lazy collections, and catching up of their indexes
  Seconds margin{0};  ///< the largest error of a store with a planted defect in comparing seconds
};

/// The operations of the scope; reads and queries come first.
std::vector<Operation> alphabet_of(const Scope& scope);

/// The largest ttl or default of the scope, at least 1.
Seconds horizon_of(const Scope& scope);

/// The progress or result of a search.
struct Exploration {
  enum class End { closed, violation, depth, memory, stopped };

  End end = End::closed;
  std::size_t depth =
      0;  ///< every sequence of this many operations is covered; if closed, the depth of the last new state
  std::size_t states = 0;
  std::uint64_t transitions = 0;
  std::optional<Failure> failure;  ///< with a shortest trace
  std::vector<VisitedStates::Step>
      path;                  ///< to the state that shows the violation, or that was next when the search stopped
  bool was_cut_off = false;  ///< the search was stopped while the store had not answered the last request
};

/// The limits of a search.
struct ExploreLimits {
  std::size_t depth = std::numeric_limits<std::size_t>::max();   ///< operations in a sequence
  std::size_t memory = std::numeric_limits<std::size_t>::max();  ///< bytes, by its own accounting
  /// Called before each state.
  std::function<bool(const Exploration& so_far)> stop = [](const Exploration&) { return false; };
};

/// A store that can be explored: it writes its state as state_encoder.hpp requires. Copies are independent.
template <class S>
concept Explorable = Store<S> && std::copyable<S> && requires(const S& store, StateEncoder& state) {
  store.encode(state);
};

/// Writes the reference's state. `lazy` says whether the scope has lazy collections. Expired documents can be left out
/// for a store in this process; only a wrong store could show them.
enum class Expired { left_out, kept };
void encode(const ReferenceStore& reference, bool lazy, StateEncoder& state, Expired expired = Expired::left_out);

template <Explorable S>
class Explorer {
 public:
  explicit Explorer(const Scope& scope, ExploreLimits limits = {}, S empty = {})
      : scope_(scope),
        limits_(std::move(limits)),
        alphabet_(alphabet_of(scope)),
        state_(horizon_of(scope), scope.margin) {
    scratch_.store = empty_ = std::move(empty);
  }

  /// Runs the search. Call it once.
  Exploration run() {
    visited_.add(encoded(scratch_), 0, 0);
    waiting_.push_back(scratch_);
    std::size_t layer_end = 1;
    while (!waiting_.empty() && may_go_on() && expand()) {
      if (expanded_ != layer_end || waiting_.empty()) continue;
      ++result_.depth;
      layer_end = visited_.size();
    }
    result_.states = visited_.size();
    return std::move(result_);
  }

 private:
  struct Product {
    Clock clock;
    ReferenceStore reference;
    S store;
  };

  bool may_go_on() {
    if (result_.depth == limits_.depth) return ends(Exploration::End::depth);
    if (visited_.memory() + (waiting_.size() + spare_.size()) * product_memory() > limits_.memory)
      return ends(Exploration::End::memory);
    result_.states = visited_.size();
    if (!limits_.stop(result_)) return true;
    result_.path = visited_.path_to(static_cast<VisitedStates::Id>(expanded_));
    return ends(Exploration::End::stopped);
  }

  bool ends(Exploration::End end) {
    result_.end = end;
    return false;
  }

  /// Applies the alphabet to the oldest waiting state. False if that shows a violation.
  bool expand() {
    const Product& parent = waiting_.front();
    const auto id = static_cast<VisitedStates::Id>(expanded_++);
    scratch_ = parent;
    for (std::size_t step = 0; step < alphabet_.size(); ++step)
      if (!take(parent, id, static_cast<VisitedStates::Step>(step))) return fail(id, alphabet_[step]);
    spare_.splice(spare_.begin(), waiting_, waiting_.begin());
    return true;
  }

  /// Applies one operation. Requires that the scratch equals the parent state, and restores it. False if the answer is
  /// not allowed.
  bool take(const Product& parent, VisitedStates::Id id, VisitedStates::Step step) {
    const Operation& operation = alphabet_[step];
    ++result_.transitions;
    if (!ask(operation)) return false;
    const auto bytes = encoded(scratch_);
    if (bytes != visited_[id]) {
      if (visited_.add(bytes, id, step)) keep();
      if (!std::holds_alternative<Advance>(operation)) scratch_ = parent;
    }
    scratch_.clock = parent.clock;
    return true;
  }

  bool ask(const Operation& operation) {
    Clock clock = scratch_.clock;
    const Expectation expected = apply(scratch_.reference, clock, operation);
    const Outcome actual = apply(scratch_.store, scratch_.clock, operation);
    return allows(expected, actual);
  }

  void keep() {
    if constexpr (requires { scratch_.store.check_invariants(); }) scratch_.store.check_invariants();
    if (spare_.empty()) spare_.emplace_back();
    spare_.front() = scratch_;
    waiting_.splice(waiting_.end(), spare_, spare_.begin());
  }

  std::string_view encoded(const Product& product) {
    state_.begin(product.clock.now());
    encode(product.reference, scope_.lazy, state_);
    product.store.encode(state_);
    return state_.finish();
  }

  bool fail(VisitedStates::Id id, const Operation& last) {
    Case trace;
    result_.path = visited_.path_to(id);
    for (const auto step : result_.path) trace.steps.push_back(alphabet_[step]);
    trace.steps.push_back(last);
    InProcess<S> subject("store", Audit::never, empty_);
    auto violation = check_agreement(trace, subject, Watch::nothing);
    assert(violation && "the store's answers depend on state that it does not encode");
    result_.failure = Failure{&agrees_unwatched(), std::move(trace), std::move(*violation)};
    return ends(Exploration::End::violation);
  }

  // A generous estimate: the size of the engine, a block of slots and nearly empty hash tables. Maps and scans take
  // less.
  std::size_t product_memory() const { return sizeof(Product) + scope_.collections * (7168 + scope_.documents * 512); }

  const Scope scope_;
  const ExploreLimits limits_;
  const std::vector<Operation> alphabet_;
  StateEncoder state_;
  VisitedStates visited_;
  std::list<Product> waiting_;  ///< the states from number `expanded_` on
  std::list<Product> spare_;    ///< expanded states, kept to reuse their memory
  std::size_t expanded_ = 0;
  Product scratch_;
  S empty_;
  Exploration result_;
};

}  // namespace mayfly
