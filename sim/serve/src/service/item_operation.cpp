#include "mayfly/serve/service/item_operation.hpp"

#include <algorithm>
#include <cassert>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "mayfly/serve/message/json_text.hpp"
#include "mayfly/serve/query/item_query.hpp"
#include "mayfly/serve/query/patch.hpp"
#include "mayfly/serve/service/item_text.hpp"

namespace mayfly::serve {

namespace json = boost::json;

namespace {

using Kind = ItemOperation::Kind;

bool names(std::string_view condition, const Document& item) {
  return is_met_by(condition, etag_of(unpack(item.value).version));
}

// As in the service: if-match applies to changes, if-none-match to reads and to an upsert that would replace.
void check_preconditions(const ItemOperation& operation, const Document& current) {
  if (operation.kind != Kind::read && !operation.if_match.empty() && !names(operation.if_match, current))
    throw Refusal(412, "The item has changed: its etag is not the one in if-match.");
  if (operation.kind == Kind::upsert && !operation.if_none_match.empty() && names(operation.if_none_match, current))
    throw Refusal(412, "The item exists, but if-none-match requires that it does not.");
}

[[noreturn]] void refuse_absent(const ItemPlace& place) {
  throw Refusal(404, fmt::format("There is no item '{}' in this partition.", place.id));
}

/// The ttl in a patch is checked even if the item does not exist (C2).
void check_ttl(const json::value& operation) {
  const json::object* object = operation.if_object();
  const json::value* path = object ? object->if_contains("path") : nullptr;
  const json::value* name = object ? object->if_contains("op") : nullptr;
  if (!path || !name || *path != "/ttl") return;
  if (*name == "add" || *name == "set" || *name == "replace") ttl_field(object->if_contains("value"));
}

/// The one item that the condition of a patch is about.
class PatchedItem : public QueryItems {
 public:
  PatchedItem(const Container& container, const Document& item) : container_(container), item_(item) {}

  void walk(std::uint64_t, const std::function<bool(const Item&)>& visit) const override { visit({1, &item_}); }
  void append_text(std::string& out, const void*) const override { append_shown(out, container_, item_); }

 private:
  const Container& container_;
  const Document& item_;
};

bool fulfils(const Container& container, const Document& item, const std::string& condition, Instant now) {
  bool is_selected = false;
  const auto show = [&](std::string_view) { return is_selected = true; };
  WorkMeter work;
  try {
    ItemQuery::parse("SELECT * " + condition, {}).run(PatchedItem(container, item), now, {"", 1, show}, work);
  } catch (const QueryError& problem) {
    throw Refusal(400, fmt::format("The condition of the patch is invalid: {}", problem.what()));
  }
  return is_selected;
}

NewItem patched_item(const Container& container, const ItemOperation& operation, const Document& current, Instant now) {
  if (!operation.patch->condition.empty() && !fulfils(container, current, operation.patch->condition, now))
    throw Refusal(412, "The item does not fulfil the condition of the patch.");
  try {
    const json::object object =
        patched(own_properties(unpack(current.value), current.ttl), operation.patch->operations);
    NewItem item(json::serialize(object), container.key);
    if (item.place.id != current.id || item.place.partition != current.partition)
      throw Refusal(400, "A patch cannot change the id or the partition key of an item.");
    return item;
  } catch (const PatchError& problem) {
    throw Refusal(400, problem.what());
  }
}

ItemPlan shown_plan(const Container& container, int status, const Document& item) {
  ItemPlan plan;
  plan.response.status = status;
  plan.response.etag = etag_of(unpack(item.value).version);
  append_shown(plan.response.body, container, item);
  return plan;
}

ItemPlan plan_read(const Container& container, const ItemOperation& operation, const Document& current) {
  if (operation.if_none_match.empty() || !names(operation.if_none_match, current))
    return shown_plan(container, 200, current);
  ItemPlan plan;
  plan.response.status = 304;
  plan.response.etag = etag_of(unpack(current.value).version);
  return plan;
}

ItemPlan plan_put(Account& account, const Container& container, const NewItem& item,
                  const std::optional<Document>& current, Instant now) {
  const std::uint64_t number = current ? unpack(current->value).number : account.next_number();
  const StoredItem stored{.text = item.text, .number = number, .version = account.next_number()};
  Ttl ttl = Inherit{};
  if (const auto* seconds = std::get_if<std::int64_t>(&item.ttl)) {
    if (*seconds < 0)
      ttl = Never{};
    else
      ttl = Seconds{*seconds};
  }
  Document document{item.place.partition, item.place.id, pack(stored), now, ttl};
  ItemPlan plan = shown_plan(container, current ? 200 : 201, document);
  plan.effect = ItemPlan::Effect::put;
  plan.content = {.ttl = item.ttl, .value = std::move(document.value)};
  return plan;
}

ItemPlan planned_on(Account& account, const Container& container, const ItemOperation& operation,
                    const std::optional<Document>& current, Instant now) {
  const bool may_be_absent = operation.kind == Kind::create || operation.kind == Kind::upsert;
  if (!current && !may_be_absent) refuse_absent(operation.place);
  if (current && operation.kind == Kind::create)
    throw Refusal(409, fmt::format("There is an item '{}' in this partition already.", operation.place.id));
  if (current) check_preconditions(operation, *current);
  switch (operation.kind) {
    case Kind::read:
      return plan_read(container, operation, *current);
    case Kind::erase:
      return {.response = {.status = 204}, .effect = ItemPlan::Effect::erase, .content = {}};
    case Kind::patch:
      return plan_put(account, container, patched_item(container, operation, *current, now), current, now);
    case Kind::create:
    case Kind::upsert:
    case Kind::replace:
      break;
  }
  return plan_put(account, container, *operation.item, current, now);
}

std::vector<std::string> unique_keys_of(const Container& container, const ItemPlace& place, std::string_view value) {
  if (container.unique_keys.are_none()) return {};
  return container.unique_keys.texts_of(place.partition, own_properties(unpack(value), Inherit{}));
}

}  // namespace

NewItem::NewItem(std::string_view body, const PartitionKey& key) {
  if (body.size() > most_item_bytes)
    throw Refusal(413, fmt::format("The item has {} bytes; at most {} are allowed.", body.size(), most_item_bytes));
  unsigned char buffer[4096];
  json::monotonic_resource memory(buffer, sizeof buffer);
  const json::object object = parse_json_object(body, &memory);
  key.check(object);
  place = {key.partition_of(object), id_in(object, most_item_id_bytes)};
  ttl = ttl_field(object.if_contains("ttl"));
  text = text_to_keep(body, object);
}

ItemPatch::ItemPatch(std::string_view body) {
  json::value value = parse_json(body);
  if (auto* object = value.if_object()) {
    if (const auto* text = object->if_contains("condition")) {
      if (!text->is_string()) throw Refusal(400, "The condition of a patch must be text.");
      condition = std::string_view(text->get_string());
    }
    json::value list = object->contains("operations") ? object->at("operations") : json::value();
    value = std::move(list);
  }
  if (!value.is_array()) throw Refusal(400, "A patch must be a list of operations, or an object with \"operations\".");
  operations = std::move(value.get_array());
  if (operations.empty()) throw Refusal(400, "A patch needs an operation.");
  for (const json::value& operation : operations) check_ttl(operation);
}

Outcome ItemView::read(const ItemPlace& place) const {
  const auto found = changed_.find(place.id);
  if (found == changed_.end()) return account_.read_item(now_, container_, place);
  return {.document = found->second, .charge = Charge{1}};
}

ItemPlan ItemView::plan(const ItemOperation& operation, const std::optional<Document>& current) const {
  ItemPlan planned = planned_on(account_, container_, operation, current, now_);
  if (planned.effect == ItemPlan::Effect::put) check_unique(operation.place, planned.content);
  return planned;
}

void ItemView::note(const ItemPlace& place, const ItemPlan& plan) {
  if (plan.effect == ItemPlan::Effect::erase) changed_[place.id] = std::nullopt;
  if (plan.effect != ItemPlan::Effect::put) return;
  const auto* seconds = std::get_if<std::int64_t>(&plan.content.ttl);
  const Ttl ttl = !seconds ? Ttl{Inherit{}} : *seconds < 0 ? Ttl{Never{}} : Ttl{Seconds{*seconds}};
  changed_[place.id] = Document{place.partition, place.id, plan.content.value, now_, ttl};
  for (std::string& text : unique_keys_of(container_, place, plan.content.value)) holders_[std::move(text)] = place.id;
}

// An item that has expired or was deleted has freed its keys (X3), and so has one that was written with others.
void ItemView::check_unique(const ItemPlace& place, const Content& content) const {
  for (const std::string& text : unique_keys_of(container_, place, content.value)) {
    const auto noted = holders_.find(text);
    for (const auto& id :
         {account_.holder_of(container_, text), noted == holders_.end() ? std::nullopt : std::optional(noted->second)})
      if (id && *id != place.id && has_key({place.partition, *id}, text))
        throw Refusal(409, fmt::format("Unique index constraint violation: the item '{}' has the same values.", *id));
  }
}

bool ItemView::has_key(const ItemPlace& place, const std::string& unique_key) const {
  const auto item = read(place).document;
  if (!item) return false;
  const auto texts = unique_keys_of(container_, place, item->value);
  return std::find(texts.begin(), texts.end(), unique_key) != texts.end();
}

Charge carry_out(Account& account, const Container& container, const ItemPlace& place, ItemPlan& plan, Instant now) {
  switch (plan.effect) {
    case ItemPlan::Effect::put:
      return account.put_item(now, container, place, std::move(plan.content)).charge.value_or(Charge{});
    case ItemPlan::Effect::erase:
      return account.erase_item(now, container, place).charge.value_or(Charge{});
    case ItemPlan::Effect::none:
      break;
  }
  return {};
}

void append_shown(std::string& out, const Container& container, const Document& document) {
  const StoredItem item = unpack(document.value);
  const std::string rid =
      to_text({.database = container.rid.database, .container = container.rid.container, .item = item.number});
  append_shown(out, item, container.link, rid, document.ts, document.ttl);
}

}  // namespace mayfly::serve
