#include <algorithm>

#include "diagnosis.hpp"
#include "mayfly/props/report/narrate.hpp"

// From observations to findings: each explanation, each crash, and each failure that nothing explains, with a shortest
// case.

namespace mayfly::conformance {

namespace {

constexpr std::size_t most_runs = 2'000;
constexpr std::size_t most_runs_for_a_crash = 60;
constexpr std::size_t most_unexplained = 8;  // that are shrunk

class Findings {
 public:
  Findings(Examiner& examiner, const Diagnosis& diagnosis)
      : examiner_(examiner), evidence_(examiner.evidence()), explanations_(diagnosis.explanations()) {}

  std::vector<Finding> run() {
    for (const auto& explanation : explanations_) add_explained(explanation);
    for (const auto& crash : examiner_.crashes()) add_crash(crash);
    for (std::size_t i = 0; i < evidence_.all().size(); ++i)
      if (is_unexplained(i)) add_unexplained(i);
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Finding& a, const Finding& b) { return place(a) < place(b); });
    return std::move(found_);
  }

 private:
  static std::size_t place(const Finding& finding) {
    return finding.rule ? static_cast<std::size_t>(*finding.rule) : rule_count;
  }

  void add(Finding finding) {
    const auto same = std::find_if(found_.begin(), found_.end(), [&](const Finding& other) {
      if (!finding.repeats) return !other.repeats;
      const bool is_one_of_many = looked_into_ > most_unexplained && !finding.known && finding.rule == other.rule;
      return is_one_of_many || other.failure.test_case == finding.failure.test_case;
    });
    if (same != found_.end()) {
      same->times += finding.times;
      return;
    }
    // What is not known exactly may show in other ways too.
    const bool is_vague =
        finding.rule && !(finding.known && finding.is_exact) && finding.failure.violation.crash.empty();
    suspected_.add_if(is_vague, finding.rule.value_or(Rule::T1));
    found_.push_back(std::move(finding));
  }

  Failure failure_of(std::size_t observation) const {
    const auto& [property, test_case, violation] = evidence_.all()[observation];
    return {property, test_case, *violation};
  }

  std::size_t size_of(std::size_t observation) const { return evidence_.all()[observation].violation->step; }

  // The store with the defect is asked first: what does not fail there need not be asked of the one under test.
  void add_explained(const Explanation& explanation) {
    const auto check = [&](const Property& property, const Case& test_case) -> std::optional<Violation> {
      const auto expected = evidence_.predicted(explanation.defect, property, test_case);
      auto actual = expected ? ask(property, test_case) : std::nullopt;
      return actual && are_alike(*actual, *expected) ? std::move(actual) : std::nullopt;
    };
    const Runner runner(
        check, foresight([&](const Question& question) {
          return evidence_.predicted(explanation.defect, *question.property, question.test_case).has_value();
        }));
    const auto& observations = explanation.observations;
    const std::size_t shortest =
        *std::min_element(observations.begin(), observations.end(),
                          [&](std::size_t a, std::size_t b) { return size_of(a) < size_of(b); });
    const DefectText& known = text_of(explanation.defect);
    Finding finding = shrunk(shortest, runner);
    finding.rule = known.rule;
    finding.level = level_of(explanation.defect);
    finding.known = &known;
    finding.is_exact = explanation.is_exact;
    finding.times = observations.size();
    add(std::move(finding));
  }

  void add_crash(Finding crash) {
    const auto check = [&](const Property& property, const Case& test_case) -> std::optional<Violation> {
      auto actual = ask(property, test_case);
      return actual && !actual->crash.empty() ? std::move(actual) : std::nullopt;
    };
    const Runner runner(check, foresight());
    Minimised minimised =
        minimise_within(std::move(crash.failure), runner, most_runs_for_a_crash, examiner_.seconds_of_shrinking());
    crash.failure = std::move(minimised.failure);
    crash.is_minimal = minimised.is_minimal && !examiner_.is_stopped();
    add(std::move(crash));
  }

  bool is_unexplained(std::size_t observation) {
    const auto& violation = evidence_.all()[observation].violation;
    if (!violation || !violation->crash.empty()) return false;
    return std::none_of(explanations_.begin(), explanations_.end(), [&](const Explanation& explanation) {
      return evidence_.explains(explanation.defect, observation);
    });
  }

  // What no known defect shows: shrunk without slipping into one that is known.
  void add_unexplained(std::size_t observation) {
    if (Finding* same = find_like(observation)) {
      ++same->times;
      return;
    }
    const auto check = [&](const Property& property, const Case& test_case) -> std::optional<Violation> {
      auto actual = ask(property, test_case);
      return actual && actual->crash.empty() && !is_known(property, test_case, *actual) ? std::move(actual)
                                                                                        : std::nullopt;
    };
    const Runner runner(check, foresight());
    Finding finding = shrunk(observation, runner, looked_into_++ < most_unexplained ? most_runs : 0);
    const bool fails_again = runner(*finding.failure.property, finding.failure.test_case).has_value();
    finding.repeats = fails_again || examiner_.is_stopped();  // it may have been broken off
    if (finding.repeats) finding.rule = blamed_rule(evidence_, finding.failure, suspected_, examiner_.rarity());
    if (finding.rule) finding.level = all_rules()[static_cast<std::size_t>(*finding.rule)].level;
    add(std::move(finding));
  }

  bool is_known(const Property& property, const Case& test_case, const Violation& actual) {
    return std::any_of(explanations_.begin(), explanations_.end(), [&](const Explanation& explanation) {
      const auto expected = evidence_.predicted(explanation.defect, property, test_case);
      return expected && are_alike(*expected, actual);
    });
  }

  /// What was found without an explanation, and fails at the same kind of request, decided by the same rules, with the
  /// same statuses.
  Finding* find_like(std::size_t observation) {
    const Failure failure = failure_of(observation);
    const RuleSet deciding = deciding_rules(failure);
    const auto statuses = [](const Violation& violation) {
      return std::pair(violation.exchange.expected.answer.status, violation.exchange.actual.status);
    };
    const auto found = std::find_if(found_.begin(), found_.end(), [&](const Finding& finding) {
      const Violation& known = finding.failure.violation;
      const RuleSet by = deciding_rules(finding.failure);
      return !finding.known && known.crash.empty() && known.operation.index() == failure.violation.operation.index() &&
             statuses(known) == statuses(failure.violation) && (by & deciding) == by;
    });
    return found == found_.end() ? nullptr : &*found;
  }

  bool is_for_it(const Property& property, const Case& test_case) const {
    const Features& features = examiner_.visible().features;
    return has(features, property.needs) && can_run(features, test_case) && !test_case.operations.empty();
  }

  std::optional<Violation> ask(const Property& property, const Case& test_case) const {
    if (examiner_.is_stopped() || !is_for_it(property, test_case)) return std::nullopt;
    return examiner_.ask()(property, test_case);
  }

  /// Asks ahead what is of interest.
  Runner::AskAhead foresight(std::function<bool(const Question&)> is_of_interest = {}) const {
    if (!examiner_.ask().looks_ahead()) return {};
    return [this, is_of_interest](std::vector<Question> questions) {
      std::erase_if(questions, [&](const Question& question) {
        return !is_for_it(*question.property, question.test_case) || (is_of_interest && !is_of_interest(question));
      });
      examiner_.ask().ask_ahead(std::move(questions));
    };
  }

  Finding shrunk(std::size_t observation, const Runner& runner, std::size_t runs = most_runs) const {
    const std::size_t before = evidence_.all()[observation].test_case.operations.size();
    Minimised minimised = minimise_within(failure_of(observation), runner, runs, examiner_.seconds_of_shrinking());
    return {.failure = std::move(minimised.failure),
            .shrunk_from = before,
            .is_minimal = minimised.is_minimal && !examiner_.is_stopped()};
  }

  Examiner& examiner_;
  Evidence& evidence_;
  const std::vector<Explanation>& explanations_;
  std::vector<Finding> found_;
  RuleSet suspected_;
  std::size_t looked_into_ = 0;
};

}  // namespace

std::vector<Finding> findings_of(Examiner& examiner, const Diagnosis& diagnosis) {
  return Findings(examiner, diagnosis).run();
}

}  // namespace mayfly::conformance
