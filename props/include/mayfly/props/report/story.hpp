#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/model/rule.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/sim/lockstep.hpp"
#include "mayfly/sim/operation_info.hpp"

// A failing case as a story: its requests and answers step by step, and the life of each document. It is shown as text
// (narrate.hpp), as a drawing in a terminal (ascii_timeline.hpp) and on a page (story_json.hpp, page.hpp).

namespace mayfly {

/// One step: a request, and both answers.
struct StoryStep {
  /// A request of the case; a request that observes what is visible; a request whose answers a law compares.
  enum class Kind { request, observation, law };

  Kind kind = Kind::request;
  Instant now;  ///< of the request
  Operation operation;
  RuleSet rules;  ///< those that decided it
  Exchange exchange;
  std::string crash;  ///< how the store died, if it did; then only the reference has answered

  // Similar requests are one step (fold.hpp).
  std::size_t times = 1;
  Operation last{};  ///< if there are several

  const Operation& last_operation() const { return times > 1 ? last : operation; }
  bool differs() const { return kind == Kind::law || !exchange.is_allowed || !crash.empty(); }
};

/// A stretch of time by the rules: of a document from a write to its end, of a collection under one setting. Steps are
/// numbered from the first of the case.
struct Life {
  enum class Ending { open, expired, deleted, overwritten, default_changed };

  Instant from;                   ///< `_ts`, or when the setting was made
  std::size_t from_step = 0;      ///< the step that began it
  std::optional<Instant> until;   ///< the first second after it; of an open life the deadline, if it has one
  std::size_t until_step = 0;     ///< the step that ended it, or that moved the clock past its end
  Ending ended = Ending::open;    ///< default_changed: a new default expired it at once (W5)
  std::string text;               ///< "ttl 5 s", "default never"
  std::vector<Instant> once_due;  ///< the deadlines that it had before the default was changed
  bool operator==(const Life&) const = default;
};

/// A request as a mark on a lane.
struct Mark {
  using Kind = OperationInfo::Mark;

  Kind kind = Kind::read;
  std::size_t step = 0;
  bool is_refused = false;  ///< by the rules, 4xx
  std::string text;         ///< in a word or two: "+5", "never"; may be empty
  bool operator==(const Mark&) const = default;
};

/// A place where the store shows a document otherwise than the rules.
struct Ghost {
  /// Shown after its end, or though it never was; not shown while it lives; shown with another content.
  enum class Kind { shown, hidden, altered };

  Kind kind = Kind::shown;
  std::size_t step = 0;  ///< that shows the difference
  bool operator==(const Ghost&) const = default;
};

struct Lane {
  enum class Kind { clock, purging, collection, document };

  Kind kind = Kind::document;
  DocumentKey key;  ///< of a collection only its name
  std::vector<Life> lives;
  std::vector<Mark> marks;
  std::vector<Ghost> ghosts;
  std::size_t times = 1;  ///< how many documents or collections it stands for
  DocumentKey last{};     ///< of them
};

/// "c0/p0/d0". Names that are not plain are quoted, with all that is not ASCII escaped; of long ones the ends are
/// shown.
std::string label_of(const DocumentKey& key);

/// Of several documents: "c0/p0/d0 ... d16 (17)".
std::string label_of(const DocumentKey& first, const DocumentKey& last, std::size_t count);

/// The same, "c0", or "clock".
std::string label_of(const Lane& lane);

/// The last life that has ended after this step, or null. A life that is overwritten continues in the next one.
const Life* ended_life(const Lane& lane, std::size_t step);

struct Story {
  std::string store;  ///< its name
  Instant start;
  std::size_t left_out = 0;      ///< steps before the first of `steps`
  std::vector<StoryStep> steps;  ///< up to the one at which reference and store differ
  std::vector<Lane> lanes;       ///< the clock, then each collection with its documents after it
  std::size_t lanes_left_out = 0;
  std::vector<DocumentDifference> documents;  ///< that they show differently in the end

  std::size_t step_count() const { return left_out + steps.size(); }
};

/// Runs a failure again as a story. If the store died of it, only the reference runs.
Story tell_story(const Failure& failure, Subject& subject);

/// The same with at most `most_documents` documents: those that matter most for its end, with their collections.
Story with_foremost_lanes(Story story, std::size_t most_documents);

/// What went wrong, in a sentence.
std::string gist(const Story& story);

/// "read c0/p0/d0".
std::string in_words(const Operation& operation);

/// With all its fields: "create c0/p0/d0 ... d16 (17 documents), ttl 5".
std::string in_words(const StoryStep& step);

}  // namespace mayfly
