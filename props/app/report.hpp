#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chosen_store.hpp"
#include "command.hpp"
#include "mayfly/props/report/report_writers.hpp"

// What the commands with a result have in common: options, texts and files.

namespace mayfly::app {

inline constexpr const char* save_help = "Where the trace goes (default: mayfly-violation.jsonl)";

/// The options of every command that has a result.
struct ReportOptions {
  std::vector<std::optional<std::string>> files{report_writers.size()};  ///< one for each format
  bool quiet = false;
};

/// `quiet_text` says what --quiet prints. Further options of the group may be declared afterwards.
void declare_reports(CommandLine& line, ReportOptions& options, const char* quiet_text);

/// The result of this command on the store, still without findings.
Result new_result(const CommandLine& line, const StoreOptions& options, Subject& store);

/// Writes the file, or prints on standard error why it cannot: the user still gets the rest of the report.
bool write_or_say(const std::string& path, std::string_view text);

/// Saves the trace of each finding in the corpus, if there is one. Otherwise `save`, or mayfly-violation.jsonl, is the
/// name of the first, and the others have a number after it. Prints on standard error which traces could not be saved,
/// and returns whether all could.
bool save_traces(std::vector<ReportedFinding>& findings, const std::optional<std::string>& save,
                 const std::optional<std::string>& corpus = {});

/// Prints the result and the last line, and writes the files of the options. `is_saved`: all traces were saved.
Exit report(const Result& result, const ReportOptions& options, bool is_saved, const std::string& last_line = {});

/// "seed 7; repeat with: ./mayfly check --seed 7". Requires a result with a seed.
std::string repeat_line(const Result& result);

/// Writes the files of the options.
Exit write_reports(const Result& result, const ReportOptions& options, bool is_saved);

}  // namespace mayfly::app
