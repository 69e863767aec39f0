#include <cstdio>
#include <mayfly/model/reference.hpp>
#include <mayfly/sim/engine/engine.hpp>
#include <mayfly/sim/lockstep.hpp>

// A user's project: a session that lasts ten seconds, on the engine and the reference side by side.
int main() {
  mayfly::InProcess<mayfly::Engine> engine("engine");
  mayfly::Lockstep lockstep(mayfly::Instant{mayfly::Seconds{1'700'000'000}}, engine);
  const mayfly::DocumentKey key{"sessions", "alice", "s1"};
  const auto status_of = [&](const mayfly::Operation& operation) {
    const auto exchange = lockstep.step(operation);
    return exchange.is_allowed ? static_cast<int>(exchange.actual.status) : -1;
  };
  const bool holds = status_of(mayfly::CreateCollection{{"sessions", {.default_ttl = std::int64_t{10}}}}) == 201 &&
                     status_of(mayfly::Create{{key, {}}}) == 201 &&
                     status_of(mayfly::Advance{mayfly::Seconds{9}}) == 200 && status_of(mayfly::Read{{key}}) == 200 &&
                     status_of(mayfly::Advance{mayfly::Seconds{1}}) == 200 && status_of(mayfly::Read{{key}}) == 404;
  std::puts(holds ? "the session expired in time" : "something is wrong");
  return holds ? 0 : 1;
}
