#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/props/report/page.hpp"
#include "mayfly/props/report/report_writers.hpp"
#include "mayfly/props/report/result_json.hpp"

namespace mayfly {

namespace {

namespace json = boost::json;

// The trace is not on it: it is in the file.
json::object violation_of(const Result& result, const ReportedFinding& finding) {
  json::object object = finding_json(finding);
  object.erase("trace");
  object["text"] = finding.intro + finding.text;
  if (!finding.file.empty()) object["replay"] = replay_command(result, finding.file);
  return object;
}

json::object exercised(const Result& result) {
  json::array rules, operations;
  for (const auto& rule : result.rules) {
    const RuleText& text = all_rules()[static_cast<std::size_t>(rule.rule)];
    rules.push_back(
        {{"id", text.id}, {"level", letter_of(text.level)}, {"sentence", text.sentence}, {"times", rule.checks}});
  }
  const Tally& tally = result.campaign->tally;
  const json::object answers = answers_json(tally);
  for (std::size_t kind = 0; kind < Tally::kind_count; ++kind)
    operations.push_back(
        {{"name", keywords[kind]}, {"times", tally.operations(kind)}, {"answers", answers.at(keywords[kind])}});
  return {{"rules", std::move(rules)}, {"operations", std::move(operations)}};
}

}  // namespace

std::string result_page(const Result& result) {
  json::array violations;
  for (const auto& finding : result.findings) violations.push_back(violation_of(result, finding));
  std::string summary = result.summary;
  for (const auto& note : result.notes) summary += "\n" + note;
  json::object page{{"title", result.title}, {"verdict", result.verdict}, {"summary", summary}};
  if (!result.repeat.empty()) page["repeat"] = result.repeat;
  if (result.campaign && result.cases > 0) page["exercised"] = exercised(result);
  if (result.rules.empty() || result.campaign) {
    page["violations"] = std::move(violations);
  } else {
    json::object conformance = to_json(result);
    conformance["violations"] = std::move(violations);
    page["conformance"] = {std::move(conformance)};
  }
  return html_page(page);
}

}  // namespace mayfly
