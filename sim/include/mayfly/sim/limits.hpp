#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// Which names and values a store refuses by its nature. Within these limits it keeps each as it is given (C1). What is
/// absent has no limit.
struct Limits {
  std::optional<std::uint64_t> collection_bytes;  ///< of a name, in UTF-8, as are the next two
  std::optional<std::uint64_t> partition_bytes;
  std::optional<std::uint64_t> id_bytes;
  std::optional<std::uint64_t> value_bytes;
  std::uint64_t min_bytes = 0;  ///< of every name: 1 where empty ones are refused
  std::string forbidden;        ///< characters that no name may have

  static void fields(auto& self, auto& field) {
    field.optional("collection_bytes", self.collection_bytes);
    field.optional("partition_bytes", self.partition_bytes);
    field.optional("id_bytes", self.id_bytes);
    field.optional("value_bytes", self.value_bytes);
    field.optional("min_bytes", self.min_bytes);
    field.optional("forbidden", self.forbidden);
  }
  bool operator==(const Limits&) const = default;
};

/// The smallest limit in bytes that a store may have: usual names, such as c0, p0 and d17, and their values fit.
inline constexpr std::uint64_t least_bytes_limit = 16;
inline constexpr std::uint64_t most_min_bytes = 2;

/// Whether the operation has no name and no value beyond the limits.
bool is_within(const Limits& limits, const Operation& operation);

/// What lies beyond them, each as a phrase such as "empty names"; nothing if there are no limits.
std::vector<std::string> beyond(const Limits& limits);

}  // namespace mayfly
