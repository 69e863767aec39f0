#include "mayfly/sim/real_time.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/run/random_search.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/random.hpp"
#include "shorthand.hpp"

// Stores in real time, without waiting in tests: time is a number here, and passes at random.

namespace mayfly::test {

namespace {

constexpr double skew = 1'700'000'000.4;  // of the store's clock, ahead of the harness's

/// Time that passes while a caller waits, and a little longer, sometimes much longer.
class SimulatedTime final : public Timekeeper {
 public:
  explicit SimulatedTime(std::uint64_t seed, double longest_hitch = 2) : random_(seed), hitch_(longest_hitch) {}

  double now() override { return now_; }
  void wait_until(double time) override {
    now_ = std::max(now_, time);
    pass();
  }

  /// A few milliseconds, and now and then a hitch.
  void pass() {
    const double part = static_cast<double>(random_.below(1'000'000)) / 1e6;
    now_ += part * (random_.one_in(20) ? hitch_ : 0.01);
  }

  Instant second_in_the_store() const {
    return Instant{Seconds{static_cast<std::int64_t>(std::floor(now_ * rate + skew))}};
  }

 private:
  static constexpr double rate = 1.0003;  // the store's clock is a little fast

  Random random_;
  double hitch_;
  double now_ = 1'000;
};

template <Store S>
class Simulated final : public RunningStore {
 public:
  Simulated(SimulatedTime& time, S empty) : time_(time), empty_(std::move(empty)) {}

  void clear() override { store_ = empty_; }

  Outcome ask(const Operation& operation) override {
    time_.pass();
    Clock clock(time_.second_in_the_store());
    Outcome outcome = apply(store_, clock, operation);
    time_.pass();
    return outcome;
  }

  Instant write_probe() override {
    time_.pass();
    const Instant ts = time_.second_in_the_store();
    time_.pass();
    return ts;
  }

 private:
  SimulatedTime& time_;
  S empty_;
  S store_;
};

constexpr World short_steps{.longest_case = 40, .longest_step = longest_wait.count()};

template <Store S>
std::optional<Failure> search_in_real_time(std::uint64_t seed, std::uint64_t cases, double hitch, S empty = {}) {
  SimulatedTime time(seed, hitch);
  Simulated<S> store(time, std::move(empty));
  RealTime subject("store", store, time, ClockSkew(), {});
  RandomSearch search(seed, short_steps, subject);
  std::optional<Failure> failure;
  for (std::uint64_t number = 0; number < cases && !failure; ++number) failure = search.check_case(number);
  return failure;
}

bool is_found(Defect defect) {
  try {
    return search_in_real_time(1, 1'500, 0.5, DefectiveStore(defect)).has_value();
  } catch (const StoreFailure&) {
    return true;
  }
}

}  // namespace

TEST_CASE("real time: a conforming store is never blamed, even if the machine stalls") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const double longest_hitch = seed % 2 == 0 ? 0.1 : 3;
    CHECK_FALSE(search_in_real_time<Engine>(seed, 1'500, longest_hitch));
  }
}

TEST_CASE("real time: a store that breaks the rules is found, unless only its background processes show it") {
  // Defects that show only by moving the clock far, purging, a lazy index or charges, or that take longer than this
  // test.
  const auto is_out_of_sight = [](const DefectText& text) {
    switch (text.rule()) {
      case Rule::P1:
      case Rule::P2:
      case Rule::P3:
      case Rule::P4:
      case Rule::P5:
      case Rule::I3:
      case Rule::I4:
      case Rule::I5:
      case Rule::R1:
      case Rule::R2:
      case Rule::X5:
        return true;
      default:
        return text.defect == Defect::third_of_a_second_forgotten || text.defect == Defect::beyond_30_days_is_a_time ||
               !text.world.empty();
    }
  };
  for (const auto& text : all_defects())
    if (!is_out_of_sight(text)) CHECK_MESSAGE(is_found(text.defect), text.id);
}

TEST_CASE("real time: an answer is allowed if one of the seconds in which it may have been served allows it") {
  const Operation collection = CreateCollection{{"c0", {.default_ttl = std::int64_t{2}}}};
  const DocumentKey key{"c0", "p0", "d0"};
  const Outcome document{.status = Status::created, .document = Document{"p0", "d0", "v", at(10), Inherit{}}};
  const Outcome seen{.status = Status::ok, .document = document.document};
  const Outcome gone{.status = Status::not_found};
  const Operation create = Create{{key, {.ttl = {}, .value = "v"}}};
  const Operation read = Read{{key}};
  Judge judge;
  REQUIRE(judge.allow(collection, {at(9), at(10)}, {.status = Status::created}));
  REQUIRE(judge.allow(create, {at(10), at(11)}, document));
  SUBCASE("in an uncertain second the document may be shown or missing") {
    CHECK(Judge(judge).allow(read, {at(11), at(12)}, seen));
    CHECK(Judge(judge).allow(read, {at(11), at(12)}, gone));
  }
  SUBCASE("a document that was missing does not come back, even if its deadline may lie ahead") {
    REQUIRE(judge.allow(read, {at(11), at(12)}, gone));
    CHECK_FALSE(judge.allow(read, {at(11), at(12)}, seen));
  }
  SUBCASE("a certain second is judged by itself") {
    CHECK_FALSE(Judge(judge).allow(read, {at(12), at(14)}, seen));
    CHECK_FALSE(Judge(judge).allow(read, {at(10), at(11)}, gone));
  }
  SUBCASE("no later answer excuses a wrong one") {
    CHECK_FALSE(judge.allow(read, {at(13), at(13)}, seen));
    CHECK_FALSE(judge.allow(read, {at(13), at(13)}, gone));
  }
}

TEST_CASE("real time: each probe narrows the estimate of a store's clock") {
  ClockSkew ahead;  // by 100.3, in truth
  ahead.learn(10.0, 10.1, at(110));
  CHECK(ahead.window(10.6, 10.7).earliest <= at(110));
  CHECK(ahead.window(10.6, 10.7).latest >= at(111));
  ahead.learn(10.7, 10.75, at(111));  // 111.0 at 10.7: it is ahead by no less than 100.25
  CHECK(ahead.window(10.76, 10.76).earliest == at(111));
  CHECK(ahead.surely_at(at(112)) == doctest::Approx(11.75).epsilon(0.001));
  CHECK(ahead.window(ahead.surely_at(at(112)), 12).earliest == at(112));
  ahead.learn(20, 20.1, at(50));  // the clock was set
  CHECK(ahead.window(20.2, 20.2).latest <= at(51));
}

TEST_CASE("real time: a store whose machines' clocks differ may be a little early or late") {
  ClockSkew blurred(0.5);
  blurred.learn(10, 10, at(110));
  CHECK(blurred.window(10, 10).earliest == at(109));
  CHECK(blurred.window(10, 10).latest == at(111));
}

}  // namespace mayfly::test
