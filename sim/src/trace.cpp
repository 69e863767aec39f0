#include "mayfly/sim/trace.hpp"

#include <algorithm>
#include <fstream>
#include <tuple>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/sim/json.hpp"

namespace mayfly {

namespace {

namespace json = boost::json;

constexpr std::size_t longest_line = 4 * 1024 * 1024;  // twice the largest document that the service takes

// Documents are a set: sorted, two equal sets are equal lists.
json::object canonical_json(Outcome outcome) {
  if (outcome.documents)
    std::sort(outcome.documents->begin(), outcome.documents->end(), [](const Document& a, const Document& b) {
      return std::tie(a.partition, a.id, a.ts, a.value) < std::tie(b.partition, b.id, b.ts, b.value);
    });
  return to_json(outcome);
}

json::value field_or_null(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value ? *value : json::value(nullptr);
}

// Some editors begin a file with it, to mark it as UTF-8.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

enum class LineEnd { newline, end_of_file, too_long };

LineEnd read_line(std::istream& in, std::string& line) {
  line.clear();
  auto* buffer = in.rdbuf();
  for (int c = buffer->sbumpc(); c != std::istream::traits_type::eof(); c = buffer->sbumpc()) {
    if (c == '\n') return LineEnd::newline;
    if (line.size() == longest_line) return LineEnd::too_long;
    line.push_back(static_cast<char>(c));
  }
  return LineEnd::end_of_file;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

std::optional<ExpectedAnswer> take_expect(json::object& request) {
  const auto found = request.find("expect");
  if (found == request.end()) return std::nullopt;
  const json::value expect = found->value();
  request.erase(found);
  if (!expect.is_object()) throw InputError("\"expect\" must be an object");
  try {
    return ExpectedAnswer(expect.get_object());
  } catch (const InputError& error) {
    throw InputError(fmt::format("expect: {}", error.what()));
  }
}

void add_line(std::vector<TraceCase>& cases, const std::string& text, std::size_t line) {
  json::object object = parse_object(text);
  auto expect = take_expect(object);
  Request request = parse_request(object);
  if (std::holds_alternative<Hello>(request)) return;
  if (const auto* reset = std::get_if<Reset>(&request)) {
    if (expect && !expect->is_met_by({.status = Status::ok})) throw InputError("reset: the answer is always 200");
    cases.push_back({reset->now, {}});
  } else {
    if (cases.empty()) throw InputError("a case begins with a reset");
    cases.back().steps.push_back({std::get<Step>(std::move(request)), std::move(expect), line});
  }
}

}  // namespace

ExpectedAnswer::ExpectedAnswer(const json::object& named) {
  json::object present;  // null requires that a field is absent
  for (const auto& field : named)
    if (!field.value().is_null()) present[field.key()] = field.value();
  const json::object normal = canonical_json(parse_outcome(present));
  for (const auto& field : named)
    if (field.key() != "error") fields_[field.key()] = field_or_null(normal, field.key());
  if (fields_.empty()) throw InputError("contains no field to compare");
}

bool ExpectedAnswer::is_met_by(const Outcome& outcome) const {
  const json::object answer = canonical_json(outcome);
  return std::all_of(fields_.begin(), fields_.end(),
                     [&](const auto& field) { return field_or_null(answer, field.key()) == field.value(); });
}

Case TraceCase::without_expectations() const {
  Case plain{start, {}};
  for (const auto& step : steps) plain.steps.push_back(step);
  return plain;
}

std::vector<TraceCase> read_trace(std::istream& in, const std::string& name) {
  std::vector<TraceCase> cases;
  std::string text;
  LineEnd end = LineEnd::newline;
  for (std::size_t line = 1; end == LineEnd::newline; ++line) {
    try {
      end = read_line(in, text);
      if (end == LineEnd::too_long) throw InputError(fmt::format("the line is longer than {} bytes", longest_line));
      if (line == 1 && text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
      if (!is_blank(text)) add_line(cases, text, line);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}:{}: {}", name, line, error.what()));
    } catch (const std::ios_base::failure&) {
      throw InputError(fmt::format("{}:{}: cannot be read", name, line));
    }
  }
  if (cases.empty()) throw InputError(fmt::format("{}:1: the trace is empty", name));
  return cases;
}

void ensure_readable(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) throw InputError(fmt::format("{}: is a directory", path.string()));
  const bool is_named_by_a_shell = path.string().starts_with("/dev/");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) && !is_named_by_a_shell)
    throw InputError(fmt::format("{}: is no regular file", path.string()));
}

std::vector<TraceCase> read_trace_file(const std::filesystem::path& path) {
  ensure_readable(path);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(fmt::format("{}: cannot be read", path.string()));
  return read_trace(in, path.string());
}

std::string trace_text(const Case& test_case) {
  std::string text = to_line(to_json(Reset{test_case.start})) + "\n";
  for (const auto& step : test_case.steps) text += to_line(to_json(step.operation)) + "\n";
  return text;
}

std::string trace_text(const TraceCase& test_case) {
  std::string text = to_line(to_json(Reset{test_case.start})) + "\n";
  for (const auto& step : test_case.steps) {
    json::object line = to_json(step.operation);
    if (step.expect) line["expect"] = step.expect->json();
    text += to_line(line) + "\n";
  }
  return text;
}

}  // namespace mayfly
