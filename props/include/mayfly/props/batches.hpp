#pragma once

#include <optional>

#include "mayfly/props/transcript.hpp"

// A target that takes batches has to answer each request of a batch as it answers the same request alone.

namespace mayfly {

/// Where it does not.
struct BatchDifference {
  Operation operation;
  Outcome in_batch;
  Outcome alone;
};

/// Asks the operations of a case in a batch and then one by one. Nothing if the answers are the same, but for charges
/// and the order of documents. Throws StoreFailure.
std::optional<BatchDifference> batch_difference(const Case& test_case, RemoteSubject& target);

/// What the target answers to a reset and the operations in a batch, for a `Playback`, which fails after that. Throws
/// StoreFailure.
Transcript batch_transcript(const Case& test_case, RemoteSubject& target);

/// Checks the property while every request is sent alone.
std::optional<Violation> check_alone(const Property& property, const Case& test_case, RemoteSubject& target);

}  // namespace mayfly
