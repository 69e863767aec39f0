#pragma once

#include <string>
#include <variant>
#include <vector>

#include "mayfly/props/property.hpp"

// What a store answered, so that whoever asks the same again need not ask the store.

namespace mayfly {

/// For each reset and each operation an answer, or how the store failed; a reset that succeeds has an empty one.
using Transcript = std::vector<std::variant<Outcome, std::string>>;

/// Checks the property, and notes what the store answers.
Transcript record(const Property& property, const Case& test_case, RemoteSubject& store);

/// One line, no newline.
std::string to_line(const Transcript& transcript);
Transcript parse_transcript(const std::string& line);

/// A store in another process, which is asked step by step.
class StepByStep : public RemoteSubject {
 public:
  /// Requires that the store, whose name and features it has, outlives it.
  explicit StepByStep(const RemoteSubject& store) : store_(store) {}

  std::string name() const override { return store_.name(); }
  std::string own_name() const override { return store_.own_name(); }
  Features features() const override;
  Time time() const override { return store_.time(); }
  std::uint64_t answered() const override { return store_.answered(); }
  void allow(double) override {}

 private:
  const RemoteSubject& store_;
};

/// Answers as it was noted. Requires that it is asked what the store was asked then.
class Playback final : public StepByStep {
 public:
  Playback(const RemoteSubject& store, Transcript transcript) : StepByStep(store), transcript_(std::move(transcript)) {}

  void reset(Instant) override { next(); }
  Outcome apply(const Step&) override { return next(); }

 private:
  Outcome next();

  Transcript transcript_;
  std::size_t next_ = 0;
};

}  // namespace mayfly
