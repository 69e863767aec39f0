#pragma once

#include "../workload.hpp"
#include "stage.hpp"

// What a write costs without an index. A structure that leaves the documents in place cannot be faster than the floor.

namespace mayfly::bench {

/// What any correct store has to pay, in the same order: it reads the document, decides whether that is live (X2), and
/// writes it. The first two are the stage's part, as for all contestants.
class Floor {
 public:
  static constexpr std::string_view name = "floor";
  struct Fields {};

  explicit Floor(Documents<Fields>& documents) : documents_(documents) {}

  void write(Slot slot, Instant now, TtlNumber ttl) { documents_[slot].write(now, ttl); }
  void erase(Slot) {}
  void set_default(Instant, Seconds) {}
  bool expire(Instant, Budget, auto) { return true; }
  Instant next() const { return never; }

 private:
  Documents<Fields>& documents_;
};

/// The stores alone: a document is written and never read, which no correct store can do.
struct Touch : Floor {
  using Floor::Floor;
  static constexpr std::string_view name = "touch";
  static constexpr bool is_blind = true;
};

/// The same for a purger, in random order: it reads the document, decides that it has expired, and writes that it is no
/// longer there; to touch is to write that alone.
template <Structure S>
class PurgeAll final : public Run {
 public:
  explicit PurgeAll(std::size_t documents) : stage_(documents), order_(shuffled(documents, 1)) {}

  Sample iterate() override {
    for (auto& document : stage_.documents) document.write(stage_.now, 1);
    stage_.now += Seconds{1};
    const double seconds = timed([&] {
      for (const Slot slot : order_) {
        if (!is_blind<S> && stage_.documents.is_live(slot, stage_.now)) continue;
        stage_.documents[slot].stored = false;
      }
    });
    return {seconds, static_cast<double>(order_.size())};
  }

 private:
  Stage<S> stage_;
  std::vector<Slot> order_;
};

}  // namespace mayfly::bench
