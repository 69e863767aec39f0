#pragma once

#include <compare>
#include <optional>
#include <string>

#include "mayfly/model/ttl.hpp"

namespace mayfly {

/// How queries find documents (I1-I6).
enum class Indexing { consistent, lazy, none };

/// What a request to create or replace a collection says.
struct Definition {
  TtlField default_ttl;
  Indexing indexing = Indexing::consistent;
  bool operator==(const Definition&) const = default;
};

/// The identity of a document (C1).
struct DocumentKey {
  std::string collection;
  std::string partition;
  std::string id;
  auto operator<=>(const DocumentKey&) const = default;
};

/// What a create, replace or upsert stores.
struct Content {
  TtlField ttl;
  std::string value;
  bool operator==(const Content&) const = default;
};

/// What a patch changes. Valid if it names something, and does not both set and remove the ttl.
struct Patch {
  std::optional<std::string> value;
  TtlField ttl;
  bool remove_ttl = false;
  bool operator==(const Patch&) const = default;
};

/// A document as an answer shows it.
struct Document {
  std::string partition;
  std::string id;
  std::string value;
  Instant ts;
  Ttl ttl;
  bool operator==(const Document&) const = default;
};

}  // namespace mayfly
