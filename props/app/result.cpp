#include "result.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "corpus.hpp"
#include "mayfly/props/defects.hpp"
#include "mayfly/props/report/page.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/trace.hpp"
#include "violation.hpp"

namespace mayfly::app {

namespace {

namespace json = boost::json;

constexpr std::string_view result_format = "mayfly-check";
constexpr std::int64_t result_version = 4;

std::string_view verdict_word(const Result& result) {
  if (result.is_violated()) return "violated";
  if (result.was_interrupted) return "interrupted";
  return doubts(result).empty() ? "held" : "inconclusive";
}

std::string ids_in(RuleSet rules, std::string_view separator) {
  std::string ids;
  for (const auto& rule : all_rules())
    if (rules.contains(rule.rule)) ids += fmt::format("{}{}", ids.empty() ? "" : separator, rule.id);
  return ids;
}

RuleSet parse_rules(const std::string& ids) {
  RuleSet rules;
  std::istringstream in(ids);
  for (std::string id; in >> id;)
    if (const auto rule = rule_named(id)) rules.add(*rule);
  return rules;
}

json::object digest_json(const CampaignDigest& digest) {
  json::array parts;
  for (const auto part : digest.parts) parts.emplace_back(fmt::format("{:016x}", part));
  return {{"value", fmt::format("{:016x}", digest.value())}, {"cases", digest.cases}, {"parts", std::move(parts)}};
}

CampaignDigest parse_digest(const json::object& object) {
  CampaignDigest digest{.parts = {}, .cases = object.at("cases").to_number<std::uint64_t>()};
  for (const auto& part : object.at("parts").as_array())
    digest.parts.push_back(std::stoull(json::value_to<std::string>(part), nullptr, 16));
  return digest;
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

json::object rules_json(const Tally& tally) {
  json::object rules;
  for (const auto& rule : all_rules()) rules[rule.id] = tally.decisive(rule.rule);
  return rules;
}

json::object found_json(const Found& found) {
  json::object object{{"store", found.store}, {"property", found.property}, {"rules", found.rules},
                      {"trace", found.trace}, {"told", found.told},         {"case", found.number},
                      {"times", found.times}, {"file", found.file}};
  if (found.earlier > 0) object["earlier_cases"] = found.earlier;
  if (found.differs_in_batch) object["differs_in_batch"] = true;
  if (!found.story.empty()) object["story"] = found.story;
  return object;
}

Found parse_found(const json::object& object) {
  const auto text = [&](std::string_view name) { return json::value_to<std::string>(object.at(name)); };
  const auto number = [&](std::string_view name) { return object.at(name).to_number<std::uint64_t>(); };
  return {.trace = text("trace"),
          .store = text("store"),
          .property = text("property"),
          .rules = text("rules"),
          .told = text("told"),
          .number = number("case"),
          .times = number("times"),
          .file = text("file"),
          .earlier = object.contains("earlier_cases") ? number("earlier_cases") : 0,
          .differs_in_batch = object.contains("differs_in_batch"),
          .story = object.contains("story") ? object.at("story").as_object() : json::object{}};
}

Tally parse_tally(const json::object& answers, const json::object& rules) {
  Tally tally;
  for (std::size_t kind = 0; kind < Tally::kind_count; ++kind)
    for (const auto& [status, count] : answers.at(keywords[kind]).as_object())
      tally.add_answers(kind, static_cast<Status>(status == "other" ? 0 : std::stoi(std::string(status))),
                        count.to_number<std::uint64_t>());
  for (const auto& rule : all_rules()) tally.add_decisive(rule.rule, rules.at(rule.id).to_number<std::uint64_t>());
  return tally;
}

Result parse_result(const json::object& object) {
  Result result;
  result.seed = std::stoull(json::value_to<std::string>(object.at("seed")));
  result.settings = json::value_to<std::string>(object.at("settings"));
  result.target = json::value_to<std::string>(object.at("target"));
  result.shard_count = object.at("shard_count").to_number<std::uint64_t>();
  result.shards = json::value_to<std::vector<std::uint64_t>>(object.at("shards"));
  result.cases = object.at("cases").to_number<std::uint64_t>();
  result.laws = object.at("laws").to_number<std::uint64_t>();
  result.answered = object.at("answered").to_number<std::uint64_t>();
  result.seconds = object.at("seconds").to_number<double>();
  result.was_interrupted = object.at("verdict") == json::value("interrupted");
  result.canary_survived = object.at("canary") == json::value("survived");
  result.canary_was_hunted = object.at("canary") != json::value("skipped");
  result.least_cases = object.at("least_cases").to_number<std::uint64_t>();
  result.hidden = parse_rules(json::value_to<std::string>(object.at("hidden")));
  result.digest = parse_digest(object.at("digest").as_object());
  result.not_investigated = object.at("not_investigated").to_number<std::uint64_t>();
  result.tally = parse_tally(object.at("answers").as_object(), object.at("rules").as_object());
  for (const auto& found : object.at("violations").as_array()) result.found.push_back(parse_found(found.as_object()));
  return result;
}

}  // namespace

std::vector<std::string> doubts(const Result& result) {
  std::vector<std::string> reasons;
  if (result.canary_survived) {
    const DefectText& canary = text_of(canary_of(result.seed));
    reasons.push_back(fmt::format("the canary survived: a store with a known defect ({}: {}) passed the same checks",
                                  canary.id, canary.sentence));
  }
  if (result.shards.size() < result.shard_count && result.cases > 0) return reasons;
  if (result.cases < result.least_cases) {
    reasons.push_back(
        fmt::format("{} were run, and fewer than {} prove nothing", counted(result.cases, "case"), result.least_cases));
    return reasons;
  }
  RuleSet unexercised;
  for (const auto& rule : all_rules())
    unexercised.add_if(result.tally.decisive(rule.rule) == 0 && !result.hidden.contains(rule.rule), rule.rule);
  if (!unexercised.empty())
    reasons.push_back(fmt::format("no case exercised {}: run more cases", ids_in(unexercised, ", ")));
  return reasons;
}

std::size_t add(std::vector<Found>& all, Found found) {
  const auto same =
      std::find_if(all.begin(), all.end(), [&](const Found& other) { return other.trace == found.trace; });
  const auto place = static_cast<std::size_t>(same - all.begin());
  if (same == all.end())
    all.push_back(std::move(found));
  else
    same->times += found.times;
  return place;
}

void merge(Result& into, const Result& other) {
  const auto campaign = [](const Result& result) {
    return fmt::format("--seed {}{}{} in {}", result.seed, result.settings,
                       result.target.empty() ? "" : " --target " + quoted(result.target),
                       counted(result.shard_count, "shard"));
  };
  if (campaign(into) != campaign(other))
    throw InputError(fmt::format("it is a shard of another campaign: {}, not {}", campaign(other), campaign(into)));
  for (const auto shard : other.shards) {
    if (std::find(into.shards.begin(), into.shards.end(), shard) != into.shards.end())
      throw InputError(fmt::format("shard {}/{} is there twice", shard, other.shard_count));
    into.shards.push_back(shard);
  }
  std::sort(into.shards.begin(), into.shards.end());
  into.cases += other.cases;
  into.laws += other.laws;
  into.answered += other.answered;
  into.seconds = std::max(into.seconds, other.seconds);
  into.was_interrupted |= other.was_interrupted;
  into.canary_survived |= other.canary_survived;
  into.tally += other.tally;
  into.not_investigated += other.not_investigated;
  into.digest.parts.resize(std::min(into.digest.parts.size(), other.digest.parts.size()));
  into.digest.cases = std::min(into.digest.cases, other.digest.cases);
  for (std::size_t i = 0; i < into.digest.parts.size(); ++i) into.digest.parts[i] += other.digest.parts[i];
  for (const auto& found : other.found) add(into.found, found);
}

std::string to_json_text(const Result& result) {
  json::array found;
  for (const auto& each : result.found) found.push_back(found_json(each));
  const json::object object{{"format", result_format},
                            {"version", result_version},
                            {"verdict", verdict_word(result)},
                            {"seed", std::to_string(result.seed)},
                            {"settings", result.settings},
                            {"target", result.target},
                            {"shard_count", result.shard_count},
                            {"shards", json::value_from(result.shards)},
                            {"cases", result.cases},
                            {"operations", result.tally.operations()},
                            {"laws", result.laws},
                            {"answered", result.answered},
                            {"seconds", result.seconds},
                            {"canary", result.canary_survived     ? "survived"
                                       : result.canary_was_hunted ? "caught"
                                                                  : "skipped"},
                            {"inconclusive", json::value_from(doubts(result))},
                            {"least_cases", result.least_cases},
                            {"hidden", ids_in(result.hidden, " ")},
                            {"digest", digest_json(result.digest)},
                            {"not_investigated", result.not_investigated},
                            {"answers", answers_json(result.tally)},
                            {"rules", rules_json(result.tally)},
                            {"violations", std::move(found)}};
  return json::serialize(object) + "\n";
}

Result read_result(const std::string& path) {
  ensure_readable(path);
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw InputError(fmt::format("{}: cannot be read", path));
  try {
    const json::value value = json::parse(text.str());
    const json::object& object = value.as_object();
    if (object.at("format") != json::value(result_format)) throw InputError("is no result of mayfly check");
    if (object.at("version") != json::value(result_version))
      throw InputError(
          fmt::format("it is of version {}, not {}", json::serialize(object.at("version")), result_version));
    return parse_result(object);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  } catch (const std::exception&) {  // of the JSON library, about the shape
    throw InputError(fmt::format("{}: is no result of mayfly check", path));
  }
}

bool save_traces(std::vector<Found>& all, const std::optional<std::string>& save,
                 const std::optional<std::string>& corpus) {
  bool are_saved = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& file = all[i].file;
    file = corpus ? path_in_corpus(*corpus, all[i].trace) : save.value_or(std::string(usual_save));
    if (!corpus && i > 0) file += fmt::format(".{}", i + 1);
    if (write_or_say(file, all[i].trace)) continue;
    file.clear();
    are_saved = false;
  }
  return are_saved;
}

std::string told(const Result& result, const std::string& program) {
  std::string text;
  for (const auto& found : result.found)
    text += fmt::format("{}{}{}\n", found.told,
                        found.times > 1 ? fmt::format("found {} times\n", with_commas(found.times)) : "",
                        replay_hint(program, found.file, result.access));
  if (result.not_investigated > 0)
    text += fmt::format("{} not investigated: {} to others that were\n",
                        counted(result.not_investigated, "further failing case"),
                        result.not_investigated == 1 ? "it is similar" : "they are similar");
  return text;
}

// The trace is not on it: it is in the file.
static json::object page_violation(const Found& found, const std::string& program, const Result& result) {
  json::object object = found_json(found);
  object.erase("trace");
  if (!found.file.empty()) object["replay"] = replay_command(program, found.file, result.access);
  return object;
}

static json::object exercised_json(const Tally& tally) {
  json::array rules, operations;
  for (const auto& rule : all_rules())
    rules.push_back({{"id", rule.id},
                     {"level", letter_of(rule.level)},
                     {"sentence", rule.sentence},
                     {"times", tally.decisive(rule.rule)}});
  const json::object answers = answers_json(tally);
  for (std::size_t kind = 0; kind < Tally::kind_count; ++kind)
    operations.push_back(
        {{"name", keywords[kind]}, {"times", tally.operations(kind)}, {"answers", answers.at(keywords[kind])}});
  return {{"rules", std::move(rules)}, {"operations", std::move(operations)}};
}

std::string to_page(const Result& result, const std::string& program, const std::string& repeat) {
  json::array violations;
  for (const auto& found : result.found) violations.push_back(page_violation(found, program, result));
  std::string summary = verdict(result);
  summary.erase(0, summary.find(": ") + 2);  // the word is on the page already
  json::object report{{"title", result.target.empty() ? "Mayfly check" : "Mayfly check of " + result.target},
                      {"verdict", verdict_word(result)},
                      {"summary", summary},
                      {"repeat", repeat},
                      {"violations", std::move(violations)}};
  if (result.cases > 0) report["exercised"] = exercised_json(result.tally);
  return html_page(report);
}

std::string exercised(const Tally& tally) {
  std::string text = fmt::format("{:<18}{:>12}  answers\n", "operation", "times");
  for (std::size_t kind = 0; kind < Tally::kind_count; ++kind) {
    std::string line = fmt::format("{:<18}{:>12}", keywords[kind], with_commas(tally.operations(kind)));
    for (std::size_t i = 0; i < Tally::statuses.size(); ++i)
      if (tally.answers(kind, i) > 0)
        line += fmt::format("  {} x {}", status_name(Tally::statuses[i]), with_commas(tally.answers(kind, i)));
    text += folded(line, 32, "  ") + "\n";
  }
  text += "\ntimes that each rule was exercised\n";
  constexpr std::size_t columns = 5;
  for (std::size_t i = 0; i < rule_count; ++i) {
    const Rule rule = all_rules()[i].rule;
    text += fmt::format("{} {:>10}{}", id_of(rule), with_commas(tally.decisive(rule)),
                        i % columns == columns - 1 || i + 1 == rule_count ? "\n" : "   ");
  }
  return text + "\n";
}

std::string verdict(const Result& result) {
  const auto operations = result.tally.operations();
  const auto reasons = doubts(result);
  const std::string_view word = result.is_violated()                          ? "VIOLATED"
                                : result.was_interrupted && result.cases == 0 ? "nothing checked until interrupted"
                                : result.was_interrupted                      ? "held until interrupted"
                                : !reasons.empty()                            ? "INCONCLUSIVE"
                                                                              : "held";
  const auto speed = [&](std::uint64_t count) {
    return static_cast<double>(count) / std::max(result.seconds, 1e-6) / 1e6;
  };
  const std::string text =
      fmt::format("{}: {}, {} and {} in {:.1f} s ({:.2f} M operations/s)", word, counted(result.cases, "case"),
                  counted(operations, "operation"), counted(result.laws, "law"), result.seconds, speed(operations));
  const std::string answered = fmt::format("including observations, the target answered {} ({:.2f} M/s)",
                                           counted(result.answered, "request"), speed(result.answered));
  std::string lines = folded(text, 2) + "\n" + (result.answered > 0 ? folded(answered, 2) + "\n" : "");
  if (!result.is_violated() && !result.was_interrupted)
    for (const auto& reason : reasons) lines += folded(reason, 2) + "\n";
  if (result.digest.cases > 0)
    lines += fmt::format("digest of {}{}: {:016x}\n", result.digest.cases < result.cases ? "the first " : "",
                         counted(result.digest.cases, "case"), result.digest.value());
  return lines;
}

}  // namespace mayfly::app
