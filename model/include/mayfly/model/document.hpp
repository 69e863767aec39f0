#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

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

/// A field of an answer that is not what it should be: missing, unknown, or of a type or value that is not valid. Kept
/// as JSON text, so that it can be compared and shown.
struct MalformedField {
  std::string name;
  std::optional<OtherJson> value;  ///< nothing if it is missing
  bool operator==(const MalformedField&) const = default;
};
using MalformedFields = std::vector<MalformedField>;

/// A document as an answer shows it. A store under test may show any whole number as its ttl; a member whose field is
/// malformed is empty.
struct Document {
  std::string partition;
  std::string id;
  std::string value;
  Instant ts;
  Ttl ttl;
  MalformedFields malformed = {};
  bool operator==(const Document&) const = default;
};

}  // namespace mayfly
