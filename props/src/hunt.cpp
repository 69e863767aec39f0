#include "mayfly/props/hunt.hpp"

#include "mayfly/props/random.hpp"

namespace mayfly {

Case Hunt::case_of(std::uint64_t number) const {
  return within(features_, generate(Random(seed_, number).next(), shape_));
}

std::vector<Hunt::Task> Hunt::tasks_of(std::uint64_t number) const {
  Random random(seed_, number);
  random.next();  // made the case
  const bool is_watched = random.one_in(2);
  std::vector<Task> tasks{{is_watched ? &agrees_watched() : &agrees_unwatched(), &subject_}};
  const bool is_for_a_law = random.one_in(4);
  if (!is_for_a_law || is_waited_for_) return tasks;
  const Property& law = laws()[random.below(laws().size())];
  const bool is_for_the_other = beside_ && random.one_in(2);
  if (has(features_, law.needs())) tasks.push_back({&law, is_for_the_other ? beside_ : &subject_});
  return tasks;
}

std::optional<Failure> Hunt::try_case(std::uint64_t number, Tally* tally) {
  const Case test_case = case_of(number);
  for (const auto& [property, subject] : tasks_of(number)) {
    if (!is_agreement(*property)) ++laws_tried_;
    auto violation = check(*property, test_case, *subject, tally);
    if (is_agreement(*property)) operations_ += violation ? violation->step + 1 : test_case.steps.size();
    if (!violation) continue;
    failed_ = subject;
    return Failure{property, test_case, std::move(*violation)};
  }
  return std::nullopt;
}

Hunted hunt(Subject& subject, std::uint64_t seed, std::uint64_t most_operations) {
  Hunt hunt(seed, {}, subject);
  std::optional<Failure> failure;
  for (std::uint64_t number = 0; !failure && hunt.operations() < most_operations; ++number)
    failure = hunt.try_case(number);
  return {std::move(failure), hunt.operations()};
}

}  // namespace mayfly
