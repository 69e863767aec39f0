#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "mayfly/props/property/property.hpp"

namespace mayfly {

/// A case, and a property that it has to keep.
struct Question {
  const Property* property = nullptr;
  Case test_case;
};

/// A list of questions, made one at a time because there may be many: each call returns the next one, and nothing after
/// the last.
using Questions = std::function<std::optional<Question>()>;

/// A question whose case breaks its property.
struct FailedQuestion {
  std::size_t index = 0;  ///< in the list
  Question question;
  Violation violation;
};

/// What became of a list of questions.
struct Answered {
  std::size_t held = 0;  ///< the questions before the first failure, or before the run was cancelled, or all
  std::optional<FailedQuestion> failure;
};

/// Answers which of a list of questions is the first that fails: one after the other, or many side by side, where the
/// answers to those behind the first failure are lost. Either way the result is the same.
class Runner {
 public:
  using Check = std::function<std::optional<Violation>(const Property&, const Case&)>;

  /// Whether a violation counts; if not, the question holds.
  using Counts = std::function<bool(const Question&, const Violation&)>;
  using FirstFailure = std::function<Answered(const Questions&, const Counts&)>;

  /// Asks one question after the other.
  template <std::convertible_to<Check> F>
  Runner(F check)
      : first_failure_([check = Check(std::move(check))](const Questions& next, const Counts& counts) {
          return ask_in_turn(check, next, counts);
        }) {}

  /// Leaves it to `first_failure`.
  explicit Runner(FirstFailure first_failure) : first_failure_(std::move(first_failure)) {}

  Answered first_failure(const Questions& next) const { return first_failure_(next, {}); }

  /// A single question.
  std::optional<Violation> operator()(const Property& property, const Case& test_case) const;

  /// A runner that asks only what is of interest, and lets everything else hold, as what fails without counting does.
  Runner narrowed(std::function<bool(const Question&)> is_of_interest, Counts counts) const;

 private:
  static Answered ask_in_turn(const Check& check, const Questions& next, const Counts& counts);

  FirstFailure first_failure_;
};

}  // namespace mayfly
