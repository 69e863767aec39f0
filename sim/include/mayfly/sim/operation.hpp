#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mayfly/model/outcome.hpp"

// The operation language. Each operation states its keyword and its fields once, in `fields`; the JSON reader and
// writer, messages and tables fold over them. `field.required` marks a field that every request must have. A
// `field.optional` may be missing, which means its default-constructed value. `ask` turns it into a call of a store.

namespace mayfly {

void collection_fields(auto& definition, auto& field) {
  field.optional("default_ttl", definition.default_ttl);
  field.optional("indexing", definition.indexing);
}

void key_fields(auto& key, auto& field) {
  field.required("collection", key.collection);
  field.required("partition", key.partition);
  field.required("id", key.id);
}

void content_fields(auto& content, auto& field) {
  field.optional("ttl", content.ttl);
  field.optional("value", content.value);
}

struct Advance {
  static constexpr std::string_view keyword = "advance";
  Seconds seconds{0};
  static void fields(auto& self, auto& field) { field.required("seconds", self.seconds); }
  bool operator==(const Advance&) const = default;
};

struct NamesCollection {
  std::string collection;
  static void fields(auto& self, auto& field) { field.required("collection", self.collection); }
  bool operator==(const NamesCollection&) const = default;
};
struct ReadCollection : NamesCollection {
  static constexpr std::string_view keyword = "read_collection";
  auto ask(auto& store, Instant now) const { return store.read_collection(now, collection); }
};
struct DeleteCollection : NamesCollection {
  static constexpr std::string_view keyword = "delete_collection";
  auto ask(auto& store, Instant now) const { return store.delete_collection(now, collection); }
};

struct DefinesCollection {
  std::string collection;
  Definition definition;
  static void fields(auto& self, auto& field) {
    field.required("collection", self.collection);
    collection_fields(self.definition, field);
  }
  bool operator==(const DefinesCollection&) const = default;
};
struct CreateCollection : DefinesCollection {
  static constexpr std::string_view keyword = "create_collection";
  auto ask(auto& store, Instant now) const { return store.create_collection(now, collection, definition); }
};
struct ReplaceCollection : DefinesCollection {
  static constexpr std::string_view keyword = "replace_collection";
  auto ask(auto& store, Instant now) const { return store.replace_collection(now, collection, definition); }
};

struct NamesDocument {
  DocumentKey key;
  static void fields(auto& self, auto& field) { key_fields(self.key, field); }
  bool operator==(const NamesDocument&) const = default;
};
struct Read : NamesDocument {
  static constexpr std::string_view keyword = "read";
  auto ask(auto& store, Instant now) const { return store.read(now, key); }
};
struct Delete : NamesDocument {
  static constexpr std::string_view keyword = "delete";
  auto ask(auto& store, Instant now) const { return store.erase(now, key); }
};

struct WritesDocument {
  DocumentKey key;
  Content content;
  static void fields(auto& self, auto& field) {
    key_fields(self.key, field);
    content_fields(self.content, field);
  }
  bool operator==(const WritesDocument&) const = default;
};
struct Create : WritesDocument {
  static constexpr std::string_view keyword = "create";
  auto ask(auto& store, Instant now) const { return store.create(now, key, content); }
};
struct Replace : WritesDocument {
  static constexpr std::string_view keyword = "replace";
  auto ask(auto& store, Instant now) const { return store.replace(now, key, content); }
};
struct Upsert : WritesDocument {
  static constexpr std::string_view keyword = "upsert";
  auto ask(auto& store, Instant now) const { return store.upsert(now, key, content); }
};

struct PatchDocument {
  static constexpr std::string_view keyword = "patch";
  DocumentKey key;
  Patch patch;
  static void fields(auto& self, auto& field) {
    key_fields(self.key, field);
    field.optional("ttl", self.patch.ttl);
    field.optional("remove_ttl", self.patch.remove_ttl);
    field.optional("value", self.patch.value);
  }
  auto ask(auto& store, Instant now) const { return store.patch(now, key, patch); }
  bool operator==(const PatchDocument&) const = default;
};

struct FindsDocuments {
  std::string collection;
  std::optional<std::string> partition;
  static void fields(auto& self, auto& field) {
    field.required("collection", self.collection);
    field.optional("partition", self.partition);
  }
  bool operator==(const FindsDocuments&) const = default;
};
struct Query : FindsDocuments {
  static constexpr std::string_view keyword = "query";
  auto ask(auto& store, Instant now) const { return store.query(now, collection, partition); }
};
struct Count : FindsDocuments {
  static constexpr std::string_view keyword = "count";
  auto ask(auto& store, Instant now) const { return store.count(now, collection, partition); }
};

struct Purge {
  static constexpr std::string_view keyword = "purge";
  Budget budget;
  static void fields(auto& self, auto& field) { field.required("budget", self.budget); }
  auto ask(auto& store, Instant now) const { return store.purge(now, budget); }
  bool operator==(const Purge&) const = default;
};

struct Index {
  static constexpr std::string_view keyword = "index";
  std::string collection;
  Budget budget;
  static void fields(auto& self, auto& field) {
    field.required("collection", self.collection);
    field.required("budget", self.budget);
  }
  auto ask(auto& store, Instant now) const { return store.index(now, collection, budget); }
  bool operator==(const Index&) const = default;
};

struct Held {
  static constexpr std::string_view keyword = "held";
  static void fields(auto&, auto&) {}
  auto ask(auto& store, Instant now) const { return store.held(now); }
  bool operator==(const Held&) const = default;
};

/// Any request of a case. Every sequence of operations is legal.
using Operation = std::variant<Advance, CreateCollection, ReplaceCollection, ReadCollection, DeleteCollection, Create,
                               Replace, Upsert, PatchDocument, Read, Delete, Query, Purge, Index, Count, Held>;

/// The keywords, in the order of the variant.
inline constexpr auto keywords = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array{std::variant_alternative_t<I, Operation>::keyword...};
}
(std::make_index_sequence<std::variant_size_v<Operation>>{});

namespace detail {
template <class F>
struct FieldFold {
  F& f;
  void required(std::string_view name, auto& field) { f(name, field); }
  void optional(std::string_view name, auto& field) { f(name, field); }
};
}  // namespace detail

/// Calls `f(name, field)` for every field of the operation.
template <class AnyOperation, class F>
void for_each_field(AnyOperation& operation, F f) {
  detail::FieldFold<F> fold{f};
  std::visit([&](auto& o) { o.fields(o, fold); }, operation);
}

/// The document that the operation names, or null.
inline const DocumentKey* key_of(const Operation& operation) {
  return std::visit(
      [](const auto& o) -> const DocumentKey* {
        if constexpr (requires { o.key; }) return &o.key;
        return nullptr;
      },
      operation);
}

/// The collection and partition that a query or count searches; null for other operations.
inline const FindsDocuments* search_of(const Operation& operation) {
  if (const auto* query = std::get_if<Query>(&operation)) return query;
  return std::get_if<Count>(&operation);
}

/// The collection that the operation names, or null.
inline const std::string* collection_of(const Operation& operation) {
  return std::visit(
      [](const auto& o) -> const std::string* {
        if constexpr (requires { o.key; }) return &o.key.collection;
        if constexpr (requires { o.collection; }) return &o.collection;
        return nullptr;
      },
      operation);
}

/// Begins a connection. A trace may contain it, without effect.
struct Hello {
  static constexpr std::string_view keyword = "hello";
  std::uint64_t protocol = 0;
  static void fields(auto& self, auto& field) { field.optional("protocol", self.protocol); }
  bool operator==(const Hello&) const = default;
};

/// Begins a case: an empty store whose clock stands at `now`.
struct Reset {
  static constexpr std::string_view keyword = "reset";
  Instant now;
  static void fields(auto& self, auto& field) { field.required("now", self.now); }
  bool operator==(const Reset&) const = default;
};

/// A step of a case: an operation, and further properties of the request, such as the node it is sent to.
struct Step {
  Operation operation;

  Step() = default;
  template <class AnyOperation>
  requires std::is_constructible_v<Operation, AnyOperation> Step(AnyOperation&& o)
      : operation(std::forward<AnyOperation>(o)) {}  // NOLINT: an operation is a plain step

  bool operator==(const Step&) const = default;
};

/// A line of a trace or of the target protocol.
using Request = std::variant<Hello, Reset, Step>;

/// A start time and the steps from there.
struct Case {
  Instant start;
  std::vector<Step> steps;
  bool operator==(const Case&) const = default;
};

}  // namespace mayfly
