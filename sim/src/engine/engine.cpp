#include "mayfly/sim/engine/engine.hpp"

#include <cassert>
#include <charconv>

namespace mayfly {

namespace {

using engine::Collection;
using engine::no_slot;
using engine::SlotId;
using engine::StoredDocument;
using engine::TtlNumber;

// Request units. Nothing here looks at a ttl (R2) or at what is expired or purged (R1).
constexpr double read_unit = 1;
constexpr double write_unit = 5;
constexpr double query_unit = 2;

double kilobytes(const StoredDocument& document) {
  return 1 + static_cast<double>((document.partition.size() + document.id.size() + document.value.size()) / 1024);
}

Outcome only(Status status, double charge = read_unit) {
  Outcome outcome;
  outcome.status = status;
  outcome.charge = Charge{charge};
  return outcome;
}

Ttl shown_ttl(TtlNumber ttl) {
  if (ttl == 0) return Inherit{};
  if (ttl < 0) return Never{};
  return Seconds{ttl};
}

Document shown(const StoredDocument& document) {
  return {document.partition, document.id, document.value, document.ts, shown_ttl(document.ttl)};
}

Outcome with_document(Status status, const StoredDocument& document, double unit) {
  Outcome outcome = only(status, unit * kilobytes(document));
  outcome.document = shown(document);
  return outcome;
}

// -1 or 1..2147483647, the numbers that both kinds of ttl may have (T2, T3): as it happens, what 32 bits hold.
std::optional<TtlNumber> in_range(std::int64_t number) {
  if (number < -1 || number == 0 || number > std::numeric_limits<TtlNumber>::max()) return std::nullopt;
  return static_cast<TtlNumber>(number);
}

// What is written otherwise than as a whole number counts by its value if it is a number at all: 5.0 is 5 (T3).
std::optional<TtlNumber> in_range(const std::string& json) {
  double value = 0;
  const char* const end = json.data() + json.size();
  const auto [rest, error] = std::from_chars(json.data(), end, value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  if (value < -1 || value > std::numeric_limits<TtlNumber>::max()) return std::nullopt;
  const auto number = static_cast<std::int64_t>(value);
  return static_cast<double>(number) == value ? in_range(number) : std::nullopt;
}

std::optional<TtlNumber> ttl_number(const TtlField& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field)) return in_range(*number);
  if (const auto* other = std::get_if<OtherJson>(&field)) return in_range(other->text);
  if (std::holds_alternative<Absent>(field)) return 0;
  return std::nullopt;  // null as well: absent is the way to inherit (T3)
}

std::optional<TtlNumber> default_number(const Definition& definition) {
  std::optional<TtlNumber> number = ttl_number(definition.default_ttl);
  if (std::holds_alternative<Null>(definition.default_ttl)) number = 0;
  if (number && *number != 0 && definition.indexing == Indexing::none) return std::nullopt;  // I1
  return number;
}

}  // namespace

Collection* Engine::find(const std::string& name) {
  const auto found = collections_.find(name);
  return found == collections_.end() ? nullptr : &found->second;
}

const Collection* Engine::find(const std::string& name) const {
  const auto found = collections_.find(name);
  return found == collections_.end() ? nullptr : &found->second;
}

Outcome Engine::create_collection(Instant, const std::string& name, const Definition& definition) {
  const auto number = default_number(definition);
  if (!number) return only(Status::bad_request);
  const bool is_new = collections_.try_emplace(name, *number, definition.indexing).second;
  return only(is_new ? Status::created : Status::conflict);
}

Outcome Engine::replace_collection(Instant now, const std::string& name, const Definition& definition) {
  const auto number = default_number(definition);
  if (!number) return only(Status::bad_request);
  Collection* collection = find(name);
  if (!collection) return only(Status::not_found);
  collection->redefine(now, *number, definition.indexing);
  return only(Status::ok);
}

Outcome Engine::read_collection(Instant, const std::string& name) const {
  const Collection* collection = find(name);
  if (!collection) return only(Status::not_found);
  Outcome outcome = only(Status::ok);
  if (collection->default_ttl() < 0) outcome.default_ttl = Never{};
  if (collection->default_ttl() > 0) outcome.default_ttl = Seconds{collection->default_ttl()};
  outcome.indexing = collection->indexing();
  return outcome;
}

Outcome Engine::delete_collection(Instant, const std::string& name) {
  return only(collections_.erase(name) == 1 ? Status::no_content : Status::not_found);
}

Outcome Engine::create(Instant now, const DocumentKey& key, const Content& content) {
  const auto ttl = ttl_number(content.ttl);
  if (!ttl) return only(Status::bad_request);
  Collection* collection = find(key.collection);
  if (!collection) return only(Status::not_found);
  if (collection->find_live(now, key) != no_slot) return only(Status::conflict);
  const SlotId slot = collection->insert(now, key, content.value, *ttl);
  return with_document(Status::created, collection->document(slot), write_unit);
}

Outcome Engine::replace(Instant now, const DocumentKey& key, const Content& content) {
  const auto ttl = ttl_number(content.ttl);
  if (!ttl) return only(Status::bad_request);
  Collection* collection = find(key.collection);
  const SlotId slot = collection ? collection->find_live(now, key) : no_slot;
  if (slot == no_slot) return only(Status::not_found);
  collection->overwrite(now, slot, content.value, *ttl);
  return with_document(Status::ok, collection->document(slot), write_unit);
}

Outcome Engine::upsert(Instant now, const DocumentKey& key, const Content& content) {
  Outcome replaced = replace(now, key, content);
  return replaced.status == Status::not_found ? create(now, key, content) : replaced;
}

Outcome Engine::patch(Instant now, const DocumentKey& key, const Patch& patch) {
  const bool sets_ttl = !std::holds_alternative<Absent>(patch.ttl);
  const auto named = ttl_number(patch.ttl);
  if (!named || (sets_ttl ? patch.remove_ttl : !patch.remove_ttl && !patch.value)) return only(Status::bad_request);
  Collection* collection = find(key.collection);
  const SlotId slot = collection ? collection->find_live(now, key) : no_slot;
  if (slot == no_slot) return only(Status::not_found);
  const StoredDocument& old = collection->document(slot);
  const TtlNumber ttl = sets_ttl || patch.remove_ttl ? *named : old.ttl;  // what is not named is kept (W4)
  collection->overwrite(now, slot, patch.value ? *patch.value : old.value, ttl);
  return with_document(Status::ok, collection->document(slot), write_unit);
}

Outcome Engine::read(Instant now, const DocumentKey& key) const {
  const Collection* collection = find(key.collection);
  const SlotId slot = collection ? collection->find_live(now, key) : no_slot;
  if (slot == no_slot) return only(Status::not_found);
  return with_document(Status::ok, collection->document(slot), read_unit);
}

Outcome Engine::erase(Instant now, const DocumentKey& key) {
  Collection* collection = find(key.collection);
  const SlotId slot = collection ? collection->find_live(now, key) : no_slot;
  if (slot == no_slot) return only(Status::not_found);
  collection->erase(slot);
  return only(Status::no_content, write_unit);
}

Outcome Engine::query(Instant now, const std::string& name, const std::optional<std::string>& partition) const {
  const Collection* collection = find(name);
  if (!collection) return only(Status::not_found);
  if (collection->indexing() == Indexing::none) return only(Status::bad_request);  // I6
  Outcome outcome = only(Status::ok, query_unit);
  auto& documents = outcome.documents.emplace();
  documents.reserve(partition ? collection->held_in(*partition) : collection->held());
  collection->query(now, partition, [&](const StoredDocument& document) {
    documents.push_back(shown(document));
    outcome.charge->units += kilobytes(document);
  });
  return outcome;
}

Outcome Engine::count(Instant now, const std::string& name, const std::optional<std::string>& partition) const {
  const Collection* collection = find(name);
  if (!collection) return only(Status::not_found);
  if (collection->indexing() == Indexing::none) return only(Status::bad_request);  // I6
  Outcome outcome = only(Status::ok, query_unit);
  auto& count = outcome.count.emplace(0);
  collection->query(now, partition, [&](const StoredDocument&) { ++count; });
  return outcome;
}

Outcome Engine::purge(Instant now, Budget budget) {
  Outcome outcome = only(Status::ok, 0);  // P2
  outcome.purged = 0;
  for (auto& [name, collection] : collections_)
    *outcome.purged += collection.purge(now, {budget.units - *outcome.purged});
  return outcome;
}

Outcome Engine::index(Instant now, const std::string& name, Budget budget) {
  Collection* collection = find(name);
  if (!collection) return only(Status::not_found, 0);
  collection->index(now, budget);
  return only(Status::ok, 0);
}

std::uint64_t Engine::would_expire(Instant now, const std::string& name, const Definition& definition) const {
  const auto number = default_number(definition);
  const Collection* collection = find(name);
  return number && collection ? collection->would_expire(now, *number) : 0;
}

Outcome Engine::held(Instant) const {
  Outcome outcome = only(Status::ok, 0);
  auto& held = outcome.held.emplace(0);
  for (const auto& [name, collection] : collections_) held += collection.held();
  return outcome;
}

std::size_t Engine::held(const std::string& name) const {
  const Collection* collection = find(name);
  return collection ? collection->held() : 0;
}

void Engine::encode(StateEncoder& state) const {
  state.number(collections_.size());
  for (const auto& [name, collection] : collections_) {
    state.text(name);
    collection.encode(state);
  }
}

void Engine::check_invariants() const {
  for (const auto& [name, collection] : collections_) collection.check_invariants();
}

}  // namespace mayfly
