#include "mayfly/sim/process/child.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <doctest/doctest.h>

// Processes that end in every possible way, and their remains.

namespace mayfly::test {

namespace {

using Lifetime = Child::Lifetime;
using Streams = Child::Streams;
using Words = std::vector<std::string>;

constexpr int long_enough = 20'000;  // milliseconds

/// A pipe that every process inherits that is started while this object lives, programs included. So it shows when all
/// of them have ended.
class Survivors {
 public:
  Survivors() { REQUIRE(::pipe(ends_.data()) == 0); }
  ~Survivors() {
    forget_own_end();
    ::close(ends_[0]);
  }
  Survivors(const Survivors&) = delete;
  Survivors& operator=(const Survivors&) = delete;

  /// Waits until all of them have ended.
  bool are_gone() {
    forget_own_end();
    pollfd waiting{ends_[0], POLLIN, 0};
    return ::poll(&waiting, 1, long_enough) > 0;
  }

  bool are_there() {
    forget_own_end();
    pollfd waiting{ends_[0], POLLIN, 0};
    return ::poll(&waiting, 1, 0) == 0;
  }

 private:
  void forget_own_end() {
    if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
  }

  std::array<int, 2> ends_{};
};

/// The test framework's crash handlers are useless in a child.
[[noreturn]] void crash(int signal) {
  std::signal(signal, SIG_DFL);
  ::raise(signal);
  std::abort();
}

std::string read_text(const Descriptor& from) {
  pollfd waiting{from.number(), POLLIN, 0};
  ::poll(&waiting, 1, long_enough);
  std::array<char, 100> buffer;
  const ssize_t count = ::read(from.number(), buffer.data(), buffer.size());
  return count > 0 ? std::string(buffer.data(), static_cast<std::size_t>(count)) : "";
}

/// A shell that starts a process with a session of its own, prints "ready", and then executes the rest.
Words with_a_deserter(const std::string& rest) { return {"sh", "-c", "(setsid sleep 1000 &) ; echo ready; " + rest}; }

}  // namespace

TEST_CASE("a child's result is the value that its work returns") {
  for (const int result : {0, 1, 255}) {
    Child child([=] { return result; });
    REQUIRE(child.has_ended(long_enough));
    CHECK(child.result() == result);
    CHECK(child.has_ended());
  }
}

TEST_CASE("a child that ends before its work is done has crashed, even by exit(0)") {
  const auto ending_of = [](const std::function<int()>& work) {
    Child child(work);
    REQUIRE(child.has_ended(long_enough));
    CHECK_FALSE(child.result());
    return child.ending();
  };
  CHECK(ending_of([]() -> int { crash(SIGABRT); }) == "aborted (signal 6)");
  CHECK(ending_of([]() -> int { crash(SIGSEGV); }) == "crashed with SIGSEGV (signal 11)");
  CHECK(ending_of([]() -> int { std::_Exit(0); }) == "exited with status 0");
  CHECK(ending_of([]() -> int { std::_Exit(3); }) == "exited with status 3");
  CHECK(ending_of([]() -> int { ::execlp("true", "true", nullptr), ::_exit(9); }) == "exited with status 0");
  CHECK(ending_of([]() -> int { throw std::runtime_error("an exception does not leave the child"); }) ==
        "threw std::runtime_error: an exception does not leave the child");
}

TEST_CASE("a child that exceeds its timeout is killed") {
  Survivors survivors;
  Child child([] { return ::pause(); });
  const Stopwatch watch;
  CHECK_FALSE(child.has_ended(100));
  CHECK(watch.seconds() >= 0.1);
  CHECK(child.ending().empty());
  CHECK(survivors.are_there());
  child.kill();
  CHECK(child.has_ended());
  CHECK_FALSE(child.result());
  CHECK(child.ending() == "crashed with SIGKILL (signal 9)");
  CHECK(survivors.are_gone());
}

TEST_CASE("a child is killed when its object is destroyed or replaced, but not when it is moved") {
  Survivors survivors;
  {
    Child child([] { return ::pause(); });
    const Child moved(std::move(child));
    CHECK(survivors.are_there());
  }
  CHECK(survivors.are_gone());
  Survivors others;
  Child child([] { return ::pause(); });
  CHECK(others.are_there());
  child = Child([] { return 7; });
  CHECK(others.are_gone());
  CHECK(child.has_ended(long_enough));
  CHECK(child.result() == 7);
}

TEST_CASE("an interrupt from the terminal does not end a child") {
  Child child([](Channel& parent) {
    for (const int signal : {SIGINT, SIGTERM}) ::raise(signal);
    return parent.send("still there") ? 0 : 1;
  });
  CHECK(child.channel().read_line() == "still there");
  CHECK(child.has_ended(long_enough));
  CHECK(child.result() == 0);
}

TEST_CASE("a process and its child send each other lines, until one of them ends") {
  Child child([](Channel& parent) {
    while (const auto line = parent.read_line())
      if (!parent.send(*line + *line)) return 1;
    return 5;
  });
  const std::string large(300'000, 'x');
  for (const std::string& line : {std::string("a"), std::string(), large}) {
    CHECK(child.channel().send(line));
    CHECK(child.channel().read_line({.seconds = 20}) == line + line);
  }
  child.channel() = {};
  CHECK(child.has_ended(long_enough));
  CHECK(child.result() == 5);
}

TEST_CASE("reading a line waits until the deadline passes or is cancelled") {
  Child child([](Channel&) { return ::pause(); });
  const Stopwatch watch;
  CHECK_FALSE(child.channel().read_line({.seconds = 0.1}));
  CHECK(watch.seconds() >= 0.1);
  int asked = 0;
  CHECK_FALSE(child.channel().read_line({.seconds = 1000, .cancel_when = [&] { return ++asked == 3; }}));
  CHECK(asked == 3);
  CHECK(watch.seconds() < 20);
  child.kill();
  CHECK_FALSE(child.channel().read_line());
}

TEST_CASE("lines that a child sent before it was killed are received") {
  Child child([](Channel& parent) {
    parent.send("first\nsecond");
    return ::pause();
  });
  CHECK(child.channel().has_news(long_enough));
  child.kill();
  CHECK(child.channel().read_line() == "first");
  CHECK(child.channel().read_line() == "second");
  CHECK_FALSE(child.channel().read_line());
}

TEST_CASE("no child holds another child's channel open") {
  const auto wait_for_the_end = [](Channel& parent) { return parent.read_line() ? 1 : 0; };
  Child first(wait_for_the_end);
  Child second(wait_for_the_end);
  Child program({"sleep", "1000"}, Lifetime::guarded, Streams::piped);
  first.channel() = {};
  CHECK(first.has_ended(long_enough));
  CHECK(first.result() == 0);
}

TEST_CASE("children are killed with their parent, and so is every process of their targets") {
  Survivors survivors;
  Child parent([](Channel& test) {
    Child worker([](Channel& grandparent) {
      Child target(with_a_deserter("exec sleep 1000"), Lifetime::guarded, Streams::piped);
      read_text(target.pipes().output);
      grandparent.send("ready");
      return ::pause();
    });
    test.send(worker.channel().read_line().value_or("nothing"));
    return ::pause();
  });
  REQUIRE(parent.channel().read_line({.seconds = 20}) == "ready");
  CHECK(survivors.are_there());
  ::kill(parent.process(), SIGKILL);
  CHECK(parent.has_ended(long_enough));
  CHECK(survivors.are_gone());
}

TEST_CASE("an outliving child keeps running when its parent is killed or its object destroyed") {
  int until[2];
  REQUIRE(::pipe(until) == 0);
  Survivors survivors;
  const auto wait_for_the_end = [&] {
    ::close(until[1]);
    char byte = 0;
    return static_cast<int>(::read(until[0], &byte, 1));
  };
  Child parent([&](Channel& test) {
    Child left(wait_for_the_end, Lifetime::outlives);
    test.send("started");
    return ::pause();
  });
  { const Child other(wait_for_the_end, Lifetime::outlives); }
  REQUIRE(parent.channel().read_line({.seconds = 20}) == "started");
  parent.kill();
  CHECK(survivors.are_there());
  ::close(until[1]);
  CHECK(survivors.are_gone());
  ::close(until[0]);
}

TEST_CASE("a program ends with an exit status, or cannot be started") {
  const auto run = [](const Words& words) {
    Child child(words, Lifetime::with_parent, Streams::inherited);
    REQUIRE(child.has_ended(long_enough));
    return child.result();
  };
  CHECK(run({"true"}) == 0);
  CHECK(run({"sh", "-c", "exit 7"}) == 7);
  CHECK_FALSE(run({"sh", "-c", "kill -KILL $$"}));
  for (const auto lifetime : {Lifetime::with_parent, Lifetime::guarded}) {
    Survivors survivors;
    CHECK_THROWS_WITH_AS(Child({"/nowhere/program"}, lifetime, Streams::piped), "No such file or directory",
                         std::system_error);
    CHECK(survivors.are_gone());
  }
}

TEST_CASE("a program's standard streams can be piped") {
  for (const auto lifetime : {Lifetime::with_parent, Lifetime::guarded}) {
    Child child({"sh", "-c", "read line; echo \"out $line\"; echo \"err $line\" >&2; exit 3"}, lifetime,
                Streams::piped);
    CHECK_FALSE(child.has_ended());
    REQUIRE(::write(child.pipes().input.number(), "hello\n", 6) == 6);
    CHECK(read_text(child.pipes().output) == "out hello\n");
    CHECK(read_text(child.pipes().errors) == "err hello\n");
    CHECK(child.has_ended(long_enough));
    CHECK(child.result() == 3);
    CHECK(child.ending() == "exited with status 3");
  }
}

TEST_CASE("no process of a guarded program is left, however it ends") {
  const auto start = [](const std::string& rest) {
    Child child(with_a_deserter(rest), Lifetime::guarded, Streams::piped);
    CHECK(read_text(child.pipes().output) == "ready\n");
    return child;
  };
  SUBCASE("by itself") {
    Survivors survivors;
    Child child = start("exit 3");
    CHECK(child.has_ended(long_enough));
    CHECK(child.result() == 3);
    CHECK(survivors.are_gone());
  }
  SUBCASE("in a crash") {
    Survivors survivors;
    Child child = start("kill -SEGV $$");
    CHECK(child.has_ended(long_enough));
    CHECK(child.ending() == "crashed with SIGSEGV (signal 11)");
    CHECK(survivors.are_gone());
  }
  SUBCASE("killed") {
    Survivors survivors;
    Child child = start("exec sleep 1000");
    CHECK_FALSE(child.has_ended(10));
    CHECK(survivors.are_there());
    child.kill();
    CHECK(child.has_ended());
    CHECK(child.ending() == "crashed with SIGKILL (signal 9)");
    CHECK(survivors.are_gone());
  }
  SUBCASE("destroyed") {
    Survivors survivors;
    { const Child child = start("exec sleep 1000"); }
    CHECK(survivors.are_gone());
  }
}

TEST_CASE("a forked process leaves the children of its parent alone") {
  Survivors survivors;
  std::optional<Child> target;
  target.emplace(Words{"sleep", "1000"}, Lifetime::guarded, Streams::piped);
  Child worker([&] {
    const bool is_closed = !target->pipes().input.is_open();
    target.reset();
    return is_closed ? 1 : 0;
  });
  CHECK(worker.has_ended(long_enough));
  CHECK(worker.result() == 1);
  CHECK_FALSE(target->has_ended(50));
  CHECK(survivors.are_there());
}

}  // namespace mayfly::test
