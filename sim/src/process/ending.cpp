#include "mayfly/sim/process/ending.hpp"

#include <csignal>
#include <cstring>
#include <sys/wait.h>

#include <fmt/format.h>

namespace mayfly {

std::string timeout_text(double seconds) { return fmt::format("did not answer within {:g} s", seconds); }

bool is_timeout_text(std::string_view text) { return text.starts_with("did not answer within "); }

std::string ending_text(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return fmt::format("exited with status {}", WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  const char* name = ::sigabbrev_np(signal);
  return fmt::format("{} (signal {})",
                     signal == SIGABRT ? "aborted" : fmt::format("crashed with SIG{}", name ? name : "?"), signal);
}

}  // namespace mayfly
