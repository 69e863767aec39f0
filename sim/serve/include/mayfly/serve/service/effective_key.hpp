#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mayfly/serve/message/message.hpp"
#include "mayfly/serve/service/partition_key.hpp"

// The effective partition key of an item: hexadecimal digits by which clients name a range of partitions. Of a
// hierarchical key it is the hash of each level, one after the other, so that all keys with one prefix are one range.

namespace mayfly::serve {

/// Requires a partition as PartitionKey writes it.
std::string effective_key(std::string_view partition);

/// The effective keys from `first` up to, and not including, `end`.
struct KeyRange {
  std::string first;
  std::string end;

  bool has(std::string_view partition) const;
};

/// The range that the request names, or nothing if that is all of them. Throws Refusal if it is not in upper-case
/// hexadecimal digits, or if clients compute this container's effective keys in another way.
std::optional<KeyRange> named_range(const Request& request, const PartitionKey& key);

}  // namespace mayfly::serve
