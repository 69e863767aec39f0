#pragma once

#include <string>

#include <boost/json/object.hpp>

namespace mayfly {

/// The largest page. Where stories would not fit, those at the end are left out, and the page says so.
inline constexpr std::size_t largest_page = 300'000;

/// A report as one page that needs no server and no network.
///
///     {"title",
///      "verdict"?: "held" | "violated" | ..., "summary"?: sentence, "repeat"?: command,
///      "conformance"?: [results of mayfly conform, each with its own "violations"],
///      "violations"?: [{"store", "property", "rules", "text", "file", "replay"?: command, "story"?: story_json}],
///      "exercised"?: {"rules": [{"id", "level", "sentence", "times"}],
///                     "operations": [{"name", "times", "answers": {"200": times}}]}}
std::string html_page(const boost::json::object& report);

}  // namespace mayfly
