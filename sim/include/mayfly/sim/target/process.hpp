#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "mayfly/sim/stopwatch.hpp"

namespace mayfly {

/// The words of a command, as a shell splits them: blanks separate, quotes and backslashes keep together. Nothing else
/// of a shell: it would stand between us and the program, hide how it ended, and outlive it. Throws InputError.
std::vector<std::string> command_words(std::string_view command);

/// The beginning of what another program says, fit to be shown in a message.
std::string preview(std::string_view text);

/// By when something has to be done, and how long that was in the beginning; or until somebody gives up on it.
struct Deadline {
  double seconds = 0;
  double end = Stopwatch::now() + seconds;
  std::function<bool()> gives_up = {};
};

/// A program that answers a line with a line. It ends with this process at the latest, and so does all that it has
/// started: a guard sees to that (sim/src/process/guard.hpp).
///
/// A process that was forked from the one that started it must only destroy it.
class Process {
 public:
  /// Throws InputError if it cannot be started.
  explicit Process(const std::vector<std::string>& words);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  /// Writes a line and returns the one that answers it, both without a newline, valid until the next call. Throws
  /// StoreFailure if there is none by then, or more than one; the process is at its end then.
  std::string_view exchange(std::string_view line, const Deadline& deadline);

  /// Ends it, and throws StoreFailure: what happened, and the last it wrote to its standard error.
  [[noreturn]] void fail(const std::string& what);

  /// Whether it still answers, and to this process.
  bool is_usable() const;

 private:
  bool is_mine() const;
  void start(const std::vector<std::string>& words);
  void expect_silence();
  void watch_for_trouble(const Deadline& deadline);
  bool is_cancelled(const Deadline& deadline);
  void send(std::string_view& text);
  void receive();
  void receive_errors();
  void wait_for_news(bool wants_to_write, int milliseconds);
  bool has_ended();
  [[noreturn]] void fail_ended();
  void finish();

  pid_t guard_ = 0;
  pid_t owner_ = 0;
  int input_ = -1;  ///< its standard input, and so on
  int output_ = -1;
  int errors_ = -1;
  int control_ = -1;  ///< tells the guard to end it
  int ending_ = -1;   ///< gets how it ended
  bool can_write_ = false;
  bool can_read_ = false;
  bool output_is_closed_ = false;
  bool has_ended_ = false;
  int status_ = 0;
  std::optional<Stopwatch> given_up_;  ///< since when
  std::string line_;
  std::size_t line_end_ = 0;
  std::string last_errors_;
};

}  // namespace mayfly
