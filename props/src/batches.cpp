#include "mayfly/props/batches.hpp"

namespace mayfly {

std::optional<BatchDifference> batch_difference(const Case& test_case, RemoteSubject& target) {
  const Transcript in_batch = batch_transcript(test_case, target);
  target.reset(test_case.start);
  for (std::size_t i = 0; i < test_case.steps.size(); ++i) {
    const auto& answer = std::get<Outcome>(in_batch[i + 1]);
    const Outcome alone = target.apply(test_case.steps[i]);
    if (comparable(alone) != comparable(answer)) return BatchDifference{test_case.steps[i].operation, answer, alone};
  }
  return std::nullopt;
}

Transcript batch_transcript(const Case& test_case, RemoteSubject& target) {
  std::vector<Request> requests{Reset{test_case.start}};
  requests.insert(requests.end(), test_case.steps.begin(), test_case.steps.end());
  Transcript transcript;
  target.ask_all(requests, [&](std::size_t, const Outcome& answer) {
    transcript.emplace_back(answer);
    return true;
  });
  transcript.emplace_back("was asked for more than the batch");
  return transcript;
}

std::optional<Violation> check_alone(const Property& property, const Case& test_case, RemoteSubject& target) {
  Playback answers(target, record(property, test_case, target));
  return check(property, test_case, answers);
}

}  // namespace mayfly
