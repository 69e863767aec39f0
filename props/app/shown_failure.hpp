#pragma once

#include <string>

#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/report/story.hpp"

namespace mayfly::app {

/// A failure step by step. Where a target fails in a batch and not alone, or the other way round, `batch` says so, and
/// the answers are those that fail.
struct ShownFailure {
  Story story;
  std::string batch;  ///< a paragraph; nothing if there is no such difference
};
ShownFailure show_failure(const Failure& failure, Subject& subject);

/// The story for people; the trace instead if an interrupt cut it short.
std::string text_of(const Story& story, const std::string& trace);

}  // namespace mayfly::app
