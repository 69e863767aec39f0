#pragma once

#include "../workload.hpp"
#include "stage.hpp"

// The floor: what it costs to touch the document's own cache line, in the same order, and nothing else. No structure
// can be faster that leaves the documents where they are.

namespace mayfly::bench {

/// In the place of a structure, where documents are written. It knows nothing of what is expired.
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

/// In the place of a purger: every document once, in random order.
class TouchAll final : public Run {
 public:
  explicit TouchAll(std::size_t documents) : stage_(documents), order_(shuffled(documents, 1)) {}

  Sample iterate() override {
    const double seconds = timed([&] {
      for (const Slot slot : order_) stage_.structure->write(slot, stage_.now, 0);
    });
    return {seconds, static_cast<double>(order_.size())};
  }

 private:
  Stage<Floor> stage_;
  std::vector<Slot> order_;
};

}  // namespace mayfly::bench
