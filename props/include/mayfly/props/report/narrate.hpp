#pragma once

#include <string>

#include "mayfly/model/rule.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/report/story.hpp"
#include "mayfly/props/run/earlier_cases.hpp"

// A run as text, step by step, for people.

namespace mayfly {

/// What both answered, as JSON; of a store that died, how.
struct AnswerTexts {
  std::string expected;
  std::string allowance;  ///< what else the rules allow, in words
  std::string actual;
};
AnswerTexts answers_of(const StoryStep& step);

/// One step: when, what was asked, what both answered (once if they agree), and the rules that decided it.
std::string narrate(const StoryStep& step, const std::string& store);

/// What they show of each document that they do not show alike, a line each.
std::string narrate_documents(const Story& story);

/// A failing case from the first step to the one that shows it.
std::string narrate(const Story& story);

/// What was broken, what was asked or, beyond the case, observed, what was expected and answered, a line each. Unlike a
/// story, it takes no further run.
std::string violation_text(const Failure& failure, const std::string& store);

/// All of it for a terminal: what went wrong in a sentence, the timeline, and step by step.
std::string full_text(const Story& story);

/// That the failure depends on earlier cases, as a paragraph for people; nothing if it does not.
std::string dependence_text(const FreshFailure& failure);

}  // namespace mayfly
