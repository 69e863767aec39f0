#include "conformance_file.hpp"

#include <fstream>
#include <sstream>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/props/report/page.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/trace.hpp"
#include "violation.hpp"

namespace mayfly::app {

namespace {

namespace json = boost::json;

constexpr std::string_view conformance_format = "mayfly-conformance";
constexpr std::int64_t conformance_version = 1;

json::object scenarios_json(const RuleResult& rule) {
  std::size_t met = 0, left_out = 0;
  json::array failed;
  for (const auto& scenario : rule.scenarios) {
    if (scenario.is_left_out)
      ++left_out;
    else if (scenario.is_met)
      ++met;
    else
      failed.push_back(json::value(scenario.name));
  }
  return {{"met", met}, {"failed", std::move(failed)}, {"left_out", left_out}};
}

json::object rule_json(const ConformanceReport& report, const RuleResult& rule) {
  const RuleText& text = all_rules()[static_cast<std::size_t>(rule.rule)];
  json::object object{{"id", text.id},
                      {"level", letter_of(text.level)},
                      {"sentence", text.sentence},
                      {"verdict", name_of(rule.verdict)},
                      {"checks", rule.checks},
                      {"failures", rule.failures},
                      {"scenarios", scenarios_json(rule)},
                      {"violation", nullptr}};
  if (!rule.findings.empty()) object["violation"] = rule.findings.front();
  if (const std::string reading = reading_of(report.result, rule); !reading.empty()) object["reading"] = reading;
  if (!rule.why.empty()) object["why"] = rule.why;
  const auto reason = report.known ? report.known->reason(rule.rule) : std::nullopt;
  if (reason) object["reason"] = *reason;
  return object;
}

json::array ids_json(RuleSet rules) {
  json::array ids;
  for (const auto& text : all_rules())
    if (rules.contains(text.rule)) ids.push_back(json::value(text.id));
  return ids;
}

json::array steps_json(const Finding& finding) {
  json::array steps;
  if (finding.candidates.empty()) return steps;
  for (const auto& [step, rules] : finding.steps)
    steps.push_back(json::object{{"step", step}, {"rules", ids_json(rules & finding.candidates)}});
  return steps;
}

json::object violation_json(const ConformanceReport& report, std::size_t place) {
  const Finding& finding = report.result.findings[place];
  const auto& [told, file, story] = report.told[place];
  json::object object = json_violation(finding.failure, report.role, file);
  object["rule"] = finding.rule ? json::value(id_of(*finding.rule)) : json::value();
  object["candidates"] = ids_json(finding.candidates);
  object["steps"] = steps_json(finding);
  object["reading"] = finding.known ? json::value(reading_of(finding)) : json::value();
  object["times"] = finding.times;
  object["told"] = told;
  object["story"] = story;
  return object;
}

std::string_view verdict_word(const ConformanceReport& report) {
  if (report.is_violated()) return report.known ? "not as expected" : "does not conform";
  if (report.was_interrupted) return "interrupted";
  if (report.is_inconclusive()) return "inconclusive";
  return report.known ? "as expected" : "conforms";
}

FiledConformance parse(const json::object& object) {
  FiledConformance filed{json::value_to<std::string>(object.at("store")), std::vector<FiledVerdict>(rule_count)};
  for (const auto& value : object.at("rules").as_array()) {
    const auto& rule_object = value.as_object();
    const auto rule = rule_named(rule_object.at("id").as_string());
    const auto verdict = verdict_named(rule_object.at("verdict").as_string());
    if (!rule || !verdict) throw InputError(fmt::format("is no rule with its verdict: {}", json::serialize(value)));
    const auto* reading = rule_object.if_contains(verdict == RuleVerdict::unattributed ? "why" : "reading");
    filed.rules[static_cast<std::size_t>(*rule)] = {*verdict, reading ? json::value_to<std::string>(*reading) : ""};
  }
  filed.json = object;
  return filed;
}

json::object to_json(const ConformanceReport& report) {
  json::array features, rules, violations, surprises;
  for (const auto& text : all_features)
    if (has(report.features, text.feature)) features.push_back(json::value(text.name));
  for (const auto& rule : report.result.rules) rules.push_back(rule_json(report, rule));
  for (std::size_t i = 0; i < report.result.findings.size(); ++i) violations.push_back(violation_json(report, i));
  for (const auto& [rule, text] : report.surprises()) surprises.push_back(json::value(text));
  return {{"format", conformance_format},
          {"version", conformance_version},
          {"store", report.store},
          {"target", report.target},
          {"seed", std::to_string(report.seed)},
          {"features", std::move(features)},
          {"verdict", verdict_word(report)},
          {"inconclusive", report.is_inconclusive() ? report.result.why_inconclusive() : ""},
          {"cases", report.result.cases},
          {"not_investigated", report.result.not_investigated},
          {"rules", std::move(rules)},
          {"violations", std::move(violations)},
          {"surprises", std::move(surprises)}};
}

}  // namespace

std::string to_json_text(const ConformanceReport& report) { return json::serialize(to_json(report)) + "\n"; }

std::string to_page(const ConformanceReport& report, const std::string& repeat) {
  std::string summary = verdict_lines(report);
  const auto last_line = summary.rfind('\n', summary.size() - 2) + 1;
  summary.erase(last_line, summary.find(": ", last_line) + 2 - last_line);  // the word is on the page already
  return html_page({{"title", fmt::format("Conformance of {}", report.store)},
                    {"verdict", verdict_word(report)},
                    {"summary", summary},
                    {"repeat", repeat},
                    {"conformance", json::array{to_json(report)}}});
}

FiledConformance read_conformance(const std::string& path) {
  ensure_readable(path);
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw InputError(fmt::format("{}: cannot be read", path));
  try {
    const json::value value = json::parse(text.str());
    const json::object& object = value.as_object();
    if (object.at("format") != json::value(conformance_format)) throw InputError("is no result of mayfly conform");
    if (object.at("version") != json::value(conformance_version))
      throw InputError(
          fmt::format("it is of version {}, not {}", json::serialize(object.at("version")), conformance_version));
    return parse(object);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  } catch (const std::exception&) {  // of the JSON library, about the shape
    throw InputError(fmt::format("{}: is no result of mayfly conform", path));
  }
}

}  // namespace mayfly::app
