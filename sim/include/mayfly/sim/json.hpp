#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/limits.hpp"
#include "mayfly/sim/operation.hpp"

// Operations and answers as JSON objects: the one concrete syntax, for traces, printing and the target protocol.

namespace mayfly {

/// The object in one line of JSON text. Throws InputError, without a place, if it is anything else.
boost::json::object parse_object(std::string_view line);

/// Throws InputError.
Request parse_request(const boost::json::object& object);

/// Reads the answer that a trace expects, of which any field may be left out. Throws InputError.
Outcome parse_outcome(const boost::json::object& answer);

/// Reads the answer of a store, whatever is in it: `to_json` gives all of it back but its `error`. Throws InputError if
/// it is no object, or has a number that no double can hold.
Outcome parse_answer(const boost::json::value& answer);

/// Throws InputError.
Limits parse_limits(const boost::json::value& limits);

boost::json::object to_json(const Operation& operation);
boost::json::object to_json(const Reset& reset);
boost::json::object to_json(const Outcome& outcome);
boost::json::object to_json(const Limits& limits);

/// One line, no newline.
std::string to_line(const boost::json::object& object);

/// The same text without the object, for where speed counts.
void append_line(std::string& text, const Request& request);
void append_line(std::string& text, const Outcome& outcome);

/// A value as messages show it: in one line, and not all of it if it is long.
std::string shortened(const boost::json::value& value);

}  // namespace mayfly
