#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "mayfly/props/report/story.hpp"

namespace mayfly {

/// ["X1", "X2"].
boost::json::array ids_json(RuleSet rules);

/// The story as the page takes it (page.hpp). Times in lanes are columns of the axis (axis.hpp), which is in "columns".
/// Of what is very long only a part is in it, so that it stays below a hundred kilobytes or so.
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
/// Requests and answers are JSON as text: they are shown, and one may be cut off.
boost::json::object story_json(const Story& story);

}  // namespace mayfly
