#pragma once

#include <set>

#include "key.hpp"

namespace mayfly::bench {

/// std::set in the order of the deadlines. A document holds its iterator, and a write moves its node, without a search
/// for the old place and without an allocation.
class StdSet {
  using Set = std::set<Key>;

 public:
  static constexpr std::string_view name = "std::set";
  struct Fields {
    Set::iterator place;
  };

  explicit StdSet(Documents<Fields>& documents) : documents_(documents) {}

  void write(Slot slot, Instant now, TtlNumber ttl) {
    auto& document = documents_[slot];
    auto node = document.can_expire() ? set_.extract(document.fields.place) : Set::node_type{};
    document.write(now, ttl);
    if (!document.can_expire()) return;
    const Key moved = key(documents_.deadline(document), slot);
    if (node) {
      node.value() = moved;
      document.fields.place = set_.insert(set_.end(), std::move(node));
    } else {
      document.fields.place = set_.insert(set_.end(), moved);
    }
  }

  void erase(Slot slot) {
    auto& document = documents_[slot];
    if (document.can_expire()) set_.erase(document.fields.place);
    document.stored = false;
  }

  void set_default(Instant, Seconds default_ttl) {
    documents_.default_ttl = default_ttl;
    set_.clear();
    for (const Key key : sorted_keys(documents_)) documents_[slot_of(key)].fields.place = set_.insert(set_.end(), key);
  }

  template <class F>
  bool expire(Instant now, Budget budget, F f) {
    const Key end = end_of(now);
    auto last = set_.begin();
    for (; last != set_.end() && *last < end && budget.units > 0; ++last, --budget.units) {
      documents_[slot_of(*last)].stored = false;
      f(slot_of(*last));
    }
    set_.erase(set_.begin(), last);
    return last == set_.end() || *last >= end;
  }

  Instant next() const { return set_.empty() ? never : second_of(*set_.begin()); }

 private:
  Documents<Fields>& documents_;
  Set set_;
};

}  // namespace mayfly::bench
