#include "conformance_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mayfly/props/report/annotation.hpp"
#include "mayfly/props/report/junit.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/text.hpp"
#include "violation.hpp"

namespace mayfly::app {

namespace {

const RuleText& text_of_rule(Rule rule) { return all_rules()[static_cast<std::size_t>(rule)]; }

constexpr std::size_t table_indent = 30;

/// Whether no rule decides it.
bool is_unruly(const Finding& finding) { return !finding.rule && finding.candidates.empty(); }

bool has_unruly(const Conformance& result) {
  return result.not_investigated > 0 || std::any_of(result.findings.begin(), result.findings.end(), is_unruly);
}

/// Whether it is not known which rule it breaks, and one of them is stated.
bool may_break_a_statement(const Finding& finding) {
  return !finding.candidates.empty() && finding.level == Level::stated;
}

/// "its scenario fails too, for X1": what spoilt the scenarios of a rule that is not blamed for it.
std::string spoilt_by(const RuleResult& rule) {
  RuleSet others;
  for (const auto& scenario : rule.scenarios) others |= scenario.blamed;
  if (others.empty() || others.contains(rule.rule) || rule.verdict == RuleVerdict::not_exercised) return {};
  return fmt::format("its scenario fails, for {}", ids_of(others));
}

std::string remark(const std::string& kind, const std::string& text) {
  return text.empty() ? "" : folded(fmt::format("{:{}}{}{}", "", table_indent, kind, text), table_indent + 2) + "\n";
}

std::string table_row(const ConformanceReport& report, const RuleResult& rule) {
  const RuleText& text = text_of_rule(rule.rule);
  const std::string line = fmt::format("{} {}  {:<13}  {:>7}  {}", text.id, letter_of(text.level),
                                       name_of(rule.verdict), with_commas(rule.checks), text.sentence);
  std::string row = folded(line, table_indent) + "\n";
  row += remark("reading: ", reading_of(report.result, rule));
  row += remark("", rule.why);
  row += remark("", spoilt_by(rule));
  const auto reason = report.known ? report.known->reason(rule.rule) : std::nullopt;
  return row + remark("expected: ", reason.value_or(""));
}

bool is_notable(const RuleResult& rule) {
  return may_be_broken(rule.verdict) || rule.verdict == RuleVerdict::not_exercised;
}

/// What it is, in a line.
std::string headline(const Finding& finding, const std::string& role) {
  const std::string_view verb = finding.level == Level::stated ? "fails" : "differs";
  const std::string what =
      finding.known ? reading_of(finding) : fmt::format("the {} breaks \"{}\"", role, finding.failure.property->name);
  if (!finding.repeats) return fmt::format("the {} fails a case, but not when it is asked again", role);
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

std::string told_finding(const ConformanceReport& report, std::size_t place, const std::string& program) {
  const Finding& finding = report.result.findings[place];
  std::string text = folded(headline(finding, report.role), 2) + "\n";
  if (finding.rule) text += folded(fmt::format("  {}", text_of_rule(*finding.rule).sentence), 2) + "\n";
  if (finding.rule && !finding.failure.violation.crash.empty())
    text += "  which rule a crash breaks is a guess: this one decides the request\n";
  if (!finding.candidates.empty()) text += folded(steps_text(finding), 2) + "\n";
  text += fmt::format("  shown by {}; shrunk from {} to {}{}\n\n{}\n", counted(finding.times, "case"),
                      finding.shrunk_from, counted(finding.failure.test_case.steps.size(), "operation"),
                      finding.is_minimal ? "" : ", stopped early", report.told[place].told);
  return text + replay_hint(program, report.told[place].file, report.access) + "\n";
}

std::string counts(const Conformance& result) {
  std::string text;
  for (const auto verdict : {RuleVerdict::pass, RuleVerdict::fail, RuleVerdict::differs, RuleVerdict::unattributed,
                             RuleVerdict::unsupported, RuleVerdict::not_exercised})
    if (const std::size_t count = result.count(verdict); count > 0 || verdict == RuleVerdict::pass)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(verdict));
  return text;
}

std::string verdict_sentence(const ConformanceReport& report) {
  const Conformance& result = report.result;
  const std::string until = report.was_interrupted ? " until interrupted" : "";
  if (report.is_violated()) return (report.known ? "NOT AS EXPECTED" : "DOES NOT CONFORM") + until;
  if (report.is_inconclusive()) return "INCONCLUSIVE" + until;
  if (report.known) return "as expected" + until;
  const bool has_others = result.count(RuleVerdict::differs) + result.count(RuleVerdict::unattributed) > 0;
  return (has_others ? "conforms, with other readings" : "conforms") + until;
}

/// Whether a rule of this result is to be shown as broken.
bool is_red(const ConformanceReport& report, const RuleResult& rule) {
  if (!report.known) return rule.verdict == RuleVerdict::fail;
  const auto surprises = report.surprises();
  return std::any_of(surprises.begin(), surprises.end(),
                     [&](const KnownFailures::Surprise& surprise) { return surprise.rule == rule.rule; });
}

/// The same of a finding.
bool is_red(const ConformanceReport& report, const Finding& finding) {
  if (finding.rule) return is_red(report, report.result.rules[static_cast<std::size_t>(*finding.rule)]);
  if (finding.candidates.empty()) return true;
  return report.known ? !report.known->expects(finding.candidates) : may_break_a_statement(finding);
}

std::string stories_of(const ConformanceReport& report, const RuleResult& rule) {
  std::string text;
  for (const std::size_t place : rule.findings)
    text += fmt::format("{}\n{}\n", headline(report.result.findings[place], report.role), report.told[place].told);
  return text;
}

JunitCase junit_case(const ConformanceReport& report, const RuleResult& rule) {
  const RuleText& text = text_of_rule(rule.rule);
  JunitCase test{.group = "rules", .name = fmt::format("{} {}", text.id, text.sentence)};
  const auto reason = report.known ? report.known->reason(rule.rule) : std::nullopt;
  const std::string reading = reading_of(report.result, rule);
  test.message = fmt::format("{}{}{}", name_of(rule.verdict), reading.empty() ? "" : ": ", reading);
  if (is_red(report, rule)) {
    test.end = JunitCase::End::failed;
    if (reason) test.message += fmt::format(", but expected to be broken: {}", *reason);
    test.text = stories_of(report, rule);
  } else if (rule.verdict != RuleVerdict::pass) {
    test.end = JunitCase::End::skipped;
    if (reason) test.message += fmt::format("; expected: {}", *reason);
    if (!rule.why.empty()) test.message += fmt::format(": {}", rule.why);
  }
  return test;
}

// A trace fails for a rule that is red, or may be; where its rule is expected to be broken, so is the trace.
JunitCase junit_case(const ConformanceReport& report, const TraceResult& trace) {
  JunitCase test{.group = "corpus", .name = trace.name, .message = fmt::format("fails for {}", ids_of(trace.blamed))};
  const auto is_to_blame = [&](const RuleResult& rule) {
    const auto& findings = report.result.findings;
    return trace.blamed.contains(rule.rule) &&
           (is_red(report, rule) || std::any_of(rule.findings.begin(), rule.findings.end(),
                                                [&](std::size_t i) { return is_red(report, findings[i]); }));
  };
  const auto& rules = report.result.rules;
  if (trace.is_left_out) test.message = "it needs what the store lacks";
  if (trace.is_left_out || !trace.is_met) test.end = JunitCase::End::skipped;
  if (!trace.is_met && (trace.blamed.empty() || std::any_of(rules.begin(), rules.end(), is_to_blame)))
    test.end = JunitCase::End::failed;
  return test;
}

// What is unattributed fails once, here, and not for each of its rules.
JunitCase junit_campaign(const ConformanceReport& report) {
  JunitCase test{.group = "campaign", .name = fmt::format("every answer is explained, seed {}", report.seed)};
  if (report.is_inconclusive()) {
    test.end = JunitCase::End::skipped;
    test.message = fmt::format("inconclusive: {}", report.result.why_inconclusive());
  }
  for (std::size_t i = 0; i < report.result.findings.size(); ++i) {
    const Finding& finding = report.result.findings[i];
    if (finding.rule || !is_red(report, finding)) continue;
    test.end = JunitCase::End::failed;
    test.message += fmt::format("{}{}", test.message.empty() ? "" : "; ", headline(finding, report.role));
    test.text += report.told[i].told;
  }
  return test;
}

}  // namespace

bool ConformanceReport::is_violated() const {
  if (has_unruly(result)) return true;
  if (known) return !surprises().empty();
  return result.count(RuleVerdict::fail) > 0 ||
         std::any_of(result.findings.begin(), result.findings.end(), may_break_a_statement);
}

std::string reading_of(const Finding& finding) {
  return fmt::format("{}{}", finding.is_exact ? "" : "a guess, nearly: ", finding.known->sentence);
}

std::string reading_of(const Conformance& result, const RuleResult& rule) {
  std::string text;
  for (const std::size_t place : rule.findings)
    if (result.findings[place].known)
      text += fmt::format("{}{}", text.empty() ? "" : "; ", reading_of(result.findings[place]));
  return text;
}

std::string verdict_table(const ConformanceReport& report, bool only_notable) {
  std::string text;
  for (const auto& rule : report.result.rules)
    if (!only_notable || is_notable(rule)) text += table_row(report, rule);
  if (text.empty()) return {};
  return fmt::format("rule  {:<13}  {:>7}\n{}\n", "verdict", "checks", text);
}

std::string told_findings(const ConformanceReport& report, const std::string& program) {
  std::string text;
  for (std::size_t i = 0; i < report.result.findings.size(); ++i) text += told_finding(report, i, program);
  return text;
}

std::string verdict_lines(const ConformanceReport& report) {
  std::string text;
  for (const auto& [rule, surprise] : report.surprises()) text += fmt::format("{}\n", surprise);
  if (report.result.has_given_up) text += "not everything was asked: the store crashed too often\n";
  if (report.result.not_investigated > 0)
    text += fmt::format("{} further failing cases were not investigated\n", report.result.not_investigated);
  if (report.is_inconclusive())
    text += folded(fmt::format("nothing can be concluded: {}", report.result.why_inconclusive()), 2) + "\n";
  return text + fmt::format("{}: {}, by {}\n", verdict_sentence(report), counts(report.result),
                            counted(report.result.cases, "case"));
}

std::string junit_of(const ConformanceReport& report) {
  std::vector<JunitCase> cases;
  for (const auto& rule : report.result.rules) cases.push_back(junit_case(report, rule));
  for (const auto& trace : report.result.corpus) cases.push_back(junit_case(report, trace));
  for (const auto& [rule, text] : report.surprises())
    if (!rule) cases.push_back({"expectations", text, JunitCase::End::failed, text});
  cases.push_back(junit_campaign(report));
  return junit_text("mayfly.conform", cases);
}

std::string annotations_of(const ConformanceReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.result.findings.size(); ++i) {
    const Finding& finding = report.result.findings[i];
    if (is_red(report, finding)) text += annotation_if_wanted(headline(finding, report.role), report.told[i].told);
  }
  for (const auto& [rule, surprise] : report.surprises())
    if (!rule || report.result.rules[static_cast<std::size_t>(*rule)].findings.empty())
      text += annotation_if_wanted("not as expected", surprise);
  return text;
}

}  // namespace mayfly::app
