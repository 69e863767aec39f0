#pragma once

#include <cstddef>
#include <stdexcept>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace mayfly::serve {

/// An invalid patch, or one that does not fit the item. The message names the operation.
class PatchError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The service's limit.
inline constexpr std::size_t most_patch_operations = 10;

/// Applies the operations in their order, and returns the new item. Throws PatchError if one of them fails.
///
/// An operation is `{"op":..,"path":..,"value":..}`; paths are JSON pointers, and all of a path but its end must exist.
/// - `add` creates or replaces a property; in a list it inserts before the place named, `-` being the end.
/// - `set` is the same, but in a list it replaces the element.
/// - `replace` and `remove` require that the property or element exists.
/// - `incr` (or `increment`) adds to a number, or creates the property with the number to add.
/// The id and the properties that the service adds (`_ts`, `_etag`, ...) cannot be patched; the ttl can.
boost::json::object patched(boost::json::object item, const boost::json::array& operations);

}  // namespace mayfly::serve
