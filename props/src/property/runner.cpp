#include "mayfly/props/property/runner.hpp"

#include <vector>

#include "mayfly/props/property/check.hpp"

namespace mayfly {

std::optional<Violation> Runner::operator()(const Property& property, const Case& test_case) const {
  bool is_asked = false;
  Answered answered = first_failure([&]() -> std::optional<Question> {
    if (std::exchange(is_asked, true)) return std::nullopt;
    return Question{&property, test_case};
  });
  if (!answered.failure) return std::nullopt;
  return std::move(answered.failure->violation);
}

Runner Runner::narrowed(std::function<bool(const Question&)> is_of_interest, Counts counts) const {
  return Runner(FirstFailure([=, ask = first_failure_](const Questions& next, const Counts& others) {
    std::size_t length = 0;           // of the list so far
    std::vector<std::size_t> places;  // the places of the questions of interest in it
    const Questions interesting = [&]() -> std::optional<Question> {
      while (auto question = next()) {
        const std::size_t place = length++;
        if (!is_of_interest(*question)) continue;
        places.push_back(place);
        return question;
      }
      return std::nullopt;
    };
    Answered answered = ask(interesting, [&](const Question& question, const Violation& violation) {
      return (!counts || counts(question, violation)) && (!others || others(question, violation));
    });
    answered.held = answered.held < places.size() ? places[answered.held] : length;
    if (answered.failure) answered.failure->index = answered.held;
    return answered;
  }));
}

Answered Runner::ask_in_turn(const Check& check, const Questions& next, const Counts& counts) {
  std::size_t index = 0;
  for (; auto question = next(); ++index) {
    auto violation = check(*question->property, question->test_case);
    if (violation && (!counts || counts(*question, *violation)))
      return {index, FailedQuestion{index, std::move(*question), std::move(*violation)}};
  }
  return {index, std::nullopt};
}

}  // namespace mayfly
