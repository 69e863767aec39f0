#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mayfly/sim/process/child.hpp"
#include "mayfly/sim/process/deadline.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace mayfly {

/// A program that answers a line with a line. It ends with this process at the latest, and so do all processes that it
/// has started.
///
/// In a forked process, the inherited object can only be destroyed.
class Process {
 public:
  /// Throws InputError if it cannot be started.
  explicit Process(const std::vector<std::string>& words);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Writes a line and returns the one that answers it, both without a newline, valid until the next call. Ends the
  /// process and throws StoreFailure if there is no answer by the deadline, one of more than `most_bytes`, or more than
  /// one.
  std::string_view exchange(std::string_view line, const Deadline& deadline, std::size_t most_bytes);

  /// Ends the process, and throws StoreFailure with `what` and the last output on its standard error.
  [[noreturn]] void fail(const std::string& what);

  /// Whether requests can be sent: the process was started by this one and has not failed.
  bool is_usable() const { return child_.pipes().input.is_open(); }

 private:
  void expect_silence();
  void watch_for_trouble(const Deadline& deadline, std::size_t most_bytes);
  bool has_to_stop(const Deadline& deadline);
  void send(std::string_view& text);
  void receive();
  void receive_errors();
  void wait_for_news(bool wants_to_write, int milliseconds);
  [[noreturn]] void fail_ended();

  Child child_;
  bool can_write_ = false;
  bool can_read_ = false;
  bool output_is_closed_ = false;
  std::optional<Stopwatch> cancelled_;  ///< since when
  std::string line_;
  std::size_t line_end_ = 0;
  std::string last_errors_;
};

}  // namespace mayfly
