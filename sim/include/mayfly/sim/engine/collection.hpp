#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "mayfly/model/document.hpp"
#include "mayfly/model/outcome.hpp"
#include "mayfly/sim/engine/document_table.hpp"
#include "mayfly/sim/engine/expiry_index.hpp"
#include "mayfly/sim/engine/lazy_index.hpp"
#include "mayfly/sim/state_encoder.hpp"

// One collection of the engine.
//
// Whether a document is expired is decided from its own fields and two seconds that the collection keeps, whatever the
// history of its settings. Time never goes back, so both only grow:
//   - a document that inherits is expired if its `_ts` is at or below the watermark, the highest `now - n` that was
//     reached while the default was n (E1, W5, X4);
//   - a document with its own ttl is expired if `_ts + ttl` is at or below the last second in which TTL was on
//     (E3, F1-F3).
// A write sets `_ts` to now and n is at least 1, so it always lifts a document above both. A change of the default
// therefore visits no document.

namespace mayfly::engine {

/// As StoredDocument::ttl: 0 is off for a collection, and inherit for a document; -1 is never.
using TtlNumber = std::int32_t;

/// Which documents a walk shows.
enum class Sight {
  queried,  ///< what a query may see
  live,     ///< all that can be read by identity, whatever the index knows (I5)
  held,     ///< what is expired and not yet purged as well
};

class Collection {
 public:
  Collection(TtlNumber default_ttl, Indexing indexing) : default_(default_ttl), indexing_(indexing) {}

  TtlNumber default_ttl() const { return default_; }
  Indexing indexing() const { return indexing_; }
  void redefine(Instant now, TtlNumber default_ttl, Indexing indexing);

  /// How many live documents would expire at once under another default (W5, F3). A scan.
  std::uint64_t would_expire(Instant now, TtlNumber default_ttl) const;

  /// The slot of the live document, or `no_slot` (X2).
  SlotId find_live(Instant now, const DocumentKey& key) const;

  const StoredDocument& document(SlotId slot) const { return table_[slot]; }

  /// Stores a new document, also in the place of an expired one (X3). Requires that none is live under this key.
  SlotId insert(Instant now, const DocumentKey& key, std::string_view value, TtlNumber ttl);

  /// Writes a stored document: `_ts` becomes `now` (W1).
  void overwrite(Instant now, SlotId slot, std::string_view value, TtlNumber ttl);

  void erase(SlotId slot);

  /// Whether the slot stores a document that this sight shows.
  bool shows(Instant now, Sight sight, SlotId slot) const;

  /// Calls `show(document)` for every live document that a query may see, of one partition if given.
  template <class Show>
  void query(Instant now, const std::optional<std::string>& partition, Show show) const;

  /// Calls `show(document, is_live)` in the order of slots, of one partition if given, from slot `from` until it
  /// answers false. Says from which slot to go on, or nothing if there is no more. A document that stays stored
  /// meanwhile is shown exactly once, whatever else is written, expires or is purged between two parts of a walk.
  template <class Show>
  std::optional<SlotId> walk(Instant now, Sight sight, const std::optional<std::string>& partition, SlotId from,
                             Show show) const;

  /// Deletes at most `budget` expired documents, none while TTL is off (P3-P5), and says how many. None is left if that
  /// is less than the budget.
  std::uint64_t purge(Instant now, Budget budget);

  void index(Instant now, Budget budget);

  std::size_t held() const { return table_.size(); }
  std::size_t held_in(const std::string& partition) const { return table_.size_of(partition); }
  void encode(StateEncoder& state) const;
  void check_invariants() const;

 private:
  static constexpr Instant long_ago{Seconds{std::numeric_limits<std::int64_t>::min()}};

  bool is_on() const { return default_ != 0; }
  Instant watermark(Instant now) const;
  Instant last_on(Instant now) const { return is_on() ? now : last_on_; }
  bool is_expired(Instant now, const StoredDocument& document) const;

  void encode_document(StateEncoder& state, const StoredDocument& document) const;

  TtlNumber default_;
  Indexing indexing_;
  Instant watermark_ = long_ago;
  Instant last_on_ = long_ago;
  DocumentTable table_;
  ExpiryIndex expiry_;
  LazyIndex lazy_;
};

inline bool Collection::shows(Instant now, Sight sight, SlotId slot) const {
  if (slot >= table_.slot_end() || !table_[slot].stored) return false;
  if (sight == Sight::held) return true;
  if (is_expired(now, table_[slot])) return false;
  return sight == Sight::live || indexing_ != Indexing::lazy || lazy_.shows(slot);
}

template <class Show>
void Collection::query(Instant now, const std::optional<std::string>& partition, Show show) const {
  walk(now, Sight::queried, partition, 0, [&](const StoredDocument& document, bool) {
    show(document);
    return true;
  });
}

template <class Show>
std::optional<SlotId> Collection::walk(Instant now, Sight sight, const std::optional<std::string>& partition,
                                       SlotId from, Show show) const {
  return table_.visit_from(from, partition, [&](SlotId slot) {
    return !shows(now, sight, slot) || show(table_[slot], sight != Sight::held || !is_expired(now, table_[slot]));
  });
}

}  // namespace mayfly::engine
