#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "mayfly/props/minimise.hpp"

// What becomes of a violation, whichever command found it.

namespace mayfly::app {

/// Saves the failing case as a trace, in `path` or, if that is empty, in the usual place. Says where, or nothing if it
/// could not be written: the user has been told so then, and still gets the rest of the report.
std::string save_trace(const Failure& failure, const std::string& path);

/// How to run the saved trace again, as a line; nothing if it was not saved.
std::string replay_hint(const std::string& saved);

boost::json::object json_violation(const Failure& failure, const std::string& store, const std::string& saved);

}  // namespace mayfly::app
