#pragma once

#include <cstddef>
#include <optional>

#include "mayfly/props/property/property.hpp"

// A target that takes batches has to answer each request of a batch as it answers the same request alone.

namespace mayfly {

/// A target, asked in another way than it can be: that is for the derived classes, which must not outlive it.
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

/// Every request alone.
class AskedOneByOne final : public AskedOtherwise {
 public:
  using AskedOtherwise::AskedOtherwise;

  void reset(Instant now) override { target_.reset(now); }
  Outcome apply(const Step& step) override { return target_.apply(step); }
};

/// A whole case in batches. Must be asked that case and nothing else: any further request throws StoreFailure.
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

/// Asks the steps of a case in a batch and then one by one. Nothing if the answers are the same, but for charges and
/// the order of documents. Throws StoreFailure.
std::optional<BatchDifference> batch_difference(const Case& test_case, RemoteSubject& target);

}  // namespace mayfly
