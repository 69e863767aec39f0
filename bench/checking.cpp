// How many operations a second are checked? Cases are generated, run on reference and engine side by side, and
// compared: by Mayfly's own loop, and by a state machine of RapidCheck.
//
// RapidCheck's state machine does less: seven kinds of operation instead of fourteen, always valid, on six documents of
// one collection, and without a preference for deadlines. Both have cases of up to a hundred operations.

#include <algorithm>

#include <rapidcheck.h>
#include <rapidcheck/state.h>

#include "cpu_clock.hpp"
#include "mayfly/props/generate/generate.hpp"
#include "mayfly/props/property/agreement.hpp"
#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/property.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "questions.hpp"

namespace mayfly::bench {

namespace {

constexpr Workload checking{"checking", "A random operation, on reference and engine, whose answers must agree.",
                            "an operation"};
constexpr Workload observing{"checking/observing",
                             "The same, and after each operation what it may have changed is observed and compared.",
                             "an operation"};

constexpr std::string_view crowd = "A random operation of a case with hundreds to thousands of documents.";
constexpr std::string_view of_world = "A random operation of a case of this world.";
constexpr Workload wide[] = {{"checking/crowd", crowd, "an operation"},
                             {"checking/names", of_world, "an operation"},
                             {"checking/values", of_world, "an operation"},
                             {"checking/long", of_world, "an operation"},
                             {"checking/rollover", of_world, "an operation"}};

class OwnLoop final : public Run {
 public:
  explicit OwnLoop(Watch watch, const World& world = all_worlds.front()) : watch_(watch), world_(world) {}

  Sample iterate() override {
    const unsigned cases = std::max(1U, 100 * all_worlds.front().cost / world_.cost);
    std::size_t operations = 0;
    const double seconds = timed([&] {
      for (unsigned i = 0; i < cases; ++i) {
        const Case test_case = generate(seed_++, world_);
        if (check_agreement(test_case, engine_, watch_)) throw std::logic_error("the stores do not agree");
        operations += test_case.steps.size();
      }
    });
    return {seconds, static_cast<double>(operations)};
  }

 private:
  Watch watch_;
  const World& world_;
  InProcess<Engine> engine_{"engine"};
  std::uint64_t seed_ = 0;
};

struct Model {
  ReferenceStore store;
  Clock clock;
};

struct UnderTest {
  Engine store;
  Clock clock;
  std::size_t operations = 0;
};

using Command = rc::state::Command<Model, UnderTest>;

DocumentKey any_key() {
  const auto partition = *rc::gen::inRange(0, 2);
  const auto id = *rc::gen::inRange(0, 3);
  return {"c0", std::to_string(partition), std::to_string(id)};
}

TtlField any_ttl() { return *rc::gen::element<TtlField>(Absent{}, std::int64_t{-1}, std::int64_t{1}, std::int64_t{9}); }

Operation draw(std::type_identity<Upsert>) {
  const auto key = any_key();
  return Upsert{{key, {.ttl = any_ttl(), .value = "v"}}};
}
Operation draw(std::type_identity<Read>) { return Read{{any_key()}}; }
Operation draw(std::type_identity<Delete>) { return Delete{{any_key()}}; }
Operation draw(std::type_identity<Query>) { return Query{{"c0", std::nullopt}}; }
Operation draw(std::type_identity<Purge>) { return Purge{Budget{*rc::gen::inRange<std::uint64_t>(0, 5)}}; }
Operation draw(std::type_identity<Advance>) { return Advance{Seconds{*rc::gen::inRange(1, 12)}}; }
Operation draw(std::type_identity<ReplaceCollection>) { return ReplaceCollection{{"c0", {.default_ttl = any_ttl()}}}; }

template <class Kind>
struct Step final : Command {
  Operation operation = draw(std::type_identity<Kind>{});

  void apply(Model& model) const override { mayfly::apply(model.store, model.clock, operation); }

  void run(const Model& before, UnderTest& under_test) const override {
    Model model = before;
    const Expectation expected = mayfly::apply(model.store, model.clock, operation);
    if (!allows(expected, mayfly::apply(under_test.store, under_test.clock, operation)))
      throw std::logic_error("the stores do not agree");
    ++under_test.operations;
  }
};

class StateMachine final : public Run {
 public:
  Sample iterate() override {
    constexpr int cases = 10;
    const std::size_t before = operations_;
    const double seconds = timed([&] {
      for (int i = 0; i < cases; ++i) check(commands_(rc::Random(seed_++)).value());
    });
    return {seconds, static_cast<double>(operations_ - before)};
  }

 private:
  template <class Side>
  static Side begun() {
    Side side;
    side.store.create_collection({}, "c0", {.default_ttl = std::int64_t{5}});
    return side;
  }

  // Like `rc::state::check` in a property, but without a report.
  void check(const rc::state::Commands<Command>& commands) {
    auto under_test = begun<UnderTest>();
    rc::state::runAll(commands, begun<Model>(), under_test);
    operations_ += under_test.operations;
  }

  rc::Gen<rc::state::Commands<Command>> commands_ = rc::state::gen::commands(
      begun<Model>(), rc::state::gen::execOneOfWithArgs<Step<Upsert>, Step<Read>, Step<Delete>, Step<Query>,
                                                        Step<Purge>, Step<Advance>, Step<ReplaceCollection>>());
  std::uint64_t seed_ = 0;
  std::size_t operations_ = 0;
};

}  // namespace

void add_checking(Benchmarks& benchmarks) {
  const auto add = [&](const Workload& workload, const Contestant& contestant, auto make) {
    benchmarks.push_back({workload, contestant, 0, Iterations{}, make});
  };
  add(checking, {"mayfly", Role::ours}, [] { return std::make_unique<OwnLoop>(Watch::nothing); });
  add(checking, {"rc::state", Role::peer}, [] { return std::make_unique<StateMachine>(); });
  add(observing, {"mayfly", Role::ours}, [] { return std::make_unique<OwnLoop>(Watch::everything); });
  for (const Workload& workload : wide) {
    const World* world = world_named(workload.name.substr(workload.name.find('/') + 1));
    add(workload, {"mayfly", Role::ours}, [=] { return std::make_unique<OwnLoop>(Watch::nothing, *world); });
  }
}

}  // namespace mayfly::bench
