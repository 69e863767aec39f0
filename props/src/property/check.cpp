#include "mayfly/props/property/check.hpp"

#include "mayfly/props/property/agreement.hpp"
#include "mayfly/props/property/exercise.hpp"
#include "mayfly/props/property/property.hpp"

namespace mayfly {

namespace {

std::optional<Violation> run_property(const Property& property, const Case& test_case, Subject& subject, Tally* tally) {
  const Law* law = property.law();
  if (!law) return check_agreement(test_case, subject, property.watch(), tally);
  if (tally) tally->count(exercised_by_law(property, test_case).without(hidden_by(subject)));
  return law->check(test_case, subject);
}

}  // namespace

bool is_for(Subject& subject, const Property& property, const Case& test_case) {
  const Features features = subject.features();
  return features == Features{} || (has(features, property.needs()) && can_run(features, test_case));
}

std::optional<Violation> check(const Property& property, const Case& test_case, Subject& subject, Tally* tally) {
  if (!is_for(subject, property, test_case)) return std::nullopt;
  RemoteSubject* remote = subject.remote();
  if (!remote) return run_property(property, test_case, subject, tally);
  if (test_case.steps.empty()) return std::nullopt;
  try {
    return run_property(property, test_case, subject, tally);
  } catch (const StoreFailure& failure) {
    return Violation{test_case.steps.size() - 1, test_case.steps.back().operation, {}, failure.what()};
  }
}

}  // namespace mayfly
