#include "mayfly/props/transcript.hpp"

#include <cassert>

#include <boost/json.hpp>

#include "mayfly/sim/json.hpp"

namespace mayfly {

namespace {

namespace json = boost::json;

constexpr std::size_t deepest = 64;  // in lists and objects: more than an answer may have, for it stands in a list

class Recorder final : public StepByStep {
 public:
  explicit Recorder(RemoteSubject& store) : StepByStep(store), store_(store) {}

  void reset(Instant now) override {
    noted([&] {
      store_.reset(now);
      return Outcome{};
    });
  }

  Outcome apply(const Step& step) override {
    return noted([&] { return store_.apply(step); });
  }

  Transcript take() { return std::move(transcript_); }

 private:
  Outcome noted(const auto& ask) {
    try {
      return std::get<Outcome>(transcript_.emplace_back(ask()));
    } catch (const StoreFailure& failure) {
      transcript_.emplace_back(failure.what());
      throw;
    }
  }

  RemoteSubject& store_;
  Transcript transcript_;
};

}  // namespace

Transcript record(const Property& property, const Case& test_case, RemoteSubject& store) {
  Recorder recorder(store);
  check(property, test_case, recorder);
  return recorder.take();
}

std::string to_line(const Transcript& transcript) {
  json::array answers;
  for (const auto& answer : transcript) {
    if (const auto* outcome = std::get_if<Outcome>(&answer))
      answers.emplace_back(to_json(*outcome));
    else
      answers.emplace_back(std::get<std::string>(answer));
  }
  return json::serialize(answers);
}

Transcript parse_transcript(const std::string& line) {
  Transcript transcript;
  json::parse_options options;
  options.max_depth = deepest;
  options.allow_invalid_utf8 = true;  // a name that was escaped in an address may be anything
  const json::value answers = json::parse(line, {}, options);
  for (const auto& answer : answers.as_array()) {
    if (answer.is_object())
      transcript.emplace_back(parse_answer(answer));
    else
      transcript.emplace_back(json::value_to<std::string>(answer));
  }
  return transcript;
}

Features StepByStep::features() const {
  Features features = store_.features();
  features.batch = false;
  return features;
}

Outcome Playback::next() {
  assert(next_ < transcript_.size());
  const auto& answer = transcript_[next_++];
  if (const auto* failure = std::get_if<std::string>(&answer)) throw StoreFailure(*failure);
  return std::get<Outcome>(answer);
}

}  // namespace mayfly
