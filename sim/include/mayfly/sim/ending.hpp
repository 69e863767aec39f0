#pragma once

#include <string>

// How a process ended, in words.

namespace mayfly {

/// "did not answer within 10 s".
std::string hang_text(double most_seconds);

/// "aborted (signal 6)", by what waitpid says; nothing if it exited by itself.
std::string crash_text(int wait_status);

/// The same, or "exited with status 3".
std::string ending_text(int wait_status);

}  // namespace mayfly
