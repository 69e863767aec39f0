#pragma once

#include <string>

#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/report/story.hpp"

namespace mayfly::app {

/// A failure step by step. If a target fails only in a batch, or only request by request, `batch` says so, and the
/// answers are those of the mode that fails.
struct ShownFailure {
  Story story;
  std::string batch;  ///< a paragraph, or empty
};
ShownFailure show_failure(const Failure& failure, Subject& subject);

/// The story as text, or the trace if an interrupt cut the story short.
std::string text_of(const Story& story, const std::string& trace);

}  // namespace mayfly::app
