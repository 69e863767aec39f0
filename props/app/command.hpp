#pragma once

#include <CLI/App.hpp>

// The commands, one file each. Each adds its options to the program and leaves its exit code behind when it has run.

namespace mayfly::app {

/// What the program exits with, for every command.
enum class Exit : int { held = 0, violation = 1, bad_input = 2, interrupted = 130 };

void add_check(CLI::App& program, Exit& exit);
void add_replay(CLI::App& program, Exit& exit);
void add_rules(CLI::App& program, Exit& exit);

}  // namespace mayfly::app
