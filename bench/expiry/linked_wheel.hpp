#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "documents.hpp"

namespace mayfly::bench {

/// The hierarchical timing wheel of textbooks (Varghese and Lauck), with the usual refinements: lists linked through
/// the documents by 32-bit slots, a bitmap for each level to skip empty buckets, and no cascade through lower levels
/// when a whole range has passed.
///
/// The level of a document is given by the highest bit in which its deadline differs from the cursor. A bucket is a
/// ring of links, closed by a head whose number has the highest bit set.
class LinkedWheel {
 public:
  static constexpr std::string_view name = "linked wheel";
  struct Fields {
    Slot next = 0;
    Slot previous = 0;
  };

  explicit LinkedWheel(Documents<Fields>& documents) : documents_(documents) { clear(); }

  void write(Slot slot, Instant now, TtlNumber ttl) {
    auto& document = documents_[slot];
    if (document.can_expire()) unlink(document.fields);
    document.write(now, ttl);
    if (document.can_expire()) link(document, slot);
  }

  void erase(Slot slot) {
    auto& document = documents_[slot];
    if (document.can_expire()) unlink(document.fields);
    document.stored = false;
  }

  void set_default(Instant, Seconds default_ttl) {
    documents_.default_ttl = default_ttl;
    clear();
    for (auto& document : documents_)
      if (document.can_expire()) link(document, documents_.slot_of(document));
  }

  template <class F>
  bool expire(Instant now, Budget budget, F f) {
    const auto until = static_cast<Tick>(now.time_since_epoch().count());
    while (const auto bucket = first_bucket()) {
      if (bucket->begins > until) break;
      cursor_ = bucket->begins;
      if (bucket->ends() > until + 1) {
        cascade(bucket->head);
      } else if (!hand_out(bucket->head, budget, f)) {
        return false;
      }
    }
    cursor_ = until;
    return true;
  }

  Instant next() const {
    const auto bucket = first_bucket();
    return bucket ? Instant{Seconds{static_cast<std::int64_t>(bucket->begins)}} : never;
  }

 private:
  using Tick = std::uint64_t;
  static constexpr unsigned bits = 6;  // of a level
  static constexpr unsigned levels = 6;
  static constexpr unsigned width = 1U << bits;
  static constexpr Slot head_bit = Slot{1} << 31;

  struct Bucket {
    Slot head;
    unsigned level;
    Tick begins;
    Tick ends() const { return begins + (Tick{1} << (bits * level)); }
  };

  Fields& links(Slot slot) { return slot & head_bit ? heads_[slot & ~head_bit] : documents_[slot].fields; }

  void clear() {
    occupied_ = {};
    for (Slot head = 0; head < heads_.size(); ++head) heads_[head] = {head | head_bit, head | head_bit};
  }

  // An entry that is already due goes to the bucket of the cursor.
  void link(Document<Fields>& document, Slot slot) {
    const auto deadline = static_cast<Tick>(documents_.deadline(document).time_since_epoch().count());
    const Tick tick = std::max(deadline, cursor_);
    const unsigned level = (63U - static_cast<unsigned>(std::countl_zero((tick ^ cursor_) | 1))) / bits;
    const auto place = static_cast<unsigned>(tick >> (bits * level) & (width - 1));
    const unsigned number = level * width + place;
    occupied_[number / 64] |= std::uint64_t{1} << number % 64;
    const Slot head = number | head_bit;
    document.fields = {.next = head, .previous = links(head).previous};
    links(document.fields.previous).next = slot;
    links(head).previous = slot;
  }

  void unlink(const Fields& fields) {
    links(fields.next).previous = fields.previous;
    links(fields.previous).next = fields.next;
    if (fields.next == fields.previous && fields.next & head_bit) leave(fields.next);
  }

  void leave(Slot head) {
    const Slot number = head & ~head_bit;
    occupied_[number / 64] &= ~(std::uint64_t{1} << number % 64);
  }

  // No bucket of a higher level holds the cursor, so entries of a lower level come first.
  std::optional<Bucket> first_bucket() const {
    for (unsigned word = 0; word < occupied_.size(); ++word) {
      if (occupied_[word] == 0) continue;
      const unsigned number = word * 64 + static_cast<unsigned>(std::countr_zero(occupied_[word]));
      const unsigned level = number / width;
      const Tick block = cursor_ >> (bits * (level + 1)) << (bits * (level + 1));
      return Bucket{number | head_bit, level, block | Tick{number % width} << (bits * level)};
    }
    return std::nullopt;
  }

  void cascade(Slot head) {
    Slot slot = links(head).next;
    links(head) = {head, head};
    leave(head);
    while (!(slot & head_bit)) {
      const Slot following = documents_[slot].fields.next;
      link(documents_[slot], slot);
      slot = following;
    }
  }

  template <class F>
  bool hand_out(Slot head, Budget& budget, F& f) {
    while (!(links(head).next & head_bit)) {
      if (budget.units-- == 0) return false;
      const Slot slot = links(head).next;
      unlink(documents_[slot].fields);
      documents_[slot].stored = false;
      f(slot);
    }
    return true;
  }

  Documents<Fields>& documents_;
  Tick cursor_ = 0;  // no entry is before it
  std::array<std::uint64_t, levels * width / 64> occupied_{};
  std::array<Fields, levels * width> heads_{};
};

}  // namespace mayfly::bench
