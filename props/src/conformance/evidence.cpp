#include "mayfly/props/conformance/evidence.hpp"

#include <algorithm>

namespace mayfly {

namespace {

// After this many unexplained failures, no defect is expected to explain the rest.
constexpr std::size_t most_unexplained = 30;

// A defect that explains fewer failures may do so by chance.
constexpr std::size_t least_for_nearly = 5;

/// Whether the remaining expired documents of the case depend on the order in which a store purges (P1): a purge had a
/// budget for only some of them.
bool purges_some_of_many(const Case& test_case) {
  ReferenceStore reference;
  Clock clock(test_case.start);
  for (const auto& step : test_case.steps) {
    const auto* purge = std::get_if<Purge>(&step.operation);
    if (purge && purge->budget.units > 0) {
      reference.settle(clock.now());
      std::uint64_t expired = 0;
      for (const auto& [name, collection] : reference.collections())
        for (const auto& [identity, document] : collection.documents) expired += document.expired ? 1 : 0;
      if (expired > purge->budget.units) return true;
    }
    apply(reference, clock, step.operation);
  }
  return false;
}

std::vector<Explanation> as_few_as_explain_all(std::vector<Explanation> left) {
  std::vector<Explanation> chosen;
  const auto explains_less = [](const Explanation& a, const Explanation& b) {
    return a.observations.size() < b.observations.size();
  };
  while (!left.empty()) {
    const auto best = std::max_element(left.begin(), left.end(), explains_less);
    if (best->observations.empty()) break;
    chosen.push_back(std::move(*best));
    left.erase(best);
    const auto& covered = chosen.back().observations;
    for (auto& other : left)
      std::erase_if(other.observations,
                    [&](std::size_t i) { return std::binary_search(covered.begin(), covered.end(), i); });
  }
  return chosen;
}

}  // namespace

void Evidence::add(Observation observation) {
  if (observation.violation) failures_.push_back(observations_.size());
  observations_.push_back(std::move(observation));
  bearings_.emplace_back(places, Bearing::unknown);
}

DefectHypothesis& Evidence::hypothesis(Defect defect) {
  auto& place = hypotheses_[static_cast<std::size_t>(defect)];
  if (!place) place = std::make_unique<DefectHypothesis>(defect, subject_);
  return *place;
}

Evidence::Bearing Evidence::bearing(Defect defect, std::size_t observation) {
  auto& known = bearings_[observation][static_cast<std::size_t>(defect)];
  if (known == Bearing::unknown) known = find_bearing(defect, observations_[observation]);
  return known;
}

Evidence::Bearing Evidence::find_bearing(Defect defect, const Observation& observation) {
  const auto& actual = observation.violation;
  if (actual && !actual->crash.empty()) return Bearing::neutral;
  const auto expected = predicted(defect, *observation.property, observation.test_case);
  if (!expected) return Bearing::neutral;
  if (actual && are_alike(*expected, *actual)) return Bearing::explains;
  if (actual && expected->step >= actual->step) return Bearing::neutral;
  return purges_some_of_many(observation.test_case) ? Bearing::neutral : Bearing::refutes;
}

bool Evidence::may_explain(Defect defect, std::size_t observation) {
  const auto& [property, test_case, violation] = observations_[observation];
  return violation && purges_some_of_many(test_case) && predicted(defect, *property, test_case).has_value();
}

bool Evidence::is_refuted(Defect defect) {
  const auto place = static_cast<std::size_t>(defect);
  for (std::size_t& i = weighed_[place]; !refuted_[place] && i < observations_.size(); ++i)
    refuted_[place] = bearing(defect, i) == Bearing::refutes;
  return refuted_[place];
}

std::vector<Defect> Evidence::standing() {
  std::vector<Defect> standing;
  std::size_t unexplained = 0;
  for (const std::size_t failure : failures_) {
    if (unexplained == most_unexplained) break;
    const auto explains_it = [&](Defect defect) { return explains(defect, failure); };
    if (std::any_of(standing.begin(), standing.end(), explains_it)) continue;
    const std::size_t before = standing.size();
    for (const auto& text : all_defects())
      if (explains_it(text.defect) && !is_refuted(text.defect)) standing.push_back(text.defect);
    if (standing.size() == before) ++unexplained;
  }
  std::sort(standing.begin(), standing.end());
  return standing;
}

std::vector<Explanation> Evidence::explanations() {
  std::vector<Explanation> exact;
  for (const Defect defect : standing()) {
    exact.push_back({defect, true, {}});
    for (const std::size_t failure : failures_)
      if (explains(defect, failure)) exact.back().observations.push_back(failure);
  }
  exact = as_few_as_explain_all(std::move(exact));
  const auto near = nearly_right(exact);
  exact.insert(exact.end(), near.begin(), near.end());
  return exact;
}

// A sample of the failures without an exact explanation is enough.
std::vector<Explanation> Evidence::nearly_right(const std::vector<Explanation>& exact) {
  std::vector<std::size_t> rest;
  for (const std::size_t failure : failures_) {
    const bool is_explained = std::any_of(exact.begin(), exact.end(), [&](const Explanation& explanation) {
      return explains(explanation.defect, failure);
    });
    if (!is_explained && rest.size() < 2 * most_unexplained) rest.push_back(failure);
  }
  std::vector<Explanation> near;
  for (const auto& text : all_defects()) {
    Explanation explanation{text.defect, false, {}};
    for (const std::size_t failure : rest)
      if (explains(text.defect, failure)) explanation.observations.push_back(failure);
    if (is_nearly_right(explanation)) near.push_back(std::move(explanation));
  }
  return as_few_as_explain_all(std::move(near));
}

// Whether the defect is right about three quarters of the failures that it predicts, among the cases that were run.
bool Evidence::is_nearly_right(const Explanation& explanation) {
  const std::size_t right = explanation.observations.size();
  if (right < least_for_nearly) return false;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < observations_.size() && 3 * wrong <= right; ++i)
    if (bearing(explanation.defect, i) == Bearing::refutes) ++wrong;
  return 3 * wrong <= right;
}

}  // namespace mayfly
