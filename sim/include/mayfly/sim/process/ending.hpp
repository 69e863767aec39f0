#pragma once

#include <string>
#include <string_view>

// How a process ended, in words.

namespace mayfly {

/// "did not answer within 10 s".
std::string timeout_text(double seconds);

/// Whether it is the text of a timeout, with whatever follows.
bool is_timeout_text(std::string_view text);

/// "aborted (signal 6)" or "exited with status 3", by the status that waitpid gives.
std::string ending_text(int wait_status);

}  // namespace mayfly
