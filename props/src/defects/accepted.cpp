#include <algorithm>
#include <cstdlib>
#include <limits>

#include "mayfly/props/defects/defective_store.hpp"

// What a request may say (T1-T4, I1).

namespace mayfly {

namespace {

bool is_on(const DefaultTtl& default_ttl) { return !std::holds_alternative<Off>(default_ttl); }

// How the JSON of a kind begins.
constexpr std::string_view a_number = "0123456789", a_string = "\"", a_boolean = "tf", a_list = "[";

/// The seconds that a careless reader finds in JSON that begins like this.
std::optional<Seconds> careless_seconds(const TtlField& field, std::string_view beginnings) {
  const auto* other = std::get_if<OtherJson>(&field);
  if (!other || other->text.find_first_of(beginnings) != 0) return std::nullopt;
  if (other->text == "true") return Seconds{1};
  const double number = std::strtod(other->text.c_str() + (beginnings == a_number ? 0 : 1), nullptr);
  if (number < 1 || number > largest_ttl) return std::nullopt;
  return Seconds{static_cast<std::int64_t>(number)};
}

std::optional<Seconds> if_too_large(const TtlField& field) {
  const auto* number = std::get_if<std::int64_t>(&field);
  if (!number || *number <= largest_ttl) return std::nullopt;
  return Seconds{std::min(*number, std::int64_t{1} << 53)};  // so that a deadline can be worked out
}

/// What is left of its milliseconds in 64 bits.
std::optional<Seconds> if_wrapped(const TtlField& field) {
  const auto* number = std::get_if<std::int64_t>(&field);
  if (!number || *number <= largest_ttl) return std::nullopt;
  const auto left = static_cast<std::int64_t>(static_cast<std::uint64_t>(*number) * 1'000) / 1'000;
  return left >= 1 && left <= largest_ttl ? std::optional(Seconds{left}) : std::nullopt;
}

/// Its milliseconds fit into 63 bits, but not with those of the time of this century.
std::optional<Seconds> if_just_fits(const TtlField& field) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 1'000, this_century = 1'000'000'000;
  const auto* number = std::get_if<std::int64_t>(&field);
  if (!number || *number > most || *number <= most - this_century) return std::nullopt;
  return Seconds{*number};
}

bool is_zero(const TtlField& field) { return field == TtlField{std::int64_t{0}}; }

bool is_below_never(const TtlField& field) {
  const auto* number = std::get_if<std::int64_t>(&field);
  return number && *number < -1;
}

template <class To>
std::optional<To> as(const std::optional<Seconds>& seconds) {
  if (!seconds) return std::nullopt;
  return To{*seconds};
}

}  // namespace

std::optional<DefaultTtl> DefectiveStore::accepted_default(const TtlField& field) const {
  if (is(Defect::absent_default_is_never) && std::holds_alternative<Absent>(field)) return Never{};
  if (is(Defect::null_default_rejected) && std::holds_alternative<Null>(field)) return std::nullopt;
  if (is(Defect::default_as_double_rejected) && std::holds_alternative<OtherJson>(field)) return std::nullopt;
  const auto valid = valid_default(field);
  if (is(Defect::default_never_is_off) && valid == DefaultTtl{Never{}}) return Off{};
  if (is(Defect::default_one_rejected) && valid == DefaultTtl{Seconds{1}}) return std::nullopt;
  if (valid) return valid;
  if (is(Defect::default_zero_accepted) && is_zero(field)) return Off{};
  if (is(Defect::default_below_accepted) && is_below_never(field)) return Never{};
  if (is(Defect::default_below_sticks) && is_below_never(field)) return Seconds{-2};
  if (is(Defect::default_too_large_accepted)) return as<DefaultTtl>(if_too_large(field));
  if (is(Defect::default_fraction_accepted)) return as<DefaultTtl>(careless_seconds(field, a_number));
  if (is(Defect::default_text_accepted)) return as<DefaultTtl>(careless_seconds(field, a_string));
  if (is(Defect::default_boolean_accepted)) return as<DefaultTtl>(careless_seconds(field, a_boolean));
  if (is(Defect::default_list_accepted)) return as<DefaultTtl>(careless_seconds(field, a_list));
  return std::nullopt;
}

std::optional<Settings> DefectiveStore::accepted_settings(const Definition& asked, const Collection* old) const {
  const auto default_ttl = accepted_default(asked.default_ttl);
  if (!default_ttl) return std::nullopt;
  const Settings settings{*default_ttl, asked.indexing};
  if (asked.indexing != Indexing::none) return settings;
  if (old && is(Defect::replace_judged_by_old_definition) && is_on(old->settings.default_ttl)) return std::nullopt;
  const bool has_index = old && old->settings.indexing != Indexing::none;
  if (!old && is(Defect::default_without_index_created)) return settings;
  if (old && !has_index && is(Defect::default_set_without_index)) return settings;
  if (has_index && is(Defect::default_without_index_replaced)) return settings;
  if (is_on(*default_ttl)) return std::nullopt;  // I1
  return settings;
}

std::optional<Ttl> DefectiveStore::accepted_ttl(const TtlField& field, const Collection* collection) const {
  if (is(Defect::ttl_as_double_rejected) && std::holds_alternative<OtherJson>(field)) return std::nullopt;
  const auto valid = valid_ttl(field);
  if (is(Defect::ttl_never_rejected) && valid == Ttl{Never{}}) return std::nullopt;
  if (is(Defect::ttl_one_rejected) && valid == Ttl{Seconds{1}}) return std::nullopt;
  if (valid) return valid;
  const bool is_off = collection && !is_on(collection->settings.default_ttl);
  if (is(Defect::ttl_unchecked_while_off) && is_off) return Inherit{};
  if (is(Defect::ttl_zero_accepted) && is_zero(field)) return Inherit{};
  if (is(Defect::ttl_null_accepted) && std::holds_alternative<Null>(field)) return Inherit{};
  if (is(Defect::ttl_below_accepted) && is_below_never(field)) return Never{};
  if (is(Defect::ttl_too_large_accepted)) return as<Ttl>(if_too_large(field));
  if (is(Defect::milliseconds_wrap_at_64_bits)) return as<Ttl>(if_wrapped(field));
  if (is(Defect::milliseconds_overflow_63_bits)) return as<Ttl>(if_just_fits(field));
  if (is(Defect::ttl_fraction_accepted)) return as<Ttl>(careless_seconds(field, a_number));
  if (is(Defect::ttl_text_accepted)) return as<Ttl>(careless_seconds(field, a_string));
  if (is(Defect::ttl_boolean_accepted)) return as<Ttl>(careless_seconds(field, a_boolean));
  if (is(Defect::ttl_list_accepted)) return as<Ttl>(careless_seconds(field, a_list));
  return std::nullopt;
}

}  // namespace mayfly
