// How fast is the engine? Reads, writes, queries and purging, with the store as large as the argument says.

#include "mayfly/sim/engine/engine.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace mayfly;

constexpr Instant start{Seconds{1'700'000'000}};
constexpr Budget plenty{1'000'000'000};
const std::string collection = "c0";

std::vector<DocumentKey> make_keys(std::int64_t count) {
  std::vector<DocumentKey> keys;
  for (std::int64_t i = 0; i < count; ++i)
    keys.push_back({collection, "p" + std::to_string(i / 8), "d" + std::to_string(i)});
  return keys;
}

/// Visits every key, in an order that caches cannot foresee: the stride has no divisor in common with the counts used.
class Walk {
 public:
  explicit Walk(const std::vector<DocumentKey>& keys) : keys_(keys) {}
  const DocumentKey& next() { return keys_[at_ = (at_ + 7'919'321) % keys_.size()]; }

 private:
  const std::vector<DocumentKey>& keys_;
  std::size_t at_ = 0;
};

Engine filled(const std::vector<DocumentKey>& keys, TtlField default_ttl, TtlField ttl) {
  Engine engine;
  engine.create_collection(start, collection, {.default_ttl = default_ttl});
  for (const auto& key : keys) engine.create(start, key, {.ttl = ttl, .value = "session"});
  return engine;
}

// A point read of a document that is there.
void read(benchmark::State& state) {
  const auto keys = make_keys(state.range(0));
  const Engine engine = filled(keys, std::int64_t{3600}, {});
  Walk walk(keys);
  for (auto _ : state) benchmark::DoNotOptimize(engine.read(start, walk.next()));
}

// A write that restarts the countdown of a session: what a TTL store does all day.
void refresh(benchmark::State& state, TtlField ttl) {
  const auto keys = make_keys(state.range(0));
  Engine engine = filled(keys, std::int64_t{3600}, ttl);
  Walk walk(keys);
  Instant now = start;
  std::size_t writes = 0;
  for (auto _ : state) {
    if (++writes % keys.size() == 0) now += Seconds{1};
    benchmark::DoNotOptimize(engine.upsert(now, walk.next(), {.ttl = ttl, .value = "session"}));
  }
}

// All the documents of one user.
void query_partition(benchmark::State& state) {
  const auto keys = make_keys(state.range(0));
  const Engine engine = filled(keys, std::int64_t{3600}, {});
  Walk walk(keys);
  for (auto _ : state) benchmark::DoNotOptimize(engine.query(start, collection, walk.next().partition));
}

// A new default for every document at once: no document is visited.
void change_default(benchmark::State& state) {
  const auto keys = make_keys(state.range(0));
  Engine engine = filled(keys, std::int64_t{3600}, {});
  std::int64_t seconds = 3600;
  for (auto _ : state)
    benchmark::DoNotOptimize(engine.replace_collection(start, collection, {.default_ttl = seconds ^= 1}));
}

// Purging a store in which everything has expired, for each document purged.
void purge(benchmark::State& state, TtlField ttl) {
  const auto keys = make_keys(state.range(0));
  const Engine full = filled(keys, std::int64_t{10}, ttl);
  std::int64_t purged = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Engine engine = full;
    state.ResumeTiming();
    purged += static_cast<std::int64_t>(*engine.purge(start + Seconds{10}, plenty).purged);
  }
  if (purged != static_cast<std::int64_t>(state.iterations()) * state.range(0))
    state.SkipWithError("not all was purged");
  state.SetItemsProcessed(purged);
}

constexpr std::int64_t small = 1'000;
constexpr std::int64_t large = 1'000'000;
const TtlField inherits = Absent{};
const TtlField own = std::int64_t{10};

BENCHMARK(read)->Arg(small)->Arg(large);
BENCHMARK_CAPTURE(refresh, inherits, inherits)->Arg(small)->Arg(large);
BENCHMARK_CAPTURE(refresh, own_ttl, own)->Arg(small)->Arg(large);
BENCHMARK(query_partition)->Arg(small)->Arg(large);
BENCHMARK(change_default)->Arg(small)->Arg(large);
BENCHMARK_CAPTURE(purge, inherits, inherits)->Arg(small)->Arg(large)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(purge, own_ttl, own)->Arg(small)->Arg(large)->Unit(benchmark::kMicrosecond);

}  // namespace
