#pragma once

#include <cstddef>
#include <optional>

#include "mayfly/props/property/property.hpp"

// A target that takes batches has to answer each request of a batch as it answers the same request alone.

namespace mayfly {

/// Base of the classes that send requests to a target in a given way. They must not outlive the target.
class AskedOtherwise : public RemoteSubject {
 public:
  explicit AskedOtherwise(RemoteSubject& target) : target_(target) {}

  std::string name() const override { return target_.name(); }
  std::string own_name() const override { return target_.own_name(); }
  Features features() const override;
  Time time() const override { return target_.time(); }
  std::uint64_t answered() const override { return target_.answered(); }
  void set_timeout(double seconds) override { target_.set_timeout(seconds); }

 protected:
  RemoteSubject& target_;
};

/// Sends every request alone.
class AskedOneByOne final : public AskedOtherwise {
 public:
  using AskedOtherwise::AskedOtherwise;

  void reset(Instant now) override { target_.reset(now); }
  Outcome apply(const Step& step) override { return target_.apply(step); }
};

/// Sends a whole case in batches. Any request other than those of the case throws StoreFailure.
class AskedInBatches final : public AskedOtherwise {
 public:
  /// Requires that the case outlives it.
  AskedInBatches(const Case& test_case, RemoteSubject& target) : AskedOtherwise(target), test_case_(test_case) {}

  void reset(Instant now) override;
  Outcome apply(const Step& step) override;

 private:
  const Case& test_case_;
  std::size_t next_ = 0;
};

/// Where a target's answer in a batch differs from its answer alone.
struct BatchDifference {
  Operation operation;
  Outcome in_batch;
  Outcome alone;
};

/// Sends the steps of a case in a batch and then one by one, and returns the first difference. Ignores charges and the
/// order of documents. Throws StoreFailure.
std::optional<BatchDifference> batch_difference(const Case& test_case, RemoteSubject& target);

}  // namespace mayfly
