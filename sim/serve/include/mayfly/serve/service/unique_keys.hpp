#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "mayfly/serve/service/partition_key.hpp"

namespace mayfly::serve {

/// The unique keys of a container: within a partition, no two live items have the same values under all paths of a key.
class UniqueKeys {
 public:
  /// From a container's `uniqueKeyPolicy`, if it has one. Throws Refusal.
  explicit UniqueKeys(const boost::json::value* policy);

  bool operator==(const UniqueKeys&) const = default;

  bool are_none() const { return keys_.empty(); }

  /// A text for each key. Two items have the same text exactly if the key forbids one of them. As in the service, a
  /// missing value is null.
  std::vector<std::string> texts_of(std::string_view partition, const boost::json::object& item) const;

 private:
  std::vector<std::vector<PropertyPath>> keys_;
};

}  // namespace mayfly::serve
