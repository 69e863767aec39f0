#pragma once

#include <string>

#include "mayfly/model/rule.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/report/story.hpp"
#include "mayfly/props/run/earlier_cases.hpp"

// A run as text, step by step, for people.

namespace mayfly {

/// Both answers as JSON; if the store died, how.
struct AnswerTexts {
  std::string expected;
  std::string allowance;  ///< what else the rules allow, in words
  std::string actual;
};
AnswerTexts answers_of(const StoryStep& step);

/// One step: the second, the request, both answers (one if they agree), and the rules that decided it.
std::string narrate(const StoryStep& step, const std::string& store);

/// A line for each document that reference and store show differently.
std::string narrate_documents(const Story& story);

/// A failing case from the first step to the one that shows it.
std::string narrate(const Story& story);

/// The broken property, the request or observation, and the expected and the actual answer, a line each. Unlike a
/// story, it takes no further run.
std::string violation_text(const Failure& failure, const std::string& store);

/// The whole report for a terminal: the gist, the timeline, and the steps.
std::string full_text(const Story& story);

/// A paragraph that says that the failure depends on earlier cases; empty if it does not.
std::string dependence_text(const FreshFailure& failure);

}  // namespace mayfly
