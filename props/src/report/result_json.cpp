#include "mayfly/props/report/result_json.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/report_writers.hpp"
#include "mayfly/props/report/story_json.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/trace.hpp"

namespace mayfly {

namespace {

namespace json = boost::json;

constexpr std::string_view result_format = "mayfly-result";
constexpr std::int64_t result_version = 1;

// Rules as a line, "X1 X2", and as a list.

RuleSet parse_rules(const std::string& ids) {
  RuleSet rules;
  std::istringstream in(ids);
  for (std::string id; in >> id;)
    if (const auto rule = rule_named(id)) rules.add(*rule);
  return rules;
}

RuleSet parse_ids(const json::value& ids) {
  RuleSet rules;
  for (const auto& id : ids.as_array())
    if (const auto rule = rule_named(id.as_string())) rules.add(*rule);
  return rules;
}

// Fields that may be missing.

std::uint64_t number_of(const json::value& value) { return value.to_number<std::uint64_t>(); }

std::string text_in(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_string() ? json::value_to<std::string>(*value) : "";
}

void put_text(json::object& object, std::string_view name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

// Findings.

json::array steps_json(const ReportedFinding& finding) {
  json::array steps;
  for (const auto& [step, rules] : finding.steps)
    steps.push_back(json::object{{"step", step}, {"rules", ids_json(rules)}});
  return steps;
}

// What `failure_json` has, wherever it stands in the object.
constexpr std::array<std::string_view, 5> failure_fields{"step", "request", "expected", "actual", "crash"};

ReportedFinding parse_finding(const json::object& object) {
  const auto text = [&](std::string_view name) { return json::value_to<std::string>(object.at(name)); };
  ReportedFinding finding{.store = text("store"),
                          .property = text("property"),
                          .headline = text("headline"),
                          .intro = text("intro"),
                          .text = text("text"),
                          .trace = text("trace"),
                          .file = text("file"),
                          .deciding = parse_rules(text("rules")),
                          .rule = rule_named(text_in(object, "rule")),
                          .candidates = parse_ids(object.at("candidates")),
                          .reading = text_in(object, "reading"),
                          .times = number_of(object.at("times")),
                          .differs_in_batch = object.contains("differs_in_batch")};
  for (const auto& step : object.at("steps").as_array())
    finding.steps.push_back({step.at("step").to_number<std::size_t>(), parse_ids(step.at("rules"))});
  if (const auto* number = object.if_contains("case")) finding.number = number_of(*number);
  if (const auto* earlier = object.if_contains("earlier_cases")) finding.earlier = number_of(*earlier);
  for (const auto name : failure_fields)
    if (const auto* field = object.if_contains(name)) finding.failure[name] = *field;
  if (const auto* story = object.if_contains("story")) finding.story = story->as_object();
  return finding;
}

// Rules.

json::object rule_json(const ReportedRule& rule) {
  const RuleText& text = all_rules()[static_cast<std::size_t>(rule.rule)];
  json::object object{{"id", text.id},
                      {"level", letter_of(text.level)},
                      {"sentence", text.sentence},
                      {"verdict", name_of(rule.verdict)},
                      {"checks", rule.checks},
                      {"failures", rule.failures},
                      {"scenarios",
                       {{"met", rule.scenarios_met},
                        {"failed", json::value_from(rule.scenarios_failed)},
                        {"left_out", rule.scenarios_untested}}},
                      {"violation", nullptr}};
  if (!rule.findings.empty()) object["violation"] = rule.findings.front();
  put_text(object, "reading", rule.reading);
  put_text(object, "why", rule.why);
  if (rule.reason) object["reason"] = *rule.reason;
  return object;
}

ReportedRule parse_rule(const json::object& object) {
  const auto rule = rule_named(object.at("id").as_string());
  const auto verdict = verdict_named(object.at("verdict").as_string());
  if (!rule || !verdict) throw InputError(fmt::format("is no rule with its verdict: {}", json::serialize(object)));
  const auto& scenarios = object.at("scenarios").as_object();
  ReportedRule parsed{.rule = *rule,
                      .verdict = *verdict,
                      .checks = number_of(object.at("checks")),
                      .failures = number_of(object.at("failures")),
                      .scenarios_met = number_of(scenarios.at("met")),
                      .scenarios_untested = number_of(scenarios.at("left_out")),
                      .scenarios_failed = json::value_to<std::vector<std::string>>(scenarios.at("failed")),
                      .reading = text_in(object, "reading"),
                      .why = text_in(object, "why")};
  if (object.at("violation").is_number()) parsed.findings = {object.at("violation").to_number<std::size_t>()};
  if (object.contains("reason")) parsed.reason = text_in(object, "reason");
  return parsed;
}

/// In the order of the enumeration, whatever that of the file; a rule that is not there was not exercised.
std::vector<ReportedRule> parse_rule_list(const json::array& array) {
  std::vector<ReportedRule> rules;
  for (const auto& text : all_rules()) rules.push_back({.rule = text.rule});
  for (const auto& value : array) {
    ReportedRule rule = parse_rule(value.as_object());
    rules[static_cast<std::size_t>(rule.rule)] = std::move(rule);
  }
  return array.empty() ? std::vector<ReportedRule>() : rules;
}

// Campaigns.

constexpr std::array<std::string_view, 3> canary_names{"caught", "survived", "skipped"};

json::object digest_json(const CampaignDigest& digest) {
  json::array parts;
  for (const auto part : digest.parts) parts.emplace_back(fmt::format("{:016x}", part));
  return {{"value", fmt::format("{:016x}", digest.value())}, {"cases", digest.cases}, {"parts", std::move(parts)}};
}

CampaignDigest parse_digest(const json::object& object) {
  CampaignDigest digest{.parts = {}, .cases = number_of(object.at("cases"))};
  for (const auto& part : object.at("parts").as_array())
    digest.parts.push_back(std::stoull(json::value_to<std::string>(part), nullptr, 16));
  return digest;
}

json::object campaign_json(const CampaignReport& campaign) {
  return {{"settings", campaign.settings},
          {"shard_count", campaign.shard_count},
          {"shards", json::value_from(campaign.shards)},
          {"operations", campaign.tally.operations()},
          {"laws", campaign.laws},
          {"answered", campaign.answered},
          {"seconds", campaign.seconds},
          {"canary", canary_names[static_cast<std::size_t>(campaign.canary)]},
          {"least_cases", campaign.least_cases},
          {"hidden", ids_of(campaign.hidden)},
          {"digest", digest_json(campaign.digest)},
          {"answers", answers_json(campaign.tally)}};
}

Tally parse_tally(const json::object& answers, const json::array& rules) {
  Tally tally;
  for (std::size_t kind = 0; kind < Tally::kind_count; ++kind)
    for (const auto& [status, count] : answers.at(keywords[kind]).as_object())
      tally.add_answers(kind, static_cast<Status>(status == "other" ? 0 : std::stoi(std::string(status))),
                        number_of(count));
  for (const auto& rule : parse_rule_list(rules)) tally.add_decisive(rule.rule, rule.checks);
  return tally;
}

CampaignReport parse_campaign(const json::object& object) {
  CampaignReport campaign;
  campaign.settings = json::value_to<std::string>(object.at("settings"));
  campaign.shard_count = number_of(object.at("shard_count"));
  campaign.shards = json::value_to<std::vector<std::uint64_t>>(object.at("shards"));
  campaign.laws = number_of(object.at("laws"));
  campaign.answered = number_of(object.at("answered"));
  campaign.seconds = object.at("seconds").to_number<double>();
  for (std::size_t i = 0; i < canary_names.size(); ++i)
    if (object.at("canary") == json::value(canary_names[i])) campaign.canary = static_cast<CampaignReport::Canary>(i);
  campaign.least_cases = number_of(object.at("least_cases"));
  campaign.hidden = parse_rules(json::value_to<std::string>(object.at("hidden")));
  campaign.digest = parse_digest(object.at("digest").as_object());
  campaign.tally = parse_tally(object.at("answers").as_object(), object.at("rules").as_array());
  return campaign;
}

// The whole.

Features parse_features(const json::array& names) {
  Features features;
  for (const auto& text : all_features)
    features.*text.feature = std::find(names.begin(), names.end(), json::value(text.name)) != names.end();
  return features;
}

Result parse_result(const json::object& object) {
  Result result;
  const auto text = [&](std::string_view name) { return json::value_to<std::string>(object.at(name)); };
  result.command = text("command");
  result.mayfly_version = text("mayfly");
  result.store = text("store");
  result.target = text("target");
  result.access = text("access");
  if (object.contains("seed")) result.seed = std::stoull(text("seed"));
  result.features = parse_features(object.at("features").as_array());
  result.verdict = text("verdict");
  result.doubts = json::value_to<std::vector<std::string>>(object.at("inconclusive"));
  result.cases = number_of(object.at("cases"));
  result.not_investigated = number_of(object.at("not_investigated"));
  result.was_interrupted = result.verdict == "interrupted";
  result.rules = parse_rule_list(object.at("rules").as_array());
  for (const auto& each : object.at("violations").as_array())
    result.findings.push_back(parse_finding(each.as_object()));
  for (const auto& each : object.at("surprises").as_array())
    result.surprises.push_back({std::nullopt, json::value_to<std::string>(each)});
  if (object.contains("settings")) result.campaign = parse_campaign(object);
  return result;
}

}  // namespace

json::object finding_json(const ReportedFinding& finding) {
  json::object object{{"store", finding.store},
                      {"property", finding.property},
                      {"headline", finding.headline},
                      {"intro", finding.intro},
                      {"text", finding.text},
                      {"trace", finding.trace},
                      {"file", finding.file},
                      {"rules", ids_of(finding.deciding)},
                      {"rule", finding.rule ? json::value(id_of(*finding.rule)) : json::value()},
                      {"candidates", ids_json(finding.candidates)},
                      {"steps", steps_json(finding)},
                      {"reading", finding.reading.empty() ? json::value() : json::value(finding.reading)},
                      {"times", finding.times}};
  if (finding.number) object["case"] = *finding.number;
  if (finding.earlier > 0) object["earlier_cases"] = finding.earlier;
  if (finding.differs_in_batch) object["differs_in_batch"] = true;
  for (const auto& field : finding.failure) object[field.key()] = field.value();
  if (!finding.story.empty()) object["story"] = finding.story;
  return object;
}

std::string status_name(Status status) {
  return status == Tally::other_status ? "other" : std::to_string(static_cast<int>(status));
}

json::object answers_json(const Tally& tally) {
  json::object answers;
  for (std::size_t kind = 0; kind < Tally::kind_count; ++kind) {
    json::object by_status;
    for (std::size_t i = 0; i < Tally::statuses.size(); ++i)
      if (tally.answers(kind, i) > 0) by_status[status_name(Tally::statuses[i])] = tally.answers(kind, i);
    answers[keywords[kind]] = std::move(by_status);
  }
  return answers;
}

json::object to_json(const Result& result) {
  json::array features, rules, findings, surprises;
  for (const auto& text : all_features)
    if (has(result.features, text.feature)) features.push_back(json::value(text.name));
  for (const auto& rule : result.rules) rules.push_back(rule_json(rule));
  for (const auto& finding : result.findings) findings.push_back(finding_json(finding));
  for (const auto& surprise : result.surprises) surprises.push_back(json::value(surprise.text));
  json::object object{{"format", result_format},         {"version", result_version},
                      {"mayfly", result.mayfly_version}, {"command", result.command},
                      {"store", result.store},           {"target", result.target},
                      {"access", result.access},         {"features", std::move(features)},
                      {"verdict", result.verdict},       {"inconclusive", json::value_from(result.doubts)},
                      {"cases", result.cases},           {"not_investigated", result.not_investigated}};
  if (result.seed) object["seed"] = std::to_string(*result.seed);
  for (const auto& field : result.campaign ? campaign_json(*result.campaign) : result.details)
    object[field.key()] = field.value();
  object["rules"] = std::move(rules);
  object["violations"] = std::move(findings);
  object["surprises"] = std::move(surprises);
  return object;
}

std::string result_json(const Result& result) { return json::serialize(to_json(result)) + "\n"; }

Result read_result(const std::string& path, std::string_view command) {
  ensure_readable(path);
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw InputError(fmt::format("{}: cannot be read", path));
  try {
    const json::value value = json::parse(text.str());
    const json::object& object = value.as_object();
    if (object.at("format") != json::value(result_format) || object.at("command") != json::value(command))
      throw InputError(fmt::format("is no result of mayfly {}", command));
    if (object.at("version") != json::value(result_version))
      throw InputError(
          fmt::format("it is of version {}, not {}", json::serialize(object.at("version")), result_version));
    return parse_result(object);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  } catch (const std::exception&) {  // of the JSON library, about the shape
    throw InputError(fmt::format("{}: is no result of mayfly {}", path, command));
  }
}

}  // namespace mayfly
