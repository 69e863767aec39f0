#include <doctest/doctest.h>

#include "mayfly/model/expectation.hpp"
#include "mayfly/model/expiry.hpp"
#include "mayfly/model/reference.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "shorthand.hpp"

// The rules as functions, against the tables of RULES.md.

namespace mayfly::test {

namespace {

TtlField number(std::int64_t seconds) { return seconds; }

Document document(const std::string& id, std::int64_t ts = 0) { return {"p0", id, "v", at(ts), Inherit{}}; }

}  // namespace

TEST_CASE("T1, T2: a default is off, never or a number of seconds, and nothing else") {
  CHECK(valid_default(Absent{}) == DefaultTtl{Off{}});
  CHECK(valid_default(Null{}) == DefaultTtl{Off{}});
  CHECK(valid_default(number(-1)) == DefaultTtl{Never{}});
  CHECK(valid_default(number(1)) == DefaultTtl{Seconds{1}});
  CHECK(valid_default(number(largest_ttl)) == DefaultTtl{Seconds{largest_ttl}});
  CHECK(valid_default(OtherJson{"1E7"}) == DefaultTtl{Seconds{10'000'000}});
  for (const auto& invalid : {number(0), number(-2), number(largest_ttl + 1), TtlField{OtherJson{"1.5"}}})
    CHECK_FALSE(valid_default(invalid));
}

TEST_CASE("T3: a ttl is absent, never or a number of seconds, and nothing else, null included") {
  CHECK(valid_ttl(Absent{}) == Ttl{Inherit{}});
  CHECK(valid_ttl(number(-1)) == Ttl{Never{}});
  CHECK(valid_ttl(number(largest_ttl)) == Ttl{Seconds{largest_ttl}});
  CHECK(valid_ttl(OtherJson{"5.0"}) == Ttl{Seconds{5}});
  CHECK(valid_ttl(OtherJson{"-1E0"}) == Ttl{Never{}});
  CHECK(valid_ttl(OtherJson{"2.147483647E9"}) == Ttl{Seconds{largest_ttl}});
  for (const char* json : {"0.0", "-2.0", "1.5", "2147483648.0", "1E300", "18446744073709555712", "\"5\"", "\"\"",
                           "true", "false", "[]", "[5]", "{}"}) {
    CAPTURE(json);
    CHECK_FALSE(valid_ttl(OtherJson{json}));
    Engine engine;
    const Content content{.ttl = OtherJson{json}};
    CHECK(engine.create(at(0), {"c0", "p0", "d0"}, content).status == Status::bad_request);
  }
  for (const auto& invalid :
       {number(0), number(-2), number(largest_ttl + 1), TtlField{Null{}}, TtlField{OtherJson{"true"}}})
    CHECK_FALSE(valid_ttl(invalid));
}

TEST_CASE("E1-E3: a document's own ttl counts before the default, and neither while TTL is off") {
  const Ttl absent = Inherit{}, never = Never{}, own = Seconds{3};
  const DefaultTtl off = Off{}, on = Never{}, n = Seconds{5};
  for (const Ttl& ttl : {absent, never, own}) CHECK_FALSE(effective_ttl(ttl, off));
  CHECK_FALSE(effective_ttl(absent, on));
  CHECK(effective_ttl(absent, n) == Seconds{5});
  CHECK_FALSE(effective_ttl(never, on));
  CHECK_FALSE(effective_ttl(never, n));
  CHECK(effective_ttl(own, on) == Seconds{3});
  CHECK(effective_ttl(own, n) == Seconds{3});
}

TEST_CASE("X1: a document lives through the second before its deadline and not one more") {
  CHECK_FALSE(is_expired(at(100), Seconds{5}, Never{}, at(104)));
  CHECK(is_expired(at(100), Seconds{5}, Never{}, at(105)));
}

TEST_CASE("X5: the largest ttl is exact beyond 32 bits") {
  const Instant ts = at((std::int64_t{1} << 32) - 1);
  CHECK(deadline(ts, Seconds{largest_ttl}, Never{}) == ts + Seconds{largest_ttl});
  CHECK_FALSE(is_expired(ts, Seconds{largest_ttl}, Never{}, ts + Seconds{largest_ttl - 1}));
}

TEST_CASE("I1: a default needs an index") {
  CHECK(valid_settings({Absent{}, Indexing::none}));
  CHECK(valid_settings({number(5), Indexing::lazy}));
  CHECK_FALSE(valid_settings({number(5), Indexing::none}));
  CHECK_FALSE(valid_settings({number(-1), Indexing::none}));
}

TEST_CASE("C2: a patch names something, and does not both set and remove the ttl") {
  CHECK_FALSE(is_valid(Patch{}));
  CHECK(is_valid(Patch{.value = ""}));
  CHECK(is_valid(Patch{.ttl = number(5)}));
  CHECK(is_valid(Patch{.remove_ttl = true}));
  CHECK_FALSE(is_valid(Patch{.ttl = number(5), .remove_ttl = true}));
  CHECK_FALSE(is_valid(Patch{.value = "v", .ttl = number(0)}));
}

TEST_CASE("I3: a query may miss documents only under a lazy index that is behind, and never shows wrong ones") {
  const Expectation exact{.answer = {.status = Status::ok, .documents = std::vector{document("a"), document("b")}}};
  Expectation lazy = exact;
  lazy.may_miss = true;
  const auto answers = [](std::vector<Document> documents) {
    return Outcome{.status = Status::ok, .documents = std::move(documents)};
  };
  CHECK(allows(exact, answers({document("b"), document("a")})));
  CHECK_FALSE(allows(exact, answers({document("a")})));
  CHECK_FALSE(allows(exact, answers({document("a"), document("a")})));
  CHECK_FALSE(allows(exact, answers({document("a"), document("b"), document("c")})));
  CHECK(allows(lazy, answers({})));
  CHECK(allows(lazy, answers({document("b")})));
  CHECK_FALSE(allows(lazy, answers({document("b"), document("b")})));
  CHECK_FALSE(allows(lazy, answers({document("b", 1)})));  // old content
  CHECK_FALSE(allows(lazy, {.status = Status::ok}));
}

TEST_CASE("P1: a purge may answer any number of deleted documents within its budget") {
  const Expectation purge{.answer = {.status = Status::ok, .purged = 2}, .may_purge = {3}};
  CHECK(allows(purge, {.status = Status::ok, .purged = 0}));
  CHECK(allows(purge, {.status = Status::ok, .purged = 3}));
  CHECK_FALSE(allows(purge, {.status = Status::ok, .purged = 4}));
  CHECK_FALSE(allows(purge, {.status = Status::ok}));
}

TEST_CASE("P5: a store may hold expired documents until a purge had enough budget for all of them") {
  const auto bounds = [&](ReferenceStore& reference, std::int64_t second) {
    const Expectation expected = reference.held(at(second));
    return std::pair<std::uint64_t, std::uint64_t>(expected.must_hold, expected.may_hold);
  };
  const DocumentKey a{"c0", "p0", "a"}, b{"c0", "p0", "b"}, c{"c0", "p0", "c"};
  ReferenceStore reference;
  reference.create_collection(at(0), "c0", {.default_ttl = number(-1)});
  for (const auto& key : {a, b}) reference.create(at(0), key, {.ttl = number(5)});
  reference.create(at(0), c, {});
  CHECK(bounds(reference, 4) == std::pair<std::uint64_t, std::uint64_t>(3, 3));
  CHECK(bounds(reference, 5) == std::pair<std::uint64_t, std::uint64_t>(1, 3));
  reference.create(at(5), a, {});  // a store may still hold its expired predecessor
  CHECK(bounds(reference, 5) == std::pair<std::uint64_t, std::uint64_t>(2, 4));
  reference.purge(at(5), {1});
  CHECK(bounds(reference, 5) == std::pair<std::uint64_t, std::uint64_t>(2, 4));
  reference.purge(at(5), {2});
  CHECK(bounds(reference, 5) == std::pair<std::uint64_t, std::uint64_t>(2, 2));
}

TEST_CASE("P3: nothing needs to be purged while TTL is off") {
  ReferenceStore reference;
  reference.create_collection(at(0), "c0", {.default_ttl = number(5)});
  reference.create(at(0), {"c0", "p0", "a"}, {});
  reference.replace_collection(at(5), "c0", {});
  reference.purge(at(5), {100});
  CHECK(reference.held(at(5)).may_hold == 1);
}

TEST_CASE("X2, I3: a count is of live documents, and may be too small while a lazy index is behind") {
  const Expectation exact{.answer = {.status = Status::ok, .count = 2}};
  Expectation lazy = exact;
  lazy.may_miss = true;
  CHECK(allows(exact, {.status = Status::ok, .count = 2}));
  CHECK_FALSE(allows(exact, {.status = Status::ok, .count = 1}));
  CHECK_FALSE(allows(exact, {.status = Status::ok}));
  CHECK(allows(lazy, {.status = Status::ok, .count = 0}));
  CHECK_FALSE(allows(lazy, {.status = Status::ok, .count = 3}));
}

}  // namespace mayfly::test
