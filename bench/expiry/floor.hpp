#pragma once

#include "../workload.hpp"
#include "stage.hpp"

// The floor: the cost of writing the document's own cache line, in the same order, and nothing else. A structure that
// leaves the documents in place cannot be faster.

namespace mayfly::bench {

/// A structure that writes documents and tracks no expiry.
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

/// The floor of a purger: writes every document once, in random order.
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
