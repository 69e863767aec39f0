#include <cstdio>
#include <deque>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "interrupt.hpp"
#include "mayfly/sim/input_error.hpp"

namespace {

using namespace mayfly::app;

/// In the order of the help.
std::vector<Command> all_commands() {
  return {check_command(),        conform_command(), compare_command(), merge_command(),
          explore_command(),      replay_command(),  defects_command(), smoke_command(),
          model_server_command(), serve_command(),   rules_command()};
}

/// A command as CLI11 has it.
struct Declared {
  Declared(CLI::App& program, const Command& command, const char* called)
      : app(*program.add_subcommand(command.name, command.help)), line(app, called), run(command.declare(line)) {}

  CLI::App& app;
  CommandLine line;
  std::function<Exit()> run;
};

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
  std::deque<Declared> commands;
  for (const Command& command : all_commands()) commands.emplace_back(program, command, argv[0]);
  const auto* options = program.add_subcommand("options", "The options of every command")->group("");
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
  if (options->parsed()) fmt::print("{}", options_document(program));
  for (const Declared& command : commands) {
    if (!command.app.parsed()) continue;
    command.line.ensure_outputs();
    return command.run();
  }
  return Exit::held;
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
