#include <cstdio>
#include <map>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "interrupt.hpp"
#include "mayfly/sim/input_error.hpp"
#include "real_time.hpp"

namespace {

using namespace mayfly::app;

// In our words: those of CLI11 speak of its insides.
CLI::Option* must_be(CLI::Option* option, const std::string& what, const CLI::Validator& validator) {
  const auto check = [name = option->get_name(), what, validator](std::string& text) {
    const std::string given = text;
    bool is_valid = false;
    try {
      is_valid = validator(text).empty();
    } catch (const CLI::ValidationError&) {
    }
    if (!is_valid) throw mayfly::InputError(fmt::format("{} must be {}, got \"{}\"", name, what, given));
    return std::string();
  };
  return option->transform(CLI::Validator(check, ""));
}

CLI::Option* as_number(CLI::Option* option, std::int64_t least, std::int64_t most) {
  return must_be(option->type_name("N"), fmt::format("a whole number from {} to {}", least, most),
                 CLI::Range(least, most));
}

CLI::Option* as_time(CLI::Option* option) {
  const std::map<std::string, double> units{{"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}};
  return must_be(option->type_name("TIME"), "a time from 1ms to 2000h, such as 30s or 5m",
                 CLI::AsNumberWithUnit(units) & CLI::Range(0.001, 2000 * 3600.0));
}

CLI::Option* as_size(CLI::Option* option) {
  return must_be(option->type_name("SIZE"), "a size from 1M to 1024T, such as 500M or 2G",
                 CLI::AsSizeValue(false) & CLI::Range(std::uint64_t{1} << 20, std::uint64_t{1} << 50));
}

void add_files(CLI::App& command, auto& options) {
  command.add_option("--save", options.save, "Where the trace goes (default: mayfly-violation.jsonl)")
      ->type_name("FILE");
  command.add_option("--json", options.json, "Write the result to this file as well")->type_name("FILE");
  command.add_flag("--quiet", options.quiet, "Only the verdict, and a violation");
}

void add_page(CLI::App& command, auto& options) {
  command.add_option("--html", options.html, "Write the result as a page for people as well")->type_name("FILE");
}

void add_target(CLI::App& command, auto& options) {
  command.add_option("--target", options.target, "Check this program of yours, or the endpoint cosmos:URL")
      ->type_name("'CMD ARGS'");
  as_time(command.add_option("--start-timeout", options.start_timeout,
                             "How long the program may take to start (default: 60s)"));
  command.add_option("--key", options.access.key, "Of cosmos:URL (default: MAYFLY_KEY, or the emulators')")
      ->type_name("KEY");
  command.add_option("--clock-command", options.access.clock_command, "Moves its clock, by the seconds that follow")
      ->type_name("'CMD ARGS'");
  command.add_flag("--yes-remote", options.access.yes_remote, "cosmos:URL may be on another machine");
}

void add_junit(CLI::App& command, auto& options) {
  command.add_option("--junit", options.junit, "Write test cases for build servers to this file")->type_name("FILE");
}

void add_check(CLI::App& program, CheckOptions& options) {
  auto* command = program.add_subcommand("check", "Random cases through reference and engine, which must agree");
  command->add_option("--seed", options.seed, "A number or a commit id (default: a random one)")->type_name("SEED");
  as_number(command->add_option("--cases", options.cases, "How many cases"), 1, 1'000'000'000'000);
  as_time(
      command->add_option("--time", options.seconds, "For how long, such as 5m (default: 10s, or as --cases takes)"));
  as_number(command->add_option("--ops", options.longest_case, "The longest case, in operations; most have up to 100"),
            1, 100'000)
      ->capture_default_str();
  as_number(command->add_option("--jobs", options.jobs, "How many processes (default: one for each core)"), 1, 1'000);
  command->add_option("--shard", options.shard, "Part I of N, I from 0 (default: as the environment says)")
      ->type_name("I/N");
  as_time(command->add_option("--timeout", options.timeout, "A case that takes longer hangs (default: 10s)"));
  add_target(*command, options);
  command->add_flag("--keep-going", options.keep_going, "Go on after a violation; each defect is reported once");
  command->add_option("--corpus", options.corpus, "Replay the traces there first, and save new ones there")
      ->type_name("DIR");
  command->add_flag_callback(
      "--no-canary", [&options] { options.canary = false; }, "Skip the self-test that looks for a known defect");
  add_files(*command, options);
  add_junit(*command, options);
  add_page(*command, options);
}

void add_conform(CLI::App& program, ConformOptions& options) {
  auto* command = program.add_subcommand("conform", "A verdict on a store for every rule");
  add_target(*command, options);
  command->add_flag("--reference", options.reference, "Judge the reference, not the engine");
  command->add_option("--seed", options.seed, "A number or a commit id")->type_name("SEED")->capture_default_str();
  const auto counted = [&](const char* name, auto& option, const char* what, auto usual, auto in_real_time) {
    const auto text = fmt::format("{} (default: {}, in real time {})", what, usual, in_real_time);
    as_number(command->add_option(name, option, text), 1, 1'000'000);
  };
  counted("--cases", options.cases, "Random cases to begin with", mayfly::ConformancePlan{}.cases, cases_in_real_time);
  counted("--checks", options.checks, "Checks of each rule", mayfly::ConformancePlan{}.floor, checks_in_real_time);
  as_time(command->add_option("--time", options.seconds, "For how long at most, such as 30s (default: until done)"));
  as_time(command->add_option("--timeout", options.timeout, "A case that takes longer hangs (default: 10s)"));
  command->add_option("--expect", options.expect, "The rules that are known to be broken, with reasons")
      ->type_name("FILE");
  command->add_flag("--update-expect", options.update_expect, "Bring that file up to date");
  command->add_option("--corpus", options.corpus, "Try the traces there as well")->type_name("DIR");
  command->add_option("--save", options.save, "Where traces go, mayfly-X1.jsonl and so on (default: here)")
      ->type_name("DIR");
  command->add_option("--json", options.json, "Write the result to this file as well")->type_name("FILE");
  add_junit(*command, options);
  add_page(*command, options);
  command->add_flag("--quiet", options.quiet, "Only what is wrong, and the verdict");
}

void add_compare(CLI::App& program, CompareOptions& options) {
  auto* command = program.add_subcommand("compare", "Puts the conformance of several stores side by side");
  command->add_option("RESULT", options.files, "Files written by conform --json")->required()->type_name("");
  add_page(*command, options);
}

void add_explore(CLI::App& program, ExploreOptions& options) {
  auto* command = program.add_subcommand("explore", "Every sequence of a few operations, until no state is new");
  const auto add_list = [&](const char* name, std::vector<std::string>& list, const char* text) {
    command->add_option(name, list, text)->type_name("LIST")->delimiter(',')->capture_default_str();
  };
  as_number(command->add_option("--documents", options.documents, "Documents in each collection (1 to 8)"), 1, 8)
      ->capture_default_str();
  as_number(command->add_option("--collections", options.collections, "Collections (1 to 4)"), 1, 4)
      ->capture_default_str();
  add_list("--ttls", options.ttls, "What documents are given as ttl");
  add_list("--defaults", options.defaults, "What collections are given as default");
  add_list("--steps", options.steps, "By how many seconds the clock may move");
  command->add_flag("--lazy", options.lazy, "Collections may also be lazy, and their index catches up");
  as_number(command->add_option("--depth", options.depth, "The longest sequence (default: until no state is new)"), 1,
            mayfly::greatest_depth);
  as_time(command->add_option("--time", options.seconds, "For how long at most, such as 30s or 5m"));
  as_time(command->add_option("--timeout", options.timeout, "A store that takes longer hangs (default: 10s)"));
  as_size(command->add_option("--memory", options.memory, "How much memory at most, such as 500M (default: 2G)"));
  add_target(*command, options);
  add_files(*command, options);
}

void add_merge(CLI::App& program, MergeOptions& options) {
  auto* command = program.add_subcommand("merge", "Joins the results of a campaign's shards into one verdict");
  command->add_option("RESULT", options.files, "Files written by check --json")->required()->type_name("");
  add_files(*command, options);
  add_page(*command, options);
}

void add_replay(CLI::App& program, ReplayOptions& options) {
  auto* command = program.add_subcommand("replay", "Runs traces step by step, and checks every answer");
  command->add_option("FILE", options.files, "Traces, in JSON Lines; - is the standard input")
      ->required()
      ->type_name("");
  add_target(*command, options);
  as_time(
      command->add_option("--timeout", options.timeout, "A target that takes longer for a case hangs (default: 10s)"));
  command->add_flag("--quiet", options.quiet, "Show only what is not as it should be");
  add_page(*command, options);
}

void add_smoke(CLI::App& program, SmokeOptions& options) {
  auto* command = program.add_subcommand("smoke", "First contact with a target: what is wrong with its answers");
  add_target(*command, options);
  command->get_option("--target")->required();
  as_time(command->add_option("--timeout", options.timeout, "A target that takes longer hangs (default: 10s)"));
}

void add_defects(CLI::App& program, DefectsOptions& options) {
  auto* command = program.add_subcommand("defects", "Hunts known defects, all of which must be caught");
  command->add_option("ID", options.ids, "Only these defects, or those of a rule or clause (X2.query)")->type_name("");
  command->add_flag("--list", options.list, "Only say what they are");
  as_number(command->add_option("--seeds", options.seeds, "How many hunts for each defect (1 to 1000)"), 1, 1000)
      ->capture_default_str();
  command->add_option("--json", options.json, "Write the result to this file as well")->type_name("FILE");
  command->add_flag("--quiet", options.quiet, "Only the verdict");
}

void add_serve(CLI::App& program, ServeOptions& options) {
  auto* command = program.add_subcommand("serve", "The engine behind the REST surface of Cosmos DB, over HTTP");
  command->add_option("--listen", options.listen, "The address")->type_name("ADDRESS")->capture_default_str();
  as_number(command->add_option("--port", options.port, "The port; 0 picks a free one"), 0, 65'535)
      ->capture_default_str();
  command->add_option("--key", options.key, "The master key, in base64 (default: the emulators')")->type_name("KEY");
  command->add_flag("--no-auth", options.no_auth, "Check no signatures: whoever reaches it may do all");
  command->add_option("--clock", options.clock, "real, virtual, or virtual@START: a second or a date")
      ->type_name("CLOCK")
      ->capture_default_str();
  command->add_option("--data", options.data, "Keep everything in this file, across restarts")->type_name("FILE");
  as_number(command->add_option("--connections", options.connections, "At most so many at a time"), 1, 1'000'000)
      ->capture_default_str();
  as_time(command->add_option("--idle", options.idle, "Close a connection without traffic (default: 65s)"));
}

void add_rules(CLI::App& program, RulesOptions& options) {
  auto* command = program.add_subcommand("rules", "The rules by id, with their level and where each is checked");
  command->add_option("ID", options.ids, "Only these rules, such as X1")->type_name("");
}

// CLI11 would only say that a subcommand is missing.
void reject_unknown_command(const CLI::App& program, const std::string& word) {
  const auto is_it = [&](const CLI::App* command) { return command->get_name() == word; };
  if (word.starts_with('-') || !program.get_subcommands(is_it).empty()) return;
  throw mayfly::InputError(fmt::format("there is no command \"{}\"; mayfly --help lists them", word));
}

Exit run(int argc, char** argv) {
  CLI::App program{"Mayfly simulates and verifies document time-to-live (TTL)."};
  program.name("mayfly");
  program.get_formatter()->column_width(20);
  program.require_subcommand(1);
  program.set_version_flag("--version", MAYFLY_VERSION);
  CheckOptions check_options;
  check_options.program = argv[0];
  ConformOptions conform_options;
  conform_options.program = argv[0];
  CompareOptions compare_options;
  MergeOptions merge_options;
  merge_options.program = argv[0];
  ExploreOptions explore_options;
  explore_options.program = argv[0];
  ReplayOptions replay_options;
  replay_options.program = argv[0];
  DefectsOptions defects_options;
  SmokeOptions smoke_options;
  smoke_options.program = argv[0];
  ServeOptions serve_options;
  RulesOptions rules_options;
  add_check(program, check_options);
  add_conform(program, conform_options);
  add_compare(program, compare_options);
  add_merge(program, merge_options);
  add_explore(program, explore_options);
  add_replay(program, replay_options);
  add_defects(program, defects_options);
  add_smoke(program, smoke_options);
  program.add_subcommand("model-server", "The reference as a target, on standard input");
  add_serve(program, serve_options);
  add_rules(program, rules_options);
  program.footer("In a checkout, ./mayfly test builds and runs every test, ./mayfly bench\nthe benchmarks.");
  if (argc == 1) {
    fmt::print("{}", program.help());
    return Exit::held;
  }
  reject_unknown_command(program, argv[1]);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return static_cast<Exit>(program.exit(error));  // --help, --version
    throw mayfly::InputError(error.what());
  }
  if (program.got_subcommand("check")) return check(check_options);
  if (program.got_subcommand("conform")) return conform(conform_options);
  if (program.got_subcommand("compare")) return compare(compare_options);
  if (program.got_subcommand("merge")) return merge(merge_options);
  if (program.got_subcommand("explore")) return explore(explore_options);
  if (program.got_subcommand("replay")) return replay(replay_options);
  if (program.got_subcommand("defects")) return defects(defects_options);
  if (program.got_subcommand("smoke")) return smoke(smoke_options);
  if (program.got_subcommand("model-server")) return model_server();
  if (program.got_subcommand("serve")) return serve(serve_options);
  return rules(rules_options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Exit exit = run(argc, argv);
    if (std::fflush(stdout) != 0) throw mayfly::InputError("standard output cannot be written");
    return exit == Exit::interrupted && is_interrupted() ? 128 + interrupted : static_cast<int>(exit);
  } catch (const std::runtime_error& error) {  // InputError, or an output that cannot be written
    if (is_interrupted()) return 128 + interrupted;
    fmt::print(stderr, "mayfly: {}\n", error.what());
    return static_cast<int>(Exit::bad_input);
  }
}
