#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace mayfly::serve {

/// The names of properties, one within the other.
using PropertyPath = std::vector<std::string>;

/// `/a/"b c"` names two properties, one within the other. Throws Refusal.
PropertyPath parse_property_path(std::string_view path);

/// The value under the path, or nullptr.
const boost::json::value* value_at(const boost::json::object& item, const PropertyPath& path);

/// The JSON text of a value, the same for 1 and 1.0. Empty if there is no value, or one that cannot be a key.
std::string component_text(const boost::json::value* value);

/// The partition key of a container: the paths whose values form the partition of an item.
class PartitionKey {
 public:
  /// From a container's `partitionKey`. Without one, the path is `/_partitionKey`, which items do not have. Throws
  /// Refusal.
  explicit PartitionKey(const boost::json::value* definition);

  /// Whether the container was made without a key.
  bool is_absent() const { return is_absent_; }

  /// Whether clients compute effective keys as `effective_key` does: in the definition's version 2.
  bool has_effective_keys() const { return has_effective_keys_; }

  const std::vector<PropertyPath>& paths() const { return paths_; }

  /// Throws Refusal if an item to be written has a longer value than the service takes.
  void check(const boost::json::object& item) const;

  /// The partition of an item: the JSON text of its value, empty if it has none. Numbers that are the same double have
  /// the same text.
  std::string partition_of(const boost::json::object& item) const;

  /// The partition in a header, or nothing if its list is empty. Throws Refusal if the header is not a list with a
  /// value for each path.
  std::optional<std::string> partition_in(std::string_view header) const;

 private:
  std::vector<PropertyPath> paths_;
  bool is_absent_ = false;
  bool has_effective_keys_ = true;
};

}  // namespace mayfly::serve
