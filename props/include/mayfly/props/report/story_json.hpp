#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "mayfly/props/report/story.hpp"

namespace mayfly {

/// ["X1", "X2"].
boost::json::array ids_json(RuleSet rules);

/// The story as data for the page (page.hpp). Times in lanes are indexes of "columns", the axis (axis.hpp). Long parts
/// are cut off, so that the story stays below about a hundred kilobytes.
///
///     {"store", "gist", "left_out": steps, "lanes_left_out",
///      "columns": [{"at": second, "step"?: index into "steps"}],
///      "steps": [{"now", "kind": "request" | "observation" | "law", "words", "request", "rules": ["X1"], "answer",
///                 "times"?: requests that are one step, "differs"?: true, "expected"?, "allowance"?, "crash"?}],
///      "rules": {"X1": sentence},
///      "lanes": [{"kind": "clock" | "purging" | "collection" | "document", "label",
///                 "lives": [{"from", "until"?: columns, "ended"?: "expired" | "deleted" | "overwritten" | "default
///                            changed", "text", "since", "due"?: seconds, "once_due": [columns]}],
///                 "ghosts": [{"from", "until", "kind": "shown" | "hidden" | "altered"}],
///                 "marks": [{"at": column, "kind", "refused"?: true, "text"}]}]}
///
/// Requests and answers are JSON as text, because they may be cut off.
boost::json::object story_json(const Story& story);

}  // namespace mayfly
