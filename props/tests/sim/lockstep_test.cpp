#include "mayfly/sim/lockstep.hpp"

#include <doctest/doctest.h>

#include "mayfly/props/defects/defective_store.hpp"

namespace mayfly::test {

namespace {

const Document written{"p0", "d0", "", Instant{}, Seconds{2}};

/// The documents that are seen differently after these operations and two documents, one of which expires after two
/// seconds.
std::vector<DocumentDifference> seen_differently(Defect defect, const std::vector<Operation>& operations) {
  InProcess<DefectiveStore> subject("defective", Audit::never, DefectiveStore(defect));
  Lockstep lockstep(Instant{}, subject);
  lockstep.step(CreateCollection{{"c0", {.default_ttl = std::int64_t{-1}}}});
  lockstep.step(Create{{{"c0", "p0", "d0"}, {.ttl = std::int64_t{2}}}});
  lockstep.step(Create{{{"c0", "p0", "d1"}, {}}});
  for (const auto& operation : operations) lockstep.step(operation);
  return lockstep.differing_documents();
}

void check_only(const std::vector<DocumentDifference>& differences, const std::optional<Document>& expected,
                const std::optional<Document>& actual) {
  REQUIRE(differences.size() == 1);
  CHECK(differences.front().key == DocumentKey{"c0", "p0", "d0"});
  CHECK(differences.front().expected == expected);
  CHECK(differences.front().actual == actual);
}

}  // namespace

TEST_CASE("differing documents are those that only one store shows, or that the stores show differently") {
  CHECK(seen_differently(Defect::none, {Advance{Seconds{2}}}).empty());
  check_only(seen_differently(Defect::expires_late, {Advance{Seconds{2}}}), std::nullopt, written);
  check_only(seen_differently(Defect::expires_early, {Advance{Seconds{1}}}), written, std::nullopt);
  check_only(seen_differently(Defect::ghosts_in_queries, {Advance{Seconds{2}}}), std::nullopt, written);
  Document patched = written;
  patched.value = "b";
  Document as_it_should_be = patched;
  as_it_should_be.ts = Instant{Seconds{1}};
  const PatchDocument patch{{"c0", "p0", "d0"}, {.value = "b"}};
  check_only(seen_differently(Defect::patch_keeps_ts, {Advance{Seconds{1}}, patch}), as_it_should_be, patched);
}

}  // namespace mayfly::test
