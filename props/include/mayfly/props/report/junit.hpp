#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mayfly {

/// A test case as build servers show it.
struct JunitCase {
  enum class End { passed, failed, inconclusive, skipped };  ///< `inconclusive` is written as an error
  std::string group;                                         ///< what it is listed under, such as "rules"
  std::string name;
  End end = End::passed;
  std::string message{};  ///< one line: why it did not pass
  std::string text{};     ///< the whole story, if it failed
  std::optional<double> seconds{};
};

/// The cases as a file in the XML dialect that began with JUnit. The suite takes as long as its cases together.
/// Characters that XML cannot hold, such as control characters, are replaced by their code.
std::string junit_text(std::string_view suite, std::span<const JunitCase> cases);

}  // namespace mayfly
