#pragma once

#include <algorithm>

#include "documents.hpp"
#include "mayfly/sim/engine/expiry_index.hpp"

namespace mayfly::bench {

/// The engine's own index.
class MayflyIndex {
 public:
  static constexpr std::string_view name = "mayfly";
  static constexpr bool is_lazy = true;
  struct Fields {
    engine::Filed filed;
  };

  explicit MayflyIndex(Documents<Fields>& documents) : documents_{documents} {}

  [[gnu::always_inline]] void write(Slot slot, Instant now, TtlNumber ttl) {
    documents_.all[slot].write(now, ttl);
    index_.written(now, documents_, slot);
  }

  void erase(Slot slot) { documents_.all[slot].stored = false; }

  void set_default(Instant, Seconds default_ttl) { documents_.all.default_ttl = default_ttl; }

  template <class F>
  bool expire(Instant now, Budget budget, F f) {
    const engine::ExpiryIndex::Due due{.ts = now - documents_.all.default_ttl, .deadline = now};
    if (!index_.has_due(due)) return true;
    index_.purge(documents_, due, budget, [&](Slot slot) {
      documents_.all[slot].stored = false;
      f(slot);
    });
    return !index_.has_due(due);
  }

  Instant next() {
    const Instant ts = index_.earliest(engine::Filing::by_ts);
    const Instant deadline = index_.earliest(engine::Filing::by_deadline);
    return std::min(deadline, ts == never ? never : ts + documents_.all.default_ttl);
  }

 private:
  // The documents, in the interface that the index requires.
  struct Filed {
    engine::Filed& filed(Slot slot) { return all[slot].fields.filed; }
    const engine::Filed& filed(Slot slot) const { return all[slot].fields.filed; }
    std::size_t slot_end() const { return all.size(); }
    void prefetch(Slot slot) const { __builtin_prefetch(&all[slot], 1); }
    [[gnu::always_inline]] engine::Filable filable(Slot slot) const {
      const auto& document = all[slot];
      if (!document.can_expire()) return {};
      if (document.ttl == 0) return {engine::Filing::by_ts, document.ts};
      return {engine::Filing::by_deadline, document.ts + Seconds{document.ttl}};
    }

    Documents<Fields>& all;
  };

  Filed documents_;
  engine::ExpiryIndex index_;
};

}  // namespace mayfly::bench
