#include "mayfly/sim/target/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/preview.hpp"
#include "mayfly/sim/process/ending.hpp"
#include "mayfly/sim/subject.hpp"

namespace mayfly {

namespace {

constexpr std::size_t most_error_output = 2'000;
constexpr std::size_t most_error_lines = 8;
constexpr double seconds_for_an_end = 0.3;      // for a target that has closed its output
constexpr double seconds_once_cancelled = 0.3;  // the same
constexpr int tick = 50;                        // milliseconds

std::string_view last_lines(std::string_view text, std::size_t count) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t begin = text.size();
  while (count-- > 0 && begin != std::string_view::npos && begin > 0) begin = text.rfind('\n', begin - 1);
  return begin == std::string_view::npos ? text : text.substr(begin + (begin < text.size() ? 1 : 0));
}

/// Reads what is there, at most a buffer full: false at the end of the file.
bool read_some(const Descriptor& descriptor, std::string& text) {
  std::array<char, 65'536> buffer;
  const ssize_t count = ::read(descriptor.number(), buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

Child started(const std::vector<std::string>& words) {
  try {
    return Child(words, Child::Lifetime::guarded, Child::Streams::piped);
  } catch (const std::system_error& error) {
    throw InputError(fmt::format("\"{}\" cannot be started: {}", words[0], error.code().message()));
  }
}

}  // namespace

Process::Process(const std::vector<std::string>& words) : child_(started(words)) {
  std::signal(SIGPIPE, SIG_IGN);  // a write to a process that has ended fails, and does not end this one as well
}

std::string_view Process::exchange(std::string_view line, const Deadline& deadline, std::size_t most_bytes) {
  expect_silence();
  std::string text(line);
  text += '\n';
  std::string_view unsent = text;
  while (line_end_ == std::string::npos) {
    wait_for_news(!unsent.empty(), tick);
    if (can_write_) send(unsent);
    if (can_read_) receive();
    receive_errors();
    if (line_end_ == std::string::npos) watch_for_trouble(deadline, most_bytes);
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

void Process::watch_for_trouble(const Deadline& deadline, std::size_t most_bytes) {
  if (output_is_closed_) fail_ended();
  if (!can_read_ && child_.has_ended()) {
    receive();  // what it wrote just before its end
    if (line_end_ == std::string::npos) fail_ended();
  }
  if (line_.size() > most_bytes) fail(fmt::format("answers with a line of more than {} MiB", most_bytes >> 20));
  if (deadline.has_passed()) fail(timeout_text(deadline.seconds));
  if (has_to_stop(deadline)) fail("was cancelled");
}

// A cancelled target that answers at once may go on for a moment, so that a report can be finished.
bool Process::has_to_stop(const Deadline& deadline) {
  if (!deadline.is_cancelled()) {
    cancelled_.reset();
    return false;
  }
  if (!cancelled_) cancelled_.emplace();
  return (!can_read_ && !can_write_) || cancelled_->seconds() > seconds_once_cancelled;
}

void Process::wait_for_news(bool wants_to_write, int milliseconds) {
  const auto& [input, output, errors] = child_.pipes();
  // A descriptor below zero is left out.
  std::array<pollfd, 3> polled{{{output_is_closed_ ? -1 : output.number(), POLLIN, 0},
                                {errors.number(), POLLIN, 0},
                                {wants_to_write ? input.number() : -1, POLLOUT, 0}}};
  ::poll(polled.data(), polled.size(), milliseconds);
  can_read_ = polled[0].revents != 0;
  can_write_ = polled[2].revents != 0;
}

void Process::send(std::string_view& text) {
  const ssize_t count = ::write(child_.pipes().input.number(), text.data(), text.size());
  if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  if (count < 0 && errno == EPIPE) text = {};  // it listens no more; whether it has answered is seen elsewhere
}

void Process::receive() {
  const std::size_t before = line_.size();
  output_is_closed_ = !read_some(child_.pipes().output, line_);
  if (line_end_ == std::string::npos) line_end_ = line_.find('\n', before);
}

void Process::receive_errors() {
  Descriptor& errors = child_.pipes().errors;
  if (!errors.is_open()) return;
  if (!read_some(errors, last_errors_)) errors.close();
  if (last_errors_.size() > most_error_output) last_errors_.erase(0, last_errors_.size() - most_error_output);
}

void Process::fail_ended() {
  const double until = Stopwatch::now() + seconds_for_an_end;
  while (!child_.has_ended(1) && Stopwatch::now() < until) receive_errors();
  const std::string ending = child_.ending().empty() ? "closed its standard output" : child_.ending();
  fail(line_.empty() ? ending : fmt::format("{} in the middle of an answer", ending));
}

void Process::fail(const std::string& what) {
  receive_errors();
  child_.kill();
  child_.pipes().input.close();  // it is not usable any more
  const auto errors = last_lines(last_errors_, most_error_lines);
  std::string text = what;
  if (!errors.empty()) text += fmt::format("\nits last error output:\n{}", printable(errors));
  throw StoreFailure(text);
}

}  // namespace mayfly
