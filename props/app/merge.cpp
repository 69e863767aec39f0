#include <fmt/format.h>

#include "mayfly/props/report/campaign_result.hpp"
#include "mayfly/props/report/result_json.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/input_error.hpp"
#include "report.hpp"

namespace mayfly::app {

namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::optional<std::string> save;
  ReportOptions reports;
};

void declare(CommandLine& line, MergeOptions& options) {
  line.arguments("RESULT", options.files, "Files written by check --json");
  line.require("RESULT");
  declare_reports(line, options.reports, "Print only the verdict and violations");
  line.output_file("--save", options.save, save_help);
}

Result merged(const std::vector<std::string>& files) {
  Result all = read_result(files.front(), "check");
  for (std::size_t i = 1; i < files.size(); ++i) {
    const Result shard = read_result(files[i], "check");
    from_option(files[i], [&] { merge(all, shard); });
  }
  conclude_campaign(all);
  return all;
}

Exit merge_shards(const MergeOptions& options, const CommandLine& line) {
  Result all = merged(options.files);
  all.program = line.program();
  all.repeat = line.repetition();
  all.title = fmt::format("Mayfly check{}", all.target.empty() ? "" : " of " + all.target);
  const auto& campaign = *all.campaign;
  if (!all.is_violated() && campaign.shards.size() < campaign.shard_count)
    throw InputError(
        fmt::format("only {} of {} shards are given: no verdict", campaign.shards.size(), campaign.shard_count));
  const bool is_saved = save_traces(all.findings, options.save);
  return report(
      all, options.reports, is_saved,
      fmt::format("seed {}, {} of {}\n", *all.seed, campaign.shards.size(), counted(campaign.shard_count, "shard")));
}

}  // namespace

Command merge_command() {
  return command("merge", "Joins the results of a campaign's shards into one verdict", declare, merge_shards);
}

}  // namespace mayfly::app
