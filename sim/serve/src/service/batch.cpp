#include "mayfly/serve/service/batch.hpp"

#include <map>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "mayfly/serve/service/item_operation.hpp"
#include "mayfly/serve/service/json_text.hpp"

// Several operations in one request. In an atomic batch, all are planned, each on the state that the previous ones
// would produce, and only then executed, so a failure leaves nothing to undo. Otherwise each operation is independent
// of the others, and may be in any partition.

namespace mayfly::serve {

namespace json = boost::json;

namespace {

using Kind = ItemOperation::Kind;

constexpr std::size_t most_operations = 100;
constexpr std::size_t most_answer_bytes = 2 * 1024 * 1024;

Kind kind_named(std::string_view name) {
  if (name == "Create") return Kind::create;
  if (name == "Upsert") return Kind::upsert;
  if (name == "Replace") return Kind::replace;
  if (name == "Patch") return Kind::patch;
  if (name == "Read") return Kind::read;
  if (name == "Delete") return Kind::erase;
  throw Refusal(400, fmt::format("There is no operation '{}' in a batch.", name));
}

/// The members of an operation, as written.
struct Members {
  std::string kind, id, if_match, if_none_match, partition;
  std::string_view body;
};

std::string text_of(std::string_view member) {
  const json::value value = parse_json(member);
  return value.is_string() ? std::string(std::string_view(value.get_string())) : json::serialize(value);
}

Members read_members(std::string_view element) {
  if (!element.starts_with('{')) throw Refusal(400, "Each operation of a batch must be an object.");
  Members written;
  for_each_member(element, [&](std::string_view quoted, std::string_view value) {
    const std::string name = decoded_name(quoted);
    if (name == "resourceBody") written.body = value;
    if (value == "null") return;
    if (name == "operationType") written.kind = text_of(value);
    if (name == "id") written.id = text_of(value);
    if (name == "ifMatch") written.if_match = text_of(value);
    if (name == "ifNoneMatch") written.if_none_match = text_of(value);
    if (name == "partitionKey") written.partition = text_of(value);
  });
  return written;
}

ItemOperation parse_operation(const Container& container, std::string_view element,
                              const std::optional<std::string>& partition) {
  const Members written = read_members(element);
  ItemOperation operation;
  operation.kind = kind_named(written.kind);
  operation.if_match = written.if_match;
  operation.if_none_match = written.if_none_match;
  const auto own = written.partition.empty() ? partition : container.key.partition_in(written.partition);
  operation.place = {own.value_or(""), written.id};
  if (operation.kind == Kind::patch) {
    operation.patch.emplace(written.body);
  } else if (operation.kind != Kind::read && operation.kind != Kind::erase) {
    operation.item.emplace(written.body, container.key);
    if (written.id.empty()) operation.place.id = operation.item->place.id;
    if (operation.item->place.id != operation.place.id)
      throw Refusal(400, "The id in the body differs from the operation's id.");
    if (operation.item->place.partition != operation.place.partition)
      throw Refusal(400, "PartitionKey extracted from document doesn't match the one specified in the header");
  }
  return operation;
}

/// The items as the operations so far would leave them.
class Overlay {
 public:
  Overlay(const Call& call, const Container& container) : call_(call), container_(container) {}

  Outcome read(const ItemPlace& place) const {
    const auto found = changed_.find(place.id);
    if (found == changed_.end()) return call_.account.read_item(call_.now, container_, place);
    return {.document = found->second, .charge = Charge{1}};
  }

  void note(const ItemPlace& place, const ItemPlan& plan) {
    if (plan.effect == ItemPlan::Effect::erase) changed_[place.id] = std::nullopt;
    if (plan.effect != ItemPlan::Effect::put) return;
    const auto* seconds = std::get_if<std::int64_t>(&plan.content.ttl);
    const Ttl ttl = !seconds ? Ttl{Inherit{}} : *seconds < 0 ? Ttl{Never{}} : Ttl{Seconds{*seconds}};
    changed_[place.id] = Document{place.partition, place.id, plan.content.value, call_.now, ttl};
  }

 private:
  const Call& call_;
  const Container& container_;
  std::map<std::string, std::optional<Document>> changed_;
};

/// Counts the bytes of the answers to reads and patches, which may be larger than their operations; the other answers
/// return the request's content. An operation whose answer would exceed the limit is refused before it has an effect;
/// one item always has room.
class AnswerSize {
 public:
  /// False if there is no room for this answer.
  bool add(const ItemOperation& operation, const Response& response) {
    if (operation.kind != Kind::read && operation.kind != Kind::patch) return true;
    if (bytes_ > 0 && bytes_ + response.body.size() > most_answer_bytes) return false;
    bytes_ += response.body.size();
    return true;
  }

 private:
  std::size_t bytes_ = 0;
};

Response too_large() {
  return error(413,
               fmt::format("The items that a batch reads or patches may have at most {} bytes.", most_answer_bytes));
}

void append_result(std::string& out, const Response& response) {
  out += fmt::format("{{\"statusCode\":{},\"requestCharge\":{}", response.status, response.charge);
  if (!response.etag.empty()) out += ",\"eTag\":" + json::serialize(json::string_view(response.etag));
  if (!response.body.empty() && response.status < 300) out += ",\"resourceBody\":" + response.body;
  out += '}';
}

Response finish(int status, const std::vector<Response>& responses) {
  Response all{.status = status, .body = "[", .charge = 0};
  for (const Response& response : responses) {
    if (all.body.size() > 1) all.body += ',';
    append_result(all.body, response);
    all.charge += response.charge;
  }
  all.body += ']';
  return all;
}

Response perform_atomically(const Call& call, const Container& container, const std::vector<std::string_view>& elements,
                            const std::optional<std::string>& partition) {
  Overlay overlay(call, container);
  AnswerSize size;
  std::vector<std::pair<ItemPlace, ItemPlan>> plans;
  std::vector<Response> responses;
  for (const auto element : elements) {
    try {
      const ItemOperation operation = parse_operation(container, element, partition);
      if (operation.place.partition != partition.value_or(""))
        throw Refusal(400, "All operations of an atomic batch must be in its partition.");
      const Outcome found = overlay.read(operation.place);
      ItemPlan planned = plan(call.account, container, operation, found.document, call.now);
      planned.response.charge = found.charge.value_or(Charge{}).units;
      if (!size.add(operation, planned.response)) return too_large();
      overlay.note(operation.place, planned);
      plans.emplace_back(operation.place, std::move(planned));
    } catch (const Refusal& refusal) {
      // All other operations fail because this one does.
      responses.assign(elements.size(), {.status = 424, .charge = 0});
      responses[plans.size()] = {.status = refusal.status(), .charge = 1};
      return finish(207, responses);
    }
  }
  for (auto& [place, planned] : plans) {
    if (planned.effect != ItemPlan::Effect::none)
      planned.response.charge = carry_out(call.account, container, place, planned, call.now).units;
    responses.push_back(std::move(planned.response));
  }
  return finish(200, responses);
}

Response perform_one(const Call& call, const Container& container, std::string_view element,
                     const std::optional<std::string>& partition, AnswerSize& size) {
  try {
    const ItemOperation operation = parse_operation(container, element, partition);
    const Outcome found = call.account.read_item(call.now, container, operation.place);
    ItemPlan planned = plan(call.account, container, operation, found.document, call.now);
    planned.response.charge = found.charge.value_or(Charge{}).units;
    if (!size.add(operation, planned.response)) return too_large();
    if (planned.effect != ItemPlan::Effect::none)
      planned.response.charge = carry_out(call.account, container, operation.place, planned, call.now).units;
    return std::move(planned.response);
  } catch (const Refusal& refusal) {
    return {.status = refusal.status()};
  }
}

}  // namespace

Response answer_batch(const Call& call, const Container& container) {
  const json::value body = parse_json(call.request.body);
  if (!body.is_array()) throw Refusal(400, "A batch must be a list of operations.");
  if (body.get_array().empty()) throw Refusal(400, "A batch needs an operation.");
  if (body.get_array().size() > most_operations)
    throw Refusal(400, fmt::format("A batch may have at most {} operations.", most_operations));
  std::vector<std::string_view> elements;
  for_each_element(call.request.body, [&](std::string_view element) { elements.push_back(element); });
  const auto partition = named_partition(call.request, container.key);
  if (call.request.says_true("x-ms-cosmos-batch-atomic")) {
    if (!partition && !container.key.is_absent())
      throw Refusal(400, "PartitionKey value must be supplied for this operation.");
    return perform_atomically(call, container, elements, partition);
  }
  std::vector<Response> responses;
  AnswerSize size;
  for (const auto element : elements) responses.push_back(perform_one(call, container, element, partition, size));
  return finish(200, responses);
}

}  // namespace mayfly::serve
