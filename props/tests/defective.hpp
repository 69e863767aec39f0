#pragma once

#include <string>

#include "mayfly/sim/engine/engine.hpp"

// Stores with one defect each, to see that what must be caught is caught.

namespace mayfly::test {

/// X1: a read sees a document for one second too long.
struct ReadsLate : Engine {
  Outcome read(Instant now, const DocumentKey& key) { return Engine::read(now - Seconds{1}, key); }
};

/// W1: a patch keeps the old `_ts`.
struct PatchKeepsTs : Engine {
  Outcome patch(Instant now, const DocumentKey& key, const Patch& patch) {
    const Outcome old = Engine::read(now, key);
    return Engine::patch(old.document ? old.document->ts : now, key, patch);
  }
};

/// P2, R1: a purge is charged to the next write.
struct ChargesForPurging : Engine {
  Outcome purge(Instant now, Budget budget) {
    Outcome outcome = Engine::purge(now, budget);
    owed += static_cast<double>(*outcome.purged);
    return outcome;
  }
  Outcome create(Instant now, const DocumentKey& key, const Content& content) {
    Outcome outcome = Engine::create(now, key, content);
    outcome.charge->units += std::exchange(owed, 0);
    return outcome;
  }
  double owed = 0;
};

/// R2: a write with a ttl costs one unit more.
struct ChargesForTtl : Engine {
  Outcome create(Instant now, const DocumentKey& key, const Content& content) {
    Outcome outcome = Engine::create(now, key, content);
    if (content.ttl != TtlField{Absent{}}) outcome.charge->units += 1;
    return outcome;
  }
};

/// P5: the background process does nothing.
struct NeverPurges : Engine {
  Outcome purge(Instant now, Budget) { return Engine::purge(now, {0}); }
};

/// W2: a read restarts the countdown.
struct ReadTouches : Engine {
  Outcome read(Instant now, const DocumentKey& key) {
    Outcome outcome = Engine::read(now, key);
    if (outcome.document) Engine::patch(now, key, {.value = outcome.document->value});
    return outcome;
  }
};

/// C1: an id is looked up without its partition.
struct IgnoresPartition : Engine {
  Outcome read(Instant now, DocumentKey key) {
    Outcome outcome = Engine::read(now, key);
    if (outcome.status == Status::ok) return outcome;
    for (const char* partition : {"p0", "p1"}) {
      key.partition = partition;
      outcome = Engine::read(now, key);
      if (outcome.status == Status::ok) return outcome;
    }
    return outcome;
  }
};

}  // namespace mayfly::test
