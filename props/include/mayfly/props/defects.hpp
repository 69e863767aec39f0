#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "mayfly/model/rule.hpp"

// What the harness has to catch: each defect breaks one clause of a rule (clause.hpp) as a real store might, and leaves the
// others alone as far as it can. Every clause that can be seen to be broken has one. `DefectiveStore` is a store that has one.

namespace mayfly {

// clang-format off
enum class Defect : std::uint8_t {
  none,
  // T: settings
  absent_default_is_never, null_default_rejected,
  default_zero_accepted, default_too_large_accepted, default_text_accepted, rejected_default_stored,
  ttl_zero_accepted, ttl_null_accepted, ttl_too_large_accepted, ttl_text_accepted, rejected_replace_stored,
  ttl_unchecked_while_off, ttl_dropped_while_off, only_the_value_expires,
  // E: which TTL counts
  inheriting_never_expires, never_keeps_the_last_seconds, own_never_loses_to_default, own_ttl_capped_by_default,
  default_beats_own_ttl, own_ttl_ignored_under_never,
  // X: expiry
  comparison_turned_round, expires_late, expires_early, only_in_its_second, third_of_a_second_forgotten,
  ghosts_in_queries, ghosts_readable, ghosts_replaceable, ghosts_patchable, ghosts_deletable,
  ghosts_conflict, ghosts_upserted_over, revived_by_off, revived_by_never, revived_by_longer_default,
  wraps_at_31_bits, wraps_at_32_bits, saturates,
  // W: writes
  create_keeps_countdown, replace_keeps_countdown, upsert_keeps_countdown, patch_keeps_countdown, patch_keeps_ts,
  read_touches, query_touches, rejected_create_touches, conflicting_definition_stored,
  replace_keeps_ttl, upsert_keeps_ttl, patch_drops_ttl, patch_drops_value, patch_cannot_remove_ttl,
  default_captured_at_write, default_reaches_other_collections, default_change_sets_ts, deadline_never_earlier,
  deadline_never_later, never_and_seconds_reset_own_ttl,
  // F: off and on again
  own_ttl_counts_while_off, off_keeps_the_default, own_ttl_forgotten_after_off, off_restarts_countdowns,
  off_pauses_countdowns,
  // P: physical deletion
  tombstone_after_purge, purge_charged, purges_while_off, purges_early, purges_the_living, stale_timer,
  purge_skips_inheriting,
  // I: indexing
  default_without_index_created, default_without_index_replaced, replace_judged_by_old_definition,
  query_not_rebuilt, lazy_shows_old_content, lazy_shows_expired, lazy_shows_deleted, lazy_never_catches_up,
  reads_through_lazy_index, query_without_index,
  // R: request units
  purge_charged_to_next_write, ttl_charged,
  // C: identity and answers
  partition_ignored, partition_not_filtered, id_shared_between_collections, upsert_always_created,
  replace_creates, nothing_deletable, missing_before_invalid, deleted_collection_comes_back,
};
// clang-format on

struct DefectText {
  Defect defect = Defect::none;
  std::string_view id;
  std::string_view clause;    ///< the one that it breaks first of all, "X2.query"
  std::string_view sentence;  ///< what the store does wrong

  Rule rule() const;    ///< the clause's
  Level level() const;  ///< the clause's
};

/// Every defect but `none`, in the order of the enumeration.
std::span<const DefectText> all_defects();

/// Requires a defect other than `none`.
const DefectText& text_of(Defect defect);

/// Nothing if there is none of that id.
const DefectText* defect_named(std::string_view id);

/// The quarter of the catalogue that random cases take longest to catch.
std::span<const Defect> hard_defects();

/// What a run of `mayfly check` with this seed has to catch before its verdict means anything: one of the hard ones.
Defect canary_of(std::uint64_t seed);

/// In how many operations. In the median a hard defect takes no more than a twentieth of them, and of the searches that
/// take longer half end within each further median. So a sound run misses its canary less than once in 2^20 times.
inline constexpr std::uint64_t most_operations_of_canary = 300'000;

}  // namespace mayfly
