#include "mayfly/sim/lockstep.hpp"

#include <utility>

#include <doctest/doctest.h>

#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "shorthand.hpp"

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

/// The engine, and the keywords of the requests that it got.
class Recorder final : public Subject {
 public:
  std::string name() const override { return "recorder"; }
  void reset(Instant now) override { engine_.reset(now); }
  Outcome apply(const Step& step) override {
    if (!asked_.empty()) asked_ += ' ';
    asked_ += keywords[step.operation.index()];
    if (const auto* query = std::get_if<Query>(&step.operation)) asked_ += query->partition ? " of one" : " of all";
    return engine_.apply(step);
  }
  std::string take() { return std::exchange(asked_, {}); }

 private:
  InProcess<Engine> engine_{"engine"};
  std::string asked_;
};

}  // namespace

TEST_CASE("after an operation only what it may have changed is observed, and after the last one everything") {
  Recorder recorder;
  Lockstep lockstep(Instant{}, recorder);
  const auto observed_after = [&](const Operation& operation) {
    CHECK(lockstep.step(operation).is_allowed);
    recorder.take();
    CHECK(!lockstep.observe());
    return recorder.take();
  };
  CHECK(observed_after(Create{{d0, {}}}).empty());  // there is no collection
  CHECK(observed_after(CreateCollection{{"c0", {.default_ttl = std::int64_t{5}}}}) ==
        "read_collection query of all query of one");
  CHECK(observed_after(Create{{d0, {}}}) == "read");
  CHECK(observed_after(Upsert{{d0, {}}}) == "query of all");
  CHECK(observed_after(Create{{d0, {}}}).empty());
  CHECK(observed_after(Read{{d0}}).empty());
  CHECK(observed_after(PatchDocument{d0, {.value = "v"}}) == "query of one");
  CHECK(observed_after(CreateCollection{{"c1", {.indexing = Indexing::none}}}) == "read_collection");
  CHECK(observed_after(Create{{{"c1", "p0", "d1"}, {}}}) == "read");
  CHECK(observed_after(Advance{Seconds{1}}) == "query of all read");
  CHECK(observed_after(Purge{{1}}) == "query of all read");
  CHECK(observed_after(DeleteCollection{{"c1"}}) == "read_collection read");
  CHECK(lockstep.step(Read{{d0}}).is_allowed);
  lockstep.end();
  recorder.take();
  CHECK(!lockstep.observe());
  CHECK(recorder.take() == "read_collection query of all read_collection read");
}

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
