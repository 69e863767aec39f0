#include "mayfly/props/remote_search.hpp"

#include <algorithm>

namespace mayfly {

namespace {

class RemoteSearch {
 public:
  RemoteSearch(const Scope& scope, const ExploreLimits& limits, RemoteSubject& subject)
      : scope_(scope),
        limits_(limits),
        subject_(subject),
        alphabet_(alphabet_of(scope)),
        features_(subject.features()),
        state_(horizon_of(scope), std::max(scope.margin, margin)) {}

  Exploration run() {
    const Reference empty;
    visited_.add(encoded(empty), 0, 0);
    std::size_t layer_end = 1;
    while (expanded_ < visited_.size() && may_go_on() && expand()) {
      if (expanded_ != layer_end || expanded_ == visited_.size()) continue;
      ++result_.depth;
      layer_end = visited_.size();
    }
    result_.states = visited_.size();
    return std::move(result_);
  }

 private:
  // A store may be wrong by a second in what it compares, and states in which that shows must not be merged.
  static constexpr Seconds margin{1};

  struct Reference {
    Clock clock;
    ReferenceStore store;

    Expectation ask(const Operation& operation) { return apply(store, clock, operation); }
  };

  bool may_go_on() {
    if (result_.depth == limits_.depth) return ends(Exploration::End::depth);
    if (visited_.memory() > limits_.memory) return ends(Exploration::End::memory);
    result_.states = visited_.size();
    if (!limits_.stop(result_)) return true;
    result_.path = visited_.path_to(id());
    return ends(Exploration::End::stopped);
  }

  bool ends(Exploration::End end) {
    result_.end = end;
    return false;
  }

  /// The state whose turn it is.
  VisitedStates::Id id() const { return static_cast<VisitedStates::Id>(expanded_); }

  /// Applies the alphabet to the state whose turn it is. False if that shows a violation.
  bool expand() {
    result_.path = visited_.path_to(id());
    foretell();
    bool holds = true;
    try {
      subject_.ask_all(requests_, [&](std::size_t i, const Outcome& actual) {
        return holds = std::holds_alternative<Reset>(requests_[i]) || allows(expected_[i], actual);
      });
    } catch (const StoreFailure&) {
      holds = false;
    }
    ++expanded_;
    return holds || ends(Exploration::End::violation);
  }

  // What is asked, and what the rules allow as answers. Also takes in the states that are new.
  void foretell() {
    requests_.clear();
    expected_.clear();
    Reference reference;
    std::vector<Expectation> on_the_way;
    for (const auto step : result_.path) on_the_way.push_back(reference.ask(alphabet_[step]));
    for (std::size_t step = 0; step < alphabet_.size(); ++step) {
      if (!has(features_, need_of(alphabet_[step]))) continue;
      requests_.emplace_back(Reset{});
      expected_.emplace_back();
      for (const auto earlier : result_.path) requests_.emplace_back(alphabet_[earlier]);
      expected_.insert(expected_.end(), on_the_way.begin(), on_the_way.end());
      Reference next = reference;
      foretell(alphabet_[step], next);
      visited_.add(encoded(next), id(), static_cast<VisitedStates::Step>(step));
      ++result_.transitions;
      for (const auto& operation : alphabet_)
        if (only_looks(operation)) foretell(operation, next);
    }
  }

  void foretell(const Operation& operation, Reference& reference) {
    requests_.emplace_back(operation);
    expected_.push_back(reference.ask(operation));
  }

  std::string_view encoded(const Reference& reference) {
    state_.begin(reference.clock.now());
    encode(reference.store, scope_.lazy, state_, Expired::kept);
    return state_.finish();
  }

  const Scope& scope_;
  const ExploreLimits& limits_;
  RemoteSubject& subject_;
  const std::vector<Operation> alphabet_;
  const Features features_;
  StateEncoder state_;
  VisitedStates visited_;
  std::size_t expanded_ = 0;
  std::vector<Request> requests_;
  std::vector<Expectation> expected_;  ///< for each of the requests; that for a reset is not looked at
  Exploration result_;
};

}  // namespace

Exploration explore_remote(const Scope& scope, const ExploreLimits& limits, RemoteSubject& subject) {
  return RemoteSearch(scope, limits, subject).run();
}

std::vector<Operation> alphabet_of(const Scope& scope, const Features& features) {
  std::vector<Operation> alphabet = alphabet_of(scope);
  std::erase_if(alphabet, [&](const Operation& operation) { return !has(features, need_of(operation)); });
  return alphabet;
}

}  // namespace mayfly
