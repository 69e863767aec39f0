#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/operation.hpp"

// Operations and answers as JSON objects: the one concrete syntax, for traces, printing and the target protocol.

namespace mayfly {

/// The object in one line of JSON text. Throws InputError, without a place, if it is anything else.
boost::json::object parse_object(std::string_view line);

/// What a line of a trace asks for. Throws InputError.
using Request = std::variant<Hello, Reset, Operation>;
Request parse_request(boost::json::object object);

/// Reads an answer of which any field may be left out. Throws InputError.
Outcome parse_outcome(boost::json::object answer);

boost::json::object to_json(const Operation& operation);
boost::json::object to_json(const Reset& reset);
boost::json::object to_json(const Outcome& outcome);

/// One line, no newline.
std::string to_line(const boost::json::object& object);

}  // namespace mayfly
