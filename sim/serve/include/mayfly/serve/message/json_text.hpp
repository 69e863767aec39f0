#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

// JSON from clients: parsed with limits, and split as text where bytes must be kept as they came.

namespace mayfly::serve {

/// The greatest depth to which JSON may be nested, as in the service.
inline constexpr std::size_t greatest_depth = 128;

/// Parses JSON with exact numbers: whole numbers that fit 64 bits, otherwise the nearest double. Throws Refusal with
/// the position if the text is not JSON, nests too deep, or has a number too large for a double.
boost::json::value parse_json(std::string_view text, boost::json::storage_ptr storage = {},
                              std::size_t most_depth = greatest_depth);

/// The same. Also throws Refusal if the value is not an object.
boost::json::object parse_json_object(std::string_view text, boost::json::storage_ptr storage = {});

/// A member's name without quotes and escapes. Requires a valid JSON string.
std::string decoded_name(std::string_view name);

/// Calls `show(name, value)` for each member of the object, both as written: the name with its quotes. Requires valid
/// JSON.
void for_each_member(std::string_view object,
                     const std::function<void(std::string_view name, std::string_view value)>& show);

/// Calls `show(element)` for each element of the list, as written. Requires valid JSON.
void for_each_element(std::string_view list, const std::function<void(std::string_view element)>& show);

/// The text without the white space around it.
std::string_view trimmed(std::string_view text);

}  // namespace mayfly::serve
