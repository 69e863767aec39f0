#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "mayfly/props/minimise.hpp"
#include "mayfly/props/report/story.hpp"

// What becomes of a violation, whichever command found it.

namespace mayfly::app {

/// Where a trace goes by default.
inline constexpr std::string_view usual_save = "mayfly-violation.jsonl";

/// Writes the file, or says on standard error why not: the user still gets the rest of the report.
bool write_or_say(const std::string& path, std::string_view text);

/// How to run a saved trace again; `access` are the options by which it reaches the store.
std::string replay_command(const std::string& program, const std::string& saved, const std::string& access = {});

/// The same as a line; nothing if it was not saved.
std::string replay_hint(const std::string& program, const std::string& saved, const std::string& access = {});

/// A failure step by step. Where a target fails in a batch and not alone, or the other way round, `batch` says so, and
/// the answers are those that fail.
struct ToldFailure {
  Story story;
  std::string batch;  ///< a paragraph; nothing if there is no such difference
};
ToldFailure tell_failure(const Failure& failure, Subject& subject);

/// The story for people; the trace instead if an interrupt cut it short.
std::string text_of(const Story& story, const std::string& trace);

boost::json::object json_violation(const Failure& failure, const std::string& store, const std::string& saved);

}  // namespace mayfly::app
