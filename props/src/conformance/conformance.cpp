#include "mayfly/props/conformance.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "diagnosis.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/scenarios.hpp"

namespace mayfly {

namespace {

using namespace conformance;

constexpr std::array<std::string_view, 6> verdict_names{"pass",         "fail",        "differs",
                                                        "unattributed", "unsupported", "not exercised"};

constexpr int most_rounds = 3;                  // around what is known
constexpr std::uint64_t most_directed = 4'000;  // cases looked at for one rule
constexpr std::uint64_t most_sent = 100;        // and tried
constexpr std::size_t most_foreseen = 400;      // questions

RuleResult& at(Conformance& result, Rule rule) { return result.rules[static_cast<std::size_t>(rule)]; }

class ConformanceRun {
 public:
  ConformanceRun(const ConformancePlan& plan, Subject& subject, const Runner& ask)
      : plan_(plan), source_(plan.seed, plan.shape), examiner_(plan, subject, ask), diagnosis_(examiner_, source_) {}

  Conformance run() {
    try_traces();
    try_random(plan_.cases);
    diagnosis_.update();
    for (int round = 0; round < most_rounds && !diagnosis_.explanations().empty(); ++round) {
      try_random(plan_.cases / 2);
      if (!diagnosis_.update()) break;
    }
    aim_at_all();
    result_.was_stopped = plan_.stop();
    result_.has_given_up = examiner_.has_given_up();
    result_.cases = examiner_.evidence().all().size();
    found_ = findings_of(examiner_, diagnosis_);
    result_.findings = std::move(found_.findings);
    result_.not_investigated = found_.not_investigated;
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
      if (foreseen_ == 0) foresee_traces();
      Tried tried{rule_of(scenario), {.name = std::string(scenario.name)}, {}};
      for (const auto& trace : scenario.cases) try_trace(tried, trace.without_expectations());
      tried_.push_back(std::move(tried));
    }
    for (const auto& [name, test_case] : plan_.corpus) {
      if (foreseen_ == 0) foresee_traces();
      Tried tried{std::nullopt, {.name = name}, {}};
      try_trace(tried, test_case);
      tried_.push_back(std::move(tried));
    }
  }

  static Rule rule_of(const Scenario& scenario) {
    return *rule_named(scenario.name.substr(0, scenario.name.find('-')));
  }

  void try_trace(Tried& tried, const Case& test_case) {
    if (!can_run(examiner_.features(), test_case)) tried.trace.is_left_out = true;
    if (tried.trace.is_left_out) return;
    const Case reachable = examiner_.within_reach(test_case);
    if (reachable != test_case) tried.trace.is_met = false;  // it has what the store dies of
    for (const Property* property : properties_of(tried.rule))
      if (const auto observation = examine({property, reachable})) tried.observations.push_back(*observation);
  }

  // A scenario has to keep what can tell of its rule, a trace of the corpus everything.
  static std::vector<const Property*> properties_of(std::optional<Rule> rule) {
    std::vector<const Property*> properties;
    for (const Property& property : all_properties())
      if (!rule || &property == &agrees_unwatched() || property.rules.contains(*rule)) properties.push_back(&property);
    return properties;
  }

  void try_random(std::uint64_t cases) {
    foreseen_ = 0;
    for (std::uint64_t i = 0; i < cases && !examiner_.is_over(); ++i) {
      if (foreseen_ == 0) foresee_random(i, cases);
      for (const auto& question : random_questions(i, source_)) examine(question);
    }
  }

  std::array<Question, 2> random_questions(std::uint64_t number, CaseSource& source) {
    const Case test_case = examiner_.within_reach(source.next());
    const Property& agreement = number % 2 == 0 ? agrees_unwatched() : agrees_watched();
    const Property& law = laws()[number % laws().size()];
    return {{{&agreement, diagnosis_.before_the_known(agreement, test_case)},
             {&law, diagnosis_.before_the_known(law, test_case)}}};
  }

  /// How far the search for cases that aim at a rule has come.
  struct Aim {
    std::size_t rule = 0;
    std::uint64_t looked_at = 0;
    std::uint64_t sent = 0;
  };

  // Directed at one rule: of random cases those in which it is decisive, each up to the last step in which it is.
  void aim_at_all() {
    foreseen_ = 0;
    for (std::size_t rule = 0; rule < rule_count; ++rule) {
      Aim aim{.rule = rule};
      for (;;) {
        if (foreseen_ == 0) foresee_aimed(aim);
        const auto question = next_aimed(aim, source_, examiner_.checks());
        if (!question) break;
        if (examine(*question)) ++aim.sent;
      }
      diagnosis_.update();
    }
  }

  // Nothing if the rule has enough, or needs what the store lacks, or nothing more is found for it.
  std::optional<Question> next_aimed(Aim& aim, CaseSource& source, const RuleCounts& checks) {
    const Rule rule = every_rule[aim.rule];
    const auto properties = properties_for(rule);
    if (!lacking(rule, examiner_.features()).empty()) return std::nullopt;
    while (aim.looked_at < most_directed && aim.sent < most_sent && !examiner_.is_over()) {
      if (conformance::at(checks, rule) >= plan_.floor) break;
      const Property& property = *properties[aim.looked_at++ % properties.size()];
      Case aimed = aimed_case(rule, property, source);
      if (!aimed.steps.empty()) return Question{&property, std::move(aimed)};
    }
    return std::nullopt;
  }

  // Empty if the rule is not decisive in the next case.
  Case aimed_case(Rule rule, const Property& property, CaseSource& source) {
    Case test_case = examiner_.within_reach(source.next());
    const auto checks = [&](std::size_t operations) {
      return conformance::at(checks_in(property, test_case, operations, examiner_.features()), rule);
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

  std::optional<std::size_t> examine(const Question& question) {
    const auto observation = examiner_.examine(*question.property, question.test_case);
    if (foreseen_ > 0) --foreseen_;
    if (observation && examiner_.evidence().all()[*observation].violation) foreseen_ = 0;
    return observation;
  }

  // What is asked next, if the store goes on to keep the rules. Once half of it was asked, it is time to look further,
  // unless there was nothing; where the store breaks a rule, others may be asked from there on.

  void foresee(std::vector<Question> questions) {
    foreseen_ = questions.empty() ? std::numeric_limits<std::size_t>::max() : (questions.size() + 1) / 2;
    examiner_.ask_ahead(std::move(questions));
  }

  void foresee_traces() {
    if (!examiner_.ask().looks_ahead()) return;
    std::vector<Question> questions;
    const auto add = [&](std::optional<Rule> rule, const Case& test_case) {
      for (const Property* property : properties_of(rule))
        questions.push_back({property, examiner_.within_reach(test_case)});
    };
    for (const auto& scenario : all_scenarios().subspan(std::min(tried_.size(), all_scenarios().size())))
      for (const auto& trace : scenario.cases) {
        if (!can_run(examiner_.features(), trace.without_expectations())) break;
        add(rule_of(scenario), trace.without_expectations());
      }
    const std::size_t replayed = tried_.size() - std::min(tried_.size(), all_scenarios().size());
    for (const auto& [name, test_case] : std::span(plan_.corpus).subspan(replayed))
      if (can_run(examiner_.features(), test_case)) add(std::nullopt, test_case);
    foresee(std::move(questions));
  }

  void foresee_random(std::uint64_t number, std::uint64_t cases) {
    if (!examiner_.ask().looks_ahead()) return;
    std::vector<Question> questions;
    for (CaseSource ahead = source_; number < cases && questions.size() < most_foreseen; ++number)
      for (auto& question : random_questions(number, ahead)) questions.push_back(std::move(question));
    foresee(std::move(questions));
  }

  void foresee_aimed(Aim aim) {
    if (!examiner_.ask().looks_ahead()) return;
    std::vector<Question> questions;
    CaseSource ahead = source_;
    RuleCounts checks = examiner_.checks();
    while (aim.rule < rule_count && questions.size() < most_foreseen) {
      auto question = next_aimed(aim, ahead, checks);
      if (!question) {
        aim = {.rule = aim.rule + 1};
        continue;
      }
      ++aim.sent;
      const auto& [property, test_case] = *question;
      const RuleCounts more = checks_in(*property, test_case, test_case.steps.size(), examiner_.features());
      for (const Rule rule : every_rule) conformance::at(checks, rule) += conformance::at(more, rule);
      questions.push_back(std::move(*question));
    }
    foresee(std::move(questions));
  }

  // Verdicts.

  RuleSet blamed_for(std::size_t observation) {
    RuleSet rules;
    for (const auto& explanation : diagnosis_.explanations())
      rules.add_if(explanation.is_exact && examiner_.evidence().explains(explanation.defect, observation),
                   text_of(explanation.defect).rule());
    const Finding* crash = examiner_.crash_of(observation);
    if (crash && crash->rule) rules.add(*crash->rule);
    if (!rules.empty()) return rules;
    const auto& [property, test_case, violation] = examiner_.evidence().all()[observation];
    for (const auto& finding : result_.findings) {
      rules |= finding.candidates;
      if (!finding.known && finding.rule) rules.add(*finding.rule);
    }
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
    result.checks = conformance::at(examiner_.checks(), rule);
    bool is_blamed = false, breaks_a_statement = false;
    for (std::size_t i = 0; i < result_.findings.size(); ++i) {
      const Finding& finding = result_.findings[i];
      if (finding.rule != rule && !finding.candidates.contains(rule)) continue;
      result.findings.push_back(i);
      result.failures += finding.times;
      is_blamed |= finding.rule == rule;
      breaks_a_statement |= finding.rule == rule && finding.level == Level::stated;
    }
    const bool may_be_broken = !result.findings.empty() || found_.undecided.contains(rule);
    const std::string lacks = lacking(rule, examiner_.features());
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
    return text.empty() ? "it decides where cases failed that were not investigated" : text;
  }

  std::string why_not_exercised(const RuleResult& result) const {
    RuleSet masks;
    for (const auto& scenario : result.scenarios) masks |= scenario.blamed;
    if (result_.was_stopped) return "the run was stopped before";
    if (result_.has_given_up) return "the store crashed too often";
    if (!masks.empty())
      return fmt::format("not reached: the cases that exercise it fail earlier, for {}", ids_of(masks));
    return "no case exercises it";
  }

  const ConformancePlan& plan_;
  CaseSource source_;
  Examiner examiner_;
  Diagnosis diagnosis_;
  std::vector<Tried> tried_;
  std::size_t foreseen_ = 0;  ///< so many questions are, before it is time to look further
  Found found_;
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
    return fmt::format("{} cases were finished, and {} are the least that prove anything", cases, least_cases);
  RuleSet missing;
  for (const auto& rule : rules) missing.add_if(rule.verdict == RuleVerdict::not_exercised, rule.rule);
  return missing.empty() ? "" : fmt::format("never exercised: {}", ids_of(missing));
}

Conformance conform(const ConformancePlan& plan, Subject& subject, const Runner& ask) {
  return ConformanceRun(plan, subject, ask).run();
}

}  // namespace mayfly
