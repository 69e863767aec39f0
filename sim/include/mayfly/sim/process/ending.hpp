#pragma once

#include <string>
#include <string_view>

// How a process ended, in words.

namespace mayfly {

/// "did not answer within 10 s".
std::string hang_text(double most_seconds);

/// Whether it is that of a process that hung, with whatever follows.
bool is_hang_text(std::string_view text);

/// "aborted (signal 6)", by what waitpid says; nothing if it exited by itself.
std::string crash_text(int wait_status);

/// The same, or "exited with status 3".
std::string ending_text(int wait_status);

}  // namespace mayfly
