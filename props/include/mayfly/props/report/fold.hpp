#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/props/report/story.hpp"

// What is alike is shown once: seventeen creates of d0 to d16 are one step, and the documents one lane.

namespace mayfly {

/// The name after this one where names are numbered: d10 after d9.
std::optional<std::string> next_name(const std::string& name);

/// In the order of numbers: d9 before d10.
bool comes_before(const DocumentKey& key, const DocumentKey& other);

/// Whether the request goes on what the step asks, at the same second and with the same status: it is the same, or the
/// same about the next name. What differs from the rules is no part of anything.
bool goes_on(const StoryStep& step, const StoryStep& next);

/// More steps that could be one are folded.
inline constexpr std::size_t most_unfolded = 3;

/// Adds a step, as part of the last one if it goes on with it. At the first that is folded those before it are gone.
/// Returns how many fewer there are than if it had been added alone.
std::size_t add_folded(std::vector<StoryStep>& steps, StoryStep next);

/// A run of keys, each with the next name of the one before.
struct KeyRun {
  std::size_t begin;
  std::size_t end;
};

/// All keys as runs: of one, or of at least four for which `is_like_before` says that they are like the one before.
std::vector<KeyRun> runs_of_keys(const std::vector<DocumentKey>& keys,
                                 const std::function<bool(std::size_t)>& is_like_before);

/// At least four lanes that are alike but for their keys, which are in sequence, as one.
std::vector<Lane> fold_lanes(const std::vector<Lane>& lanes);

}  // namespace mayfly
