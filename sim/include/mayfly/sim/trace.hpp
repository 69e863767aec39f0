#pragma once

#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "mayfly/sim/operation.hpp"

// Traces: requests in a file, one JSON object a line. Each case begins with a reset. A line may state the required
// answer in "expect".

namespace mayfly {

/// The fields of an answer that a line of a trace requires. Fields that it does not name may have any value.
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

/// Throws InputError if the path is not a readable file: a directory, or a pipe that might never end. /dev/stdin and
/// /dev/fd/N, the names that a shell gives its pipes, may be of any kind.
void ensure_readable(const std::filesystem::path& path);

/// The case as a trace, with the expectations of a TraceCase.
std::string trace_text(const Case& test_case);
std::string trace_text(const TraceCase& test_case);

}  // namespace mayfly
