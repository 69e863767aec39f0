#pragma once

#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "mayfly/sim/operation.hpp"

// Traces: requests in a file, one JSON object a line, each case begun by a reset. A line may say in "expect" what has
// to be answered.

namespace mayfly {

/// The fields of an answer that a line of a trace asks for. What it does not name may be anything.
class ExpectedAnswer {
 public:
  /// Throws InputError.
  explicit ExpectedAnswer(const boost::json::object& named);

  bool is_met_by(const Outcome& outcome) const;

  const boost::json::object& json() const { return fields_; }

 private:
  boost::json::object fields_;
};

struct TraceStep : Step {
  std::optional<ExpectedAnswer> expect;
  std::size_t line = 0;
};

struct TraceCase {
  Instant start;
  std::vector<TraceStep> steps;

  Case without_expectations() const;
};

/// Reads a trace. Throws InputError, which names the place as `name:line: ...`.
std::vector<TraceCase> read_trace(std::istream& in, const std::string& name);
std::vector<TraceCase> read_trace_file(const std::filesystem::path& path);

/// Throws InputError if what is there is no file to read: a directory, or a pipe that could be waited for without end.
/// /dev/stdin and /dev/fd/N, by which a shell names its pipes, may be anything.
void ensure_readable(const std::filesystem::path& path);

/// The case as a trace, with what is expected if it says so.
std::string trace_text(const Case& test_case);
std::string trace_text(const TraceCase& test_case);

}  // namespace mayfly
