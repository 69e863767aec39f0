#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mayfly/props/conformance/defect_hypothesis.hpp"
#include "mayfly/props/property/check.hpp"

// Diagnosis of a store by comparison with stores whose defect is known.
//
// One defect shows in many places: at a failing step several rules are decisive, and scenarios of other rules fail as
// well. A planted defect explains a failure if the store with that defect fails in the same way. It is refuted if that
// store fails a case that the store under test passes, or fails it earlier: then the defect is not in the store under
// test, whatever else it explains. Further defects of the store under test do not refute it, because a case ends where
// a store first fails.
//
// Real stores rarely have exactly a planted defect. A failure that no standing defect explains may be explained nearly:
// by a defect that is right about most of the failures that it predicts.

namespace mayfly {

/// A case that was run on the store under test, and its result.
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
  /// `subject` is the store under test; only its features are used.
  explicit Evidence(const Subject& subject) : subject_(subject) {}

  void add(Observation observation);

  std::span<const Observation> all() const { return observations_; }

  /// Every defect that explains something and is not refuted, in the order of the catalogue. If a listed defect
  /// explains an observation already, defects that only explain the same one may be missing. All defects that explain
  /// the first such observation are listed.
  std::vector<Defect> standing();

  /// As few defects as needed to explain every explainable observation: those that explain most first, and nearly right
  /// ones last.
  std::vector<Explanation> explanations();

  bool explains(Defect defect, std::size_t observation) { return bearing(defect, observation) == Bearing::explains; }

  /// Whether the defect fails this case in another way, possibly because the two stores purge in different orders: the
  /// case has a purge whose budget covers only some of the expired documents.
  bool may_explain(Defect defect, std::size_t observation);

  /// The violation of the store with the defect in this case, if there is one.
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

  static constexpr std::size_t places = defect_count + 1;  ///< including one for `none`

  const Subject& subject_;
  // Indexed by defect.
  std::vector<std::unique_ptr<DefectHypothesis>> hypotheses_ = std::vector<std::unique_ptr<DefectHypothesis>>(places);
  std::vector<bool> refuted_ = std::vector<bool>(places);
  std::vector<std::size_t> weighed_ =
      std::vector<std::size_t>(places);  ///< number of observations checked for a refutation

  std::vector<Observation> observations_;
  std::vector<std::vector<Bearing>> bearings_;  ///< indexed by observation and defect
  std::vector<std::size_t> failures_;           ///< indexes of the observations that are failures
};

}  // namespace mayfly
