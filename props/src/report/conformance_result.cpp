#include "mayfly/props/report/conformance_result.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mayfly/model/rule.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/text.hpp"

namespace mayfly {

namespace {

/// Whether no rule decides it.
bool is_unruly(const Finding& finding) { return !finding.rule && finding.candidates.empty(); }

/// Whether it is not known which rule it breaks, and one of them is stated.
bool may_break_a_statement(const Finding& finding) {
  return !finding.candidates.empty() && finding.level == Level::stated;
}

/// The sentence of the planted defect that explains it.
std::string reading_of(const Finding& finding) {
  if (!finding.known) return {};
  return fmt::format("{}{}", finding.is_exact ? "" : "a guess, nearly: ", finding.known->sentence);
}

/// "its scenario fails, for X1": what spoilt the scenarios of a rule that is not blamed for it.
std::string spoilt_by(const RuleResult& rule) {
  RuleSet others;
  for (const auto& scenario : rule.scenarios) others |= scenario.blamed;
  if (others.empty() || others.contains(rule.rule) || rule.verdict == RuleVerdict::not_exercised) return {};
  return fmt::format("its scenario fails, for {}", ids_of(others));
}

std::string headline_of(const Finding& finding, const std::string& role) {
  const std::string_view verb = finding.level == Level::stated ? "fails" : "differs";
  const std::string what =
      finding.known ? reading_of(finding) : fmt::format("the {} breaks \"{}\"", role, finding.failure.property->name);
  if (!finding.repeats) return fmt::format("the {} fails a case, but not when it is run again", role);
  if (is_unruly(finding)) return fmt::format("no rule decides it: {}", what);
  if (!finding.rule) return fmt::format("one of {} is broken: {}", ids_of(finding.candidates), what);
  return fmt::format("{} {}: {}", id_of(*finding.rule), verb, what);
}

/// "without any of the steps create_collection [T1] replace_collection [T1 W5] read [E1 X1] it holds"
std::string steps_text(const Finding& finding) {
  std::string text;
  for (const auto& [step, rules] : finding.steps) {
    const auto& all = finding.failure.test_case.steps;
    const Operation& operation = step < all.size() ? all[step].operation : finding.failure.violation.operation;
    const std::string ids = ids_of(rules & finding.candidates);
    text += fmt::format(" {}{}", keywords[operation.index()], ids.empty() ? "" : fmt::format(" [{}]", ids));
  }
  return fmt::format("  without any one of the steps{} it holds", text);
}

std::string intro_of(const Finding& finding, const std::string& headline) {
  std::string text = folded(headline, 2) + "\n";
  if (finding.rule)
    text += folded(fmt::format("  {}", all_rules()[static_cast<std::size_t>(*finding.rule)].sentence), 2) + "\n";
  if (finding.rule && !finding.failure.violation.crash.empty())
    text += "  which rule a crash breaks is a guess: this one decides the request\n";
  if (!finding.candidates.empty()) text += folded(steps_text(finding), 2) + "\n";
  return text + fmt::format("  shrunk from {} to {}{}\n\n", finding.shrunk_from,
                            counted(finding.failure.test_case.steps.size(), "operation"),
                            finding.is_minimal ? "" : ", stopped early");
}

std::string counts(const Conformance& found) {
  std::string text;
  for (const auto verdict : {RuleVerdict::pass, RuleVerdict::fail, RuleVerdict::differs, RuleVerdict::unattributed,
                             RuleVerdict::unsupported, RuleVerdict::not_exercised})
    if (const std::size_t count = found.count(verdict); count > 0 || verdict == RuleVerdict::pass)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(verdict));
  return text;
}

/// Fills in the result, part by part.
class Conclusion {
 public:
  Conclusion(Result& result, const Conformance& found, const std::optional<KnownFailures>& known)
      : result_(result), found_(found), known_(known) {
    if (known) result.mismatches = known->mismatches(found);
  }

  void fill(const std::string& role) {
    result_.cases = found_.cases;
    result_.not_investigated = found_.not_investigated;
    for (const auto& rule : found_.rules) result_.rules.push_back(reported(rule));
    for (const auto& finding : found_.findings) result_.findings.push_back(reported(finding, role));
    for (const auto& trace : found_.corpus) result_.traces.push_back(reported(trace));
    judge();
    result_.title = fmt::format("Conformance of {}", result_.store);
    result_.claim = "every answer is explained";
    result_.summary = fmt::format("{}, by {}", counts(found_), counted(found_.cases, "case"));
    take_notes();
  }

 private:
  bool is_red(const RuleResult& rule) const {
    if (!known_) return rule.verdict == RuleVerdict::fail;
    return std::any_of(result_.mismatches.begin(), result_.mismatches.end(),
                       [&](const KnownFailures::Mismatch& mismatch) { return mismatch.rule == rule.rule; });
  }

  bool is_red(const Finding& finding) const {
    if (finding.rule) return is_red(found_.rules[static_cast<std::size_t>(*finding.rule)]);
    if (finding.candidates.empty()) return true;
    return known_ ? !known_->expects(finding.candidates) : may_break_a_statement(finding);
  }

  ReportedRule reported(const RuleResult& rule) const {
    ReportedRule reported{.rule = rule.rule,
                          .verdict = rule.verdict,
                          .checks = rule.checks,
                          .failures = rule.failures,
                          .findings = rule.findings,
                          .why = rule.why,
                          .remark = spoilt_by(rule),
                          .reason = known_ ? known_->reason(rule.rule) : std::nullopt,
                          .is_red = is_red(rule)};
    for (const auto& scenario : rule.scenarios) {
      if (scenario.is_left_out)
        ++reported.scenarios.untested;
      else if (scenario.is_met)
        ++reported.scenarios.met;
      else
        reported.scenarios.failed.push_back(scenario.name);
    }
    for (const std::size_t place : rule.findings)
      if (const std::string reading = reading_of(found_.findings[place]); !reading.empty())
        reported.reading += (reported.reading.empty() ? "" : "; ") + reading;
    return reported;
  }

  ReportedFinding reported(const Finding& finding, const std::string& role) const {
    ReportedFinding reported = mayfly::reported(finding.failure, role);
    reported.headline = headline_of(finding, role);
    reported.intro = intro_of(finding, reported.headline);
    reported.rule = finding.rule;
    reported.candidates = finding.candidates;
    reported.reading = reading_of(finding);
    reported.times = finding.times;
    reported.is_red = is_red(finding);
    if (!finding.candidates.empty())
      for (const auto& [step, rules] : finding.steps) reported.steps.push_back({step, rules & finding.candidates});
    return reported;
  }

  // A trace fails for a rule that is red, or may be; where its rule is expected to be broken, so is the trace.
  ReportedTrace reported(const TraceResult& trace) const {
    const auto is_to_blame = [&](const RuleResult& rule) {
      return trace.blamed.contains(rule.rule) &&
             (is_red(rule) || std::any_of(rule.findings.begin(), rule.findings.end(),
                                          [&](std::size_t i) { return is_red(found_.findings[i]); }));
    };
    const bool is_red =
        !trace.is_met && (trace.blamed.empty() || std::any_of(found_.rules.begin(), found_.rules.end(), is_to_blame));
    return {trace.name, trace.is_left_out, trace.is_met, is_red, trace.blamed, std::nullopt};
  }

  bool is_violated() const {
    const auto& findings = found_.findings;
    if (found_.not_investigated > 0 || std::any_of(findings.begin(), findings.end(), is_unruly)) return true;
    if (known_) return !result_.mismatches.empty();
    return found_.count(RuleVerdict::fail) > 0 || std::any_of(findings.begin(), findings.end(), may_break_a_statement);
  }

  void judge() {
    const std::string why = found_.why_inconclusive();
    const bool has_others = found_.count(RuleVerdict::differs) + found_.count(RuleVerdict::unattributed) > 0;
    const auto conclude = [&](Result::End end, const char* verdict, const char* headline) {
      result_.end = end;
      result_.verdict = result_.was_interrupted && end != Result::End::violated ? "interrupted" : verdict;
      result_.headline = fmt::format("{}{}", headline, result_.was_interrupted ? " until interrupted" : "");
    };
    if (is_violated())
      conclude(Result::End::violated, known_ ? "not as expected" : "does not conform",
               known_ ? "NOT AS EXPECTED" : "DOES NOT CONFORM");
    else if (!why.empty())
      conclude(Result::End::inconclusive, "inconclusive", "INCONCLUSIVE");
    else if (known_)
      conclude(Result::End::held, "as expected", "as expected");
    else
      conclude(Result::End::held, "conforms", has_others ? "conforms, with other readings" : "conforms");
    if (result_.end == Result::End::inconclusive) result_.doubts.push_back(why);
    if (result_.was_interrupted && !result_.is_violated()) result_.end = Result::End::interrupted;
  }

  void take_notes() {
    for (const auto& mismatch : result_.mismatches) result_.notes.push_back(mismatch.text);
    if (found_.has_given_up) result_.notes.emplace_back("the search was cut short: the store crashed too often");
    if (found_.not_investigated > 0)
      result_.notes.push_back(
          fmt::format("{} not investigated", counted(found_.not_investigated, "further failing case")));
    for (const auto& doubt : result_.doubts) result_.notes.push_back("nothing can be concluded: " + doubt);
  }

  Result& result_;
  const Conformance& found_;
  const std::optional<KnownFailures>& known_;
};

}  // namespace

void conclude_conformance(Result& result, const Conformance& found, const std::optional<KnownFailures>& known,
                          const std::string& role) {
  Conclusion(result, found, known).fill(role);
}

}  // namespace mayfly
