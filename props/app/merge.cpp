#include <fmt/format.h>

#include "command.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/input_error.hpp"
#include "output_file.hpp"
#include "result.hpp"

namespace mayfly::app {

namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::optional<std::string> save;
  std::optional<std::string> json;
  std::optional<std::string> html;
  bool quiet = false;
};

void declare(CommandLine& line, MergeOptions& options) {
  line.arguments("RESULT", options.files, "Files written by check --json");
  line.require("RESULT");
  line.group(CommandLine::output_group);
  line.output_file("--save", options.save, "Where the trace goes (default: mayfly-violation.jsonl)");
  line.output_file("--json", options.json, "Write the result to this file as well");
  line.output_file("--html", options.html, "Write the result as a page for people as well");
  line.flag("--quiet", options.quiet, "Only the verdict, and a violation");
}

Result merged(const std::vector<std::string>& files) {
  Result all = read_result(files.front());
  for (std::size_t i = 1; i < files.size(); ++i) {
    try {
      merge(all, read_result(files[i]));
    } catch (const InputError& error) {
      const std::string message = error.what();
      throw InputError(message.starts_with(files[i]) ? message : fmt::format("{}: {}", files[i], message));
    }
  }
  return all;
}

Exit merge(const MergeOptions& options, const CommandLine& line) {
  Result all = merged(options.files);
  if (!all.is_violated() && all.shards.size() < all.shard_count)
    throw InputError(fmt::format("only {} of {} shards are there: no verdict", all.shards.size(), all.shard_count));
  save_traces(all.found, options.save);
  if (!options.quiet) fmt::print("{}", exercised(all.tally));
  fmt::print("{}{}", told(all, line.program()), verdict(all));
  fmt::print("seed {}, {} of {}\n", all.seed, all.shards.size(), counted(all.shard_count, "shard"));
  if (options.json) write_whole(*options.json, to_json_text(all));
  if (options.html) write_whole(*options.html, to_page(all, line.program(), line.repetition()));
  if (all.is_violated()) return Exit::violation;
  if (all.was_interrupted) return Exit::interrupted;
  return doubts(all).empty() ? Exit::held : Exit::inconclusive;
}

}  // namespace

Command merge_command() {
  return command("merge", "Joins the results of a campaign's shards into one verdict", declare, merge);
}

}  // namespace mayfly::app
