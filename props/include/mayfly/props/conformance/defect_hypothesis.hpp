#pragma once

#include <optional>
#include <string>

#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/props/property/property.hpp"

namespace mayfly {

/// A store with a planted defect that shows no more of itself than another store does: what may be wrong with that one.
class DefectHypothesis final : public Subject {
 public:
  DefectHypothesis(Defect defect, const Subject& other)
      : store_(std::string(text_of(defect).id), Audit::never, DefectiveStore(defect)), features_(other.features()) {}

  std::string name() const override { return store_.name(); }
  void reset(Instant now) override { store_.reset(now); }
  Outcome apply(const Step& step) override;
  Features features() const override { return features_; }

 private:
  InProcess<DefectiveStore> store_;
  Features features_;
};

/// Whether two stores failed in the same way: at the same step, with the same wrong answer. Prices may differ, the
/// order of documents too, and of a query that may miss documents (I3) only those count that it must not show.
bool are_alike(const Violation& a, const Violation& b);

}  // namespace mayfly
