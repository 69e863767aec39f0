#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/operation.hpp"

// Operations and answers as JSON objects: the one concrete syntax, for traces, printing and the target protocol.

namespace mayfly {

/// Parses the object in one line of JSON text. Throws InputError, whose message names no place, if the text is anything
/// else.
boost::json::object parse_object(std::string_view line);

/// Throws InputError.
Request parse_request(const boost::json::object& object);

/// Reads the answer that a trace expects. Any field may be missing. Throws InputError.
Outcome parse_outcome(const boost::json::object& answer);

/// Reads the answer of a store, valid or not: `to_json` returns all of it except its `error`. Throws InputError if the
/// answer is not an object, or contains a number too large for a double.
Outcome parse_answer(const boost::json::value& answer);

boost::json::object to_json(const Operation& operation);
boost::json::object to_json(const Reset& reset);
boost::json::object to_json(const Outcome& outcome);

/// One line, no newline.
std::string to_line(const boost::json::object& object);

/// Appends the text of `to_line(to_json(x))`, without building the object. For code where speed counts.
void append_line(std::string& text, const Request& request);
void append_line(std::string& text, const Outcome& outcome);

/// A value for a message: on one line, and cut if it is long.
std::string shortened(const boost::json::value& value);

}  // namespace mayfly
