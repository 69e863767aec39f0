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
  test.message += (test.message.empty() ? "" : "; ") + finding.headline;
  test.text += finding.intro + finding.text;
}

JunitCase rule_case(const Result& result, const ReportedRule& rule) {
  const RuleText& text = all_rules()[static_cast<std::size_t>(rule.rule)];
  JunitCase test{.group = "rules", .name = fmt::format("{} {}", text.id, text.sentence)};
  test.message = fmt::format("{}{}{}", name_of(rule.verdict), rule.reading.empty() ? "" : ": ", rule.reading);
  if (rule.is_red) {
    test.end = End::failed;
    if (rule.reading.empty() && !rule.findings.empty())
      test.message += ": " + result.findings[rule.findings.front()].headline;
    if (rule.reason) test.message += fmt::format(", but expected to be broken: {}", *rule.reason);
    for (const std::size_t place : rule.findings)
      test.text += result.findings[place].intro + result.findings[place].text + "\n";
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
    test.message = "it needs features that the store lacks, or is beyond its limits";
  } else if (!trace.is_met) {
    test.end = trace.is_red ? End::failed : End::skipped;
    test.message = trace.blamed.empty() ? "it fails" : fmt::format("fails for {}", ids_of(trace.blamed));
  }
  return test;
}

// A finding without a rule fails here, and not once for each of its candidates. In a campaign each does: it blames a
// rule for one case, and has no verdict on the rule.
JunitCase whole_case(const Result& result) {
  JunitCase test{.group = "campaign", .name = result.claim};
  for (const auto& finding : result.findings)
    if (finding.is_red && (!finding.rule || result.campaign)) fail(test, finding);
  if (test.end == End::failed) return test;
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
