#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mayfly/model/document.hpp"

namespace mayfly {

/// Status codes of C2. A store under test may answer any other number too.
enum class Status : int {
  ok = 200,
  created = 201,
  no_content = 204,
  bad_request = 400,
  not_found = 404,
  conflict = 409,
};

/// Request units of one request. Charges of different stores are never compared.
struct Charge {
  double units = 0;
  auto operator<=>(const Charge&) const = default;
};

/// How many documents a background process may delete, or changes an index may take in.
struct Budget {
  std::uint64_t units = 0;
  auto operator<=>(const Budget&) const = default;
};

/// A store's answer to one request: the status and, where they apply, the rest. Whatever JSON object a store under test
/// answers has its own value: a member whose field is malformed is empty, and any whole number can be a default.
struct Outcome {
  Status status = Status::ok;
  std::optional<Document> document;
  std::optional<std::vector<Document>> documents;  ///< in any order
  DefaultTtl default_ttl;
  std::optional<Indexing> indexing;
  std::optional<Instant> now;
  std::optional<std::uint64_t> purged;
  std::optional<std::uint64_t> count;
  std::optional<std::uint64_t> held;
  std::optional<Charge> charge;
  MalformedFields malformed = {};
  bool operator==(const Outcome&) const = default;
};

}  // namespace mayfly
