#include "mayfly/props/conformance.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "diagnosis.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/scenarios.hpp"

namespace mayfly {

namespace {

using namespace conformance;

constexpr std::array<std::string_view, 5> verdict_names{"pass", "fail", "differs", "unsupported", "not exercised"};

constexpr int most_rounds = 3;                  // around what is known
constexpr std::uint64_t most_directed = 4'000;  // cases looked at for one rule
constexpr std::uint64_t most_sent = 100;        // and tried

RuleResult& at(Conformance& result, Rule rule) { return result.rules[static_cast<std::size_t>(rule)]; }

class ConformanceRun {
 public:
  ConformanceRun(const ConformancePlan& plan, Subject& subject, const Runner& ask)
      : plan_(plan), source_(plan.seed), examiner_(plan, subject, ask), diagnosis_(examiner_, source_) {}

  Conformance run() {
    try_traces();
    try_random(plan_.cases);
    diagnosis_.update();
    for (int round = 0; round < most_rounds && !diagnosis_.explanations().empty(); ++round) {
      try_random(plan_.cases / 2);
      if (!diagnosis_.update()) break;
    }
    for (const Rule rule : every_rule) aim_at(rule);
    result_.was_stopped = plan_.stop();
    result_.has_given_up = examiner_.has_given_up();
    result_.cases = examiner_.evidence().all().size();
    result_.findings = findings_of(examiner_, diagnosis_);
    judge_traces();
    for (const Rule rule : every_rule) judge(rule);
    return std::move(result_);
  }

 private:
  /// What was tried of a scenario, or of a trace of the corpus.
  struct Tried {
    std::optional<Rule> rule;  ///< of a scenario
    TraceResult trace;
    std::vector<std::size_t> observations;
  };

  void try_traces() {
    for (const auto& scenario : all_scenarios()) {
      const Rule rule = *rule_named(scenario.name.substr(0, scenario.name.find('-')));
      Tried tried{rule, {.name = std::string(scenario.name)}, {}};
      for (const auto& trace : scenario.cases) try_trace(tried, trace.without_expectations());
      tried_.push_back(std::move(tried));
    }
    for (const auto& [name, test_case] : plan_.corpus) {
      Tried tried{std::nullopt, {.name = name}, {}};
      try_trace(tried, test_case);
      tried_.push_back(std::move(tried));
    }
  }

  // A scenario has to keep what can tell of its rule, a trace of the corpus everything.
  void try_trace(Tried& tried, const Case& test_case) {
    if (!can_run(examiner_.visible().features, test_case)) tried.trace.is_left_out = true;
    if (tried.trace.is_left_out) return;
    const Case reachable = examiner_.within_reach(test_case);
    if (reachable != test_case) tried.trace.is_met = false;  // it has what the store dies of
    for (const Property& property : all_properties())
      if (!tried.rule || &property == &agrees_unwatched() || property.rules.contains(*tried.rule))
        if (const auto observation = examiner_.examine(property, reachable)) tried.observations.push_back(*observation);
  }

  void try_random(std::uint64_t cases) {
    for (std::uint64_t i = 0; i < cases && !examiner_.is_over(); ++i) {
      const Case test_case = examiner_.within_reach(source_.next());
      const Property& agreement = i % 2 == 0 ? agrees_unwatched() : agrees_watched();
      for (const Property* property : {&agreement, &laws()[i % laws().size()]})
        examiner_.examine(*property, diagnosis_.before_the_known(*property, test_case));
    }
  }

  // Directed at one rule: of random cases those in which it is decisive, each up to the last step in which it is.
  void aim_at(Rule rule) {
    const auto properties = properties_for(rule);
    if (!lacking(rule, examiner_.visible().features).empty()) return;
    std::uint64_t sent = 0;
    for (std::uint64_t i = 0; i < most_directed && sent < most_sent && !examiner_.is_over(); ++i) {
      if (examiner_.checks(rule) >= plan_.floor) break;
      const Property& property = *properties[i % properties.size()];
      const Case aimed = aimed_case(rule, property);
      if (aimed.operations.empty() || !examiner_.examine(property, aimed)) continue;
      ++sent;
    }
    diagnosis_.update();
  }

  // Empty if the rule is not decisive in the next case.
  Case aimed_case(Rule rule, const Property& property) {
    Case test_case = examiner_.within_reach(source_.next());
    const auto checks = [&](std::size_t operations) {
      return conformance::at(checks_in(property, test_case, operations, examiner_.visible()), rule);
    };
    if (checks(test_case.operations.size()) == 0) return {};
    test_case = diagnosis_.before_the_known(property, std::move(test_case));
    std::size_t operations = test_case.operations.size();
    const auto all = checks(operations);
    if (all == 0) return {};
    while (operations > 1 && checks(operations - 1) == all) --operations;
    test_case.operations.resize(operations);
    return test_case;
  }

  // Verdicts.

  RuleSet blamed_for(std::size_t observation) {
    RuleSet rules;
    for (const auto& explanation : diagnosis_.explanations())
      rules.add_if(examiner_.evidence().explains(explanation.defect, observation), text_of(explanation.defect).rule);
    const Finding* crash = examiner_.crash_of(observation);
    if (crash && crash->rule) rules.add(*crash->rule);
    if (!rules.empty()) return rules;
    const auto& [property, test_case, violation] = examiner_.evidence().all()[observation];
    for (const auto& finding : result_.findings)
      if (!finding.known && finding.rule) rules.add(*finding.rule);
    return rules & deciding_rules({property, test_case, *violation});
  }

  void judge_traces() {
    for (auto& [rule, trace, observations] : tried_) {
      for (const std::size_t observation : observations) {
        if (!examiner_.evidence().all()[observation].violation) continue;
        trace.is_met = false;
        trace.blamed |= blamed_for(observation);
      }
      (rule ? at(result_, *rule).scenarios : result_.corpus).push_back(std::move(trace));
    }
  }

  void judge(Rule rule) {
    RuleResult& result = at(result_, rule);
    result.rule = rule;
    result.checks = examiner_.checks(rule);
    bool breaks_a_statement = false;
    for (std::size_t i = 0; i < result_.findings.size(); ++i) {
      const Finding& finding = result_.findings[i];
      if (finding.rule != rule) continue;
      result.findings.push_back(i);
      result.failures += finding.times;
      breaks_a_statement |= finding.level == Level::stated;
    }
    const std::string lacks = lacking(rule, examiner_.visible().features);
    if (!result.findings.empty())
      result.verdict = breaks_a_statement ? RuleVerdict::fail : RuleVerdict::differs;
    else if (!lacks.empty())
      result.verdict = RuleVerdict::unsupported;
    else
      result.verdict = result.checks > 0 ? RuleVerdict::pass : RuleVerdict::not_exercised;
    if (result.verdict == RuleVerdict::unsupported) result.why = lacks;
    if (result.verdict == RuleVerdict::not_exercised) result.why = why_not_exercised(result);
  }

  std::string why_not_exercised(const RuleResult& result) const {
    RuleSet masks;
    for (const auto& scenario : result.scenarios) masks |= scenario.blamed;
    if (result.rule == Rule::P5 && !examiner_.visible().tells_held) return "no target tells what it holds";
    if (result_.was_stopped) return "the run was stopped before";
    if (result_.has_given_up) return "the store crashed too often";
    if (!masks.empty()) return fmt::format("what would show it fails before that, for {}", ids_of(masks));
    return "no case that was tried comes to it";
  }

  const ConformancePlan& plan_;
  CaseSource source_;
  Examiner examiner_;
  Diagnosis diagnosis_;
  std::vector<Tried> tried_;
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

Conformance conform(const ConformancePlan& plan, Subject& subject, const Runner& ask) {
  return ConformanceRun(plan, subject, ask).run();
}

}  // namespace mayfly
