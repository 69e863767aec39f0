#include <algorithm>
#include <limits>

#include "mayfly/props/defects/defective_store.hpp"

// Which TTL counts, when a document is expired, and that it stays so (E1-E3, X1, X4, X5).

namespace mayfly {

namespace {

/// Of Los Angeles, by a table that ends where 32 bits do.
bool is_summer_time(Instant now) {
  using namespace std::chrono;
  const year year = year_month_day{floor<days>(now)}.year();
  const auto begins = sys_days{year / March / Sunday[2]} + hours{10};
  const auto ends = sys_days{year / November / Sunday[1]} + hours{9};
  return year >= std::chrono::year{2007} && year <= std::chrono::year{2037} && begins <= now && now < ends;
}

}  // namespace

std::optional<Seconds> DefectiveStore::effective_ttl(const Collection& collection,
                                                     const StoredDocument& document) const {
  if (std::holds_alternative<Off>(collection.settings.default_ttl)) return ttl_while_off(collection, document);
  if (document.has_forgotten_ttl) return inherited_ttl(collection, document);
  const Ttl& ttl = document.shown.ttl;
  if (const auto* own = std::get_if<Seconds>(&ttl)) return own_ttl(collection, *own);
  const bool is_under_never = std::holds_alternative<Never>(collection.settings.default_ttl);
  if (is(Defect::own_never_expires_under_never) && std::holds_alternative<Never>(ttl) && is_under_never)
    return collection.last_seconds;
  if (std::holds_alternative<Never>(ttl) && !is(Defect::own_never_loses_to_default)) return std::nullopt;  // E2
  return inherited_ttl(collection, document);
}

std::optional<Seconds> DefectiveStore::own_ttl(const Collection& collection, Seconds own) const {
  const auto* n = std::get_if<Seconds>(&collection.settings.default_ttl);
  if (!n && is(Defect::own_ttl_ignored_under_never)) return std::nullopt;
  if (is(Defect::made_off_ignores_ttl) && collection.was_made_off) return std::nullopt;
  if (n && is(Defect::own_ttl_capped_by_default)) return std::min(own, *n);
  if (n && is(Defect::own_ttl_raised_to_default)) return std::max(own, *n);
  if (n && is(Defect::default_beats_own_ttl)) return *n;
  return own;  // E3
}

std::optional<Seconds> DefectiveStore::inherited_ttl(const Collection& collection,
                                                     const StoredDocument& document) const {
  if (is(Defect::inheriting_never_expires)) return std::nullopt;
  const DefaultTtl default_ttl = is(Defect::default_captured_at_write)
                                     ? document.default_at_write
                                     : document.missed_change.value_or(collection.settings.default_ttl);
  const auto* n = std::get_if<Seconds>(&default_ttl);
  if (!n) return is(Defect::never_keeps_the_last_seconds) ? collection.last_seconds : std::nullopt;
  const Seconds previous = document.previous_default.value_or(*n);
  if (is(Defect::deadline_never_earlier)) return std::max(*n, previous);
  if (is(Defect::deadline_never_later)) return std::min(*n, previous);
  return *n;  // E1
}

std::optional<Seconds> DefectiveStore::ttl_while_off(const Collection& collection,
                                                     const StoredDocument& document) const {
  const auto* own = std::get_if<Seconds>(&document.shown.ttl);
  const bool was_off = std::holds_alternative<Off>(document.default_at_write);
  if (own && is(Defect::own_ttl_counts_while_off)) return *own;
  if (own && is(Defect::ttl_written_while_off_counts) && was_off) return *own;
  if (own && is(Defect::own_ttl_counts_before_default) && !collection.had_default) return *own;
  const bool inherits = std::holds_alternative<Inherit>(document.shown.ttl);
  if (inherits && is(Defect::off_keeps_the_default)) return collection.last_seconds;
  if (inherits && is(Defect::built_in_default) && !collection.had_default) return Seconds{10};
  if (!inherits && !own && is(Defect::own_never_expires_while_off)) return collection.last_seconds;
  return std::nullopt;  // E1-E3, F1
}

Seconds DefectiveStore::kept_ttl(Seconds ttl) const {
  constexpr Seconds day{86'400};
  const std::int64_t seconds = ttl.count();
  const bool is_full_turn = seconds == 64 * 64 || seconds == 64 * 64 * 64 || seconds == 64 * 64 * 64 * 64;
  if (is(Defect::full_wheel_turn_is_none) && is_full_turn) return {};
  if (is(Defect::whole_days_in_a_byte) && ttl % day == Seconds{}) return ttl / day % 256 * day;
  const bool overflows = seconds > 2'147'483 && seconds <= 4'294'967;
  if (is(Defect::timer_of_31_bits_overflows) && overflows) return {};
  if (is(Defect::milliseconds_overflow_63_bits) && seconds > largest_ttl) return {};
  return ttl;
}

std::int64_t DefectiveStore::kept_deadline(std::int64_t exact) const {
  if (is(Defect::expires_late) || is(Defect::value_goes_first)) return exact + 1;
  if (is(Defect::expires_early)) return exact - 1;
  if (is(Defect::wraps_at_31_bits)) return static_cast<std::int32_t>(exact);
  if (is(Defect::wraps_at_32_bits)) return static_cast<std::uint32_t>(exact);
  if (is(Defect::saturates)) return std::min<std::int64_t>(exact, std::numeric_limits<std::uint32_t>::max());
  if (is(Defect::midnight_comes_early) && exact % 86'400 == 0) return exact - 1;
  return exact;  // X5
}

std::optional<Instant> DefectiveStore::deadline_of(const Collection& collection, const StoredDocument& document) const {
  const auto ttl = effective_ttl(collection, document);
  if (!ttl) return std::nullopt;
  if (is(Defect::beyond_30_days_is_a_time) && *ttl > std::chrono::days{30}) return Instant{*ttl};
  const Instant exact = document.counts_from + kept_ttl(*ttl);
  return Instant{Seconds{kept_deadline(exact.time_since_epoch().count())}};
}

bool DefectiveStore::is_due(Instant now, const Collection& collection, const StoredDocument& document) const {
  const auto deadline = deadline_of(collection, document);
  if (!deadline || document.lives_on) return false;
  const bool inherits = std::holds_alternative<Inherit>(document.shown.ttl);
  if (is(Defect::new_default_waits) && inherits && collection.default_since == now) return false;
  if (is(Defect::comparison_turned_round)) return *deadline >= now;
  if (is(Defect::summer_time_is_late) && is_summer_time(now)) return *deadline <= now - std::chrono::hours{1};
  if (is(Defect::only_in_its_second)) return *deadline == now;
  if (is(Defect::third_of_a_second_forgotten) && is_third_of_its_second(collection, document)) return false;
  return *deadline <= now;  // X1
}

bool DefectiveStore::is_value_due(Instant now, const Collection& collection, const StoredDocument& document) const {
  const auto ttl = effective_ttl(collection, document);
  return ttl && document.value_since + *ttl <= now;
}

bool DefectiveStore::is_third_of_its_second(const Collection& collection, const StoredDocument& document) const {
  const auto deadline = deadline_of(collection, document);
  int earlier = 0;
  for (const auto& [identity, other] : collection.documents) {
    if (&other == &document) break;
    if (deadline_of(collection, other) == deadline) ++earlier;
  }
  return earlier == 2;
}

// Once a second, and what was written since: a crowd would take long otherwise.
void DefectiveStore::settle(Instant now, Collection& collection) const {
  const auto written = std::exchange(collection.written, std::nullopt);
  if (std::exchange(collection.settled, now) == now) {
    const auto found = written ? collection.documents.find(*written) : collection.documents.end();
    if (found != collection.documents.end()) settle(now, collection, found->first, found->second);
    return;
  }
  if (is(Defect::zombies_stop_expiry) && collection.zombies > 64) return;
  std::map<std::optional<Instant>, int> due;
  for (auto& [identity, document] : collection.documents) {
    if (is(Defect::full_second_forgotten) && !document.expired && is_due(now, collection, document))
      document.lives_on |= ++due[deadline_of(collection, document)] > 64;
    settle(now, collection, identity, document);
  }
}

void DefectiveStore::settle(Instant now, Collection& collection, const Identity& identity,
                            StoredDocument& document) const {
  if (document.expired || !is_due(now, collection, document)) return;
  document.expired = true;  // X4
  collection.expired_identities.insert(identity);
  ++collection.ever_expired;
  ++collection.owed_for_expiries;
}

}  // namespace mayfly
