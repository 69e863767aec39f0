#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/props/report/page.hpp"
#include "mayfly/props/report/report_writers.hpp"
#include "mayfly/props/report/result_json.hpp"

namespace mayfly {

namespace {

namespace json = boost::json;

// The trace is not on the page: it is in the file.
json::array violations(const Result& result, const json::array& in_file) {
  json::array shown = in_file;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const ReportedFinding& finding = result.findings[i];
    json::object& object = shown[i].as_object();
    object.erase("trace");
    object["text"] = finding.intro + finding.text;
    if (!finding.file.empty()) object["replay"] = replay_command(result, finding.file);
  }
  return shown;
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
  json::object in_file = to_json(result);
  json::array shown = violations(result, in_file["violations"].as_array());
  std::string summary = result.summary;
  for (const auto& note : result.notes) summary += "\n" + note;
  json::object page{{"title", result.title}, {"verdict", result.verdict}, {"summary", summary}};
  if (!result.repeat.empty()) page["repeat"] = result.repeat;
  if (result.campaign && result.cases > 0) page["exercised"] = exercised(result);
  if (result.rules.empty() || result.campaign) {
    page["violations"] = std::move(shown);
  } else {
    in_file["violations"] = std::move(shown);
    page["conformance"] = {std::move(in_file)};
  }
  return html_page(page);
}

}  // namespace mayfly
