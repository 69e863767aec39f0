#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "mayfly/model/rule.hpp"

// What the harness has to catch: each defect breaks one clause of a rule (clause.hpp) as a real store might, and leaves
// the others alone as far as it can. Every clause that can be seen to be broken has one. `DefectiveStore` is a store
// that has one.

namespace mayfly {

// clang-format off
enum class Defect : std::uint8_t {
  none,
  // T: settings
  absent_default_is_never, null_default_rejected, default_never_is_off, default_one_rejected, default_zero_accepted,
  default_below_accepted, default_too_large_accepted, default_fraction_accepted, default_text_accepted,
  default_boolean_accepted, default_list_accepted, default_as_double_rejected, default_unprocessable,
  default_below_sticks, rejected_default_stored, absent_ttl_is_never, ttl_never_rejected, ttl_one_rejected,
  ttl_zero_accepted, ttl_below_accepted, ttl_too_large_accepted, ttl_null_accepted, ttl_fraction_accepted,
  ttl_text_accepted, ttl_boolean_accepted, ttl_list_accepted, ttl_as_double_rejected, ttl_unprocessable,
  rejected_replace_stored, ttl_unchecked_while_off, ttl_written_while_off_counts, ttl_dropped_while_off,
  ttl_hidden_while_off, only_the_value_expires, value_expires_alone,
  // E: which TTL counts
  built_in_default, never_keeps_the_last_seconds, inheriting_never_expires, own_never_expires_while_off,
  own_never_expires_under_never, own_never_loses_to_default, own_ttl_counts_before_default, own_ttl_ignored_under_never,
  own_ttl_raised_to_default, default_beats_own_ttl, own_ttl_capped_by_default,
  // X: expiry
  expires_early, comparison_turned_round, expires_late, value_goes_first, third_of_a_second_forgotten,
  only_in_its_second, ghosts_readable, ghosts_replaceable, ghosts_patchable, ghosts_deletable, ghosts_in_queries,
  ghosts_counted, ghosts_conflict, ghosts_upserted_over, revived_by_off, revived_by_never, revived_by_longer_default,
  wraps_at_31_bits, wraps_at_32_bits, saturates,
  // W: writes
  create_keeps_countdown, replace_keeps_countdown, upsert_keeps_countdown, patch_keeps_countdown, patch_keeps_ts,
  read_touches, query_touches, rejected_create_touches, conflicting_definition_stored, replace_keeps_value,
  replace_keeps_ttl, upsert_keeps_value, upsert_keeps_ttl, upsert_over_expired_unseen, patch_drops_ttl,
  patch_drops_value, patch_cannot_remove_ttl, view_keeps_removed_ttl, default_captured_at_write,
  default_reaches_other_collections, new_default_waits, deadline_never_earlier, deadline_never_later,
  default_change_sets_ts, seconds_reset_own_ttl, never_resets_own_ttl,
  // F: off and on again
  own_ttl_counts_while_off, off_keeps_the_default, own_ttl_forgotten_after_off, made_off_ignores_ttl,
  off_restarts_countdowns, off_pauses_countdowns, passed_while_off_lives_on,
  // P: physical deletion
  tombstone_after_purge, tombstone_after_late_purge, tombstone_of_the_first, purge_charged, purges_while_off,
  purges_early, purges_the_living, stale_timer, purge_skips_inheriting, purge_says_more,
  // I: indexing
  default_without_index_created, default_set_without_index, default_without_index_replaced, missing_index_unprocessable,
  index_dropped_by_rejection, replace_judged_by_old_definition, query_not_rebuilt, lazy_shows_expired,
  lazy_shows_deleted, lazy_shows_rejected, lazy_shows_old_content, lazy_never_catches_up, lazy_stays_a_write_behind,
  reads_through_lazy_index, reads_need_an_index, query_without_index, count_without_index,
  // R: request units
  mass_purge_charged, purge_charged_to_next_write, purge_charged_to_next_read, purge_charged_to_next_query,
  expiry_charged_to_next_write, expired_make_queries_dearer, expired_read_is_dearer, create_over_expired_is_dearer,
  ttl_charged, ttl_charged_while_off, ttl_charged_under_never, same_ttl_charged, never_charged, other_ttl_charged,
  create_with_ttl_charged, replace_with_ttl_charged, upsert_with_ttl_charged, patch_with_ttl_charged,
  // C: identity and answers
  partition_ignored, id_shared_between_collections, partition_not_filtered, namesake_restarted, ids_folded,
  collections_folded, partition_filter_folded, trailing_spaces_cut, names_composed, zeros_dropped, long_ids_cut,
  cut_at_nul, beyond_16_bits_lost, joined_by_slash, joined_by_nothing, ids_shown_folded, create_answers_ok,
  create_overwrites, replace_answers_no_content, replace_creates, patch_answers_no_content, nothing_patchable,
  empty_read_is_no_content, nothing_readable, upsert_with_ttl_fails, upsert_always_created, upsert_never_created,
  delete_answers_ok,
  nothing_deletable, missing_collection_is_empty, remade_collection_is_ok, collection_made_twice,
  same_definition_no_content, redefinition_creates, off_read_as_no_content, missing_collection_is_off, drop_answers_ok,
  missing_collection_dropped, empty_patch_accepted, missing_before_invalid, deleted_collection_readable,
  deleted_collection_comes_back,
  // What shows in a crowd only
  query_shows_a_page, full_second_forgotten, default_reaches_a_page, purge_stops_one_short, purge_takes_one_more,
  several_ranges_unpurged,
  // in values only
  long_value_cut, value_ends_at_nul, value_trimmed, value_read_as_number, value_beyond_16_bits_lost,
  value_line_ends_unified,
  // in long histories only
  countdown_lost_by_counter, zombies_stop_expiry, deleted_entries_stay, changes_beyond_128_lost, deleted_too_often,
  // at round times and in lives of some magnitude only
  midnight_comes_early, summer_time_is_late, full_wheel_turn_is_none, whole_days_in_a_byte, timer_of_31_bits_overflows,
  milliseconds_wrap_at_64_bits, milliseconds_overflow_63_bits,
  // in all of them
  beyond_30_days_is_a_time,
  end_of_defects,  // is none itself
};
// clang-format on

/// How many there are, `none` not counted.
inline constexpr std::size_t defect_count = static_cast<std::size_t>(Defect::end_of_defects) - 1;

struct DefectText {
  Defect defect = Defect::none;
  std::string_view id;
  std::string_view clause;       ///< the one that it breaks first of all, "X2.query"
  std::string_view sentence;     ///< what the store does wrong
  std::string_view world{};      ///< the one whose cases show it, if no other does
  std::string_view reference{};  ///< of the bug of another store that it re-enacts, if it does: "redis/redis#9825"

  Rule rule() const;    ///< the clause's
  Level level() const;  ///< the clause's
};

/// Every defect but `none`, in the order of the enumeration.
std::span<const DefectText> all_defects();

/// Requires a defect other than `none`.
const DefectText& text_of(Defect defect);

/// Nothing if there is none of that id.
const DefectText* defect_named(std::string_view id);

/// Defects that random cases take longest to catch.
std::span<const Defect> hard_defects();

/// What a run of `mayfly check` with this seed has to catch before its verdict means anything: one of the hard ones.
Defect canary_of(std::uint64_t seed);

/// In how many operations. In the median a hard defect takes no more than a twentieth of them, and of the searches that
/// take longer half end within each further median. So a sound run misses its canary less than once in 2^20 times.
inline constexpr std::uint64_t most_operations_of_canary = 300'000;

}  // namespace mayfly
