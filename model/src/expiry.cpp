#include "mayfly/model/expiry.hpp"

namespace mayfly {

namespace {

bool is_valid_number(std::int64_t seconds) { return seconds >= 1 && seconds <= largest_ttl; }

}  // namespace

std::optional<DefaultTtl> valid_default(const TtlField& field) {
  if (std::holds_alternative<Absent>(field) || std::holds_alternative<Null>(field)) return Off{};
  const auto* number = std::get_if<std::int64_t>(&field);
  if (number == nullptr) return std::nullopt;
  if (*number == -1) return Never{};
  if (is_valid_number(*number)) return Seconds{*number};
  return std::nullopt;
}

std::optional<Ttl> valid_ttl(const TtlField& field) {
  if (std::holds_alternative<Absent>(field)) return Inherit{};
  const auto* number = std::get_if<std::int64_t>(&field);
  if (number == nullptr) return std::nullopt;
  if (*number == -1) return Never{};
  if (is_valid_number(*number)) return Seconds{*number};
  return std::nullopt;
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
