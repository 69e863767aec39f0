#pragma once

#include <functional>
#include <memory>

#include "command_line.hpp"

// The commands, one file each, in which its options are declared too.

namespace mayfly::app {

/// The exit codes of every command.
enum class Exit : int { held = 0, violation = 1, bad_input = 2, inconclusive = 3, interrupted = 130 };

struct Command {
  const char* name;
  const char* help;
  /// Declares the options. Returns the function that runs the command after they are parsed.
  std::function<std::function<Exit()>(CommandLine&)> declare;
};

/// A command whose options are fields of `Options`.
template <class Options>
Command command(const char* name, const char* help, void (*declare)(CommandLine&, Options&),
                Exit (*run)(const Options&, const CommandLine&)) {
  return {name, help, [=](CommandLine& line) {
            const auto options = std::make_shared<Options>();
            declare(line, *options);
            return [=, &line] { return run(*options, line); };
          }};
}

Command check_command();
Command conform_command();
Command compare_command();
Command merge_command();
Command explore_command();
Command replay_command();
Command defects_command();
Command smoke_command();
Command model_server_command();
Command serve_command();
Command rules_command();

}  // namespace mayfly::app
