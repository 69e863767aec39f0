#pragma once

#include <functional>

#include <boost/heap/d_ary_heap.hpp>

#include "key.hpp"

namespace mayfly::bench {

/// boost::heap::d_ary_heap, mutable: a document holds its handle, and a write updates its entry in place.
class DAryHeap {
  using Heap = boost::heap::d_ary_heap<Key, boost::heap::arity<4>, boost::heap::mutable_<true>,
                                       boost::heap::compare<std::greater<>>>;

 public:
  static constexpr std::string_view name = "boost::heap::d_ary_heap";
  struct Fields {
    Heap::handle_type handle;
  };

  explicit DAryHeap(Documents<Fields>& documents) : documents_(documents) { heap_.reserve(documents.size()); }

  void write(Slot slot, Instant now, TtlNumber ttl) {
    auto& document = documents_[slot];
    const bool was_filed = document.can_expire();
    document.write(now, ttl);
    if (document.can_expire()) {
      const Key moved = key(documents_.deadline(document), slot);
      if (was_filed) {
        heap_.update(document.fields.handle, moved);
      } else {
        document.fields.handle = heap_.push(moved);
      }
    } else if (was_filed) {
      heap_.erase(document.fields.handle);
    }
  }

  void erase(Slot slot) {
    auto& document = documents_[slot];
    if (document.can_expire()) heap_.erase(document.fields.handle);
    document.stored = false;
  }

  void set_default(Instant, Seconds default_ttl) {
    documents_.default_ttl = default_ttl;
    heap_.clear();
    for (const Key key : sorted_keys(documents_)) documents_[slot_of(key)].fields.handle = heap_.push(key);
  }

  template <class F>
  bool expire(Instant now, Budget budget, F f) {
    const Key end = end_of(now);
    for (; !heap_.empty() && heap_.top() < end; --budget.units) {
      if (budget.units == 0) return false;
      const Slot slot = slot_of(heap_.top());
      heap_.pop();
      documents_[slot].stored = false;
      f(slot);
    }
    return true;
  }

  Instant next() const { return heap_.empty() ? never : second_of(heap_.top()); }

 private:
  Documents<Fields>& documents_;
  Heap heap_;
};

}  // namespace mayfly::bench
