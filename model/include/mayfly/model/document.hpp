#pragma once

#include <algorithm>
#include <compare>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mayfly/model/ttl.hpp"

namespace mayfly {

/// How queries find documents (I1-I6).
enum class Indexing { consistent, lazy, none };

/// The settings in a request that creates or replaces a collection, valid or not.
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

/// The content in a create, replace or upsert.
struct Content {
  TtlField ttl;
  std::string value;
  bool operator==(const Content&) const = default;
};

/// The changes of a patch. Valid if it names a change, and does not both set and remove the ttl.
struct Patch {
  std::optional<std::string> value;
  TtlField ttl;
  bool remove_ttl = false;
  bool operator==(const Patch&) const = default;
};

/// A malformed field of an answer: missing, unknown, or of an invalid type or value. Kept as JSON text, so that it can
/// be compared and shown.
struct MalformedField {
  std::string name;
  std::optional<OtherJson> value;  ///< nothing if the field is missing
  bool operator==(const MalformedField&) const = default;
};

/// The malformed fields of a document or an answer. Nearly all have none, and then this costs no more than a pointer.
class MalformedFields {
 public:
  // Not constexpr: GCC 12 clears all of an object whose default constructor is, and an answer is mostly empty.
  MalformedFields() noexcept {}  // NOLINT(modernize-use-equals-default)
  MalformedFields(std::initializer_list<MalformedField> fields)
      : fields_(fields.size() > 0 ? std::make_unique<Fields>(fields) : nullptr) {}
  MalformedFields(const MalformedFields& other)
      : fields_(other.empty() ? nullptr : std::make_unique<Fields>(*other.fields_)) {}
  MalformedFields(MalformedFields&&) noexcept = default;
  MalformedFields& operator=(const MalformedFields& other) { return *this = MalformedFields(other); }
  MalformedFields& operator=(MalformedFields&&) noexcept = default;
  ~MalformedFields() = default;

  bool empty() const { return !fields_; }
  const MalformedField* begin() const { return empty() ? nullptr : fields_->data(); }
  const MalformedField* end() const { return empty() ? nullptr : fields_->data() + fields_->size(); }
  bool contains(std::string_view name) const {
    return std::any_of(begin(), end(), [&](const MalformedField& field) { return field.name == name; });
  }

  void add(MalformedField field) {
    if (empty()) fields_ = std::make_unique<Fields>();
    fields_->push_back(std::move(field));
  }

  bool operator==(const MalformedFields& other) const {
    if (empty() || other.empty()) return empty() == other.empty();
    return *fields_ == *other.fields_;
  }

 private:
  using Fields = std::vector<MalformedField>;

  std::unique_ptr<Fields> fields_;  ///< null instead of empty
};

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
