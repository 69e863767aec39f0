#include <algorithm>
#include <cstdlib>

#include "mayfly/props/defective_store.hpp"

// What a request may say (T1-T4, I1).

namespace mayfly {

namespace {

bool is_on(const DefaultTtl& default_ttl) { return !std::holds_alternative<Off>(default_ttl); }

/// The seconds that a careless reader finds in a string or a fraction.
std::optional<Seconds> careless_seconds(const TtlField& field) {
  const auto* other = std::get_if<OtherJson>(&field);
  if (!other || other->text.empty()) return std::nullopt;
  const char* digits = other->text.c_str() + (other->text.front() == '"' ? 1 : 0);
  const double number = std::strtod(digits, nullptr);
  if (number < 1 || number > largest_ttl) return std::nullopt;
  return Seconds{static_cast<std::int64_t>(number)};
}

std::optional<Seconds> if_too_large(const TtlField& field) {
  const auto* number = std::get_if<std::int64_t>(&field);
  if (!number || *number <= largest_ttl) return std::nullopt;
  return Seconds{std::min(*number, std::int64_t{1} << 53)};  // so that a deadline can be worked out
}

bool is_zero(const TtlField& field) { return field == TtlField{std::int64_t{0}}; }

template <class To>
std::optional<To> as(const std::optional<Seconds>& seconds) {
  if (!seconds) return std::nullopt;
  return To{*seconds};
}

}  // namespace

std::optional<DefaultTtl> DefectiveStore::accepted_default(const TtlField& field) const {
  if (is(Defect::absent_default_is_never) && std::holds_alternative<Absent>(field)) return Never{};
  if (is(Defect::null_default_rejected) && std::holds_alternative<Null>(field)) return std::nullopt;
  if (const auto valid = valid_default(field)) return valid;
  if (is(Defect::default_zero_accepted) && is_zero(field)) return Off{};
  if (is(Defect::default_too_large_accepted)) return as<DefaultTtl>(if_too_large(field));
  if (is(Defect::default_text_accepted)) return as<DefaultTtl>(careless_seconds(field));
  return std::nullopt;
}

std::optional<Settings> DefectiveStore::accepted_settings(const Definition& asked, const Collection* old) const {
  const auto default_ttl = accepted_default(asked.default_ttl);
  if (!default_ttl) return std::nullopt;
  const Settings settings{*default_ttl, asked.indexing};
  if (asked.indexing != Indexing::none) return settings;
  if (old && is(Defect::replace_judged_by_old_definition) && is_on(old->settings.default_ttl)) return std::nullopt;
  if (old && is(Defect::default_without_index_replaced)) return settings;
  if (!old && is(Defect::default_without_index_created)) return settings;
  if (is_on(*default_ttl)) return std::nullopt;  // I1
  return settings;
}

std::optional<Ttl> DefectiveStore::accepted_ttl(const TtlField& field, const Collection* collection) const {
  if (const auto valid = valid_ttl(field)) return valid;
  const bool is_off = collection && !is_on(collection->settings.default_ttl);
  if (is(Defect::ttl_unchecked_while_off) && is_off) return Inherit{};
  if (is(Defect::ttl_zero_accepted) && is_zero(field)) return Inherit{};
  if (is(Defect::ttl_null_accepted) && std::holds_alternative<Null>(field)) return Inherit{};
  if (is(Defect::ttl_too_large_accepted)) return as<Ttl>(if_too_large(field));
  if (is(Defect::ttl_text_accepted)) return as<Ttl>(careless_seconds(field));
  return std::nullopt;
}

}  // namespace mayfly
