#include "mayfly/props/run/random_search.hpp"

#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/sim/random.hpp"

namespace mayfly {

Case RandomSearch::case_of(std::uint64_t number) const {
  return within(features_, generate(Random(seed_, number).next(), world_of(number)));
}

std::vector<RandomSearch::Task> RandomSearch::tasks_of(std::uint64_t number) const {
  Random random(seed_, number);
  random.next();  // made the case
  const bool is_watched = random.one_in(2);
  std::vector<Task> tasks{{is_watched ? &agrees_watched() : &agrees_unwatched(), &subject_}};
  const bool is_for_a_law = random.one_in(4);
  if (!is_for_a_law || is_waited_for_) return tasks;
  const Property& law = laws()[random.below(laws().size())];
  if (law.law()->is_for_few && world_of(number).plot == World::Plot::crowd) return tasks;
  const bool is_for_the_other = reference_subject_ && random.one_in(2);
  if (has(features_, law.needs())) tasks.push_back({&law, is_for_the_other ? reference_subject_ : &subject_});
  return tasks;
}

std::optional<Failure> RandomSearch::check_case(std::uint64_t number, Tally* tally) {
  const Case test_case = case_of(number);
  for (const auto& [property, subject] : tasks_of(number)) {
    if (!property->is_agreement()) ++laws_checked_;
    auto violation = check(*property, test_case, *subject, tally);
    if (property->is_agreement()) operations_ += violation ? violation->step + 1 : test_case.steps.size();
    if (!violation) continue;
    failed_ = subject;
    return Failure{property, test_case, std::move(*violation)};
  }
  return std::nullopt;
}

SearchResult random_search(Subject& subject, std::uint64_t seed, std::uint64_t most_operations, const Worlds& worlds) {
  RandomSearch search(seed, worlds, subject);
  std::optional<Failure> failure;
  for (std::uint64_t number = 0; !failure && search.operations() < most_operations; ++number)
    failure = search.check_case(number);
  return {std::move(failure), search.operations()};
}

}  // namespace mayfly
