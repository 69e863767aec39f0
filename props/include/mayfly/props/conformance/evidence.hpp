#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mayfly/props/conformance/defect_hypothesis.hpp"
#include "mayfly/props/property/check.hpp"

// What is wrong with a store, by comparison with stores of which that is known.
//
// One defect shows in many places: at a step that fails several rules are decisive, and scenarios of other rules fail
// as well. A planted defect explains a failure if the store that has it fails in the same way. It is refuted where that
// store fails and the one under test does not, or not yet: then it is not what is wrong here, whatever else it
// explains. What a store has wrong besides does not refute a defect, because a case ends where a store first fails.
//
// Real stores rarely have a defect just as it was planted. What no standing defect explains may be explained nearly: by
// one that is right about most of what it predicts.

namespace mayfly {

/// A case that was tried on the store under test, and what came of it.
struct Observation {
  const Property* property = nullptr;
  Case test_case;
  std::optional<Violation> violation;
};

/// A defect, and the observations that it explains.
struct Explanation {
  Defect defect = Defect::none;
  bool is_exact = true;  ///< otherwise the defect is refuted, but nearly right
  std::vector<std::size_t> observations;
};

class Evidence {
 public:
  /// `subject` is the store under test; it is only asked what it shows of itself.
  explicit Evidence(const Subject& subject) : subject_(subject) {}

  void add(Observation observation);

  std::span<const Observation> all() const { return observations_; }

  /// Every defect that explains something and is not refuted, by catalogue. Where one of them explains an observation
  /// already, others that only explain that one too may be missing, but not those that explain the first such.
  std::vector<Defect> standing();

  /// As few defects as explain what can be explained, the most telling first, and those that are nearly right last.
  std::vector<Explanation> explanations();

  bool explains(Defect defect, std::size_t observation) { return bearing(defect, observation) == Bearing::explains; }

  /// Whether the defect fails the case of this failure in another way, which may be because the two stores purge in
  /// different orders: a purge in it had a budget for some of the expired documents only.
  bool may_explain(Defect defect, std::size_t observation);

  /// How the store with the defect fails the case, if it does.
  std::optional<Violation> predicted(Defect defect, const Property& property, const Case& test_case) {
    return check(property, test_case, hypothesis(defect));
  }

 private:
  enum class Bearing : std::uint8_t { unknown, neutral, explains, refutes };

  DefectHypothesis& hypothesis(Defect defect);
  Bearing bearing(Defect defect, std::size_t observation);
  Bearing find_bearing(Defect defect, const Observation& observation);
  bool is_refuted(Defect defect);
  bool is_nearly_right(const Explanation& explanation);
  std::vector<Explanation> nearly_right(const std::vector<Explanation>& exact);

  static constexpr std::size_t places = defect_count + 1;  ///< `none` has one too

  const Subject& subject_;
  // By defect.
  std::vector<std::unique_ptr<DefectHypothesis>> hypotheses_ = std::vector<std::unique_ptr<DefectHypothesis>>(places);
  std::vector<bool> refuted_ = std::vector<bool>(places);
  std::vector<std::size_t> weighed_ = std::vector<std::size_t>(places);  ///< observations, for a refutation

  std::vector<Observation> observations_;
  std::vector<std::vector<Bearing>> bearings_;  ///< by observation and defect
  std::vector<std::size_t> failures_;           ///< the observations that are
};

}  // namespace mayfly
