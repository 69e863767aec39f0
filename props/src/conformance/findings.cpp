#include <algorithm>

#include "candidates.hpp"
#include "diagnosis.hpp"
#include "mayfly/model/expiry.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/shrink/minimise.hpp"

// Makes findings from observations: one for each explanation, each crash, and each failure without an exact
// explanation, with a shortest case. Failures without an explanation are one finding if their shortest cases have equal
// kinds of steps.

namespace mayfly::conformance {

namespace {

constexpr std::size_t most_runs = 2'000;
constexpr std::size_t most_runs_for_a_crash = 60;
constexpr std::size_t most_runs_in_all = 10'000;  // for failures without an explanation

class Findings {
 public:
  Findings(Checker& checker, const Diagnosis& diagnosis)
      : checker_(checker), evidence_(checker.evidence()), explanations_(diagnosis.explanations()) {}

  Investigation run() {
    for (const auto& explanation : explanations_)
      if (explanation.is_exact) add_explained(explanation);
    for (const auto& crash : checker_.crashes()) add_crash(crash);
    for (const std::size_t observation : unexplained()) add_unexplained(observation);
    for (auto& finding : investigation_.findings) attribute(finding);
    std::stable_sort(investigation_.findings.begin(), investigation_.findings.end(),
                     [](const Finding& a, const Finding& b) { return place(a) < place(b); });
    return std::move(investigation_);
  }

 private:
  /// Properties of a failure before shrinking: failures with equal ones are attributed to one defect.
  struct Likeness {
    std::size_t kind = 0;
    Status expected = Status::ok;
    Status actual = Status::ok;
    RuleSet deciding;
    bool operator==(const Likeness&) const = default;
  };

  static std::size_t place(const Finding& finding) {
    if (finding.rule) return static_cast<std::size_t>(*finding.rule);
    return finding.candidates.empty() ? rule_count + 1 : rule_count;
  }

  Failure failure_of(std::size_t observation) const {
    const auto& [property, test_case, violation] = evidence_.all()[observation];
    return {property, test_case, *violation};
  }

  std::size_t size_of(std::size_t observation) const { return evidence_.all()[observation].violation->step; }

  // The store with the defect runs each candidate first: only those on which it fails are run on the store under test.
  void add_explained(const Explanation& explanation) {
    const auto predicted = [&](const Question& question) {
      return evidence_.predicted(explanation.defect, *question.property, question.test_case);
    };
    const Runner runner = runner_for([&](const Question& question) { return predicted(question).has_value(); },
                                     [&](const Question& question, const Violation& actual) {
                                       const auto expected = predicted(question);
                                       return expected && are_alike(actual, *expected);
                                     });
    const auto& observations = explanation.observations;
    const std::size_t shortest =
        *std::min_element(observations.begin(), observations.end(),
                          [&](std::size_t a, std::size_t b) { return size_of(a) < size_of(b); });
    const DefectText& known = text_of(explanation.defect);
    Finding finding = shrunk(failure_of(shortest), runner);
    finding.rule = known.rule();
    finding.level = known.level();
    finding.known = &known;
    finding.times = observations.size();
    investigation_.findings.push_back(std::move(finding));
  }

  void add_crash(Finding crash) {
    const Runner runner =
        runner_for(everything, [](const Question&, const Violation& violation) { return !violation.crash.empty(); });
    Minimised minimised =
        minimise_within(std::move(crash.failure), runner, most_runs_for_a_crash, checker_.seconds_of_shrinking());
    crash.failure = std::move(minimised.failure);
    crash.is_minimal = minimised.is_minimal && !checker_.is_stopped();
    investigation_.findings.push_back(std::move(crash));
  }

  // The shortest first: they take the fewest runs, and similar failures need not be shrunk.
  std::vector<std::size_t> unexplained() {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < evidence_.all().size(); ++i)
      if (is_unexplained(i)) left.push_back(i);
    std::stable_sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) { return size_of(a) < size_of(b); });
    return left;
  }

  bool is_unexplained(std::size_t observation) {
    const auto& violation = evidence_.all()[observation].violation;
    if (!violation || !violation->crash.empty()) return false;
    return std::none_of(explanations_.begin(), explanations_.end(), [&](const Explanation& explanation) {
      return explanation.is_exact && (evidence_.explains(explanation.defect, observation) ||
                                      evidence_.may_explain(explanation.defect, observation));
    });
  }

  void add_unexplained(std::size_t observation) {
    Failure failure = failure_of(observation);
    const Likeness likeness = likeness_of(failure);
    const bool is_enough = runs_ >= most_runs_in_all || (checker_.is_stopped() && runs_ > 0);
    if (Finding* same = find_like(likeness, is_enough)) {
      ++same->times;
    } else if (is_enough) {
      ++investigation_.not_investigated;
      investigation_.undecided |= likeness.deciding;
    } else {
      const std::size_t place = add_shrunk(std::move(failure));
      if (place == investigation_.findings.size()) return;
      known_likeness_.emplace_back(likeness, place);
      known_likeness_.emplace_back(likeness_of(investigation_.findings[place].failure), place);
    }
  }

  // Shrinks the failure without changing to one that a defect explains exactly. Returns the index of its finding, or
  // the end if the failure is known.
  std::size_t add_shrunk(Failure failure) {
    const Runner runner =
        runner_for([&](const Question&) { return ++runs_ > 0; },
                   [&](const Question& question, const Violation& actual) {
                     return actual.crash.empty() && !explained_by(*question.property, question.test_case, actual, true);
                   });
    const std::size_t before = failure.test_case.steps.size();
    if (!failure.property->is_agreement() && !as_wrong_answer(failure)) return investigation_.findings.size();
    Finding finding = shrunk(std::move(failure), runner);
    finding.shrunk_from = before;
    const auto& [property, test_case, violation] = finding.failure;
    const bool fails_again = runner(*property, test_case).has_value();
    finding.repeats = fails_again || checker_.is_stopped();  // it may have been cancelled
    if (finding.repeats) name_candidates(finding, runner);
    return add(std::move(finding));
  }

  // A law also fails if the store answers wrongly in one of its runs. Then that run is the case to investigate, because
  // it shows the request. False if a known defect explains it.
  bool as_wrong_answer(Failure& failure) {
    const auto runs = runs_of(*failure.property, failure.test_case, checker_.features());
    auto run = runs.begin();
    const Runner runner =
        runner_for(everything, [](const Question&, const Violation& violation) { return violation.crash.empty(); });
    auto wrong = runner
                     .first_failure([&]() -> std::optional<Question> {
                       if (run == runs.end()) return std::nullopt;
                       return Question{&agrees_unwatched(), *run++};
                     })
                     .failure;
    if (!wrong) return true;
    auto& [property, test_case] = wrong->question;
    if (explained_by(*property, test_case, wrong->violation, true)) return false;
    failure = {property, std::move(test_case), std::move(wrong->violation)};
    return true;
  }

  void name_candidates(Finding& finding, const Runner& runner) {
    const Failure& failure = finding.failure;
    finding.steps = candidate_steps(failure, [&](std::size_t step) {
      Case rest = failure.test_case;
      rest.steps.erase(rest.steps.begin() + static_cast<std::ptrdiff_t>(step));
      return !runner(*failure.property, rest);
    });
    finding.candidates = candidates_of(failure, finding.steps, checker_.features());
    if (finding.candidates == RuleSet{Rule::T3, Rule::T4}) finding.candidates = with_ttl_on(failure);
    finding.known = explained_by(*failure.property, failure.test_case, failure.violation, false);
    finding.is_exact = !finding.known;
    if (finding.known) finding.candidates.add(finding.known->rule());
  }

  // Accepting an invalid ttl while TTL is off may break T3, or only T4: the same case with TTL on shows which.
  RuleSet with_ttl_on(Failure failure) const {
    for (auto& step : failure.test_case.steps)
      std::visit(
          [](auto& o) {
            if constexpr (requires { o.definition; })
              if (valid_default(o.definition.default_ttl) == DefaultTtl{Off{}})
                o.definition.default_ttl = std::int64_t{-1};
          },
          step.operation);
    const auto violation = ask(*failure.property, failure.test_case);
    if (!violation) return checker_.is_stopped() ? RuleSet{Rule::T3, Rule::T4} : RuleSet{Rule::T4};
    failure.violation = *violation;
    const RuleSet broken = broken_by_accepting(failure);
    return broken.contains(Rule::T3) ? broken : RuleSet{Rule::T3, Rule::T4};
  }

  // Keeps the finding with the shorter case.
  std::size_t add(Finding finding) {
    const auto same =
        std::find_if(investigation_.findings.begin(), investigation_.findings.end(), [&](const Finding& other) {
          if (!finding.repeats || !other.repeats) return finding.repeats == other.repeats;
          return is_unattributed(other) && signature_of(other.failure) == signature_of(finding.failure);
        });
    if (same == investigation_.findings.end()) {
      investigation_.findings.push_back(std::move(finding));
      return investigation_.findings.size() - 1;
    }
    same->times += finding.times;
    same->candidates |= finding.candidates;
    if (!same->known && finding.known) {
      same->known = finding.known;
      same->is_exact = false;
    }
    return static_cast<std::size_t>(same - investigation_.findings.begin());
  }

  static bool is_unattributed(const Finding& finding) {
    return finding.failure.violation.crash.empty() && !finding.rule;
  }

  // If only one candidate is left, it is the broken rule.
  static void attribute(Finding& finding) {
    if (finding.candidates.empty()) return;
    finding.level = Level::decided;
    std::size_t count = 0;
    for (const auto& text : all_rules()) {
      if (!finding.candidates.contains(text.rule)) continue;
      ++count;
      finding.rule = text.rule;
      if (text.level == Level::stated) finding.level = Level::stated;
    }
    if (count > 1) finding.rule.reset();
    if (count == 1) finding.candidates = {};
  }

  /// The known defect that fails the case in the same way, among those that are known exactly, or only nearly.
  const DefectText* explained_by(const Property& property, const Case& test_case, const Violation& actual,
                                 bool exactly) {
    for (const auto& explanation : explanations_) {
      if (explanation.is_exact != exactly) continue;
      const auto expected = evidence_.predicted(explanation.defect, property, test_case);
      if (expected && are_alike(*expected, actual)) return &text_of(explanation.defect);
    }
    return nullptr;
  }

  static Likeness likeness_of(const Failure& failure) {
    const Violation& violation = failure.violation;
    return {violation.operation.index(), violation.exchange.expected.answer.status, violation.exchange.actual.status,
            deciding_rules(failure)};
  }

  /// The finding of a similar failure. If `vaguely`, this failure may be decided by further rules.
  Finding* find_like(const Likeness& likeness, bool vaguely) {
    for (const auto& [known, place] : known_likeness_) {
      Likeness other = likeness;
      if (vaguely) other.deciding = likeness.deciding & known.deciding;
      if (known == other) return &investigation_.findings[place];
    }
    return nullptr;
  }

  static bool everything(const Question&) { return true; }

  /// A runner for questions that are of interest and that the store supports, until the run is stopped.
  Runner runner_for(std::function<bool(const Question&)> is_of_interest, Runner::Counts counts) const {
    const Features& features = checker_.features();
    return checker_.ask().narrowed(
        [&, is_of_interest](const Question& question) {
          const auto& [property, test_case] = question;
          return !checker_.is_stopped() && has(features, property->needs()) && can_run(features, test_case) &&
                 !test_case.steps.empty() && is_of_interest(question);
        },
        std::move(counts));
  }

  std::optional<Violation> ask(const Property& property, const Case& test_case) const {
    return runner_for(everything, {})(property, test_case);
  }

  Finding shrunk(Failure failure, const Runner& runner) const {
    const std::size_t before = failure.test_case.steps.size();
    Minimised minimised = minimise_within(std::move(failure), runner, most_runs, checker_.seconds_of_shrinking());
    return {.failure = std::move(minimised.failure),
            .shrunk_from = before,
            .is_minimal = minimised.is_minimal && !checker_.is_stopped()};
  }

  Checker& checker_;
  Evidence& evidence_;
  const std::vector<Explanation>& explanations_;
  Investigation investigation_;
  std::vector<std::pair<Likeness, std::size_t>> known_likeness_;  ///< with the index of the finding
  std::size_t runs_ = 0;                                          ///< runs for failures without an explanation
};

}  // namespace

Investigation findings_of(Checker& checker, const Diagnosis& diagnosis) { return Findings(checker, diagnosis).run(); }

}  // namespace mayfly::conformance
