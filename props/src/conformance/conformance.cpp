#include "mayfly/props/conformance/conformance.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "diagnosis.hpp"
#include "mayfly/model/rule.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/property/scenarios.hpp"

namespace mayfly {

namespace {

using namespace conformance;

constexpr std::array<std::string_view, 6> verdict_names{"pass",         "fail",        "differs",
                                                        "unattributed", "unsupported", "not exercised"};

constexpr int most_rounds = 3;                  // of cases that end before the known defects show
constexpr std::uint64_t most_directed = 4'000;  // cases generated for one rule
constexpr std::uint64_t most_sent = 100;        // cases run for one rule

RuleResult& at(Conformance& result, Rule rule) { return result.rules[static_cast<std::size_t>(rule)]; }

class ConformanceRun {
 public:
  ConformanceRun(const ConformancePlan& plan, Subject& subject, const Runner& ask)
      : plan_(plan), source_(plan.seed, plan.world), checker_(plan, subject, ask), diagnosis_(checker_, source_) {}

  Conformance run() {
    check_traces();
    check_random(plan_.cases);
    diagnosis_.update();
    for (int round = 0; round < most_rounds && !diagnosis_.explanations().empty(); ++round) {
      check_random(plan_.cases / 2);
      if (!diagnosis_.update()) break;
    }
    aim_at_all();
    result_.was_stopped = plan_.stop();
    result_.has_given_up = checker_.has_given_up();
    result_.cases = checker_.evidence().all().size();
    investigation_ = findings_of(checker_, diagnosis_);
    result_.findings = std::move(investigation_.findings);
    result_.not_investigated = investigation_.not_investigated;
    judge_traces();
    for (const Rule rule : every_rule) judge(rule);
    return std::move(result_);
  }

 private:
  /// The checks of a scenario, or of a trace of the corpus.
  struct CheckedTrace {
    std::optional<Rule> rule;  ///< the rule of a scenario
    TraceResult trace;
    std::vector<std::size_t> observations;
  };

  /// A case of a trace, the properties to check on it, and the index of the trace in `checked_`.
  struct TraceCase {
    std::size_t checked = 0;
    Case test_case;
    std::vector<const Property*> properties;
  };

  /// Position in the list of traces.
  struct TracePlace {
    std::size_t trace = 0;
    std::size_t property = 0;
    Case reachable{};       ///< the case of the trace, without operations that crash the store
    std::size_t asked = 0;  ///< index of the trace of the latest question
  };

  void check_traces() {
    std::vector<TraceCase> traces;
    for (const auto& scenario : all_scenarios()) {
      checked_.push_back({rule_of(scenario), {.name = std::string(scenario.name)}, {}});
      for (const auto& trace : scenario.cases) add_trace(trace.without_expectations(), traces);
    }
    for (const auto& [name, test_case] : plan_.corpus) {
      checked_.push_back({std::nullopt, {.name = name}, {}});
      add_trace(test_case, traces);
    }
    const auto next = [&](TracePlace& at) -> std::optional<Question> {
      if (at.trace == traces.size()) return std::nullopt;
      const auto& [checked, test_case, properties] = traces[at.trace];
      if (at.property == 0) at.reachable = checker_.within_reach(test_case);
      if (at.reachable != test_case)
        checked_[checked].trace.is_met = false;  // the trace contains an operation that crashes the store
      Question question{properties[at.property++], at.reachable};
      at.asked = at.trace;
      if (at.property == properties.size()) at = {at.trace + 1, 0, {}, at.trace};
      return question;
    };
    check_all(TracePlace{}, next, [&](const TracePlace& behind, std::size_t observation) {
      checked_[traces[behind.asked].checked].observations.push_back(observation);
    });
  }

  // What lies beyond the store's limits is left out of it; where the store lacks a feature, all of it.
  void add_trace(const Case& whole, std::vector<TraceCase>& traces) {
    const Case test_case = within(Features{.limits = checker_.features().limits}, whole);
    CheckedTrace& checked = checked_.back();
    checked.trace.is_left_out |= !can_run(checker_.features(), test_case);
    if (!checked.trace.is_left_out) traces.push_back({checked_.size() - 1, test_case, properties_of(checked.rule)});
  }

  static Rule rule_of(const Scenario& scenario) {
    return *rule_named(scenario.name.substr(0, scenario.name.find('-')));
  }

  // A scenario is checked on the properties that can show its rule to be broken, a trace of the corpus on all.
  static std::vector<const Property*> properties_of(std::optional<Rule> rule) {
    std::vector<const Property*> properties;
    for (const Property& property : all_properties())
      if (!rule || &property == &agrees_unwatched() || property.rules.contains(*rule)) properties.push_back(&property);
    return properties;
  }

  /// Checks the questions that `next` generates, until the end of the list or of the run. `state` is the position in
  /// the list, which `next` advances. After a failure the rest is generated again from the position after it, because
  /// operations that crashed the store are then left out. `note(state, observation)` is called for each observation,
  /// with the position after its question.
  template <class State>
  State check_all(State state, const auto& next, const auto& note) {
    for (bool goes_on = true; goes_on;) {
      std::vector<State> after;
      const Checked checked = checker_.check_all([&]() -> std::optional<Question> {
        auto question = next(state);
        while (question && !checker_.can_check(*question)) question = next(state);
        if (question) after.push_back(state);
        return question;
      });
      for (std::size_t i = 0; i < checked.count; ++i) note(after[i], checked.first + i);
      goes_on = checked.has_failure;
      if (goes_on) state = std::move(after[checked.count - 1]);
    }
    return state;
  }

  template <class State>
  State check_all(State state, const auto& next) {
    return check_all(std::move(state), next, [](const State&, std::size_t) {});
  }

  /// Position in the random cases. Each case is checked for agreement, and then on a law.
  struct Drawn {
    CaseSource source;
    std::uint64_t number = 0;
    std::optional<Case> for_law{};
  };

  void check_random(std::uint64_t cases) {
    const Drawn drawn = check_all(Drawn{source_}, [&](Drawn& at) -> std::optional<Question> {
      if (at.for_law) {
        const Property& law = laws()[at.number++ % laws().size()];
        return Question{&law, diagnosis_.before_the_known(law, *std::exchange(at.for_law, std::nullopt))};
      }
      if (at.number == cases) return std::nullopt;
      at.for_law = checker_.within_reach(at.source.next());
      const Property& agreement = at.number % 2 == 0 ? agrees_unwatched() : agrees_watched();
      return Question{&agreement, diagnosis_.before_the_known(agreement, *at.for_law)};
    });
    source_ = drawn.source;
  }

  /// Position in the search for cases directed at a rule.
  struct Aim {
    CaseSource source;
    std::uint64_t drawn = 0;
    std::uint64_t asked = 0;
    std::size_t observed = 0;    ///< observations when the list began
    std::uint64_t expected = 0;  ///< checks of the rule since then, if all questions hold
  };

  // Runs cases directed at each rule: random cases in which the rule is decisive, each up to the last step at which it
  // is.
  void aim_at_all() {
    for (const Rule rule : every_rule) {
      if (lacking(rule, checker_.features()).empty()) aim_at(rule);
      diagnosis_.update();
    }
  }

  // Until the rule has enough checks, or no further cases are found for it.
  void aim_at(Rule rule) {
    const auto properties = properties_for(rule);
    const Aim aim = check_all(Aim{source_}, [&](Aim& at) -> std::optional<Question> {
      const std::size_t observed = checker_.evidence().all().size();
      if (std::exchange(at.observed, observed) != observed) at.expected = 0;
      const std::uint64_t checks = conformance::at(checker_.checks(), rule);
      while (at.drawn < most_directed && at.asked < most_sent && checks + at.expected < plan_.floor) {
        const Property& property = *properties[at.drawn++ % properties.size()];
        Question question{&property, aimed_case(rule, property, at.source)};
        if (!checker_.can_check(question)) continue;
        ++at.asked;
        at.expected += checks_of(rule, question, question.test_case.steps.size());
        return question;
      }
      return std::nullopt;
    });
    source_ = aim.source;
  }

  std::uint64_t checks_of(Rule rule, const Question& question, std::size_t operations) const {
    return conformance::at(checks_in(*question.property, question.test_case, operations, checker_.features()), rule);
  }

  // Empty if the rule is not decisive in the next case.
  Case aimed_case(Rule rule, const Property& property, CaseSource& source) {
    Case test_case = checker_.within_reach(source.next());
    const auto checks = [&](std::size_t operations) {
      return conformance::at(checks_in(property, test_case, operations, checker_.features()), rule);
    };
    if (checks(test_case.steps.size()) == 0) return {};
    test_case = diagnosis_.before_the_known(property, std::move(test_case));
    std::size_t operations = test_case.steps.size();
    const auto all = checks(operations);
    if (all == 0) return {};
    while (operations > 1 && checks(operations - 1) == all) --operations;
    test_case.steps.resize(operations);
    return test_case;
  }

  // Verdicts.

  RuleSet blamed_for(std::size_t observation) {
    RuleSet rules;
    for (const auto& explanation : diagnosis_.explanations())
      rules.add_if(explanation.is_exact && checker_.evidence().explains(explanation.defect, observation),
                   text_of(explanation.defect).rule());
    const Finding* crash = checker_.crash_of(observation);
    if (crash && crash->rule) rules.add(*crash->rule);
    if (!rules.empty()) return rules;
    const auto& [property, test_case, violation] = checker_.evidence().all()[observation];
    for (const auto& finding : result_.findings) {
      rules |= finding.candidates;
      if (!finding.known && finding.rule) rules.add(*finding.rule);
    }
    return rules & deciding_rules({property, test_case, *violation});
  }

  void judge_traces() {
    for (auto& [rule, trace, observations] : checked_) {
      for (const std::size_t observation : observations) {
        if (!checker_.evidence().all()[observation].violation) continue;
        trace.is_met = false;
        trace.blamed |= blamed_for(observation);
      }
      (rule ? at(result_, *rule).scenarios : result_.corpus).push_back(std::move(trace));
    }
  }

  void judge(Rule rule) {
    RuleResult& result = at(result_, rule);
    result.rule = rule;
    result.checks = conformance::at(checker_.checks(), rule);
    bool is_blamed = false, breaks_a_statement = false;
    for (std::size_t i = 0; i < result_.findings.size(); ++i) {
      const Finding& finding = result_.findings[i];
      if (finding.rule != rule && !finding.candidates.contains(rule)) continue;
      result.findings.push_back(i);
      result.failures += finding.times;
      is_blamed |= finding.rule == rule;
      breaks_a_statement |= finding.rule == rule && finding.level == Level::stated;
    }
    const bool may_be_broken = !result.findings.empty() || investigation_.undecided.contains(rule);
    const std::string lacks = lacking(rule, checker_.features());
    if (is_blamed)
      result.verdict = breaks_a_statement ? RuleVerdict::fail : RuleVerdict::differs;
    else if (!lacks.empty())
      result.verdict = RuleVerdict::unsupported;
    else if (may_be_broken)
      result.verdict = RuleVerdict::unattributed;
    else
      result.verdict = result.checks > 0 ? RuleVerdict::pass : RuleVerdict::not_exercised;
    if (result.verdict == RuleVerdict::unattributed) result.why = why_unattributed(result);
    if (result.verdict == RuleVerdict::unsupported) result.why = lacks;
    if (result.verdict == RuleVerdict::not_exercised) result.why = why_not_exercised(result);
  }

  std::string why_unattributed(const RuleResult& result) const {
    std::string text;
    for (const std::size_t place : result.findings)
      text +=
          fmt::format("{}one of {} is broken", text.empty() ? "" : "; ", ids_of(result_.findings[place].candidates));
    return text.empty() ? "it is decisive in failed cases that were not investigated" : text;
  }

  std::string why_not_exercised(const RuleResult& result) const {
    RuleSet masks;
    for (const auto& scenario : result.scenarios) masks |= scenario.blamed;
    if (result_.was_stopped) return "the run was stopped before a case exercised it";
    if (result_.has_given_up) return "the store crashed too often";
    if (!masks.empty())
      return fmt::format("not reached: the cases that exercise it fail earlier, for {}", ids_of(masks));
    return "no case exercises it";
  }

  const ConformancePlan& plan_;
  CaseSource source_;
  Checker checker_;
  Diagnosis diagnosis_;
  std::vector<CheckedTrace> checked_;
  Investigation investigation_;
  Conformance result_;
};

}  // namespace

std::string_view name_of(RuleVerdict verdict) { return verdict_names[static_cast<std::size_t>(verdict)]; }

std::optional<RuleVerdict> verdict_named(std::string_view name) {
  const auto found = std::find(verdict_names.begin(), verdict_names.end(), name);
  if (found == verdict_names.end()) return std::nullopt;
  return static_cast<RuleVerdict>(found - verdict_names.begin());
}

std::size_t Conformance::count(RuleVerdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(rules.begin(), rules.end(), [&](const RuleResult& rule) { return rule.verdict == verdict; }));
}

std::string Conformance::why_inconclusive() const {
  if (cases < least_cases)
    return fmt::format("{} cases were finished, but fewer than {} prove nothing", cases, least_cases);
  RuleSet missing;
  for (const auto& rule : rules) missing.add_if(rule.verdict == RuleVerdict::not_exercised, rule.rule);
  return missing.empty() ? "" : fmt::format("never exercised: {}", ids_of(missing));
}

Conformance conform(const ConformancePlan& plan, Subject& subject, const Runner& ask) {
  return ConformanceRun(plan, subject, ask).run();
}

}  // namespace mayfly
