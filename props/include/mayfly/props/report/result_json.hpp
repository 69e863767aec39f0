#pragma once

#include <string>
#include <string_view>

#include "mayfly/props/report/result.hpp"

// A result as a file: props/result.schema.json defines it.

namespace mayfly {

/// "404", or "other".
std::string status_name(Status status);

/// How often each operation was answered with each status.
boost::json::object answers_json(const Tally& tally);

/// The whole content of the file.
boost::json::object to_json(const Result& result);

/// Reads a result of this command. Throws InputError, which names the file, if the file has none.
Result read_result(const std::string& path, std::string_view command);

}  // namespace mayfly
