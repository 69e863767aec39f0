#pragma once

#include <functional>
#include <queue>

#include "key.hpp"

namespace mayfly::bench {

/// std::priority_queue with lazy deletion. An entry may be earlier than its document's deadline, never later. So a
/// write that moves the deadline later pushes nothing, and an entry that reaches the top too early is pushed again. A
/// document holds the second of its valid entry; all its other entries are stale.
class PriorityQueue {
  using Queue = std::priority_queue<Key, std::vector<Key>, std::greater<>>;

 public:
  static constexpr std::string_view name = "std::priority_queue";
  static constexpr bool is_lazy = true;
  struct Fields {
    Instant filed = never;
  };

  explicit PriorityQueue(Documents<Fields>& documents) : documents_(documents) { rebuild(); }

  void write(Slot slot, Instant now, TtlNumber ttl) {
    auto& document = documents_[slot];
    document.write(now, ttl);
    if (document.can_expire() && documents_.deadline(document) < document.fields.filed) push(document, slot);
  }

  void erase(Slot slot) { documents_[slot].stored = false; }

  void set_default(Instant, Seconds default_ttl) {
    const bool is_shorter = default_ttl < documents_.default_ttl;
    documents_.default_ttl = default_ttl;
    if (is_shorter) rebuild();
  }

  template <class F>
  bool expire(Instant now, Budget budget, F f) {
    const Key end = end_of(now);
    for (; !queue_.empty() && queue_.top() < end && budget.units > 0; --budget.units) {
      const Key top = queue_.top();
      queue_.pop();
      visit(top, now, f);
    }
    return queue_.empty() || queue_.top() >= end;
  }

  Instant next() const { return queue_.empty() ? never : second_of(queue_.top()); }

 private:
  void push(Document<Fields>& document, Slot slot) {
    document.fields.filed = documents_.deadline(document);
    queue_.push(key(document.fields.filed, slot));
    if (queue_.size() > 3 * std::size_t{documents_.size()} + 1000) rebuild();
  }

  template <class F>
  void visit(Key entry, Instant now, F& f) {
    auto& document = documents_[slot_of(entry)];
    if (document.fields.filed != second_of(entry)) return;
    document.fields.filed = never;
    if (!document.can_expire()) return;
    if (documents_.deadline(document) > now) return push(document, slot_of(entry));
    document.stored = false;
    f(slot_of(entry));
  }

  // One valid entry for each document, in linear time: a heap is made of an array.
  void rebuild() {
    auto entries = keys(documents_);
    for (auto& document : documents_)
      document.fields.filed = document.can_expire() ? documents_.deadline(document) : never;
    queue_ = Queue(std::greater<>{}, std::move(entries));
  }

  Documents<Fields>& documents_;
  Queue queue_;
};

}  // namespace mayfly::bench
