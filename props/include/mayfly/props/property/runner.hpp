#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "mayfly/props/property/property.hpp"

namespace mayfly {

/// A property and a case on which to check it.
struct Question {
  const Property* property = nullptr;
  Case test_case;
};

/// A list of questions, generated one at a time because there may be many: each call returns the next one, or nothing
/// after the last.
using Questions = std::function<std::optional<Question>()>;

/// A question whose case breaks its property.
struct FailedQuestion {
  std::size_t index = 0;  ///< of the question in the list
  Question question;
  Violation violation;
};

/// The result of a list of questions.
struct Answered {
  std::size_t held = 0;  ///< the number of questions before the first failure or the end of the run
  std::optional<FailedQuestion> failure;
};

/// Finds the first question of a list that fails: checks one after the other, or many in parallel, in which case
/// results after the first failure are discarded. Either way the result is the same.
class Runner {
 public:
  using Check = std::function<std::optional<Violation>(const Property&, const Case&)>;

  /// Whether a violation counts. If not, the question counts as held.
  using Counts = std::function<bool(const Question&, const Violation&)>;
  using FirstFailure = std::function<Answered(const Questions&, const Counts&)>;

  /// Checks one question after the other.
  template <std::convertible_to<Check> F>
  Runner(F check)
      : first_failure_([check = Check(std::move(check))](const Questions& next, const Counts& counts) {
          return ask_in_turn(check, next, counts);
        }) {}

  /// Delegates to `first_failure`.
  explicit Runner(FirstFailure first_failure) : first_failure_(std::move(first_failure)) {}

  Answered first_failure(const Questions& next) const { return first_failure_(next, {}); }

  /// Checks a single question.
  std::optional<Violation> operator()(const Property& property, const Case& test_case) const;

  /// A runner that checks only questions of interest, and counts only some violations. All other questions count as
  /// held.
  Runner narrowed(std::function<bool(const Question&)> is_of_interest, Counts counts) const;

 private:
  static Answered ask_in_turn(const Check& check, const Questions& next, const Counts& counts);

  FirstFailure first_failure_;
};

}  // namespace mayfly
