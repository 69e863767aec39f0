#pragma once

#include <string>
#include <vector>

#include "conformance_report.hpp"

// The result of `mayfly conform` as a file: props/CONFORMANCE.md describes it, props/conformance.schema.json defines
// it.

namespace mayfly::app {

std::string to_json_text(const ConformanceReport& report);

/// The same as a page for people; `repeat` is the command that does it again.
std::string to_page(const ConformanceReport& report, const std::string& repeat);

/// What a file says about one rule.
struct FiledVerdict {
  RuleVerdict verdict = RuleVerdict::not_exercised;
  std::string reading;
};

/// What a file says.
struct FiledConformance {
  std::string store;
  std::vector<FiledVerdict> rules;  ///< in the order of the rules
  boost::json::object json;         ///< all of it
};

/// Throws InputError, which names the file.
FiledConformance read_conformance(const std::string& path);

}  // namespace mayfly::app
