#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mayfly/sim/features.hpp"
#include "mayfly/sim/operation.hpp"

// Properties of each kind of operation, besides its fields and its effect on a store: one row of a table. An operation
// without a row does not compile.

namespace mayfly {

struct OperationInfo {
  /// How a request is drawn in a timeline.
  enum class Mark { clock, setting, write, read, remove, query, purge, index };

  std::string_view keyword;
  std::uint32_t weight;       ///< how often the generator draws it
  std::uint32_t long_weight;  ///< the same in a long case
  std::uint64_t cost;   ///< its complexity for the shrinker: a read costs less than a query, a create less than a patch
  std::uint64_t place;  ///< in the usual order of a case: creations, changes, time, observations
  Mark mark;
  bool is_read_only = false;  ///< it changes nothing
  Feature needs = nullptr;    ///< the feature that a store must have
};

namespace detail {
using enum OperationInfo::Mark;

// The generator draws from the rows in this order, so another order makes other cases. The first three rows are the
// ones without which nothing happens.
inline constexpr std::array<OperationInfo, std::variant_size_v<Operation>> operation_rows{{
    {"advance", 20, 12, 1, 9, clock},
    {"create", 12, 16, 2, 2, write},
    {"create_collection", 2, 2, 1, 0, setting},
    {"replace_collection", 9, 2, 3, 1, setting},
    {"read_collection", 2, 1, 2, 12, read, true},
    {"delete_collection", 1, 0, 4, 13, remove},
    {"replace", 7, 12, 5, 4, write},
    {"upsert", 9, 24, 3, 3, write},
    {"patch", 9, 12, 6, 5, write, false, &Features::patch},
    {"read", 12, 6, 0, 10, read, true},
    {"delete", 4, 4, 4, 6, remove},
    {"query", 6, 4, 1, 11, query, true},
    {"purge", 6, 3, 2, 8, purge, false, &Features::purge},
    {"index", 4, 2, 3, 7, index, false, &Features::lazy},
    {"count", 2, 2, 2, 11, query, true, &Features::count},
    {"held", 2, 1, 1, 14, read, true, &Features::held},
}};

constexpr std::size_t kind_of(std::string_view keyword) {
  for (std::size_t kind = 0; kind < keywords.size(); ++kind)
    if (keywords[kind] == keyword) return kind;
  throw "a row is missing, or its keyword belongs to no operation";
}

inline constexpr auto operation_kinds = [] {
  std::array<std::size_t, operation_rows.size()> kinds{};
  for (std::size_t row = 0; row < kinds.size(); ++row) kinds[row] = kind_of(operation_rows[row].keyword);
  return kinds;
}();

inline constexpr auto operation_infos = [] {
  std::array<OperationInfo, operation_rows.size()> infos{};
  for (std::size_t row = 0; row < infos.size(); ++row) infos[operation_kinds[row]] = operation_rows[row];
  return infos;
}();
static_assert([] {
  for (std::size_t kind = 0; kind < keywords.size(); ++kind)
    if (operation_infos[kind].keyword != keywords[kind]) return false;
  return true;
}());
}  // namespace detail

inline const OperationInfo& info_of(const Operation& operation) { return detail::operation_infos[operation.index()]; }

/// Whether the operation changes nothing.
inline bool is_read_only(const Operation& operation) { return info_of(operation).is_read_only; }

}  // namespace mayfly
