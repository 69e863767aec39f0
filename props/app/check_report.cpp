#include "check_report.hpp"

#include <fmt/format.h>

#include "mayfly/props/report/annotation.hpp"
#include "mayfly/props/report/junit.hpp"

namespace mayfly::app {

namespace {

std::string headline(const Found& found) {
  const std::string rule = found.blamed ? fmt::format("{}: ", id_of(*found.blamed)) : "";
  return fmt::format("{}the {} breaks \"{}\"", rule, found.store, found.property);
}

void fail(JunitCase& test, const Found& found) {
  test.end = JunitCase::End::failed;
  if (test.message.empty()) test.message = headline(found);
  test.text += found.told;
}

JunitCase rule_case(const Result& result, const RuleText& rule) {
  JunitCase test{.group = "rules", .name = fmt::format("{} {}", rule.id, rule.sentence)};
  for (const auto& found : result.found)
    if (found.blamed == rule.rule) fail(test, found);
  if (test.end == JunitCase::End::passed && result.tally.decisive(rule.rule) == 0) {
    test.end = JunitCase::End::skipped;
    test.message = "not exercised";
  }
  return test;
}

JunitCase trace_case(const Result& result, const ReplayedTrace& trace) {
  JunitCase test{.group = "corpus", .name = trace.name};
  if (trace.found) fail(test, result.found[*trace.found]);
  return test;
}

JunitCase campaign_case(const Result& result) {
  JunitCase test{.group = "campaign", .name = fmt::format("random cases, seed {}", result.seed)};
  for (const auto& found : result.found) fail(test, found);
  if (test.end == JunitCase::End::failed) return test;
  if (result.was_interrupted) {
    test.end = JunitCase::End::skipped;
    test.message = "interrupted";
  } else if (const auto reasons = doubts(result); !reasons.empty()) {
    test.end = JunitCase::End::inconclusive;
    test.message = fmt::format("inconclusive: {}", fmt::join(reasons, "; "));
  }
  return test;
}

}  // namespace

std::string junit_of(const Result& result, const std::vector<ReplayedTrace>& corpus) {
  std::vector<JunitCase> cases;
  for (const auto& rule : all_rules()) cases.push_back(rule_case(result, rule));
  for (const auto& trace : corpus) cases.push_back(trace_case(result, trace));
  cases.push_back(campaign_case(result));
  return junit_text("mayfly.check", cases);
}

std::string annotations_of(const Result& result) {
  std::string text;
  for (const auto& found : result.found) text += annotation_if_wanted(headline(found), found.told);
  if (!result.is_violated())
    for (const auto& reason : doubts(result)) text += annotation_if_wanted("mayfly check: inconclusive", reason);
  return text;
}

}  // namespace mayfly::app
