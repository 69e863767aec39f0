#include "mayfly/props/report/result_json.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/props/report/report_writers.hpp"
#include "mayfly/props/report/story_json.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/trace.hpp"

namespace mayfly {

// Each type names its fields once, in `fields`, for writing and for reading: a Writer and a Reader are called with the
// name and the value of each.

namespace {

namespace json = boost::json;

constexpr std::string_view result_format = "mayfly-result";
constexpr std::int64_t result_version = 2;

template <class Fields, class Step>
requires std::same_as<std::remove_const_t<Step>, CandidateStep>
void fields(Fields& field, Step& step) {
  field("step", step.step);
  field("rules", step.rules);
}

template <class Fields, class Finding>
requires std::same_as<std::remove_const_t<Finding>, ReportedFinding>
void fields(Fields& field, Finding& finding) {
  field("store", finding.store);
  field("property", finding.property);
  field("headline", finding.headline);
  field("intro", finding.intro);
  field("text", finding.text);
  field("trace", finding.trace);
  field("file", finding.file);
  field("rules", finding.deciding);
  field("rule", finding.rule);
  field("candidates", finding.candidates);
  field("steps", finding.steps);
  field("times", finding.times);
  field.optional("reading", finding.reading);
  field.optional("case", finding.number);
  field.optional("earlier_cases", finding.earlier);
  field.optional("differs_in_batch", finding.differs_in_batch);
  field.optional("failure", finding.failure);
  field.optional("story", finding.story);
}

template <class Fields, class Scenarios>
requires std::same_as<std::remove_const_t<Scenarios>, ReportedRule::Scenarios>
void fields(Fields& field, Scenarios& scenarios) {
  field("met", scenarios.met);
  field("failed", scenarios.failed);
  field("left_out", scenarios.untested);
}

template <class Fields, class Reported>
requires std::same_as<std::remove_const_t<Reported>, ReportedRule>
void fields(Fields& field, Reported& rule) {
  field("id", rule.rule);
  const RuleText& text = all_rules()[static_cast<std::size_t>(rule.rule)];
  field.derived("level", letter_of(text.level));
  field.derived("sentence", text.sentence);
  field("verdict", rule.verdict);
  field("checks", rule.checks);
  field("failures", rule.failures);
  field("scenarios", rule.scenarios);
  field.first("violation", rule.findings);
  field.optional("reading", rule.reading);
  field.optional("why", rule.why);
  field.optional("reason", rule.reason);
}

template <class Fields, class Campaign>
requires std::same_as<std::remove_const_t<Campaign>, CampaignReport>
void fields(Fields& field, Campaign& campaign) {
  field("settings", campaign.settings);
  field("shard_count", campaign.shard_count);
  field("shards", campaign.shards);
  field.derived("operations", campaign.tally.operations());
  field("laws", campaign.laws);
  field("answered", campaign.answered);
  field("canary", campaign.canary);
  field("least_cases", campaign.least_cases);
  field("hidden", campaign.hidden);
  field("digest", campaign.digest);
  field("answers", campaign.tally);
}

/// All but the campaign and the details, which come between.
template <class Fields, class R>
void first_fields(Fields& field, R& result) {
  field("mayfly", result.mayfly_version);
  field("command", result.command);
  field("store", result.store);
  field("target", result.target);
  field("access", result.access);
  auto seed = result.seed ? std::to_string(*result.seed) : "";  // beyond what other readers take for a number
  field.optional("seed", seed);
  if constexpr (!std::is_const_v<R>)
    if (!seed.empty()) result.seed = std::stoull(seed);
  field("features", result.features);
  field("verdict", result.verdict);
  field("inconclusive", result.doubts);
  field("cases", result.cases);
  field("not_investigated", result.not_investigated);
  field.optional("seconds", result.seconds);
}

template <class Fields, class R>
void last_fields(Fields& field, R& result) {
  field("rules", result.rules);
  field("violations", result.findings);
  field("mismatches", result.mismatches);
}

std::string hex(std::uint64_t number) { return fmt::format("{:016x}", number); }

class Writer {
 public:
  template <class T>
  void operator()(std::string_view name, const T& value) {
    object[name] = json_of(value);
  }
  /// Left out where it says nothing.
  template <class T>
  void optional(std::string_view name, const T& value) {
    if (value != T()) object[name] = json_of(value);
  }
  /// The first of a list, or null.
  void first(std::string_view name, const std::vector<std::size_t>& list) {
    object[name] = list.empty() ? json::value() : json::value(list.front());
  }
  /// Written, but not read back.
  void derived(std::string_view name, const auto& value) { (*this)(name, value); }

  json::object object;

 private:
  template <class T>
  static json::value json_of(const T& value) {
    if constexpr (requires(Writer & writer) { fields(writer, value); }) {
      Writer writer;
      fields(writer, value);
      return std::move(writer.object);
    } else {
      return json::value_from(value);
    }
  }
  template <class T>
  static json::value json_of(const std::vector<T>& values) {
    json::array array;
    for (const auto& value : values) array.push_back(json_of(value));
    return array;
  }
  template <class T>
  static json::value json_of(const std::optional<T>& value) {
    return value ? json_of(*value) : json::value();
  }
  static json::value json_of(Rule rule) { return json::value(id_of(rule)); }
  static json::value json_of(RuleSet rules) { return ids_json(rules); }
  static json::value json_of(RuleVerdict verdict) { return json::value(name_of(verdict)); }
  static json::value json_of(const Tally& tally) { return answers_json(tally); }
  static json::value json_of(const KnownFailures::Mismatch& mismatch) { return json::value(mismatch.text); }
  static json::value json_of(const Features& features) {
    json::array names;
    for (const auto& text : all_features)
      if (has(features, text.feature)) names.push_back(json::value(text.name));
    return names;
  }
  static json::value json_of(const CampaignDigest& digest) {
    json::array parts;
    for (const auto part : digest.parts) parts.emplace_back(hex(part));
    return {{"value", hex(digest.value())}, {"cases", digest.cases}, {"parts", std::move(parts)}};
  }
};

class Reader {
 public:
  explicit Reader(const json::value& value) : object_(value.as_object()) {}

  void operator()(std::string_view name, auto& value) const { read(object_.at(name), value); }
  void optional(std::string_view name, auto& value) const {
    if (const auto* field = object_.if_contains(name)) read(*field, value);
  }
  void first(std::string_view name, std::vector<std::size_t>& list) const {
    if (object_.at(name).is_number()) list = {object_.at(name).to_number<std::size_t>()};
  }
  void derived(std::string_view, const auto&) const {}

 private:
  template <class T>
  static void read(const json::value& value, T& into) {
    if constexpr (requires(Reader & reader) { fields(reader, into); }) {
      Reader reader(value);
      fields(reader, into);
    } else {
      into = json::value_to<T>(value);
    }
  }
  template <class T>
  static void read(const json::value& value, std::vector<T>& into) {
    into.clear();
    for (const auto& each : value.as_array()) read(each, into.emplace_back());
  }
  template <class T>
  static void read(const json::value& value, std::optional<T>& into) {
    if (!value.is_null()) read(value, into.emplace());
  }
  static void read(const json::value& value, Rule& into) {
    const auto rule = rule_named(value.as_string());
    if (!rule) throw InputError(fmt::format("there is no rule {}", json::serialize(value)));
    into = *rule;
  }
  static void read(const json::value& value, RuleSet& into) {
    std::vector<Rule> rules;
    read(value, rules);
    for (const Rule rule : rules) into.add(rule);
  }
  static void read(const json::value& value, RuleVerdict& into) {
    const auto verdict = verdict_named(value.as_string());
    if (!verdict) throw InputError(fmt::format("there is no verdict {}", json::serialize(value)));
    into = *verdict;
  }
  static void read(const json::value& value, Tally& into) {
    for (std::size_t kind = 0; kind < Tally::kind_count; ++kind)
      for (const auto& [status, count] : value.at(keywords[kind]).as_object())
        into.add_answers(kind, static_cast<Status>(status == "other" ? 0 : std::stoi(std::string(status))),
                         count.to_number<std::uint64_t>());
  }
  static void read(const json::value& value, KnownFailures::Mismatch& into) { read(value, into.text); }
  static void read(const json::value& value, Features& into) {
    const auto& names = value.as_array();
    for (const auto& text : all_features)
      into.*text.feature = std::find(names.begin(), names.end(), json::value(text.name)) != names.end();
  }
  static void read(const json::value& value, CampaignDigest& into) {
    into.cases = value.at("cases").to_number<std::uint64_t>();
    for (const auto& part : value.at("parts").as_array())
      into.parts.push_back(std::stoull(json::value_to<std::string>(part), nullptr, 16));
  }

  const json::object& object_;
};

/// In the order of the enumeration, whatever that of the file; a rule that is not there was not exercised.
void put_in_order(std::vector<ReportedRule>& rules) {
  if (rules.empty()) return;
  std::vector<ReportedRule> in_order;
  for (const auto& text : all_rules()) in_order.push_back({.rule = text.rule});
  for (auto& rule : rules) in_order[static_cast<std::size_t>(rule.rule)] = std::move(rule);
  rules = std::move(in_order);
}

Result parse(const json::value& value) {
  Result result;
  const Reader reader(value);
  first_fields(reader, result);
  last_fields(reader, result);
  put_in_order(result.rules);
  result.was_interrupted = result.verdict == "interrupted";
  if (!value.as_object().contains("settings")) return result;
  fields(reader, result.campaign.emplace());
  for (const auto& rule : result.rules) result.campaign->tally.add_decisive(rule.rule, rule.checks);
  return result;
}

}  // namespace

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
  Writer writer{.object = {{"format", result_format}, {"version", result_version}}};
  first_fields(writer, result);
  if (result.campaign) fields(writer, *result.campaign);
  for (const auto& field : result.details) writer.object[field.key()] = field.value();
  last_fields(writer, result);
  return std::move(writer.object);
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
    return parse(value);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  } catch (const std::exception&) {  // of the JSON library, about the shape
    throw InputError(fmt::format("{}: is no result of mayfly {}", path, command));
  }
}

}  // namespace mayfly
