// How many operations a second are checked? Cases are generated, run on reference and engine side by side, and
// compared.

#include <benchmark/benchmark.h>

#include "mayfly/props/generate.hpp"
#include "mayfly/props/property.hpp"
#include "mayfly/sim/engine/engine.hpp"

namespace {

using namespace mayfly;

void generate_only(benchmark::State& state) {
  std::uint64_t seed = 0;
  std::int64_t operations = 0;
  for (auto _ : state) operations += static_cast<std::int64_t>(generate(seed++, {}).operations.size());
  state.SetItemsProcessed(operations);
}

void check(benchmark::State& state, Watch watch) {
  InProcess<Engine> engine("engine");
  std::uint64_t seed = 0;
  std::int64_t operations = 0;
  for (auto _ : state) {
    const Case test_case = generate(seed++, {});
    if (check_agreement(test_case, engine, watch)) state.SkipWithError("the stores do not agree");
    operations += static_cast<std::int64_t>(test_case.operations.size());
  }
  state.SetItemsProcessed(operations);
}

BENCHMARK(generate_only);
BENCHMARK_CAPTURE(check, unwatched, Watch::nothing);
BENCHMARK_CAPTURE(check, with_full_observation, Watch::everything);

}  // namespace
