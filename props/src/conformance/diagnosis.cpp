#include "diagnosis.hpp"

#include <algorithm>

namespace mayfly::conformance {

namespace {

constexpr int most_cases_tried = 600;  // before two defects count as the same
constexpr int most_cases_asked = 8;
constexpr std::size_t most_runs_to_confirm = 2'000;  // runs of a store in this process

}  // namespace

std::vector<const Property*> properties_for(Rule rule) {
  std::vector<const Property*> properties;
  for (const Property& property : all_properties())
    if (property.rules.contains(rule) && property.is_agreement() != only_laws_tell.contains(rule))
      properties.push_back(&property);
  return properties;
}

bool Diagnosis::update() {
  Evidence& evidence = checker_.evidence();
  const auto is_failure = [](const Observation& observation) { return observation.violation.has_value(); };
  const auto news = evidence.all().subspan(seen_);
  const bool has_news = std::any_of(news.begin(), news.end(), is_failure);
  seen_ = evidence.all().size();
  if (!has_news) return false;
  tell_apart();
  confirm();
  const std::size_t before = explanations_.size();
  explanations_ = evidence.explanations();
  seen_ = evidence.all().size();
  return explanations_.size() > before;
}

void Diagnosis::tell_apart() {
  for (bool has_learnt = true; has_learnt && !checker_.is_over();) {
    has_learnt = false;
    const auto standing = checker_.evidence().standing();
    for (std::size_t a = 0; a < standing.size() && !has_learnt; ++a)
      for (std::size_t b = a + 1; b < standing.size() && !has_learnt; ++b) {
        if (same_.contains({standing[a], standing[b]}) || !are_rivals(standing[a], standing[b])) continue;
        has_learnt = tell_apart(standing[a], standing[b]);
        if (!has_learnt) same_.insert({standing[a], standing[b]});
      }
  }
}

// For each standing defect, runs on the store the shortest case that shows this defect. A store with another defect,
// which looked the same because only rare cases distinguish the two, passes this case, and that refutes the defect.
void Diagnosis::confirm() {
  Evidence& evidence = checker_.evidence();
  for (const Defect defect : evidence.standing()) {
    if (checker_.is_over() || !confirmed_.insert(defect).second) continue;
    const auto all = evidence.all();
    std::size_t first = 0;
    while (!all[first].violation || !evidence.explains(defect, first)) ++first;
    const Runner runner = [&](const Property& property, const Case& test_case) {
      return evidence.predicted(defect, property, test_case);
    };
    const Failure shown{all[first].property, all[first].test_case, *all[first].violation};
    const Failure shortest =
        minimise_within(shown, runner, most_runs_to_confirm, checker_.seconds_of_shrinking()).failure;
    checker_.check_one(*shortest.property, shortest.test_case);
  }
}

bool Diagnosis::are_rivals(Defect a, Defect b) {
  Evidence& evidence = checker_.evidence();
  for (std::size_t i = 0; i < evidence.all().size(); ++i)
    if (evidence.all()[i].violation && evidence.explains(a, i) && evidence.explains(b, i)) return true;
  return false;
}

// The next case in which stores with these defects fail differently; nothing if the search takes too long.
std::optional<Question> Diagnosis::next_that_tells_apart(Defect a, Defect b, int& tried) {
  Evidence& evidence = checker_.evidence();
  std::vector<const Property*> properties{&agrees_unwatched(), &agrees_watched()};
  for (const Rule rule : {text_of(a).rule(), text_of(b).rule()})
    for (const Property* property : properties_for(rule)) properties.push_back(property);
  while (tried < most_cases_tried && !checker_.is_over()) {
    const Property& property = *properties[static_cast<std::size_t>(tried++) % properties.size()];
    Case test_case = checker_.within_reach(source_.next());
    if (test_case.steps.empty()) continue;
    const auto by_a = evidence.predicted(a, property, test_case);
    const auto by_b = evidence.predicted(b, property, test_case);
    if (by_a.has_value() == by_b.has_value() && (!by_a || are_alike(*by_a, *by_b))) continue;
    return Question{&property, std::move(test_case)};
  }
  return std::nullopt;
}

// Runs cases on the store in which the two defects fail differently, until one of them is refuted.
bool Diagnosis::tell_apart(Defect a, Defect b) {
  Evidence& evidence = checker_.evidence();
  int tried = 0;
  for (int asked = 0; asked < most_cases_asked;) {
    const auto question = next_that_tells_apart(a, b, tried);
    if (!question) return false;
    if (!checker_.check_one(*question->property, question->test_case)) continue;
    ++asked;
    const auto standing = evidence.standing();
    const auto stands = [&](Defect d) { return std::binary_search(standing.begin(), standing.end(), d); };
    if (!stands(a) || !stands(b)) return true;
  }
  return false;
}

Case Diagnosis::before_the_known(const Property& property, Case test_case) {
  for (const auto& explanation : explanations_) {
    if (test_case.steps.empty()) break;
    const auto violation = checker_.evidence().predicted(explanation.defect, property, test_case);
    if (violation) test_case.steps.resize(property.is_agreement() ? violation->step : 0);
  }
  return test_case;
}

}  // namespace mayfly::conformance
