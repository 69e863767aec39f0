#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

// JSON from clients: read with limits, and taken apart as text where bytes are to be kept as they came.

namespace mayfly::serve {

/// How deep JSON may be nested, as in the service.
inline constexpr std::size_t greatest_depth = 128;

/// The way to read JSON that has numbers in it. They are exact: whole ones that fit 64 bits, or else the nearest
/// double. Throws Refusal that says where the text stops being JSON, nests too deep, or has a number beyond a double.
boost::json::value parse_json(std::string_view text, boost::json::storage_ptr storage = {},
                              std::size_t most_depth = greatest_depth);

/// The same, and throws Refusal if it is no object.
boost::json::object parse_json_object(std::string_view text, boost::json::storage_ptr storage = {});

/// A member's name without quotes and escapes. Requires a valid JSON string.
std::string decoded_name(std::string_view name);

/// Calls `show(name, value)` for each member of the object, both as they are written: the name with its quotes.
/// Requires valid JSON.
void for_each_member(std::string_view object,
                     const std::function<void(std::string_view name, std::string_view value)>& show);

/// Calls `show(element)` for each element of the list, as it is written. Requires valid JSON.
void for_each_element(std::string_view list, const std::function<void(std::string_view element)>& show);

/// The text without the white space around it.
std::string_view trimmed(std::string_view text);

}  // namespace mayfly::serve
