#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/container/flat_map.hpp>

#include "mayfly/model/reference.hpp"
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

  Exchange step(const Operation& operation);

  /// Looks at everything that can be seen: the settings of every collection that was ever named, and its documents. By
  /// a query where there is an index; where it is not consistent also by reads of every identity ever named, because
  /// there a query may be incomplete (I3) or rejected (I6), and a read never is (I5).
  std::optional<Difference> observe();

  /// Every document that is not seen alike: by queries where they have to be complete, and by reads of every identity
  /// ever named.
  std::vector<DocumentDifference> differing_documents();

  ReferenceStore& reference() { return reference_; }
  Subject& subject() { return subject_; }
  Instant now() const { return clock_.now(); }

 private:
  struct Looks {
    Operation settings;
    Operation documents;
    // A case names few identities, each looked at after every operation: a sorted array is the fastest to walk.
    boost::container::flat_map<ReferenceStore::Identity, Operation> reads;
  };

  Exchange ask(const Operation& operation);
  void add_differing(const std::string& collection, const Looks& looks, std::vector<DocumentDifference>& all);
  std::optional<Difference> look(const Looks& looks);
  void remember(const Operation& operation);

  Subject& subject_;
  ReferenceStore reference_;
  Clock clock_;
  boost::container::flat_map<std::string, Looks> looks_;
};

}  // namespace mayfly
