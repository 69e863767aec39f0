#include "mayfly/model/expiry.hpp"

#include <charconv>
#include <cmath>

namespace mayfly {

namespace {

// A number counts by its value, however it is written: 5.0 and 5e0 are 5 (T3).
std::optional<std::int64_t> whole_number(const TtlField& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field)) return *number;
  const auto* other = std::get_if<OtherJson>(&field);
  if (!other) return std::nullopt;
  const char* const end = other->text.data() + other->text.size();
  double value = 0;
  const bool is_number = std::from_chars(other->text.data(), end, value).ptr == end;
  const bool is_whole = is_number && std::trunc(value) == value && std::abs(value) <= largest_ttl;
  return is_whole ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
}

/// -1 or a number of seconds, 1..2147483647 (T2, T3).
template <class Setting>
std::optional<Setting> valid_number(const TtlField& field) {
  const auto number = whole_number(field);
  if (number == -1) return Never{};
  if (number >= 1 && number <= largest_ttl) return Seconds{*number};
  return std::nullopt;
}

}  // namespace

std::optional<DefaultTtl> valid_default(const TtlField& field) {
  if (std::holds_alternative<Absent>(field) || std::holds_alternative<Null>(field)) return Off{};
  return valid_number<DefaultTtl>(field);
}

std::optional<Ttl> valid_ttl(const TtlField& field) {
  if (std::holds_alternative<Absent>(field)) return Inherit{};
  return valid_number<Ttl>(field);
}

std::optional<Settings> valid_settings(const Definition& definition) {
  const auto default_ttl = valid_default(definition.default_ttl);
  if (!default_ttl) return std::nullopt;
  const bool is_on = !std::holds_alternative<Off>(*default_ttl);
  if (is_on && definition.indexing == Indexing::none) return std::nullopt;  // I1
  return Settings{*default_ttl, definition.indexing};
}

bool is_valid(const Patch& patch) {
  const bool sets_ttl = !std::holds_alternative<Absent>(patch.ttl);
  const bool names_something = patch.value || sets_ttl || patch.remove_ttl;
  return names_something && !(sets_ttl && patch.remove_ttl) && valid_ttl(patch.ttl);
}

}  // namespace mayfly
