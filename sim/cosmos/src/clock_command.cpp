#include "mayfly/cosmos/clock_command.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "mayfly/sim/process/child.hpp"
#include "mayfly/sim/process/command.hpp"
#include "mayfly/sim/subject.hpp"

namespace mayfly::cosmos {

namespace {

constexpr double most_milliseconds = 1e9;

[[noreturn]] void fail(const std::string& command, const std::string& why) {
  throw StoreFailure(fmt::format("--clock-command {} failed: {}", command, why));
}

Child started(const std::vector<std::string>& words) {
  try {
    return Child(words, Child::Lifetime::with_parent, Child::Streams::inherited);
  } catch (const std::system_error& error) {
    fail(words[0], fmt::format("cannot be started: {}", error.code().message()));
  }
}

}  // namespace

ClockCommand::ClockCommand(const std::string& command, double seconds)
    : words_(command_words(command)), seconds_(seconds) {}

void ClockCommand::move(std::int64_t seconds) const {
  std::vector<std::string> words = words_;
  words.push_back(std::to_string(seconds));
  Child child = started(words);
  if (!child.has_ended(static_cast<int>(std::min(seconds_ * 1000, most_milliseconds))))
    fail(words[0], fmt::format("takes longer than {:g} s", seconds_));
  if (!child.result()) fail(words[0], child.ending());
  if (child.result() != 0) fail(words[0], fmt::format("exit status {}", *child.result()));
}

double MovedTimekeeper::now() { return real_timekeeper().now() + moved_; }

void MovedTimekeeper::wait_until(double time) {
  const double whole = std::floor(time - now());
  if (whole >= 1) {
    command_.move(static_cast<std::int64_t>(whole));
    moved_ += whole;
  }
  real_timekeeper().wait_until(time - moved_);
}

}  // namespace mayfly::cosmos
