#include "mayfly/props/exercise.hpp"
#include "mayfly/props/property.hpp"

namespace mayfly {

namespace {

/// Answers as the reference does, and notes what it is asked. What it holds it keeps to itself, as a store in another
/// process does, and it has the same features, so that it is asked nothing that the store lacks.
class Rehearsal final : public Subject {
 public:
  Rehearsal(std::size_t operations, const Features& features) : features_(features) {
    requests_.reserve(3 * operations);  // most laws run a case twice
  }

  std::string name() const override { return reference_.name(); }
  Features features() const override { return features_; }

  void reset(Instant now) override {
    requests_.push_back(Reset{now});
    reference_.reset(now);
  }

  Outcome apply(const Step& step) override {
    requests_.push_back(step);
    return reference_.apply(step);
  }

  const std::vector<Request>& requests() const { return requests_; }

 private:
  Features features_;
  InProcess<ReferenceStore> reference_{"reference"};
  std::vector<Request> requests_;
};

std::optional<Violation> run_property(const Property& property, const Case& test_case, Subject& subject, Tally* tally) {
  if (&property == &agrees_watched()) return check_agreement(test_case, subject, Watch::everything, tally);
  if (&property == &agrees_unwatched()) return check_agreement(test_case, subject, Watch::nothing, tally);
  if (tally) tally->count(exercised_by_law(property, test_case).without(hidden_by(subject)));
  return property.check(test_case, subject);
}

// A law asks a store that conforms what it asks the reference, so that this can be asked all at once. One that does not
// conform is asked again, step by step, from where they part. Agreement sees to that itself.
void ask_ahead(const Property& property, const Case& test_case, const Features& features, RemoteSubject& remote) {
  Rehearsal rehearsal(test_case.steps.size(), features);
  property.check(test_case, rehearsal);
  remote.ask_ahead(rehearsal.requests());
}

}  // namespace

bool is_for(Subject& subject, const Property& property, const Case& test_case) {
  const Features features = subject.features();
  return features == Features{} || (has(features, property.needs) && can_run(features, test_case));
}

std::optional<Violation> check(const Property& property, const Case& test_case, Subject& subject, Tally* tally) {
  if (!is_for(subject, property, test_case)) return std::nullopt;
  RemoteSubject* remote = subject.remote();
  if (!remote) return run_property(property, test_case, subject, tally);
  if (test_case.steps.empty()) return std::nullopt;
  try {
    const Features features = subject.features();
    if (features.batch && !is_agreement(property)) ask_ahead(property, test_case, features, *remote);
    return run_property(property, test_case, subject, tally);
  } catch (const StoreFailure& failure) {
    return Violation{test_case.steps.size() - 1, test_case.steps.back().operation, {}, failure.what()};
  }
}

}  // namespace mayfly
