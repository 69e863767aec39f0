#pragma once

#include <optional>

#include "mayfly/model/document.hpp"

// The rules as pure functions, for the reference store and for explanations. The engine does not use them: it is an
// independent implementation of the rules.

namespace mayfly {

/// The default that a request sets, or nothing if the field is invalid (T1, T2).
std::optional<DefaultTtl> valid_default(const TtlField& field);

/// The ttl that a request gives a document, or nothing if the field is invalid (T3).
std::optional<Ttl> valid_ttl(const TtlField& field);

/// The settings of a collection, all valid.
struct Settings {
  DefaultTtl default_ttl;
  Indexing indexing = Indexing::consistent;
  bool operator==(const Settings&) const = default;
};

/// The settings in a definition, or nothing if it is invalid (T1, T2, I1).
std::optional<Settings> valid_settings(const Definition& definition);

/// Whether a patch names a change, any ttl in it is valid, and it does not both set and remove the ttl (T3).
bool is_valid(const Patch& patch);

/// How long the document lives after its last write, or nothing if it does not expire (E1-E3).
inline std::optional<Seconds> effective_ttl(const Ttl& ttl, const DefaultTtl& default_ttl) {
  if (std::holds_alternative<Off>(default_ttl)) return std::nullopt;  // the first column, F1
  if (std::holds_alternative<Never>(ttl)) return std::nullopt;        // E2
  if (const auto* own = std::get_if<Seconds>(&ttl)) return *own;      // E3
  if (const auto* n = std::get_if<Seconds>(&default_ttl)) return *n;  // E1
  return std::nullopt;
}

/// The second from which the document must not be seen, or nothing if it does not expire (E1-E3, X1, X5).
inline std::optional<Instant> deadline(Instant ts, const Ttl& ttl, const DefaultTtl& default_ttl) {
  const auto seconds = effective_ttl(ttl, default_ttl);
  if (!seconds) return std::nullopt;
  return ts + *seconds;
}

/// Whether the document is expired at `now` by these settings alone (X1). The store itself must remember that a
/// document expired under earlier settings (X4).
inline bool is_expired(Instant ts, const Ttl& ttl, const DefaultTtl& default_ttl, Instant now) {
  const auto last = deadline(ts, ttl, default_ttl);
  return last && *last <= now;
}

}  // namespace mayfly
