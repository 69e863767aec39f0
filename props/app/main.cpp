#include <cstdio>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "mayfly/sim/input_error.hpp"

namespace {

using mayfly::app::Exit;

// CLI11 would only say that a subcommand is missing.
void reject_unknown_command(const CLI::App& program, const std::string& word) {
  const auto is_it = [&](const CLI::App* command) { return command->get_name() == word; };
  if (word.starts_with('-') || !program.get_subcommands(is_it).empty()) return;
  throw mayfly::InputError(fmt::format("there is no command \"{}\"; mayfly --help lists them", word));
}

Exit run(int argc, char** argv) {
  CLI::App program{"Mayfly simulates and verifies document time-to-live (TTL)."};
  program.name("mayfly");
  program.require_subcommand(1);
  program.set_version_flag("--version", MAYFLY_VERSION);
  Exit exit = Exit::held;
  mayfly::app::add_check(program, exit);
  mayfly::app::add_replay(program, exit);
  mayfly::app::add_rules(program, exit);
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
  return exit;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Exit exit = run(argc, argv);
    if (std::fflush(stdout) != 0) throw mayfly::InputError("standard output cannot be written");
    return static_cast<int>(exit);
  } catch (const std::runtime_error& error) {  // InputError, or an output that cannot be written
    fmt::print(stderr, "mayfly: {}\n", error.what());
    return static_cast<int>(Exit::bad_input);
  }
}
