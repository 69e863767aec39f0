#pragma once

#include <map>

#include "mayfly/props/report/story.hpp"

namespace mayfly {

/// What becomes of every collection and document by the rules, from one step to the next.
class Lifelines {
 public:
  /// Call after each step, with the reference settled at the second that it is then. A step that is part of the one
  /// before has its number.
  void note(std::size_t number, const StoryStep& step, Instant after, const ReferenceStore& reference);

  /// The last steps have become part of this one.
  void fold(std::size_t number);

  /// The lane of this document, which is made at its first request.
  Lane& document(const DocumentKey& key);

  /// As a story has them: the clock, purging, then each collection with its documents.
  std::vector<Lane> lanes() const;

 private:
  struct Moment;
  void note_clock(const Moment& moment);
  void note_collection(const Moment& moment, const std::string& name);
  void note_document(const Moment& moment, const DocumentKey& key, Lane& lane);
  static void go_on(const Moment& moment, Life& life, bool is_live, std::optional<Instant> due);
  Lane& collection(const std::string& name);

  Lane clock_{Lane::Kind::clock, {}, {}, {}, {}};
  Lane purging_{Lane::Kind::purging, {}, {}, {}, {}};
  std::vector<std::string> order_;  ///< collections as they were named
  std::map<std::string, Lane> collections_;
  std::map<DocumentKey, Lane> documents_;
};

/// Drives reference and store side by side, and remembers.
class Storyteller {
 public:
  Storyteller(Instant start, Subject& subject);

  /// `crash`: how the store died of it, if it did. The step is valid until the next one.
  const StoryStep& take(const Operation& operation, StoryStep::Kind kind = StoryStep::Kind::request,
                        const std::string& crash = {});

  /// All answers are allowed, but not together.
  void compared(const Violation& violation);

  /// Until here. Requires that a step was taken; asks the store for what it shows if the last one differs.
  Story story();

  Lockstep& lockstep() { return lockstep_; }

 private:
  void add(const StoryStep& step);

  Lockstep lockstep_;
  Lifelines lifelines_;
  Story story_;
  StoryStep taken_;  ///< the last one
};

}  // namespace mayfly
