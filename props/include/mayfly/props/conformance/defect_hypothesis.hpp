#pragma once

#include <optional>
#include <string>

#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/props/property/property.hpp"

namespace mayfly {

/// A store with a planted defect and with the features of the store under test: a hypothesis about what is wrong with
/// that store.
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

/// Whether two stores failed in the same way: at the same step, with the same wrong answer. Charges and the order of
/// documents may differ. Of a query that may miss documents (I3), only the documents that it must not show count.
bool are_alike(const Violation& a, const Violation& b);

}  // namespace mayfly
