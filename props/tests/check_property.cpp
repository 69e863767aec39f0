#include "check_property.hpp"

#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include "mayfly/props/gen.hpp"
#include "mayfly/sim/json.hpp"
#include "mayfly/sim/trace.hpp"

namespace mayfly::test {

std::optional<Failure> find_failure(const Property& property, Subject& subject, int runs, const Shape& shape) {
  std::optional<Failure> last;  // RapidCheck runs the minimal case last
  const auto gen = cases(shape);
  const auto holds = [&] {
    const Case test_case = *gen;
    auto violation = property.check(test_case, subject);
    last.reset();
    if (!violation) return true;
    last = Failure{&property, test_case, std::move(*violation)};
    return false;
  };
  rc::detail::TestParams params;
  params.seed = 2024;
  params.maxSuccess = runs;
  rc::detail::TestListenerAdapter listener;
  // This form takes the parameters as they are and never reads RC_PARAMS.
  const auto result = rc::detail::checkProperty(rc::detail::toProperty(holds), {}, params, listener, {});
  if (result.is<rc::detail::SuccessResult>()) return std::nullopt;
  return last;
}

std::string trace_of(const std::optional<Failure>& failure) {
  if (!failure) return {};
  return trace_text(failure->test_case) + "at " + to_line(to_json(failure->violation.operation)) + "\nexpected " +
         to_line(to_json(failure->violation.exchange.expected.answer)) + "\nactual   " +
         to_line(to_json(failure->violation.exchange.actual)) + "\n";
}

}  // namespace mayfly::test
