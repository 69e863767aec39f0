#include "mayfly/serve/service/account.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <vector>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "mayfly/serve/message/json_text.hpp"
#include "mayfly/serve/message/message.hpp"
#include "mayfly/serve/service/item_text.hpp"

namespace mayfly::serve {

namespace json = boost::json;

namespace {

using engine::Sight;

// The journal reserves many numbers at a time, so that not every write has to record its own.
constexpr std::uint64_t reserve_step = 1'000'000;
constexpr std::string_view resource_fact = "last_resource";
constexpr std::string_view number_fact = "reserved_numbers";
constexpr std::string_view start_fact = "starts";
constexpr std::size_t depth_of_record =
    greatest_depth + 3;  // the client's objects are nested in a record's, an offer's twice more

json::object written_json(const Written& written) {
  return {{"ts", written.ts.time_since_epoch().count()}, {"version", written.version}};
}

Written parse_written(const json::value& value) {
  return {Instant{Seconds{value.at("ts").to_number<std::int64_t>()}}, value.at("version").to_number<std::uint64_t>()};
}

/// The record of a database or a container.
json::object record_of(const std::string& name, json::value content, const Written& written,
                       const std::optional<Offer>& offer) {
  json::object body{{name, std::move(content)}, {"written", written_json(written)}};
  if (offer) body["offer"] = {{"content", offer->content}, {"written", written_json(offer->written)}};
  return body;
}

std::optional<Offer> parse_offer(const json::value& record) {
  const json::value* offer = record.as_object().if_contains("offer");
  if (!offer) return std::nullopt;
  return Offer{offer->at("content").as_object(), parse_written(offer->at("written"))};
}

Container make_container(ResourceId rid, ContainerDefinition definition, Written written, std::optional<Offer> offer) {
  const std::string text = to_text(rid);
  return {.id = definition.id,
          .rid = rid,
          .rid_text = text,
          .link = "dbs/" + to_text({.database = rid.database}) + "/colls/" + text + "/",
          .collection = text,
          .shown = std::move(definition.shown),
          .settings = std::move(definition.settings),
          .key = std::move(definition.key),
          .unique_keys = std::move(definition.unique_keys),
          .written = written,
          .offer = std::move(offer)};
}

Ttl kept_ttl(const TtlField& field) {
  const auto* number = std::get_if<std::int64_t>(&field);
  if (!number) return Inherit{};
  if (*number < 0) return Never{};
  return Seconds{*number};
}

TtlField written_ttl(const Ttl& ttl) {
  if (const auto* seconds = std::get_if<Seconds>(&ttl)) return seconds->count();
  if (std::holds_alternative<Never>(ttl)) return std::int64_t{-1};
  return Absent{};
}

DocumentKey key_of(const Container& container, const ItemPlace& place) {
  return {container.collection, place.partition, place.id};
}

/// The item of this entry, or nullptr if it is not seen.
const engine::StoredDocument* item_in(const engine::Collection& collection, Instant now, Sight sight,
                                      const ItemOrder::Entry& entry) {
  if (!collection.shows(now, sight, entry.slot)) return nullptr;
  const engine::StoredDocument& stored = collection.document(entry.slot);
  return unpack(stored.value).number == entry.number ? &stored : nullptr;
}

using Visit = std::function<bool(std::uint64_t number, const engine::StoredDocument*)>;

void walk_sorted(Instant now, const engine::Collection& collection, const Account::Selection& selection,
                 const Visit& visit) {
  std::vector<std::pair<std::uint64_t, const engine::StoredDocument*>> items;
  collection.walk(now, selection.sight, selection.partition, 0, [&](const engine::StoredDocument& stored, bool) {
    const std::uint64_t number = unpack(stored.value).number;
    if (number > selection.after && selection.has(stored.partition)) items.emplace_back(number, &stored);
    return true;
  });
  std::sort(items.begin(), items.end());
  for (const auto& [number, stored] : items)
    if (!visit(number, stored)) return;
}

}  // namespace

// Slots are assigned anew at each start, so a token of an earlier start must be refused: the journal counts starts. If
// there is no room for the count, the next start has the same one and accepts the tokens of this one.
Account::Account(Journal journal) : journal_(std::move(journal)) {
  starts_ = journal_->fact(start_fact).value_or(0) + 1;
  load();
  if_there_is_room([&] {
    journal_->put_fact(start_fact, starts_);
    commit(journal_->now());
  });
}

template <class Change>
void Account::if_there_is_room(Change change) {
  try {
    change();
  } catch (const JournalError& problem) {
    if (problem.kind() != JournalError::Kind::full) throw;
    journal_->roll_back();
  }
}

std::string Account::token_start(const Container& container) const {
  return fmt::format("{}.{}.{}.", starts_, loads_, container.rid.container);
}

bool Account::is_by_rid(std::string_view name_or_rid) const {
  return databases_.find(name_or_rid) == databases_.end() && parse_resource_id(name_or_rid);
}

Database& Account::database(std::string_view name_or_rid) {
  if (const auto found = databases_.find(name_or_rid); found != databases_.end()) return found->second;
  if (const auto rid = parse_resource_id(name_or_rid))
    for (auto& [name, database] : databases_)
      if (database.rid == *rid) return database;
  throw Refusal(404, fmt::format("There is no database '{}'.", name_or_rid));
}

Container& Account::container(Database& database, std::string_view name_or_rid) {
  auto& all = database.containers;
  if (const auto found = all.find(name_or_rid); found != all.end()) return found->second;
  if (const auto rid = parse_resource_id(name_or_rid))
    for (auto& [name, container] : all)
      if (container.rid == *rid) return container;
  throw Refusal(404, fmt::format("There is no container '{}' in the database '{}'.", name_or_rid, database.id));
}

std::optional<Offer> Account::new_offer(Instant now, std::optional<json::object>& throughput) {
  if (!throughput) return std::nullopt;
  return Offer{std::move(*throughput), {now, next_number()}};
}

Database& Account::create_database(Instant now, const std::string& id, std::optional<json::object> throughput) {
  if (databases_.contains(id)) throw Refusal(409, fmt::format("There is a database '{}' already.", id));
  begin_change();
  const ResourceId rid{.database = next_resource()};
  Database database{.id = id,
                    .rid = rid,
                    .rid_text = to_text(rid),
                    .written = {now, next_number()},
                    .offer = new_offer(now, throughput),
                    .containers = {}};
  Database& added = databases_.emplace(id, std::move(database)).first->second;
  record(added);
  return added;
}

void Account::delete_database(const Database& database) {
  begin_change();
  for (const auto& [name, container] : database.containers) {
    engine_.delete_collection(Instant{}, container.collection);
    forget(container);
  }
  if (journal_) journal_->remove_database(database.rid.database);
  databases_.erase(databases_.find(database.id));
}

Container& Account::create_container(Instant now, Database& database, ContainerDefinition definition,
                                     std::optional<json::object> throughput) {
  if (database.containers.contains(definition.id))
    throw Refusal(409, fmt::format("There is a container '{}' already.", definition.id));
  begin_change();
  const ResourceId rid{.database = database.rid.database, .container = next_resource()};
  const Written written{now, next_number()};
  Container container = make_container(rid, std::move(definition), written, new_offer(now, throughput));
  [[maybe_unused]] const auto outcome = engine_.create_collection(now, container.collection, container.settings);
  assert(outcome.status == Status::created);
  Container& added = database.containers.emplace(container.id, std::move(container)).first->second;
  record(added, now);
  return added;
}

void Account::replace_container(Instant now, Container& container, ContainerDefinition definition) {
  begin_change();
  [[maybe_unused]] const auto outcome = engine_.replace_collection(now, container.collection, definition.settings);
  assert(outcome.status == Status::ok);
  container.shown = std::move(definition.shown);
  container.settings = std::move(definition.settings);
  container.written = {now, next_number()};
  record(container, now);
}

void Account::delete_container(Instant now, Database& database, const Container& container) {
  begin_change();
  engine_.delete_collection(now, container.collection);
  forget(container);
  if (journal_) journal_->remove_container(container.rid.container);
  database.containers.erase(database.containers.find(container.id));
}

void Account::replace_offer(Instant now, std::uint32_t number, json::object throughput) {
  begin_change();
  const Offer offer{std::move(throughput), {now, next_number()}};
  for (auto& [id, database] : databases_) {
    if (database.rid.database == number) {
      database.offer = offer;
      return record(database);
    }
    for (auto& [name, container] : database.containers)
      if (container.rid.container == number) {
        container.offer = offer;
        return record(container, now);
      }
  }
  assert(false);
}

std::uint32_t Account::next_resource() {
  ++last_resource_;
  if (journal_) journal_->put_fact(resource_fact, last_resource_);
  return last_resource_;
}

std::uint64_t Account::next_number() {
  begin_change();
  ++last_number_;
  if (journal_ && last_number_ > reserved_) {
    reserved_ = last_number_ + reserve_step;
    journal_->put_fact(number_fact, static_cast<std::int64_t>(reserved_));
  }
  return last_number_;
}

Outcome Account::read_item(Instant now, const Container& container, const ItemPlace& place) const {
  return engine_.read(now, key_of(container, place));
}

Outcome Account::put_item(Instant now, const Container& container, const ItemPlace& place, Content content) {
  begin_change();
  Outcome outcome = engine_.upsert(now, key_of(container, place), content);
  assert(outcome.status == Status::ok || outcome.status == Status::created);
  if (outcome.status == Status::created) remember(now, container, content.value, place);
  note_write(container, content.value, place);
  note_unique_keys(now, container, content, place);
  if (journal_)
    journal_->put(ItemRecord{.container = container.rid.container,
                             .partition = place.partition,
                             .id = place.id,
                             .ts = now,
                             .ttl = kept_ttl(content.ttl),
                             .body = std::move(content.value)});
  return outcome;
}

Outcome Account::erase_item(Instant now, const Container& container, const ItemPlace& place) {
  begin_change();
  Outcome outcome = engine_.erase(now, key_of(container, place));
  if (journal_ && outcome.status == Status::no_content)
    journal_->remove_item(container.rid.container, place.partition, place.id);
  return outcome;
}

void Account::remember(Instant now, const Container& container, std::string_view value, const ItemPlace& place) {
  const engine::Collection& collection = *engine_.collection(container.collection);
  ItemOrder& order = orders_[container.rid.container];
  order.add({unpack(value).number, collection.find_live(now, key_of(container, place))});
  constexpr std::size_t few = 1000;
  if (order.size() <= 2 * collection.held() + few) return;
  order.sweep([&](const ItemOrder::Entry& entry) { return !item_in(collection, now, Sight::held, entry); });
}

void Account::note_write(const Container& container, std::string_view value, const ItemPlace& place) {
  constexpr std::size_t few = 1000;
  const auto found = writes_.find(container.rid.container);
  if (found == writes_.end()) return;
  found->second.push_back({unpack(value).version, place});
  if (found->second.size() > 2 * engine_.held(container.collection) + few)
    writes_.erase(found);  // rebuilt when next used
}

std::optional<std::string> Account::holder_of(const Container& container, const std::string& unique_key) const {
  const auto list = unique_.find(container.rid.container);
  if (list == unique_.end()) return std::nullopt;
  const auto found = list->second.find(unique_key);
  return found == list->second.end() ? std::nullopt : std::optional(found->second.id);
}

void Account::note_unique_keys(Instant now, const Container& container, const Content& content,
                               const ItemPlace& place) {
  if (container.unique_keys.are_none()) return;
  auto& holders = unique_[container.rid.container];
  const auto texts = container.unique_keys.texts_of(place.partition, own_properties(unpack(content.value), Inherit{}));
  for (const std::string& text : texts) holders.insert_or_assign(text, place);
  constexpr std::size_t few = 1000;
  if (holders.size() <= 2 * texts.size() * engine_.held(container.collection) + few) return;
  boost::unordered::erase_if(holders, [&](const auto& holder) {
    const auto item = read_item(now, container, holder.second).document;
    if (!item) return true;
    const auto own = container.unique_keys.texts_of(item->partition, own_properties(unpack(item->value), Inherit{}));
    return std::find(own.begin(), own.end(), holder.first) == own.end();
  });
}

void Account::forget(const Container& container) {
  unique_.erase(container.rid.container);
  orders_.erase(container.rid.container);
  writes_.erase(container.rid.container);
}

std::vector<Account::Write>& Account::writes_of(Instant now, const Container& container) {
  const auto [list, is_new] = writes_.try_emplace(container.rid.container);
  auto& writes = list->second;
  if (!is_new) return writes;
  engine_.walk(now, container.collection, engine::Sight::live, {}, 0, [&](const auto& document, bool) {
    writes.push_back({unpack(document.value).version, {document.partition, document.id}});
    return true;
  });
  std::sort(writes.begin(), writes.end(), [](const Write& a, const Write& b) { return a.version < b.version; });
  return writes;
}

Account::WriteMark Account::walk_writes(Instant now, const Container& container, std::uint64_t after,
                                        const std::function<bool(const Document&)>& show) {
  constexpr std::size_t most_visited = 10'000;
  const auto& writes = writes_of(now, container);
  auto write = std::upper_bound(writes.begin(), writes.end(), after,
                                [](std::uint64_t version, const Write& each) { return version < each.version; });
  bool goes_on = true;
  for (std::size_t i = 0; i < most_visited && goes_on && write != writes.end(); ++i, ++write) {
    after = write->version;
    const auto item = engine_.read(now, key_of(container, write->place)).document;
    if (item && unpack(item->value).version == write->version) goes_on = show(*item);
  }
  return {after, write == writes.end()};
}

std::string Account::feed_start(const Container& container) const {
  return journal_ ? fmt::format("{}.", container.rid.container)
                  : fmt::format("{}.{}.", starts_, container.rid.container);
}

std::optional<ItemPlace> Account::place_of(Instant now, const Container& container, std::uint64_t number) const {
  const auto order = orders_.find(container.rid.container);
  if (order == orders_.end() || number == 0) return std::nullopt;
  const auto entries = order->second.after(number - 1);
  if (entries.empty() || entries.front().number != number) return std::nullopt;
  const auto* item = item_in(*engine_.collection(container.collection), now, Sight::live, entries.front());
  return item ? std::optional(ItemPlace{item->partition, item->id}) : std::nullopt;
}

// The items of a partition are either sorted, or found among those of the container, whichever takes less for a page.
void Account::walk(Instant now, const Container& container, const Selection& selection, const Visit& visit) const {
  const engine::Collection& collection = *engine_.collection(container.collection);
  const auto order = orders_.find(container.rid.container);
  if (order == orders_.end()) return;
  const auto& partition = selection.partition;
  constexpr double usual_page = 100;
  if (partition) {
    const auto size = static_cast<double>(collection.held_in(*partition));
    if (size * size < usual_page * static_cast<double>(order->second.size()))
      return walk_sorted(now, collection, selection, visit);
  }
  for (const ItemOrder::Entry& entry : order->second.after(selection.after)) {
    const auto* item = item_in(collection, now, selection.sight, entry);
    if (!visit(entry.number, item && selection.has(item->partition) ? item : nullptr)) return;
  }
}

std::uint64_t Account::purge(Instant now, Budget budget) {
  std::vector<std::pair<Container*, std::size_t>> before;
  for (auto& [id, database] : databases_)
    for (auto& [name, container] : database.containers)
      before.emplace_back(&container, engine_.held(container.collection));
  const auto purged = engine_.purge(now, budget).purged.value_or(0);
  for (const auto& [container, held] : before) container->purged += held - engine_.held(container->collection);
  if (journal_) journal_->purge(now, budget);
  return purged;
}

void Account::index(Instant now, Budget budget) {
  for (auto& [id, database] : databases_)
    for (auto& [name, container] : database.containers)
      if (container.settings.indexing == Indexing::lazy) engine_.index(now, container.collection, budget);
}

void Account::reset(Instant now) {
  if (journal_) journal_->begin();
  databases_.clear();
  engine_ = {};
  orders_.clear();
  writes_.clear();
  unique_.clear();
  moved_items_.clear();
  ++loads_;
  if (!journal_) return;
  journal_->clear();
  commit(now);
}

Instant Account::earliest_now() const { return journal_ ? journal_->now() : Instant{}; }

void Account::clock_moved(Instant now) {
  if (journal_) journal_->put_now(now);
}

void Account::commit(Instant now) {
  if (!journal_) return;
  journal_->commit(now);
  has_checked_rows_ = moved_items_.empty();
}

void Account::roll_back() {
  journal_->roll_back();
  load();
}

void Account::begin_change() {
  if (!journal_) return;
  journal_->begin();
  if (moved_items_.empty()) return;
  write_moved_items();
  moved_items_.clear();
}

// All old rows are removed before the first new one is written, because a new one may have the place of an old one.
void Account::write_moved_items() {
  for (const auto& [record, container, partition] : moved_items_)
    journal_->remove_item(record.container, record.partition, record.id);
  for (const auto& [record, container, partition] : moved_items_) {
    // An expired row must not replace a newer one of the same place.
    const auto held = read_item(journal_->now(), *container, {partition, record.id}).document;
    if (!held || held->value != record.body) continue;
    ItemRecord written = record;
    written.partition = partition;
    journal_->put(written);
  }
}

void Account::record(const Database& database) {
  if (!journal_) return;
  const json::object body = record_of("id", json::value(database.id), database.written, database.offer);
  journal_->put(DatabaseRecord{.number = database.rid.database, .body = json::serialize(body)});
}

void Account::record(const Container& container, Instant now) {
  if (!journal_) return;
  const json::object body = record_of("definition", container.shown, container.written, container.offer);
  journal_->put(ContainerRecord{.number = container.rid.container,
                                .database = container.rid.database,
                                .default_ttl = default_of(container.settings),
                                .body = json::serialize(body)},
                now);
}

void Account::load() {
  databases_.clear();
  engine_ = {};
  orders_.clear();
  writes_.clear();
  unique_.clear();
  moved_items_.clear();
  ++loads_;
  last_resource_ = static_cast<std::uint32_t>(journal_->fact(resource_fact).value_or(0));
  last_number_ = reserved_ = static_cast<std::uint64_t>(journal_->fact(number_fact).value_or(0));
  journal_->for_each_database([&](const DatabaseRecord& record) { load_database(record); });
  boost::unordered_flat_map<std::int64_t, const Container*> containers;
  journal_->for_each_container(
      [&](const ContainerRecord& record) { containers[record.number] = &load_container(record); });
  // Each item is inserted at its own second, in their order, so the engine computes each deadline.
  journal_->for_each_item([&](const ItemRecord& record) {
    const auto container = containers.find(record.container);
    if (container == containers.end()) throw std::runtime_error("its container is missing");
    const std::string partition = has_checked_rows_ ? record.partition : partition_in(*container->second, record);
    if (partition != record.partition) moved_items_.push_back({record, container->second, partition});
    load_item(*container->second, record, partition);
  });
  journal_->ensure_sound();
  for (auto& [number, order] : orders_) order.sort();
  if_there_is_room([&] {
    if (!moved_items_.empty()) write_moved_items();
    journal_->commit(journal_->now());
    moved_items_.clear();
  });
  has_checked_rows_ = moved_items_.empty();
  // The file contains no lazy index. Here the index is built completely: a query shows everything, as after an index
  // has caught up (I4).
  index(journal_->now(), {std::numeric_limits<std::uint64_t>::max()});
}

void Account::load_database(const DatabaseRecord& record) {
  const json::value body = parse_json(record.body, {}, depth_of_record);
  const ResourceId rid{.database = static_cast<std::uint32_t>(record.number)};
  const std::string id(std::string_view(body.at("id").as_string()));
  Database database{.id = id,
                    .rid = rid,
                    .rid_text = to_text(rid),
                    .written = parse_written(body.at("written")),
                    .offer = parse_offer(body),
                    .containers = {}};
  if (!databases_.emplace(id, std::move(database)).second) throw std::runtime_error("another one has the same name");
}

const Container& Account::load_container(const ContainerRecord& record) {
  const json::value body = parse_json(record.body, {}, depth_of_record);
  const ResourceId rid{static_cast<std::uint32_t>(record.database), static_cast<std::uint32_t>(record.number)};
  ContainerDefinition definition(body.at("definition").as_object(), ContainerDefinition::For::replacing);
  Container container =
      make_container(rid, std::move(definition), parse_written(body.at("written")), parse_offer(body));
  const auto database = std::find_if(databases_.begin(), databases_.end(),
                                     [&](const auto& each) { return each.second.rid.database == rid.database; });
  if (database == databases_.end()) throw std::runtime_error("its database is missing");
  engine_.create_collection(Instant{}, container.collection, container.settings);
  const auto [added, is_new] = database->second.containers.emplace(container.id, std::move(container));
  if (!is_new) throw std::runtime_error("another one has the same name");
  return added->second;
}

// An older version of the server may have written another text for a partition that is a number.
std::string Account::partition_in(const Container& container, const ItemRecord& record) {
  if (!is_packed(record.body)) throw std::runtime_error("its numbers are missing");
  const json::object item = own_properties(unpack(record.body), record.ttl);
  if (id_in(item, most_item_id_bytes) != record.id) throw std::runtime_error("its id differs from the one in its body");
  const auto& paths = container.key.paths();
  const bool is_in_body =
      std::none_of(paths.begin(), paths.end(), [](const auto& path) { return is_servers_own(path.front()); });
  return is_in_body ? container.key.partition_of(item) : record.partition;
}

void Account::load_item(const Container& container, const ItemRecord& record, const std::string& partition) {
  const ItemPlace place{partition, record.id};
  const Content content{.ttl = written_ttl(record.ttl), .value = record.body};
  if (engine_.create(record.ts, key_of(container, place), content).status == Status::created) {
    remember(record.ts, container, record.body, place);
    return note_unique_keys(record.ts, container, content, place);
  }
  const Document held = read_item(record.ts, container, place).document.value();
  const auto row = journal_->row_of(record.container, record.partition, record.id).value();
  const auto held_row = row_of_held(record.container, held);
  const auto is_newer = unpack(record.body).version > unpack(held.value).version;
  if (is_newer)
    engine_.upsert(record.ts, key_of(container, place), content);  // so that a third row is compared with the newer one
  throw DamagedRow(is_newer ? held_row : row,
                   fmt::format("the same partition and id as row {}, which is newer", is_newer ? row : held_row));
}

std::int64_t Account::row_of_held(std::int64_t container, const Document& held) const {
  const auto moved = std::find_if(moved_items_.begin(), moved_items_.end(),
                                  [&](const MovedItem& each) { return each.record.body == held.value; });
  const std::string& partition = moved == moved_items_.end() ? held.partition : moved->record.partition;
  return journal_->row_of(container, partition, held.id).value();
}

}  // namespace mayfly::serve
