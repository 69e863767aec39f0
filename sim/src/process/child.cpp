#include "mayfly/sim/process/child.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <typeinfo>
#include <unistd.h>

#include <boost/core/demangle.hpp>

#include "guard.hpp"
#include "mayfly/sim/process/ending.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace mayfly {

namespace {

using Lifetime = Child::Lifetime;

// Guards of the child's targets may outlive the child by milliseconds. For any other process that holds its pipe, such
// as one forked by a store in the child, this process waits no longer than this.
constexpr double seconds_for_guards = 5;

constexpr int most_bytes_in_a_pipe =
    1 << 20;  // room for a whole case; if the system refuses it, a case is written in several pieces

/// The program's ends of the pipes.
struct ProgramEnds {
  Descriptor input, output, errors;  ///< closed if its streams are inherited
  Descriptor failure;                ///< receives the error if the program cannot be started
};

/// The same ends as numbers, for the child of a guard, which owns no descriptor.
struct ProgramNumbers {
  explicit ProgramNumbers(const ProgramEnds& ends)
      : input(ends.input.number()),
        output(ends.output.number()),
        errors(ends.errors.number()),
        failure(ends.failure.number()) {}
  int input, output, errors, failure;
};

Child::Pipes make_pipes(ProgramEnds& ends) {
  Pipe in(most_bytes_in_a_pipe), out(most_bytes_in_a_pipe), err;
  ends.input = std::move(in.read_end);
  ends.output = std::move(out.write_end);
  ends.errors = std::move(err.write_end);
  for (const auto* own : {&in.write_end, &out.read_end, &err.read_end}) own->stop_blocking();
  return {std::move(in.write_end), std::move(out.read_end), std::move(err.read_end)};
}

// In the new process. Calls with a negative descriptor, which means none, fail without harm.
void become(const std::vector<std::string>& words, const ProgramNumbers& ends) {
  ::dup2(ends.input, STDIN_FILENO);
  ::dup2(ends.output >= 0 ? ends.output : STDERR_FILENO, STDOUT_FILENO);
  ::dup2(ends.errors, STDERR_FILENO);
  std::signal(SIGPIPE, SIG_DFL);
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  const int error = errno;
  [[maybe_unused]] const auto written = ::write(ends.failure, &error, sizeof error);
  ::_exit(127);
}

/// 0 if the program was started.
int error_of_start(const Descriptor& failure) {
  int error = 0;
  ssize_t count = 0;
  do {
    count = ::read(failure.number(), &error, sizeof error);
  } while (count < 0 && errno == EINTR);
  return count == sizeof error ? error : 0;
}

// In the new process.
void separate_from(pid_t parent, Lifetime lifetime) {
  if (lifetime == Lifetime::outlives) ::setsid();
  if (lifetime != Lifetime::with_parent) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent died before the call of prctl
}

constexpr int threw = -1;  // neither a result nor a wait status
constexpr std::size_t longest_report = 2'000;

void write_report(int report, int number, const std::string& text = {}) {
  std::string bytes(reinterpret_cast<const char*>(&number), sizeof number);
  bytes += text.substr(0, longest_report);
  [[maybe_unused]] const auto written = ::write(report, bytes.data(), bytes.size());
}

/// `noexcept`, because an exception must not reach the parent's functions further up the stack.
[[noreturn]] void run_to_the_end(const std::function<void(int report)>& run, int report) noexcept {
  run(report);
  ::_exit(0);
}

}  // namespace

Child::Child(const std::function<int()>& work, Lifetime lifetime) : lifetime_(lifetime) { run_work(work, {}); }

Child::Child(const std::function<int(Channel&)>& work) : lifetime_(Lifetime::with_parent) {
  SocketPair sockets;
  const auto converse = [&] {
    Channel channel(std::move(sockets.childs));
    return work(channel);
  };
  run_work(converse, {&sockets.childs});
  channel_ = Channel(std::move(sockets.parents));
}

Child::Child(const std::vector<std::string>& words, Lifetime lifetime, Streams streams)
    : lifetime_(lifetime), is_program_(true) {
  assert(lifetime != Lifetime::outlives && !words.empty());
  ProgramEnds ends;
  if (streams == Streams::piped) pipes_ = make_pipes(ends);
  Pipe failure;
  ends.failure = std::move(failure.write_end);
  std::vector<Descriptor*> its_ends{&ends.input, &ends.output, &ends.errors, &ends.failure};
  if (lifetime == Lifetime::with_parent) {
    start(its_ends, [&](int) { become(words, ProgramNumbers(ends)); });
  } else {
    SocketPair control;
    its_ends.push_back(&control.childs);
    start(its_ends, [&](int report) {
      const ProgramNumbers numbers(ends);
      guard(
          control.childs.number(), report, [&] { become(words, numbers); }, [&] { ends = {}; });
    });
    control_ = std::move(control.parents);
  }
  ends = {};
  if (const int error = error_of_start(failure.read_end); error != 0) {
    kill();
    throw std::system_error(error, std::generic_category());
  }
}

Child& Child::operator=(Child&& other) noexcept {
  if (this == &other) return *this;
  std::destroy_at(this);
  return *std::construct_at(this, std::move(other));
}

Child::~Child() {
  if (lifetime_ != Lifetime::outlives) kill();
}

void Child::run_work(const std::function<int()>& work, const std::vector<Descriptor*>& its_ends) {
  assert(lifetime_ != Lifetime::guarded);
  std::fflush(nullptr);  // otherwise a store that calls exit() would print it a second time
  start(its_ends, [&](int report) {
    // Ctrl-C reaches every process of a terminal: the parent decides what happens to this one.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    try {
      write_report(report, static_cast<unsigned char>(work()));
    } catch (const std::exception& error) {
      write_report(report, threw, boost::core::demangle(typeid(error).name()) + ": " + error.what());
    }
  });
}

void Child::start(const std::vector<Descriptor*>& its_ends, const std::function<void(int report)>& run) {
  Pipe report;
  report.read_end.stop_blocking();
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process_ == 0) {
    if (lifetime_ == Lifetime::outlives) Descriptor::close_passed_on();
    report.write_end.pass_on();
    for (auto* end : its_ends) end->pass_on();
    Descriptor::close_inherited();
    separate_from(parent, lifetime_);
    run_to_the_end(run, report.write_end.number());
  }
  report_ = std::move(report.read_end);
  const long end = ::syscall(SYS_pidfd_open, process_, 0);
  if (end >= 0) end_ = Descriptor(static_cast<int>(end));
}

bool Child::has_ended(int milliseconds) {
  if (!is_watched()) return true;
  const double until =
      milliseconds < 0 ? std::numeric_limits<double>::infinity() : Stopwatch::now() + milliseconds / 1e3;
  for (;;) {
    reap();
    listen();  // after `reap`, otherwise the last report could be missed
    if (is_over()) break;
    const double left = until - Stopwatch::now();
    if (left <= 0) return false;
    wait_for_news(left);
  }
  if (!status_) status_ = SIGKILL;  // a guard that reported nothing was killed, and the target with it
  report_.close();
  end_.close();
  return true;
}

void Child::kill() {
  if (!is_watched()) return;
  if (control_.is_open())
    ::shutdown(control_.number(), SHUT_RDWR);
  else if (!is_reaped_)
    ::kill(process_, SIGKILL);
  has_ended(-1);
}

std::optional<int> Child::result() const {
  if (!is_program_) return reported() == threw ? std::nullopt : reported();
  return status_ && WIFEXITED(*status_) ? std::optional(WEXITSTATUS(*status_)) : std::nullopt;
}

std::string Child::ending() const {
  if (reported() == threw) return "threw " + report_text_.substr(sizeof threw);
  return status_ ? ending_text(*status_) : "";
}

std::optional<int> Child::reported() const {
  int number = 0;
  if (report_text_.size() < sizeof number) return std::nullopt;
  std::memcpy(&number, report_text_.data(), sizeof number);
  return number;
}

void Child::reap() {
  int status = 0;
  if (is_reaped_ || ::waitpid(process_, &status, WNOHANG) == 0) return;
  is_reaped_ = true;
  reaped_at_ = Stopwatch::now();
  if (lifetime_ != Lifetime::guarded) status_ = status;
}

void Child::listen() {
  std::array<char, 256> bytes;
  ssize_t count = 0;
  while ((count = ::read(report_.number(), bytes.data(), bytes.size())) > 0)
    report_text_.append(bytes.data(), static_cast<std::size_t>(count));
  report_is_closed_ = count == 0;
  if (lifetime_ == Lifetime::guarded) status_ = reported();
}

bool Child::is_over() const {
  if (!is_reaped_ || lifetime_ == Lifetime::guarded) return is_reaped_;
  return report_is_closed_ || Stopwatch::now() - reaped_at_ > seconds_for_guards;
}

void Child::wait_for_news(double seconds) const {
  const bool is_blind = report_is_closed_ && !end_.is_open();
  const double most = is_blind ? 0.001 : 1;
  pollfd news[]{{report_is_closed_ ? -1 : report_.number(), POLLIN, 0}, {is_reaped_ ? -1 : end_.number(), POLLIN, 0}};
  ::poll(news, 2, static_cast<int>(std::min(seconds, most) * 1000) + 1);
}

}  // namespace mayfly
