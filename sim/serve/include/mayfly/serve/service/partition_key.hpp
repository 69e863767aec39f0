#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace mayfly::serve {

/// The partition key of a container: the paths whose values form the partition of an item.
class PartitionKey {
 public:
  /// From a container's `partitionKey`. Without one, the path is `/_partitionKey`, which items do not have. Throws
  /// Refusal.
  explicit PartitionKey(const boost::json::value* definition);

  /// Whether the container was made without a key.
  bool is_absent() const { return is_absent_; }

  /// The paths, each as the names of properties, one within the other.
  const std::vector<std::vector<std::string>>& paths() const { return paths_; }

  /// The partition of an item: the JSON text of its value, empty if it has none. Numbers that are the same double have
  /// the same text.
  std::string partition_of(const boost::json::object& item) const;

  /// The partition in a header, or nothing if its list is empty. Throws Refusal if the header is not a list with a
  /// value for each path.
  std::optional<std::string> partition_in(std::string_view header) const;

 private:
  std::vector<std::vector<std::string>> paths_;
  bool is_absent_ = false;
};

}  // namespace mayfly::serve
