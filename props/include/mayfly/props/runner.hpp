#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "mayfly/props/property.hpp"

namespace mayfly {

/// A case, and a property that it has to keep.
struct Question {
  const Property* property = nullptr;
  Case test_case;
};

/// How a property is checked where it is not simply run: because the store may crash, or because whoever asks can ask
/// many questions at once.
class Runner {
 public:
  using Check = std::function<std::optional<Violation>(const Property&, const Case&)>;
  using AskAhead = std::function<void(std::vector<Question>)>;

  template <std::convertible_to<Check> F>
  Runner(F check, AskAhead ask_ahead = {}) : check_(std::move(check)), ask_ahead_(std::move(ask_ahead)) {}

  std::optional<Violation> operator()(const Property& property, const Case& test_case) const {
    return check_(property, test_case);
  }

  /// Whether it is of any use to ask ahead.
  bool looks_ahead() const { return ask_ahead_ != nullptr; }

  /// How it does so, for a runner around this one.
  const AskAhead& foresight() const { return ask_ahead_; }

  /// Begins now with what is likely to be asked next, in this order and many at a time. Should something else be asked
  /// after all, only time is lost. Questions that were foreseen before, and not begun, are forgotten.
  void ask_ahead(std::vector<Question> questions) const {
    if (ask_ahead_) ask_ahead_(std::move(questions));
  }

 private:
  Check check_;
  AskAhead ask_ahead_;
};

}  // namespace mayfly
