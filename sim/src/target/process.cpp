#include "mayfly/sim/target/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "../process/guard.hpp"
#include "mayfly/sim/process/ending.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/subject.hpp"

namespace mayfly {

namespace {

// An answer to a thousand requests is some hundred kilobytes. Who writes without end is stopped here.
constexpr std::size_t longest_answer = 32 * 1024 * 1024;
constexpr std::size_t most_error_output = 2'000;
constexpr std::size_t most_error_lines = 8;
constexpr double patience_with_an_end = 0.3;    // seconds, for a process that has closed its output
constexpr double patience_once_given_up = 0.3;  // the same
constexpr int tick = 50;                        // milliseconds

[[noreturn]] void throw_errno(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

struct Pipe {
  explicit Pipe(int size = 0) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw_errno("pipe");
    read_end = ends[0];
    write_end = ends[1];
    if (size > 0) ::fcntl(write_end, F_SETPIPE_SZ, size);
  }
  int read_end;
  int write_end;
};

void close_all(std::initializer_list<int> descriptors) {
  for (const int descriptor : descriptors) ::close(descriptor);
}

void close_both_ends(std::initializer_list<const Pipe*> pipes) {
  for (const Pipe* pipe : pipes) close_all({pipe->read_end, pipe->write_end});
}

/// What the other program says, fit to be shown in a terminal.
std::string printable(std::string_view text) {
  std::string shown(text);
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c != '\n' && (c < ' ' || c > '~'); }, '?');
  return shown;
}

std::string_view last_lines(std::string_view text, std::size_t count) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t begin = text.size();
  while (count-- > 0 && begin != std::string_view::npos && begin > 0) begin = text.rfind('\n', begin - 1);
  return begin == std::string_view::npos ? text : text.substr(begin + (begin < text.size() ? 1 : 0));
}

// In the new process. A group of its own keeps the terminal's Ctrl-C from it: to us that would look like a crash.
[[noreturn]] void become(const std::vector<std::string>& words, const Pipe& in, const Pipe& out, const Pipe& err,
                         int failure) {
  ::setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) std::signal(signal, SIG_DFL);
  ::dup2(in.read_end, STDIN_FILENO);
  ::dup2(out.write_end, STDOUT_FILENO);
  ::dup2(err.write_end, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  const int error = errno;
  [[maybe_unused]] const auto written = ::write(failure, &error, sizeof error);
  ::_exit(127);
}

/// Reads what is there, at most a buffer full: false at the end of the file.
bool read_some(int descriptor, std::string& text) {
  std::array<char, 65'536> buffer;
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace

std::string preview(std::string_view text) {
  constexpr std::size_t most = 60;
  const auto first = text.substr(0, text.find('\n'));
  return printable(first.substr(0, most)) + (first.size() > most ? "..." : "");
}

std::vector<std::string> command_words(std::string_view command) {
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const bool is_blank = c == ' ' || c == '\t' || c == '\n';
    if (is_blank && quote == 0) {
      is_in_word = false;
      continue;
    }
    if (!std::exchange(is_in_word, true)) words.emplace_back();
    if (c == quote)
      quote = 0;
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < command.size())
      words.back() += command[++i];
    else
      words.back() += c;
  }
  if (quote != 0) throw InputError(fmt::format("a quote is not closed in {}", command));
  if (words.empty()) throw InputError("no command is named");
  return words;
}

Process::Process(const std::vector<std::string>& words) : owner_(::getpid()) {
  std::signal(SIGPIPE, SIG_IGN);  // who writes to a process that has ended wants to know, not to end as well
  start(words);
}

Process::~Process() {
  if (is_mine()) finish();
  close_all({input_, output_, errors_, control_, ending_});
}

bool Process::is_mine() const { return owner_ == ::getpid(); }

bool Process::is_usable() const { return is_mine() && guard_ > 0; }

void Process::start(const std::vector<std::string>& words) {
  constexpr int size = 1 << 20;  // a case in one piece; if it is refused, in several
  const Pipe in(size), out(size), err, failure, control, ending;
  guard_ = ::fork();
  if (guard_ < 0) throw_errno("fork");
  if (guard_ == 0) {
    close_all({control.write_end, ending.read_end});
    guard(
        {control.read_end, ending.write_end}, [&] { become(words, in, out, err, failure.write_end); },
        [&] {
          close_both_ends({&in, &out, &err, &failure});
        });
  }
  close_all({in.read_end, out.write_end, err.write_end, failure.write_end, control.read_end, ending.write_end});
  input_ = in.write_end;
  output_ = out.read_end;
  errors_ = err.read_end;
  control_ = control.write_end;
  ending_ = ending.read_end;
  for (const int descriptor : {input_, output_, errors_, ending_}) ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
  int error = 0;
  const bool has_failed = ::read(failure.read_end, &error, sizeof error) == sizeof error;
  ::close(failure.read_end);
  if (!has_failed) return;
  finish();
  close_all({input_, output_, errors_, control_, ending_});
  throw InputError(fmt::format("\"{}\" cannot be started: {}", words[0], std::strerror(error)));
}

std::string_view Process::exchange(std::string_view line, const Deadline& deadline) {
  expect_silence();
  std::string text(line);
  text += '\n';
  std::string_view unsent = text;
  while (line_end_ == std::string::npos) {
    wait_for_news(!unsent.empty(), tick);
    if (can_write_) send(unsent);
    if (can_read_) receive();
    receive_errors();
    if (line_end_ == std::string::npos) watch_for_trouble(deadline);
  }
  const auto rest = std::string_view(line_).substr(line_end_ + 1);
  if (!unsent.empty()) fail(fmt::format("answers before it has read the request: {}", preview(line_)));
  if (!rest.empty()) fail(fmt::format("says more than one line to one request: {}", preview(rest)));
  return std::string_view(line_).substr(0, line_end_);
}

void Process::expect_silence() {
  line_.clear();
  line_end_ = std::string::npos;
  receive();
  if (!line_.empty()) fail(fmt::format("says more than it was asked: {}", preview(line_)));
}

void Process::watch_for_trouble(const Deadline& deadline) {
  if (output_is_closed_) fail_ended();
  if (!can_read_ && has_ended()) {
    receive();  // what it wrote in its last moment
    if (line_end_ == std::string::npos) fail_ended();
  }
  if (line_.size() > longest_answer) fail(fmt::format("answers with a line of more than {} MiB", longest_answer >> 20));
  if (Stopwatch::now() > deadline.end) fail(hang_text(deadline.seconds));
  if (is_cancelled(deadline)) fail("was cancelled");
}

// One that answers at once is let go on for a moment, so that a report can be finished.
bool Process::is_cancelled(const Deadline& deadline) {
  const bool is_wanted = !deadline.gives_up || !deadline.gives_up();
  if (is_wanted) given_up_.reset();
  if (is_wanted) return false;
  if (!given_up_) given_up_.emplace();
  return (!can_read_ && !can_write_) || given_up_->seconds() > patience_once_given_up;
}

void Process::wait_for_news(bool wants_to_write, int milliseconds) {
  // A descriptor below zero is left out.
  std::array<pollfd, 3> polled{{{output_is_closed_ ? -1 : output_, POLLIN, 0},
                                {errors_, POLLIN, 0},
                                {wants_to_write ? input_ : -1, POLLOUT, 0}}};
  ::poll(polled.data(), polled.size(), milliseconds);
  can_read_ = polled[0].revents != 0;
  can_write_ = polled[2].revents != 0;
}

void Process::send(std::string_view& text) {
  const ssize_t count = ::write(input_, text.data(), text.size());
  if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  if (count < 0 && errno == EPIPE) text = {};  // it listens no more; whether it has answered is seen elsewhere
}

void Process::receive() {
  const std::size_t before = line_.size();
  output_is_closed_ = !read_some(output_, line_);
  if (line_end_ == std::string::npos) line_end_ = line_.find('\n', before);
}

void Process::receive_errors() {
  if (errors_ < 0) return;
  if (!read_some(errors_, last_errors_)) ::close(std::exchange(errors_, -1));
  if (last_errors_.size() > most_error_output) last_errors_.erase(0, last_errors_.size() - most_error_output);
}

// A guard that ended without a word was killed, and the target with it.
bool Process::has_ended() {
  if (has_ended_) return true;
  const ssize_t count = ::read(ending_, &status_, sizeof status_);
  if (count == 0) status_ = SIGKILL;
  has_ended_ = count == 0 || count == sizeof status_;
  return has_ended_;
}

void Process::fail_ended() {
  const double until = Stopwatch::now() + patience_with_an_end;
  while (!has_ended() && Stopwatch::now() < until) {
    wait_for_news(false, 1);
    receive_errors();
  }
  const std::string ending = has_ended() ? ending_text(status_) : "closed its standard output";
  fail(line_.empty() ? ending : fmt::format("{} in the middle of an answer", ending));
}

void Process::fail(const std::string& what) {
  receive_errors();
  finish();
  const auto errors = last_lines(last_errors_, most_error_lines);
  std::string text = what;
  if (!errors.empty()) text += fmt::format("\nits last error output:\n{}", printable(errors));
  throw StoreFailure(text);
}

void Process::finish() {
  if (guard_ <= 0) return;
  [[maybe_unused]] const auto written = ::write(control_, "", 1);
  while (::waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
  guard_ = 0;
}

}  // namespace mayfly
