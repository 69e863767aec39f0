#include "report.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "mayfly/props/report/corpus.hpp"
#include "mayfly/props/report/output_file.hpp"
#include "mayfly/props/report/result_text.hpp"
#include "mayfly/sim/input_error.hpp"

namespace mayfly::app {

void declare_reports(CommandLine& line, ReportOptions& options, const char* quiet_text) {
  line.group(CommandLine::output_group);
  for (std::size_t i = 0; i < report_writers.size(); ++i)
    line.output_file(report_writers[i].option, options.files[i], report_writers[i].help);
  line.flag("--quiet", options.quiet, quiet_text);
}

Result new_result(const CommandLine& line, const StoreOptions& options, Subject& store) {
  Result result;
  result.command = line.command();
  result.program = line.program();
  result.repeat = line.repetition();
  result.store = name_of_store(store);
  result.target = options.target.value_or("");
  result.access = line.given(CommandLine::store_group);
  result.features = store.features();
  result.title = fmt::format("Mayfly {}{}", result.command, result.target.empty() ? "" : " of " + result.target);
  return result;
}

bool write_or_say(const std::string& path, std::string_view text) {
  try {
    write_whole(path, text);
    return true;
  } catch (const InputError& error) {
    fmt::print(stderr, "mayfly: {}\n", error.what());
    return false;
  }
}

bool save_traces(std::vector<ReportedFinding>& findings, const std::optional<std::string>& save,
                 const std::optional<std::string>& corpus) {
  bool are_saved = true;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    auto& file = findings[i].file;
    file = corpus ? path_in_corpus(*corpus, findings[i].trace) : save.value_or("mayfly-violation.jsonl");
    if (!corpus && i > 0) file += fmt::format(".{}", i + 1);
    if (write_or_say(file, findings[i].trace)) continue;
    file.clear();
    are_saved = false;
  }
  return are_saved;
}

Exit report(const Result& result, const ReportOptions& options, bool is_saved, const std::string& last_line) {
  fmt::print("{}{}{}", result_text(result, options.quiet), annotations_of(result), last_line);
  return write_reports(result, options, is_saved);
}

std::string repeat_line(const Result& result) {
  return fmt::format("seed {}; repeat with: {}\n", *result.seed, result.repeat);
}

Exit write_reports(const Result& result, const ReportOptions& options, bool is_saved) {
  bool is_written = is_saved;
  for (std::size_t i = 0; i < report_writers.size(); ++i)
    if (options.files[i]) is_written &= write_or_say(*options.files[i], report_writers[i].text(result));
  if (result.is_violated()) return Exit::violation;
  if (!is_written) return Exit::bad_input;
  if (result.end == Result::End::interrupted) return Exit::interrupted;
  return result.end == Result::End::inconclusive ? Exit::inconclusive : Exit::held;
}

}  // namespace mayfly::app
