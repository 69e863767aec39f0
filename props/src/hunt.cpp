#include "mayfly/props/hunt.hpp"

#include "mayfly/props/random.hpp"

namespace mayfly {

void Hunt::try_case(Tally* tally) {
  const std::uint64_t number = cases_++;
  const std::uint64_t draw = Random(seed_ + number * 0x9e3779b97f4a7c15).next();
  const Case test_case = generate(draw, shape_);
  const bool is_watched = number % 2 == 0;
  if (auto violation = check_agreement(test_case, subject_, is_watched ? Watch::everything : Watch::nothing, tally)) {
    operations_ += violation->step + 1;
    fail(is_watched ? agrees_watched() : agrees_unwatched(), test_case, std::move(*violation), subject_);
    return;
  }
  operations_ += test_case.operations.size();
  if (number % 4 == 3) try_law(number / 4, test_case);
}

void Hunt::try_law(std::uint64_t turn, const Case& test_case) {
  ++laws_tried_;
  const Property& law = laws()[turn % laws().size()];
  Subject& subject = beside_ && turn / laws().size() % 2 == 1 ? *beside_ : subject_;
  if (auto violation = law.check(test_case, subject)) fail(law, test_case, std::move(*violation), subject);
}

void Hunt::fail(const Property& property, const Case& test_case, Violation violation, Subject& subject) {
  failure_ = {&property, test_case, std::move(violation)};
  failed_ = &subject;
}

Hunted hunt(Subject& subject, std::uint64_t seed, std::uint64_t most_operations) {
  Hunt hunt(seed, {}, subject);
  while (!hunt.failure() && hunt.operations() < most_operations) hunt.try_case();
  return {hunt.failure(), hunt.operations()};
}

}  // namespace mayfly
