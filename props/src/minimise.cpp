#include "mayfly/props/minimise.hpp"

#include <algorithm>

#include "mayfly/props/shrink.hpp"

namespace mayfly {

namespace {

class Minimiser {
 public:
  Minimiser(Failure failure, const Runner& runner, const std::function<bool()>& stop)
      : result_{std::move(failure)}, runner_(runner), stop_(stop) {}

  Minimised run() {
    foresee_the_beginning();
    cut_after_failure();
    show_the_look();
    complexity_ = complexity(best());
    remove_by_halves();
    show_every_look();
    do {
      while (!is_over() && one_round()) {
      }
    } while (!is_over() && blame_an_earlier_property());
    result_.is_minimal = !is_over();
    return std::move(result_);
  }

 private:
  bool still_fails(const Property& property, const Case& test_case) {
    ++result_.runs;
    auto violation = runner_(property, test_case);
    if (!violation) return false;
    result_.failure = {&property, test_case, std::move(*violation)};
    return true;
  }

  void cut_after_failure() {
    Case cut = result_.failure.test_case;
    if (result_.failure.violation.step + 1 >= cut.steps.size()) return;
    cut.steps.resize(result_.failure.violation.step + 1);
    still_fails(*result_.failure.property, cut);
  }

  void show_the_look() {
    if (result_.failure.property != &agrees_watched() || !result_.failure.violation.crash.empty()) return;
    Case shown = result_.failure.test_case;
    if (still_fails(agrees_unwatched(), shown)) return;
    shown.steps.push_back(result_.failure.violation.operation);
    still_fails(agrees_unwatched(), shown);
  }

  // Where looking is itself what does it, the looks become operations, and those that are of no use go again.
  void show_every_look() {
    if (result_.failure.property != &agrees_watched() || !result_.failure.violation.crash.empty()) return;
    Case shown{best().start, {}};
    std::vector<Operation> looks;
    for (const auto& step : best().steps) {
      if (const auto* collection = collection_of(step.operation)) add_if_new(looks, Query{{*collection, {}}});
      if (const auto* key = key_of(step.operation)) add_if_new(looks, Read{{*key}});
      shown.steps.push_back(step);
      shown.steps.insert(shown.steps.end(), looks.begin(), looks.end());
    }
    if (!still_fails(agrees_unwatched(), shown)) return;
    complexity_ = complexity(best());
    remove_by_halves();
  }

  // A case often breaks several properties. The first of them in their usual order is the one to name, whichever it was
  // that showed it.
  bool blame_an_earlier_property() {
    if (!result_.failure.violation.crash.empty()) return false;
    foresee_earlier_properties();
    for (const Property& property : all_properties()) {
      if (&property == result_.failure.property) return false;
      if (still_fails(property, best())) return true;
    }
    return false;
  }

  static void add_if_new(std::vector<Operation>& looks, Operation look) {
    if (std::find(looks.begin(), looks.end(), look) == looks.end()) looks.push_back(std::move(look));
  }

  bool is_over() { return is_over_ = is_over_ || stop_(); }

  const Case& best() const { return result_.failure.test_case; }

  bool take_if_it_fails(const Case& smaller) {
    const Complexity simpler = complexity(smaller);
    if (simpler >= complexity_ || !still_fails(*result_.failure.property, smaller)) return false;
    complexity_ = simpler;
    return true;
  }

  static Case without(Case test_case, std::size_t begin, std::size_t end) {
    const auto first = test_case.steps.begin();
    test_case.steps.erase(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end));
    return test_case;
  }

  // Delta debugging: runs of operations are left out, each half as long as the one before.
  void remove_by_halves() {
    int foreseen = 0;
    for (std::size_t run = best().steps.size() / 2; run > 0; run /= 2)
      for (std::size_t end = best().steps.size(); end > 0 && !is_over();) {
        if (foreseen-- == 0) foreseen = foresee_removals(run, end) - 1;
        const std::size_t begin = end - std::min(end, run);
        take_if_it_fails(without(best(), begin, end));
        end = begin;
      }
  }

  // After a success a pass goes on from where it was: what failed to help before will rarely help now, and the next
  // round tries it again.
  bool one_round() {
    const Complexity before = complexity_;
    foresee_changes(0, 0);
    for (std::size_t p = 0; p < passes().size(); ++p) {
      auto changes = passes()[p](best());
      for (std::size_t i = 0; i < changes.size() && !is_over();) {
        Case smaller = best();
        changes[i](smaller);
        if (take_if_it_fails(smaller)) {
          changes = passes()[p](best());
          foresee_changes(p, i);
        } else {
          ++i;
        }
      }
    }
    return complexity_ < before;
  }

  // What may be asked next, for a runner that looks ahead.

  void foresee_the_beginning() {
    if (!runner_.looks_ahead()) return;
    Case cut = best();
    cut.steps.resize(std::min(cut.steps.size(), result_.failure.violation.step + 1));
    std::vector<Question> questions{{result_.failure.property, cut}, {&agrees_unwatched(), cut}};
    cut.steps.push_back(result_.failure.violation.operation);
    questions.push_back({&agrees_unwatched(), std::move(cut)});
    runner_.ask_ahead(std::move(questions));
  }

  // Every way in which the next removals may turn out. Returns how many removals that are.
  int foresee_removals(std::size_t run, std::size_t end) {
    constexpr int decisions = 5;  // which makes 31 questions
    if (!runner_.looks_ahead()) return decisions;
    std::vector<Question> questions;
    foresee_removals(best(), run, end, decisions, questions);
    runner_.ask_ahead(std::move(questions));
    return decisions;
  }

  void foresee_removals(const Case& from, std::size_t run, std::size_t end, int decisions,
                        std::vector<Question>& questions) {
    if (end == 0) {
      run /= 2;
      end = from.steps.size();
    }
    if (decisions == 0 || run == 0 || end == 0) return;
    const std::size_t begin = end - std::min(end, run);
    const Case smaller = without(from, begin, end);
    questions.push_back({result_.failure.property, smaller});
    foresee_removals(smaller, run, begin, decisions - 1, questions);
    foresee_removals(from, run, begin, decisions - 1, questions);
  }

  // The rest of the round, from this change of this pass on, if nothing helps any more.
  void foresee_changes(std::size_t first_pass, std::size_t first_change) {
    if (!runner_.looks_ahead()) return;
    std::vector<Question> questions;
    for (std::size_t p = first_pass; p < passes().size(); ++p) {
      const auto changes = passes()[p](best());
      for (std::size_t i = p == first_pass ? first_change : 0; i < changes.size(); ++i) {
        Case smaller = best();
        changes[i](smaller);
        if (complexity(smaller) < complexity_) questions.push_back({result_.failure.property, std::move(smaller)});
      }
    }
    runner_.ask_ahead(std::move(questions));
  }

  void foresee_earlier_properties() {
    if (!runner_.looks_ahead()) return;
    std::vector<Question> questions;
    for (const Property& property : all_properties()) {
      if (&property == result_.failure.property) break;
      questions.push_back({&property, best()});
    }
    runner_.ask_ahead(std::move(questions));
  }

  Minimised result_;
  const Runner& runner_;
  const std::function<bool()>& stop_;
  Complexity complexity_;  ///< of the best so far
  bool is_over_ = false;
};

}  // namespace

Minimised minimise(Failure failure, const Runner& runner, const std::function<bool()>& stop) {
  return Minimiser(std::move(failure), runner, stop).run();
}

Minimised minimise(Failure failure, Subject& subject, const std::function<bool()>& stop) {
  const Runner runner = [&](const Property& property, const Case& test_case) {
    return check(property, test_case, subject);
  };
  return minimise(std::move(failure), runner, stop);
}

}  // namespace mayfly
