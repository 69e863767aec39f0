#pragma once

#include <map>
#include <vector>

#include "documents.hpp"

namespace mayfly::bench {

/// A bucket of slots for each second, in two dimensions: documents that inherit are filed by `_ts`, the others by their
/// deadline. An entry may be earlier than its document's second, never later.
class MayflyIndex {
 public:
  static constexpr std::string_view name = "mayfly";
  static constexpr bool is_lazy = true;
  struct Fields {
    Instant filed = never;
    bool by_ts = false;
  };

  explicit MayflyIndex(Documents<Fields>& documents) : documents_(documents) {}

  void write(Slot slot, Instant now, TtlNumber ttl) {
    auto& document = documents_[slot];
    document.write(now, ttl);
    if (document.can_expire() && !is_filed(document)) file(document, slot);
  }

  void erase(Slot slot) { documents_[slot].stored = false; }

  void set_default(Instant, Seconds default_ttl) { documents_.default_ttl = default_ttl; }

  template <class F>
  bool expire(Instant now, Budget budget, F f) {
    return expire(true, now - documents_.default_ttl, budget, f) && expire(false, now, budget, f);
  }

  Instant next() const {
    const Instant inheriting = by_ts_.empty() ? never : by_ts_.begin()->first + documents_.default_ttl;
    const Instant own = by_deadline_.empty() ? never : by_deadline_.begin()->first;
    return std::min(inheriting, own);
  }

 private:
  using Buckets = std::map<Instant, std::vector<Slot>>;

  Instant place_of(const Document<Fields>& document) const {
    return document.ttl == 0 ? document.ts : documents_.deadline(document);
  }

  bool is_filed(const Document<Fields>& document) const {
    return document.fields.by_ts == (document.ttl == 0) && document.fields.filed <= place_of(document);
  }

  void file(Document<Fields>& document, Slot slot) {
    document.fields = {place_of(document), document.ttl == 0};
    (document.fields.by_ts ? by_ts_ : by_deadline_)[document.fields.filed].push_back(slot);
  }

  template <class F>
  bool expire(bool by_ts, Instant until, Budget& budget, F& f) {
    auto& buckets = by_ts ? by_ts_ : by_deadline_;
    while (!buckets.empty() && buckets.begin()->first <= until) {
      auto& [second, slots] = *buckets.begin();
      while (!slots.empty()) {
        if (budget.units-- == 0) return false;
        const Slot slot = slots.back();
        slots.pop_back();
        auto& document = documents_[slot];
        if (document.fields.filed != second || document.fields.by_ts != by_ts) continue;
        document.fields.filed = never;
        if (!document.can_expire()) continue;
        if (document.ttl != 0 ? documents_.deadline(document) > until : place_of(document) > until) {
          file(document, slot);
          continue;
        }
        document.stored = false;
        f(slot);
      }
      buckets.erase(buckets.begin());
    }
    return true;
  }

  Documents<Fields>& documents_;
  Buckets by_ts_;
  Buckets by_deadline_;
};

}  // namespace mayfly::bench
