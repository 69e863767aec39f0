#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chosen_store.hpp"
#include "command.hpp"
#include "mayfly/props/report/report_writers.hpp"

// What every command does with its result.

namespace mayfly::app {

/// The options of every command that has a result.
struct ReportOptions {
  std::vector<std::optional<std::string>> files{report_writers.size()};  ///< one for each format
  bool quiet = false;
};

/// The command may declare further options of the group afterwards.
void declare_reports(CommandLine& line, ReportOptions& options, const char* what_is_left_of_the_text);

/// The result of this command about the store, in which nothing is found yet.
Result new_result(const CommandLine& line, const StoreOptions& options, Subject& store);

/// Writes the file, or says on standard error why not: the user still gets the rest of the report.
bool write_or_say(const std::string& path, std::string_view text);

/// Saves the trace of each finding: in the corpus if there is one, else the first under this name, or
/// mayfly-violation.jsonl, and the others with a number after it. Says on standard error which could not be saved, and
/// returns whether all could.
bool save_traces(std::vector<ReportedFinding>& findings, const std::optional<std::string>& save,
                 const std::optional<std::string>& corpus = {});

/// Writes the files that were asked for. What the program exits with; `is_saved` says whether all traces were saved.
Exit write_reports(const Result& result, const ReportOptions& options, bool is_saved);

}  // namespace mayfly::app
