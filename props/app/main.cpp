#include <algorithm>
#include <cstdio>
#include <deque>
#include <sstream>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "interrupt.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/input_error.hpp"
#include "terminal.hpp"
#include "unknown_word.hpp"

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

/// Help that fits the terminal.
struct HelpFormatter : CLI::Formatter {
  HelpFormatter() { column_width(20); }

  std::string make_option_desc(const CLI::Option* option) const override {
    return in_column(option->get_description());
  }

  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_name(), in_column(command->get_description()), get_column_width());
    return out.str();
  }

  std::string in_column(const std::string& text) const {
    return mayfly::folded(text, 0, " ", prose_width() - get_column_width());
  }
};

// CLI11 would only say that a subcommand is missing.
void reject_unknown_command(const CLI::App& program, const std::string& word) {
  if (word.starts_with('-')) {
    if (!program.get_option_no_throw(word))
      throw unknown_word("option", word, option_names(program),
                         "mayfly --help lists the commands, and mayfly COMMAND --help their options");
    return;
  }
  std::vector<std::string> commands;
  for (const CLI::App* command : program.get_subcommands({})) commands.push_back(command->get_name());
  if (std::find(commands.begin(), commands.end(), word) == commands.end())
    throw unknown_word("command", word, commands, "mayfly --help lists the commands");
}

void parse(CLI::App& program, int argc, char** argv) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    throw unexpected_words(*program.get_subcommands().front(), {argv + 2, argv + argc});
  } catch (const CLI::ArgumentMismatch& error) {  // "--seed: 1 required SEED missing"
    const std::string_view text = error.what();
    throw mayfly::InputError(fmt::format("{} {}", text.substr(0, text.find(':')),
                                         text.ends_with("missing") ? "needs a value" : "can be given only once"));
  }
}

Exit run(int argc, char** argv) {
  CLI::App program{"Mayfly simulates and verifies document time-to-live (TTL)."};
  program.name("mayfly");
  program.formatter(std::make_shared<HelpFormatter>());
  program.require_subcommand(1);
  program.set_version_flag("-v,--version", MAYFLY_VERSION, "Print the version and exit");
  std::deque<Declared> commands;
  for (const Command& command : all_commands()) commands.emplace_back(program, command, argv[0]);
  const auto* options = program.add_subcommand("options", "The options of every command")->group("");
  const auto* completion = program.add_subcommand("completion", "Tab completion for bash")->group("");
  program.footer(mayfly::folded(
      "In a checkout, ./mayfly test builds and runs every test, ./mayfly bench the benchmarks. For tab completion in "
      "bash: source <(./mayfly completion)",
      0, " ", prose_width()));
  if (argc == 1) {
    fmt::print("{}", program.help());
    return Exit::held;
  }
  reject_unknown_command(program, argv[1]);
  try {
    parse(program, argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return static_cast<Exit>(program.exit(error));  // --help, --version
    throw mayfly::InputError(error.what());
  }
  if (options->parsed()) fmt::print("{}", options_document(program));
  if (completion->parsed()) fmt::print("{}", completion_script(program));
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
