#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mayfly/model/document.hpp"

namespace mayfly {

/// The status codes of C2. A store under test may answer any other number.
enum class Status : int {
  ok = 200,
  created = 201,
  no_content = 204,
  bad_request = 400,
  not_found = 404,
  conflict = 409,
};

/// The request units of one request. Charges of different stores are never compared.
struct Charge {
  double units = 0;
  auto operator<=>(const Charge&) const = default;
};

/// The most documents that a background process may delete, or the most changes that a lazy index may take in.
struct Budget {
  std::uint64_t units = 0;
  auto operator<=>(const Budget&) const = default;
};

/// A store's answer to one request: a status, and the fields that apply. It can represent every JSON object that a
/// store under test answers: a member whose field is malformed is empty, and a default may be any whole number.
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
