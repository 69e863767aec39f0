#pragma once

#include <absl/container/btree_set.h>

#include "key.hpp"

namespace mayfly::bench {

/// absl::btree_set in the order of the deadlines. Its elements move, so a document is found by its key, and the
/// document holds no field for it.
class BtreeSet {
 public:
  static constexpr std::string_view name = "absl::btree_set";
  struct Fields {};

  explicit BtreeSet(Documents<Fields>& documents) : documents_(documents) {}

  void write(Slot slot, Instant now, TtlNumber ttl) {
    auto& document = documents_[slot];
    take_out(document, slot);
    document.write(now, ttl);
    if (document.can_expire()) set_.insert(set_.end(), key(documents_.deadline(document), slot));
  }

  void erase(Slot slot) {
    auto& document = documents_[slot];
    take_out(document, slot);
    document.stored = false;
  }

  void set_default(Instant, Seconds default_ttl) {
    documents_.default_ttl = default_ttl;
    const auto sorted = sorted_keys(documents_);
    set_ = absl::btree_set<Key>(sorted.begin(), sorted.end());
  }

  template <class F>
  bool expire(Instant now, Budget budget, F f) {
    const Key end = end_of(now);
    auto last = set_.begin();
    for (; last != set_.end() && *last < end && budget.units > 0; ++last, --budget.units) {
      documents_[slot_of(*last)].stored = false;
      f(slot_of(*last));
    }
    const bool all_done = last == set_.end() || *last >= end;
    set_.erase(set_.begin(), last);
    return all_done;
  }

  Instant next() const { return set_.empty() ? never : second_of(*set_.begin()); }

 private:
  void take_out(const Document<Fields>& document, Slot slot) {
    if (document.can_expire()) set_.erase(key(documents_.deadline(document), slot));
  }

  Documents<Fields>& documents_;
  absl::btree_set<Key> set_;
};

}  // namespace mayfly::bench
