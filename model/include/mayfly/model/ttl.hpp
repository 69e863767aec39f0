#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "mayfly/model/time.hpp"

namespace mayfly {

/// The largest valid number of seconds, for a default and for a ttl (T2, T3).
inline constexpr std::int64_t largest_ttl = 2'147'483'647;

struct Off {
  bool operator==(const Off&) const = default;
};
struct Never {
  bool operator==(const Never&) const = default;
};
struct Inherit {
  bool operator==(const Inherit&) const = default;
};

/// A collection's default (T1).
using DefaultTtl = std::variant<Off, Never, Seconds>;

constexpr bool is_off(const DefaultTtl& default_ttl) { return std::holds_alternative<Off>(default_ttl); }
constexpr bool is_never(const DefaultTtl& default_ttl) { return std::holds_alternative<Never>(default_ttl); }

/// A document's own ttl (T3).
using Ttl = std::variant<Inherit, Never, Seconds>;

struct Absent {
  bool operator==(const Absent&) const = default;
};
struct Null {
  bool operator==(const Null&) const = default;
};
/// Any other JSON value: a string, a boolean, a list, an object, or a number that is not written as a whole number of
/// 64 bits. Kept as JSON text, so that a trace can contain it. Only a number can be a ttl, by its value: 5.0 is 5 (T3).
struct OtherJson {
  std::string text;
  bool operator==(const OtherJson&) const = default;
};

/// The value of `ttl` or `default_ttl` in a request, valid or not.
using TtlField = std::variant<Absent, Null, std::int64_t, OtherJson>;

}  // namespace mayfly
