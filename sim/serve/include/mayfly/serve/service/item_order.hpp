#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "mayfly/sim/engine/document_table.hpp"

namespace mayfly::serve {

/// The items of a container in the order of their numbers, which is that of their creation.
///
/// A new item has the greatest number, so its entry is appended. The entry of an item that no longer exists stays until
/// a sweep: its slot is empty then, or has an item with another number.
class ItemOrder {
 public:
  struct Entry {
    std::uint64_t number = 0;
    engine::SlotId slot = 0;
  };

  /// Before entries are looked up, call `sort` if their numbers did not ascend.
  void add(Entry entry) { entries_.push_back(entry); }
  void sort() {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.number < b.number; });
  }

  /// The entries with greater numbers than this one.
  std::span<const Entry> after(std::uint64_t number) const {
    const auto from = std::upper_bound(entries_.begin(), entries_.end(), number,
                                       [](std::uint64_t sought, const Entry& entry) { return sought < entry.number; });
    return {from, entries_.end()};
  }

  std::size_t size() const { return entries_.size(); }

  template <class IsGone>
  void sweep(IsGone is_gone) {
    std::erase_if(entries_, is_gone);
  }

 private:
  std::vector<Entry> entries_;
};

}  // namespace mayfly::serve
