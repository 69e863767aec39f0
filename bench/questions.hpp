#pragma once

#include <optional>
#include <string>

#include "workload.hpp"

// The questions, one file each. Each adds its benchmarks, and compares the contestants' answers before anything is
// timed: the message names the contestant that is wrong, and the place.

namespace mayfly::bench {

/// Of the numbers of documents: up to 10,000, a million, or ten million.
enum class Scale { quick, full, all };

/// What does it cost to know which documents are expired? The index against common expiry structures.
void add_expiry(Benchmarks& benchmarks, Scale scale);
std::optional<std::string> expiry_disagreement();

/// How fast is the engine as a whole? Against a straightforward engine.
void add_engine(Benchmarks& benchmarks, Scale scale);
std::optional<std::string> engine_disagreement();

/// How many operations a second are checked? Against RapidCheck's state machines.
void add_checking(Benchmarks& benchmarks);

}  // namespace mayfly::bench
