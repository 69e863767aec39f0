#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/props/report/story.hpp"

// Similar steps and similar documents are shown once: seventeen creates of d0 to d16 are one step, and the documents
// one lane.

namespace mayfly {

/// The next name if the name ends with a number: d10 after d9.
std::optional<std::string> next_name(const std::string& name);

/// In the order of numbers: d9 before d10.
bool comes_before(const DocumentKey& key, const DocumentKey& other);

/// Whether `next` continues the step: at the same second and with the same status, it is the same request, or the same
/// about the next name. A step that differs from the rules neither continues nor is continued.
bool goes_on(const StoryStep& step, const StoryStep& next);

/// If more steps than this can be one, they are folded.
inline constexpr std::size_t most_unfolded = 3;

/// Adds a step, or folds it into the last one. Folding starts once there are more than `most_unfolded` steps, which are
/// then folded too. Returns by how many steps the list is shorter than without folding.
std::size_t add_folded(std::vector<StoryStep>& steps, StoryStep next);

/// Consecutive keys, each with the name that follows that of the key before.
struct KeyRun {
  std::size_t begin;
  std::size_t end;
};

/// All keys as runs: of one key, or of at least four, where `is_like_before(i)` says whether key i is like the one
/// before.
std::vector<KeyRun> runs_of_keys(const std::vector<DocumentKey>& keys,
                                 const std::function<bool(std::size_t)>& is_like_before);

/// The lanes, where at least four that differ only in consecutive keys become one.
std::vector<Lane> fold_lanes(const std::vector<Lane>& lanes);

}  // namespace mayfly
