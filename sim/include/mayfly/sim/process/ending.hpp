#pragma once

#include <string>
#include <string_view>

// Texts about how a process ended.

namespace mayfly {

/// "did not answer within 10 s".
std::string timeout_text(double seconds);

/// Whether the text begins as `timeout_text` does.
bool is_timeout_text(std::string_view text);

/// "aborted (signal 6)" or "exited with status 3", from a wait status.
std::string ending_text(int wait_status);

}  // namespace mayfly
