#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mayfly/model/reference.hpp"
#include "mayfly/sim/full_observation.hpp"
#include "mayfly/sim/judge.hpp"
#include "mayfly/sim/subject.hpp"

namespace mayfly {

/// The answers of the reference and the store to one operation.
struct Exchange {
  Expectation expected;
  Outcome actual;
  bool is_allowed = allows(expected, actual);
};

/// An operation to which a store gave an answer that the reference does not allow.
struct Difference {
  Operation operation;
  Exchange exchange;
};

/// A document that the reference and the store show differently, or that only one of them shows.
struct DocumentDifference {
  DocumentKey key;
  std::optional<Document> expected;
  std::optional<Document> actual;
};

/// Drives the reference and a subject through the same operations, side by side.
class Lockstep {
 public:
  Lockstep(Instant start, Subject& subject);

  /// The next step. If nothing is ever observed, `ask` does the same, and remembers nothing of it.
  Exchange step(const Step& step);
  Exchange ask(const Step& step) { return {judge_.expect(step.operation), subject_.apply(step)}; }

  /// The step was the last: `observe` is to request everything.
  void end() { observation_.end(); }

  /// Requests everything that the step may have changed, and returns the first difference.
  std::optional<Difference> observe();

  const FullObservation& observation() const { return observation_; }

  /// Every document that the reference and the store show differently. Uses queries where they must be complete, and
  /// reads of every identity that the case has named.
  std::vector<DocumentDifference> differing_documents();

  ReferenceStore& reference() { return judge_.reference(); }
  Subject& subject() { return subject_; }
  Instant now() const { return judge_.now(); }

 private:
  void add_differing(const std::string& collection, const FullObservation::AtCollection& requests,
                     std::vector<DocumentDifference>& all);

  Subject& subject_;
  Judge judge_;
  FullObservation observation_;
};

}  // namespace mayfly
