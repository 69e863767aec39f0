#pragma once

#include <array>
#include <string>

#include "mayfly/props/report/result.hpp"

// The files that a result can be written to. A format is a function here, its source, and a row of the list: every
// command that fills a result then has the option.

namespace mayfly {

/// For programs; can be read back: result_json.hpp.
std::string result_json(const Result& result);

/// Test cases for build servers: each rule, each trace of the corpus, and the whole run.
std::string result_junit(const Result& result);

/// For people, in a browser: page.hpp.
std::string result_page(const Result& result);

struct ReportWriter {
  const char* option;
  const char* help;
  std::string (*text)(const Result& result);
};

inline constexpr std::array report_writers{
    ReportWriter{"--json", "Write the result to this file as well", result_json},
    ReportWriter{"--junit", "Write test cases for build servers to this file", result_junit},
    ReportWriter{"--html", "Write the result as a page for people as well", result_page},
};

}  // namespace mayfly
