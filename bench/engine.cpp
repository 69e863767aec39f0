// How fast is the engine as a whole? Reads, writes, queries and purging, against a straightforward engine behind the
// same interface.

#include "mayfly/sim/engine/engine.hpp"

#include <fmt/format.h>

#include "cpu_clock.hpp"
#include "engine/straightforward.hpp"
#include "mayfly/props/generate/generate.hpp"
#include "mayfly/props/property/agreement.hpp"
#include "mayfly/props/property/property.hpp"
#include "mayfly/sim/random.hpp"
#include "questions.hpp"

namespace mayfly::bench {

namespace {

constexpr Workload reading{"engine/read", "A point read of a live document.", "a read"};
constexpr Workload refreshing{"engine/write", "A write that restarts the countdown of a session with the default ttl.",
                              "a write"};
constexpr Workload own_ttl{"engine/write-ttl", "The same, with a ttl of its own.", "a write"};
constexpr Workload querying{"engine/query", "A query for the eight documents of one user.", "a query"};
constexpr Workload purging{"engine/purge", "Purging a store in which every document has expired.", "a document"};
constexpr Workload redefining{"engine/default", "A new default for every document at once.", "a change"};

constexpr Instant start{Seconds{1'700'000'000}};
constexpr std::size_t batch = 1'000;
const std::string sessions = "sessions";

/// An engine with documents, eight in each partition.
template <Store S>
class Filled {
 public:
  Filled(std::size_t documents, TtlField ttl) : ttl_(ttl) {
    engine.create_collection(start, sessions, {.default_ttl = std::int64_t{3'600}});
    for (std::size_t i = 0; i < documents; ++i) {
      keys_.push_back({sessions, "p" + std::to_string(i / 8), "d" + std::to_string(i)});
      engine.create(start, keys_.back(), content());
    }
  }

  Content content() const { return {.ttl = ttl_, .value = "session"}; }
  const DocumentKey& any_key() { return keys_[random_.below(keys_.size())]; }

  S engine;

 private:
  TtlField ttl_;
  std::vector<DocumentKey> keys_;
  Random random_{1};
};

/// A thousand requests an iteration, for documents drawn at random.
template <Store S, class Request>
class Requests final : public Run {
 public:
  Requests(std::size_t documents, TtlField ttl) : filled_(documents, ttl) {}

  Sample iterate() override {
    std::vector<const DocumentKey*> keys(batch);
    for (auto& key : keys) key = &filled_.any_key();
    now_ += Seconds{1};
    const double seconds = timed([&] {
      for (const DocumentKey* key : keys) successes_ += Request{}(filled_, now_, *key).status < Status::bad_request;
    });
    return {seconds, batch};
  }

 private:
  Filled<S> filled_;
  Instant now_ = start;
  std::size_t successes_ = 0;  // keeps the compiler from dropping the answers
};

constexpr auto point_read = [](auto& filled, Instant, const DocumentKey& key) {
  return filled.engine.read(start, key);
};
constexpr auto upsert = [](auto& filled, Instant now, const DocumentKey& key) {
  return filled.engine.upsert(now, key, filled.content());
};
constexpr auto partition_query = [](auto& filled, Instant, const DocumentKey& key) {
  return filled.engine.query(start, sessions, key.partition);
};
template <class S>
using PointReads = Requests<S, decltype(point_read)>;
template <class S>
using Upserts = Requests<S, decltype(upsert)>;
template <class S>
using PartitionQueries = Requests<S, decltype(partition_query)>;

template <Store S>
class Purging final : public Run {
 public:
  explicit Purging(std::size_t documents) : documents_(documents) {}

  Sample iterate() override {
    Filled<S> filled(documents_, {});
    const double seconds = timed([&] { filled.engine.purge(start + Seconds{3'600}, Budget{documents_}); });
    return {seconds, static_cast<double>(documents_)};
  }

 private:
  std::size_t documents_;
};

template <Store S>
class Redefining final : public Run {
 public:
  explicit Redefining(std::size_t documents) : filled_(documents, {}) {}

  Sample iterate() override {
    return {
        timed_precisely([&] { filled_.engine.replace_collection(start, sessions, {.default_ttl = seconds_ ^= 1}); })};
  }

 private:
  Filled<S> filled_;
  std::int64_t seconds_ = 3'600;
};

/// Adds a workload for both engines.
template <template <class> class R, class... Arguments>
void add(Benchmarks& benchmarks, const Workload& workload, std::size_t n, Iterations iterations,
         Arguments... arguments) {
  benchmarks.push_back(
      {workload, {"mayfly", Role::ours}, n, iterations, [=] { return std::make_unique<R<Engine>>(n, arguments...); }});
  benchmarks.push_back({workload, {"unordered_map + set", Role::peer}, n, iterations, [=] {
                          return std::make_unique<R<StraightforwardEngine>>(n, arguments...);
                        }});
}

template <Store S>
std::optional<std::string> disagreement(std::string_view name) {
  InProcess<S> engine{std::string(name)};
  for (std::uint64_t seed = 0; seed < 500; ++seed)
    if (const auto violation = check_agreement(generate(seed, {}), engine, Watch::everything))
      return fmt::format("engine {} in case {} at step {}", name, seed, violation->step);
  return std::nullopt;
}

}  // namespace

void add_engine(Benchmarks& benchmarks, Scale scale) {
  const std::vector<std::size_t> small = {1'000}, large = {10'000, 1'000'000};
  constexpr Iterations allowed;  // by the time
  const TtlField inherits, hour = std::int64_t{3'600};
  for (const std::size_t n : scale == Scale::quick ? small : large) {
    add<PointReads>(benchmarks, reading, n, allowed, inherits);
    add<Upserts>(benchmarks, refreshing, n, allowed, inherits);
    add<Upserts>(benchmarks, own_ttl, n, allowed, hour);
    add<PartitionQueries>(benchmarks, querying, n, allowed, inherits);
    add<Purging>(benchmarks, purging, n, Iterations{n < 100'000 ? std::size_t{20} : std::size_t{1}});
    add<Redefining>(benchmarks, redefining, n, Iterations{1});
  }
}

std::optional<std::string> engine_disagreement() {
  if (auto found = disagreement<Engine>("mayfly")) return found;
  return disagreement<StraightforwardEngine>("unordered_map + set");
}

}  // namespace mayfly::bench
