#include "mayfly/props/explore/remote_search.hpp"

#include <algorithm>
#include <map>

namespace mayfly {

namespace {

/// The last changes of each document and each collection, and the latest request since then that changed nothing.
class Histories {
 public:
  /// `after` is the reference, which gave that answer.
  void add(const Operation& operation, const Outcome& answer, const ReferenceStore& after) {
    const auto* key = key_of(operation);
    const auto* collection = collection_of(operation);
    if (key || collection) note(last_[key ? *key : DocumentKey{*collection, "", ""}], operation, answer.status);
    if (std::holds_alternative<Advance>(operation))
      for (auto& [other, history] : last_)
        if (history.asked.size() == 1) history.asked += later;
    if (!std::holds_alternative<Purge>(operation) && !std::holds_alternative<DeleteCollection>(operation)) return;
    for (auto& [other, history] : last_)
      if (history.is_there && !other.id.empty() && !is_in(after, other)) change(history, lost);
  }

  /// Calls `see(bytes)` with each history and its key. None of these byte strings is a prefix of another.
  void for_each(const auto& see) const {
    for (const auto& [key, history] : last_) {
      std::string bytes;
      for (const auto& part : {key.collection, key.partition, key.id, history.changes, history.asked})
        (bytes += part) += '\0';
      see(bytes);
    }
  }

 private:
  struct History {
    std::string changes;  ///< two letters each
    std::string asked;    ///< empty, or the letter of a request, and `later` if that was before this second
    bool is_there = false;
  };

  static constexpr char created = 'c', changed = 'w', deleted = 'd', lost = 'x', later = 't';

  static char letter(const Operation& operation) { return static_cast<char>('A' + operation.index()); }

  /// The ttl or default in the request, as a letter.
  static char said(const Operation& operation) {
    char said = '-';
    for_each_field(operation, [&](std::string_view, const auto& field) {
      if constexpr (std::is_same_v<std::decay_t<decltype(field)>, TtlField>)
        if (const auto* number = std::get_if<std::int64_t>(&field)) said = static_cast<char>('1' + *number % 64);
    });
    return said;
  }

  static bool is_in(const ReferenceStore& store, const DocumentKey& key) {
    const auto found = store.collections().find(key.collection);
    return found != store.collections().end() && found->second.documents.contains({key.partition, key.id});
  }

  static void note(History& history, const Operation& operation, Status status) {
    if (status >= Status::bad_request || is_read_only(operation)) {
      history.asked = is_read_only(operation) ? letter(operation) : '!';
      return;
    }
    change(history,
           status == Status::created      ? created
           : status == Status::no_content ? deleted
                                          : changed,
           said(operation));
    history.is_there = status != Status::no_content;
  }

  static void change(History& history, char kind, char said = '-') {
    history.asked.clear();
    (history.changes += kind) += said;
    if (history.changes.size() > 2 * remembered_changes) history.changes.erase(0, 2);
    history.is_there = false;
  }

  std::map<DocumentKey, History> last_;  ///< a collection has no partition and no id
};

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
    add(Reference(), 0, 0);
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
  // A store may be wrong by a second in its comparisons, and states in which that shows must not be merged.
  static constexpr Seconds margin{1};

  struct Reference {
    Clock clock;
    ReferenceStore store;
    Histories histories;

    Expectation ask(const Operation& operation) {
      Expectation expected = apply(store, clock, operation);
      histories.add(operation, expected.answer, store);
      return expected;
    }
  };

  bool may_go_on() {
    if (result_.depth == limits_.depth) return ends(Exploration::End::depth);
    if (visited_.memory() + covered_.memory() > limits_.memory) return ends(Exploration::End::memory);
    result_.states = visited_.size();
    if (!limits_.stop(result_)) return true;
    result_.path = visited_.path_to(id());
    return ends(Exploration::End::stopped);
  }

  bool ends(Exploration::End end) {
    result_.end = end;
    return false;
  }

  /// The state that is expanded.
  VisitedStates::Id id() const { return static_cast<VisitedStates::Id>(expanded_); }

  /// Applies the alphabet to the current state. False if that shows a violation.
  bool expand() {
    result_.path = visited_.path_to(id());
    plan_requests();
    bool holds = true;
    try {
      for (const Case& asked : asked_) subject_.send(asked);
      auto expected = expected_.begin();
      for (auto asked = asked_.begin(); holds && asked != asked_.end(); ++asked) {
        subject_.receive();  // the reset
        for (std::size_t i = 0; holds && i < asked->steps.size(); ++i) holds = allows(*expected++, subject_.receive());
      }
    } catch (const StoreFailure&) {
      holds = false;
    }
    subject_.drop();
    ++expanded_;
    return holds || ends(Exploration::End::violation);
  }

  // Makes the requests and their expected answers. Also adds the new states.
  void plan_requests() {
    asked_.clear();
    expected_.clear();
    Reference reference;
    std::vector<Expectation> on_the_way;
    for (const auto step : result_.path) on_the_way.push_back(reference.ask(alphabet_[step]));
    for (std::size_t step = 0; step < alphabet_.size(); ++step) {
      if (!has(features_, need_of(alphabet_[step]))) continue;
      asked_.emplace_back();
      for (const auto earlier : result_.path) asked_.back().steps.push_back(alphabet_[earlier]);
      expected_.insert(expected_.end(), on_the_way.begin(), on_the_way.end());
      Reference next = reference;
      plan_requests(alphabet_[step], next);
      add(next, id(), static_cast<VisitedStates::Step>(step));
      ++result_.transitions;
      for (const auto& operation : alphabet_)
        if (is_read_only(operation)) plan_requests(operation, next);
    }
  }

  void plan_requests(const Operation& operation, Reference& reference) {
    asked_.back().steps.push_back(operation);
    expected_.push_back(reference.ask(operation));
  }

  // Adds the state as one to continue from, unless others cover it. Each such state gets an encoding of its own,
  // because `covered_` does the merging.
  void add(const Reference& reference, VisitedStates::Id parent, VisitedStates::Step step) {
    const bool is_new = cover(reference);
    const std::size_t operations = visited_.size() == 0 ? 0 : result_.path.size() + 1;
    if (is_new || operations < unmerged_operations) visited_.add(std::to_string(visited_.size()), parent, step);
  }

  /// Whether the reference's state, or the state together with one of its histories, is new.
  bool cover(const Reference& reference) {
    const std::string state(encoded(reference));
    bool is_new = covered_.add('\0' + state, 0, 0);
    reference.histories.for_each([&](const std::string& history) { is_new |= covered_.add(history + state, 0, 0); });
    return is_new;
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
  VisitedStates visited_;  ///< the sequences to continue from
  VisitedStates covered_;  ///< states of the reference, and their histories
  std::size_t expanded_ = 0;
  std::vector<Case> asked_;
  std::vector<Expectation> expected_;  ///< for each step of `asked_`
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
