#include <fmt/format.h>

#include "command.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/input_error.hpp"
#include "output_file.hpp"
#include "result.hpp"

namespace mayfly::app {

namespace {

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

std::string merge_command(const MergeOptions& options) {
  std::string command = options.program + " merge";
  for (const auto& file : options.files) command += " " + quoted(file);
  return command;
}

}  // namespace

Exit merge(const MergeOptions& options) {
  if (options.save) ensure_writable("--save", *options.save);
  if (options.json) ensure_writable("--json", *options.json);
  if (options.html) ensure_writable("--html", *options.html);
  ensure_apart({{"--save", options.save}, {"--json", options.json}, {"--html", options.html}});
  Result all = merged(options.files);
  if (!all.is_violated() && all.shards.size() < all.shard_count)
    throw InputError(fmt::format("only {} of {} shards are there: no verdict", all.shards.size(), all.shard_count));
  save_traces(all.found, options.save);
  if (!options.quiet) fmt::print("{}", exercised(all.tally));
  fmt::print("{}{}", told(all, options.program), verdict(all));
  fmt::print("seed {}, {} of {}\n", all.seed, all.shards.size(), counted(all.shard_count, "shard"));
  if (options.json) write_whole(*options.json, to_json_text(all));
  if (options.html) write_whole(*options.html, to_page(all, options.program, merge_command(options)));
  if (all.is_violated()) return Exit::violation;
  if (all.was_interrupted) return Exit::interrupted;
  return doubts(all).empty() ? Exit::held : Exit::inconclusive;
}

}  // namespace mayfly::app
