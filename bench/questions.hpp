#pragma once

#include <optional>
#include <string>

#include "workload.hpp"

// The questions, one file each. Each adds its benchmarks, and compares what the contestants answer before they are
// timed: the message says who is wrong and where.

namespace mayfly::bench {

enum class Scale { quick, full };

/// What does it cost to know which documents are expired? The index against the structures people use.
void add_expiry(Programme& programme, Scale scale);
std::optional<std::string> expiry_disagreement();

/// How fast is the engine as a whole? Against a straightforward one.
void add_engine(Programme& programme, Scale scale);
std::optional<std::string> engine_disagreement();

/// How many operations a second are checked? Against the way that RapidCheck itself offers.
void add_checking(Programme& programme);

}  // namespace mayfly::bench
