#include <algorithm>

#include <fmt/format.h>

#include "mayfly/model/rule.hpp"
#include "mayfly/props/report/junit.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/report_writers.hpp"

namespace mayfly {

namespace {

using End = JunitCase::End;

void fail(JunitCase& test, const ReportedFinding& finding) {
  test.end = End::failed;
  test.message += (test.message.empty() ? "" : "; ") + gist_of(finding);
  test.text += finding.intro + finding.text;
}

JunitCase rule_case(const Result& result, const ReportedRule& rule) {
  const RuleText& text = all_rules()[static_cast<std::size_t>(rule.rule)];
  JunitCase test{.group = "rules", .name = fmt::format("{} {}", text.id, text.sentence)};
  test.message = fmt::format("{}{}{}", name_of(rule.verdict), rule.reading.empty() ? "" : ": ", rule.reading);
  if (rule.is_red) {
    test.end = End::failed;
    if (!rule.findings.empty()) test.message = rule.reading;
    for (const std::size_t place : rule.findings) fail(test, result.findings[place]);
    if (rule.reason) test.message += fmt::format(", but expected to be broken: {}", *rule.reason);
  } else if (rule.verdict != RuleVerdict::pass) {
    test.end = End::skipped;
    if (rule.reason) test.message += fmt::format("; expected: {}", *rule.reason);
    if (!rule.why.empty()) test.message += fmt::format(": {}", rule.why);
  }
  return test;
}

JunitCase trace_case(const Result& result, const ReportedTrace& trace) {
  JunitCase test{.group = "traces", .name = trace.name};
  if (trace.finding) {
    fail(test, result.findings[*trace.finding]);
  } else if (trace.is_untested) {
    test.end = End::skipped;
    test.message = "it needs features that the store lacks";
  } else if (!trace.is_met) {
    test.end = trace.is_red ? End::failed : End::skipped;
    test.message = trace.blamed.empty() ? "it fails" : fmt::format("fails for {}", ids_of(trace.blamed));
  }
  return test;
}

/// Whether the test case of a rule or of a trace fails for the finding.
bool has_its_own_case(const Result& result, std::size_t place) {
  const auto is_of_trace = [&](const ReportedTrace& trace) { return trace.finding == place; };
  return (!result.rules.empty() && result.findings[place].rule) ||
         std::any_of(result.traces.begin(), result.traces.end(), is_of_trace);
}

// The other findings fail here, once and not for each of their candidates.
JunitCase whole_case(const Result& result) {
  JunitCase test{.group = "campaign", .name = result.claim, .seconds = result.seconds};
  for (std::size_t place = 0; place < result.findings.size(); ++place)
    if (result.findings[place].is_red && !has_its_own_case(result, place)) fail(test, result.findings[place]);
  if (test.end == End::failed) return test;
  if (result.campaign && result.is_violated()) {
    test.end = End::skipped;
    test.message = "violated: another test case fails for it";
  }
  if (!result.doubts.empty()) {
    test.end = result.command == "conform" ? End::skipped : End::inconclusive;
    test.message = fmt::format("inconclusive: {}", fmt::join(result.doubts, "; "));
  }
  if (result.end == Result::End::interrupted) {
    test.end = End::skipped;
    test.message = "interrupted";
  }
  return test;
}

}  // namespace

std::string result_junit(const Result& result) {
  std::vector<JunitCase> cases;
  for (const auto& rule : result.rules) cases.push_back(rule_case(result, rule));
  for (const auto& trace : result.traces) cases.push_back(trace_case(result, trace));
  for (const auto& mismatch : result.mismatches)
    if (!mismatch.rule) cases.push_back({"expectations", mismatch.text, End::failed, mismatch.text});
  cases.push_back(whole_case(result));
  return junit_text("mayfly." + result.command, cases);
}

}  // namespace mayfly
