#include "mayfly/props/run/batches.hpp"

namespace mayfly {

Features AskedOtherwise::features() const {
  Features features = target_.features();
  features.batch = false;
  return features;
}

void AskedInBatches::reset(Instant) {
  next_ = 0;
  target_.drop();
  target_.send(test_case_);
  target_.receive();
}

Outcome AskedInBatches::apply(const Step&) {
  if (next_++ == test_case_.steps.size()) throw StoreFailure("was asked for more than the batch");
  return target_.receive();
}

std::optional<BatchDifference> batch_difference(const Case& test_case, RemoteSubject& target) {
  std::vector<Outcome> in_batch;
  AskedInBatches batches(test_case, target);
  batches.reset(test_case.start);
  for (const auto& step : test_case.steps) in_batch.push_back(batches.apply(step));
  target.reset(test_case.start);
  for (std::size_t i = 0; i < test_case.steps.size(); ++i) {
    const auto& step = test_case.steps[i];
    const Outcome alone = target.apply(step);
    if (comparable(alone) != comparable(in_batch[i])) return BatchDifference{step.operation, in_batch[i], alone};
  }
  return std::nullopt;
}

}  // namespace mayfly
