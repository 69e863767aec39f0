#pragma once

#include <map>

#include "mayfly/props/report/story.hpp"

namespace mayfly {

/// The lives of every collection and document by the rules, updated after each step.
class Lifelines {
 public:
  /// To be called after each step, with the second `after` it, at which the reference is settled. A step that was
  /// folded into the one before has the same number.
  void note(std::size_t number, const StoryStep& step, Instant after, const ReferenceStore& reference);

  /// To be called when the steps after this one were folded into it.
  void fold(std::size_t number);

  /// The lane of this document, which is added at its first request.
  Lane& document(const DocumentKey& key);

  /// In the order of a story: the clock, purging, then each collection with its documents.
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

/// Drives reference and store side by side, and records their story.
class Storyteller {
 public:
  Storyteller(Instant start, Subject& subject);

  /// Runs a step. If the store died of it, `crash` says how, and only the reference runs. The result is valid until the
  /// next step.
  const StoryStep& take(const Operation& operation, StoryStep::Kind kind = StoryStep::Kind::request,
                        const std::string& crash = {});

  /// Adds what a law compares: each answer is allowed, but not all together.
  void compared(const Violation& violation);

  /// The story so far. If the last step differs, asks the store for its documents. Requires that a step was taken.
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
