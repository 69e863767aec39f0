#include "mayfly/props/shrink/minimise.hpp"

#include <algorithm>
#include <tuple>

#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/shrink/passes.hpp"

namespace mayfly {

namespace {

// If more runs of one length cannot be removed, shorter ones are left to the passes, which change operations that are
// alike together.
constexpr std::size_t most_runs_of_a_length = 64;

constexpr std::size_t most_observed = 5'000;

class Minimiser {
 public:
  Minimiser(Failure failure, const Runner& runner, const std::function<bool()>& stop, std::size_t most_runs)
      : result_{std::move(failure)}, runner_(runner), stop_(stop), most_runs_(most_runs) {}

  Minimised run() {
    cut_after_failure();
    show_the_observation();
    complexity_ = complexity(best());
    while (best().steps.size() > few_operations && apply(wide_passes())) {
    }
    remove_by_halves();
    show_every_observation();
    do {
      while (!is_over() && apply(passes())) {
      }
    } while (!is_over() && blame_an_earlier_property());
    result_.is_minimal = !is_over();
    return std::move(result_);
  }

 private:
  /// Takes the first case of the list that still fails. Returns its place; nothing if all of them hold.
  std::optional<std::size_t> take_first_failure(const Questions& next) {
    Answered answered = runner_.first_failure(next);
    result_.runs += answered.held + (answered.failure ? 1 : 0);
    if (!answered.failure) return std::nullopt;
    auto& [index, question, violation] = *answered.failure;
    result_.failure = {question.property, std::move(question.test_case), std::move(violation)};
    return index;
  }

  bool still_fails(const Property& property, const Case& test_case) {
    bool is_asked = false;
    return take_first_failure([&]() -> std::optional<Question> {
             if (std::exchange(is_asked, true)) return std::nullopt;
             return Question{&property, test_case};
           })
        .has_value();
  }

  void cut_after_failure() {
    Case cut = best();
    if (result_.failure.violation.step + 1 >= cut.steps.size()) return;
    cut.steps.resize(result_.failure.violation.step + 1);
    still_fails(*result_.failure.property, cut);
  }

  bool was_seen_by_observing() const {
    return result_.failure.property->watch() == Watch::everything && result_.failure.violation.crash.empty();
  }

  void show_the_observation() {
    if (!was_seen_by_observing()) return;
    Case shown = best();
    if (still_fails(agrees_unwatched(), shown)) return;
    shown.steps.push_back(result_.failure.violation.operation);
    still_fails(agrees_unwatched(), shown);
  }

  // If the failure needs the observations themselves, they become operations, and those that it does not need are
  // removed.
  void show_every_observation() {
    if (!was_seen_by_observing()) return;
    Case shown{best().start, {}};
    std::vector<Operation> observations;
    for (const auto& step : best().steps) {
      if (const auto* collection = collection_of(step.operation)) add_if_new(observations, Query{{*collection, {}}});
      if (const auto* key = key_of(step.operation)) add_if_new(observations, Read{{*key}});
      shown.steps.push_back(step);
      shown.steps.insert(shown.steps.end(), observations.begin(), observations.end());
      if (shown.steps.size() > most_observed) return;
    }
    if (!still_fails(agrees_unwatched(), shown)) return;
    complexity_ = complexity(best());
    remove_by_halves();
  }

  // A case often breaks several properties. The first of them in their usual order is reported, whichever failed first.
  bool blame_an_earlier_property() {
    if (!result_.failure.violation.crash.empty()) return false;
    const Property* property = all_properties().data();
    return take_first_failure([&]() -> std::optional<Question> {
             if (property == result_.failure.property) return std::nullopt;
             return Question{property++, best()};
           })
        .has_value();
  }

  static void add_if_new(std::vector<Operation>& all, Operation operation) {
    if (std::find(all.begin(), all.end(), operation) == all.end()) all.push_back(std::move(operation));
  }

  /// Whether no further questions may begin.
  bool is_over(std::size_t begun = 0) {
    is_stopped_ = is_stopped_ || stop_();
    return is_stopped_ || result_.runs + begun >= most_runs_;
  }

  const Case& best() const { return result_.failure.test_case; }

  /// A list of candidates: `next(place)` makes the one at a place and moves the place on, or returns nothing at the
  /// end. Candidates that are not simpler than the best case so far are left out. Returns whether one of them still
  /// fails; then that is the best case, and `place` stands behind it.
  template <class Place>
  bool take_simpler(Place& place, const auto& next) {
    std::vector<std::pair<Place, Complexity>> asked;
    const auto index = take_first_failure([&]() -> std::optional<Question> {
      while (!is_over(asked.size())) {
        std::optional<Case> candidate = next(place);
        if (!candidate) break;
        const Complexity simpler = complexity(*candidate);
        if (simpler >= complexity_) continue;
        asked.emplace_back(place, simpler);
        return Question{result_.failure.property, std::move(*candidate)};
      }
      return std::nullopt;
    });
    if (!index) return false;
    std::tie(place, complexity_) = asked[*index];
    return true;
  }

  // Delta debugging: runs of operations are left out, each half as long as the one before.
  void remove_by_halves() {
    struct Place {
      std::size_t run;  ///< how many operations
      std::size_t end;  ///< of those to leave out
    };
    Place place{best().steps.size() / 2, best().steps.size()};
    while (take_simpler(place, [&](Place& at) -> std::optional<Case> {
      if (at.end == 0) at = {at.run / 2, best().steps.size()};
      if (at.run == 0 || at.end == 0 || best().steps.size() / at.run > most_runs_of_a_length) return std::nullopt;
      Case rest = best();
      const auto end = rest.steps.begin() + static_cast<std::ptrdiff_t>(at.end);
      at.end -= std::min(at.end, at.run);
      rest.steps.erase(rest.steps.begin() + static_cast<std::ptrdiff_t>(at.end), end);
      return rest;
    })) {
    }
  }

  // After a success, a pass continues from its place: earlier changes rarely help now, and the next round repeats them.
  bool apply(std::span<const Pass> some) {
    struct Place {
      std::size_t pass;
      std::size_t change;
    };
    const Complexity before = complexity_;
    Place place{0, 0};
    for (bool goes_on = true; goes_on;) {
      std::size_t prepared = some.size();  // the pass whose changes these are
      std::vector<Change> changes;
      goes_on = take_simpler(place, [&](Place& at) -> std::optional<Case> {
        for (; at.pass < some.size(); ++at.pass, at.change = 0) {
          if (std::exchange(prepared, at.pass) != at.pass) changes = some[at.pass](best());
          if (at.change < changes.size()) break;
        }
        if (at.pass == some.size()) return std::nullopt;
        Case smaller = best();
        changes[at.change++](smaller);
        return smaller;
      });
      if (goes_on) --place.change;  // the changes are made anew, and the next one stands where this one stood
    }
    return complexity_ < before;
  }

  Minimised result_;
  const Runner& runner_;
  const std::function<bool()>& stop_;
  const std::size_t most_runs_;
  Complexity complexity_;  ///< of the best so far
  bool is_stopped_ = false;
};

}  // namespace

Minimised minimise(Failure failure, const Runner& runner, const std::function<bool()>& stop, std::size_t most_runs) {
  return Minimiser(std::move(failure), runner, stop, most_runs).run();
}

Minimised minimise(Failure failure, Subject& subject, const std::function<bool()>& stop) {
  const Runner runner = [&](const Property& property, const Case& test_case) {
    return check(property, test_case, subject);
  };
  return minimise(std::move(failure), runner, stop);
}

}  // namespace mayfly
