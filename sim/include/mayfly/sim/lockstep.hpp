#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mayfly/model/reference.hpp"
#include "mayfly/sim/full_observation.hpp"
#include "mayfly/sim/judge.hpp"
#include "mayfly/sim/subject.hpp"

namespace mayfly {

/// What both answered to one operation.
struct Exchange {
  Expectation expected;
  Outcome actual;
  bool is_allowed = allows(expected, actual);
};

/// Where a store gave an answer that the reference does not allow.
struct Difference {
  Operation operation;
  Exchange exchange;
};

/// A document that reference and store do not show alike, or that only one of them shows.
struct DocumentDifference {
  DocumentKey key;
  std::optional<Document> expected;
  std::optional<Document> actual;
};

/// Drives the reference and a subject through the same operations, side by side.
class Lockstep {
 public:
  Lockstep(Instant start, Subject& subject);

  Exchange step(const Step& step);

  /// FullObservation at everything that can be seen.
  std::optional<Difference> observe();

  /// Whether that is to be done after the operation, which is the next step.
  bool is_due(const Operation& operation) const { return observation_.is_due(operation); }

  /// Every document that is not seen alike: by queries where they have to be complete, and by reads of every identity
  /// ever named.
  std::vector<DocumentDifference> differing_documents();

  ReferenceStore& reference() { return judge_.reference(); }
  Subject& subject() { return subject_; }
  Instant now() const { return judge_.now(); }

 private:
  Exchange ask(const Step& step);
  void add_differing(const std::string& collection, const FullObservation::AtCollection& requests,
                     std::vector<DocumentDifference>& all);

  Subject& subject_;
  Judge judge_;
  FullObservation observation_;
};

}  // namespace mayfly
