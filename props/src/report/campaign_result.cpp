#include "mayfly/props/report/campaign_result.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mayfly/model/rule.hpp"
#include "mayfly/props/defects/catalogue.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/input_error.hpp"

namespace mayfly {

namespace {

std::string campaign_text(const Result& result) {
  const std::string target = result.target.empty() ? "" : " --target " + quoted(result.target);
  return fmt::format("--seed {}{}{} in {}", *result.seed, result.campaign->settings, target,
                     counted(result.campaign->shard_count, "shard"));
}

ReportedRule rule_of(const Result& result, Rule rule) {
  ReportedRule reported{.rule = rule, .checks = result.campaign->tally.decisive(rule)};
  if (reported.checks > 0) reported.verdict = RuleVerdict::pass;
  for (std::size_t i = 0; i < result.findings.size(); ++i) {
    if (result.findings[i].rule != rule) continue;
    reported.verdict = RuleVerdict::fail;
    reported.is_red = true;
    reported.failures += result.findings[i].times;
    reported.findings.push_back(i);
  }
  return reported;
}

std::string summary_of(const Result& result) {
  const CampaignReport& campaign = *result.campaign;
  const auto operations = campaign.tally.operations();
  const double seconds = result.seconds.value_or(0);
  return fmt::format("{}, {} and {} in {:.1f} s ({} operations/s)", counted(result.cases, "case"),
                     counted(operations, "operation"), counted(campaign.laws, "law"), seconds,
                     rate(operations, seconds));
}

std::vector<std::string> notes_of(const Result& result) {
  const CampaignReport& campaign = *result.campaign;
  std::vector<std::string> notes;
  if (campaign.answered > 0)
    notes.push_back(fmt::format("including observations, the target answered {} ({}/s)",
                                counted(campaign.answered, "request"),
                                rate(campaign.answered, result.seconds.value_or(0))));
  if (result.not_investigated > 0)
    notes.push_back(fmt::format("{} not investigated: {} similar to others that were",
                                counted(result.not_investigated, "further failing case"),
                                result.not_investigated == 1 ? "it is" : "they are"));
  if (!result.was_interrupted) notes.insert(notes.end(), result.doubts.begin(), result.doubts.end());
  if (campaign.digest.cases > 0)
    notes.push_back(fmt::format("digest of {}{}: {:016x}", campaign.digest.cases < result.cases ? "the first " : "",
                                counted(campaign.digest.cases, "case"), campaign.digest.value()));
  return notes;
}

void conclude(Result& result, Result::End end, const char* verdict, const char* headline) {
  result.end = end;
  result.verdict = verdict;
  result.headline = headline;
}

}  // namespace

std::vector<std::string> doubts_about(const Result& result) {
  const CampaignReport& campaign = *result.campaign;
  std::vector<std::string> reasons;
  if (campaign.canary == "survived") {
    const DefectText& canary = text_of(canary_of(*result.seed));
    reasons.push_back(fmt::format("the canary survived: a store with a known defect ({}: {}) passed the same checks",
                                  canary.id, canary.sentence));
  }
  if (campaign.shards.size() < campaign.shard_count && result.cases > 0) return reasons;
  if (result.cases < campaign.least_cases) {
    reasons.push_back(fmt::format("{} were run, and fewer than {} prove nothing", counted(result.cases, "case"),
                                  campaign.least_cases));
    return reasons;
  }
  RuleSet unexercised;
  for (const auto& rule : all_rules())
    unexercised.add_if(campaign.tally.decisive(rule.rule) == 0 && !campaign.hidden.contains(rule.rule), rule.rule);
  if (!unexercised.empty()) reasons.push_back(fmt::format("no case exercised {}: run more cases", ids_of(unexercised)));
  return reasons;
}

void conclude_campaign(Result& result) {
  result.claim = "random cases";
  result.rules.clear();
  for (const auto& text : all_rules()) result.rules.push_back(rule_of(result, text.rule));
  result.doubts = result.findings.empty() ? doubts_about(result) : std::vector<std::string>();
  if (!result.findings.empty())
    conclude(result, Result::End::violated, "violated", "VIOLATED");
  else if (result.was_interrupted)
    conclude(result, Result::End::interrupted, "interrupted",
             result.cases == 0 ? "nothing checked until interrupted" : "held until interrupted");
  else if (!result.doubts.empty())
    conclude(result, Result::End::inconclusive, "inconclusive", "INCONCLUSIVE");
  else
    conclude(result, Result::End::held, "held", "held");
  result.summary = summary_of(result);
  result.notes = notes_of(result);
}

void merge(Result& into, const Result& other) {
  if (campaign_text(into) != campaign_text(other))
    throw InputError(
        fmt::format("it is a shard of another campaign: {}, not {}", campaign_text(other), campaign_text(into)));
  CampaignReport& all = *into.campaign;
  const CampaignReport& added = *other.campaign;
  for (const auto shard : added.shards) {
    if (std::find(all.shards.begin(), all.shards.end(), shard) != all.shards.end())
      throw InputError(fmt::format("shard {}/{} is there twice", shard, added.shard_count));
    all.shards.push_back(shard);
  }
  std::sort(all.shards.begin(), all.shards.end());
  all.laws += added.laws;
  all.answered += added.answered;
  if (added.canary == "survived") all.canary = added.canary;
  all.tally += added.tally;
  all.digest.parts.resize(std::min(all.digest.parts.size(), added.digest.parts.size()));
  all.digest.cases = std::min(all.digest.cases, added.digest.cases);
  for (std::size_t i = 0; i < all.digest.parts.size(); ++i) all.digest.parts[i] += added.digest.parts[i];
  into.cases += other.cases;
  into.seconds = std::max(into.seconds, other.seconds);
  into.not_investigated += other.not_investigated;
  into.was_interrupted |= other.was_interrupted;
  for (const auto& finding : other.findings) add(into.findings, finding);
}

}  // namespace mayfly
