#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mayfly/sim/operation.hpp"

// Operations that come again and again, as in a crowd of documents or in a long history of one.

namespace mayfly {

/// Whether the field names a collection, a partition or a document.
inline bool is_name(std::string_view field) { return field == "collection" || field == "partition" || field == "id"; }

/// Calls `f(name, field, same field of the other)` for every field. Requires two operations of one kind.
template <class F>
void for_each_field_of_both(const Operation& operation, const Operation& other, F f) {
  std::array<const void*, 8> fields{};
  std::size_t count = 0;
  for_each_field(other, [&](std::string_view, const auto& field) { fields.at(count++) = &field; });
  count = 0;
  for_each_field(operation, [&](std::string_view name, const auto& field) {
    f(name, field, *static_cast<const std::decay_t<decltype(field)>*>(fields.at(count++)));
  });
}

/// Whether the two differ at most in their names.
bool are_alike(const Operation& operation, const Operation& other);

/// A block of consecutive operations that is repeated, each time alike.
struct Group {
  std::size_t begin = 0;
  std::size_t period = 1;  ///< how many operations a block has
  std::size_t times = 1;

  std::size_t end() const { return begin + period * times; }
};

/// The operations as groups. What is not repeated at least four times is a group of one.
std::vector<Group> groups_of(const std::vector<Step>& steps);

}  // namespace mayfly
