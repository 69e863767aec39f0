#pragma once

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "mayfly/sim/engine/document_table.hpp"

namespace mayfly::engine {

/// Tells the purger where to look, and nothing else: entries (second, slot), taken out in the order of their seconds.
/// What an entry is worth is for the document to say, so a stale entry costs a look and never an answer. This interface
/// is all that the engine knows of it.
class ExpiryIndex {
 public:
  struct Entry {
    Instant second;
    SlotId slot;
    bool operator==(const Entry&) const = default;
  };

  void file(Instant second, SlotId slot) {
    heap_.push_back({second, slot});
    std::push_heap(heap_.begin(), heap_.end(), is_later);
  }

  /// Takes out the earliest entry, if its second is `until` or before.
  std::optional<Entry> take_due(Instant until) {
    if (heap_.empty() || heap_.front().second > until) return std::nullopt;
    std::pop_heap(heap_.begin(), heap_.end(), is_later);
    const Entry entry = heap_.back();
    heap_.pop_back();
    return entry;
  }

  void clear() { heap_.clear(); }
  std::size_t size() const { return heap_.size(); }

  /// For invariants only: a scan.
  bool contains(const Entry& entry) const { return std::find(heap_.begin(), heap_.end(), entry) != heap_.end(); }

 private:
  // By slot within a second, so that the order never depends on history.
  static bool is_later(const Entry& a, const Entry& b) {
    return std::tie(a.second, a.slot) > std::tie(b.second, b.slot);
  }

  std::vector<Entry> heap_;
};

}  // namespace mayfly::engine
