#include "mayfly/serve/service/item_requests.hpp"

#include <fmt/format.h>

#include "mayfly/serve/service/batch.hpp"
#include "mayfly/serve/service/item_feed.hpp"
#include "mayfly/serve/service/item_operation.hpp"
#include "mayfly/serve/service/paging.hpp"

namespace mayfly::serve {

namespace {

using Kind = ItemOperation::Kind;

/// The partition of the item that the path names.
std::string partition_for(const Call& call, const Container& container) {
  if (auto partition = named_partition(call.request, container.key)) return *partition;
  if (!container.key.is_absent()) throw Refusal(400, "PartitionKey value must be supplied for this operation.");
  return {};
}

ItemPlace place_by_number(const Call& call, const Container& container, const std::string& rid_text) {
  const auto rid = parse_resource_id(rid_text);
  const bool fits = rid && rid->database == container.rid.database && rid->container == container.rid.container;
  auto place = fits ? call.account.place_of(call.now, container, rid->item) : std::nullopt;
  const auto partition = named_partition(call.request, container.key);
  if (!place || (partition && *partition != place->partition))
    throw Refusal(404, "There is no item '" + rid_text + "' in this partition.");
  return *place;
}

ItemPlace named_place(const Call& call, const Container& container) {
  const std::string& name = call.address[5];
  if (call.account.is_by_rid(call.address[1])) return place_by_number(call, container, name);
  return {partition_for(call, container), name};
}

ItemOperation with_conditions(const Call& call, Kind kind) {
  ItemOperation operation;
  operation.kind = kind;
  operation.if_match = call.request.field("if-match").value_or("");
  operation.if_none_match = call.request.field("if-none-match").value_or("");
  return operation;
}

ItemOperation post_operation(const Call& call, const Container& container) {
  const bool is_upsert = call.request.says_true("x-ms-documentdb-is-upsert");
  ItemOperation operation = with_conditions(call, is_upsert ? Kind::upsert : Kind::create);
  operation.item.emplace(call.request.body, container.key);
  operation.place = operation.item->place;
  const auto named = named_partition(call.request, container.key);
  if (named && *named != operation.place.partition)
    throw Refusal(400, "PartitionKey extracted from document doesn't match the one specified in the header",
                  wrong_partition_key);
  return operation;
}

ItemOperation named_operation(const Call& call, const Container& container) {
  switch (call.request.verb) {
    case Verb::get:
    case Verb::erase: {
      auto operation = with_conditions(call, call.request.verb == Verb::get ? Kind::read : Kind::erase);
      operation.place = named_place(call, container);
      return operation;
    }
    case Verb::put: {
      auto operation = with_conditions(call, Kind::replace);
      operation.item.emplace(call.request.body, container.key);
      operation.place = named_place(call, container);
      if (operation.item->place.id != operation.place.id)
        throw Refusal(400, "The id in the body differs from the one in the path: an item's id cannot be changed.");
      if (operation.item->place.partition != operation.place.partition)
        throw Refusal(400, "PartitionKey extracted from document doesn't match the one specified in the header",
                      wrong_partition_key);
      return operation;
    }
    case Verb::patch: {
      auto operation = with_conditions(call, Kind::patch);
      operation.patch.emplace(call.request.body);
      operation.place = named_place(call, container);
      return operation;
    }
    case Verb::post:
    case Verb::other:
      break;
  }
  refuse_verb(call);
}

/// An invalid item is a 400 even if its container does not exist (C2).
void judge_content(const Call& call) {
  const bool is_named = call.address.size() == 6;
  if (call.request.verb == Verb::patch && is_named) ItemPatch patch(call.request.body);
  const bool is_item = call.request.verb == Verb::put
                           ? is_named
                           : call.request.verb == Verb::post && !is_named && !is_query(call.request) &&
                                 !call.request.says_true("x-ms-cosmos-is-batch-request");
  if (is_item) NewItem item(call.request.body, PartitionKey(nullptr));
}

const Container& named_container(const Call& call) {
  try {
    return owner(call);
  } catch (const Refusal&) {
    judge_content(call);
    throw;
  }
}

Response perform(const Call& call, const Container& container, const ItemOperation& operation) {
  const ItemView view(call.account, container, call.now);
  const Outcome found = view.read(operation.place);
  ItemPlan planned = view.plan(operation, found.document);
  const bool is_read = planned.effect == ItemPlan::Effect::none;
  const auto cost = is_read ? found.charge.value_or(Charge{})
                            : carry_out(call.account, container, operation.place, planned, call.now);
  planned.response.charge = cost.units;
  if (!is_read && call.request.field("prefer") == "return=minimal") planned.response.body.clear();
  return std::move(planned.response);
}

/// Nothing measures the times: only the counts mean something.
std::string metrics_of(const Response& response) {
  std::string text;
  for (const char* time :
       {"totalExecution", "queryCompile", "queryLogicalPlanBuild", "queryPhysicalPlanBuild", "queryOptimization",
        "VMExecution", "indexLookup", "documentLoad", "systemFunctionExecute", "userFunctionExecute", "writeOutput"})
    text += fmt::format("{}TimeInMs=0.00;", time);
  const std::size_t count = response.item_count.value_or(0);
  const std::size_t size = response.body.size();
  return text + fmt::format(
                    "retrievedDocumentCount={};retrievedDocumentSize={};outputDocumentCount={};"
                    "outputDocumentSize={};indexUtilizationRatio=1.00",
                    count, size, count, size);
}

Response query(const Call& call, const Container& container) {
  Response response = query_items(call, container);
  if (call.request.says_true("x-ms-documentdb-populatequerymetrics")) response.query_metrics = metrics_of(response);
  return response;
}

Response answer(const Call& call, const Container& container) {
  if (call.address.size() == 6) return perform(call, container, named_operation(call, container));
  if (call.request.verb == Verb::get) return read_items(call, container);
  if (call.request.verb != Verb::post) refuse_verb(call);
  if (call.request.says_true("x-ms-cosmos-is-batch-request")) return answer_batch(call, container);
  if (is_query(call.request)) return query(call, container);
  return perform(call, container, post_operation(call, container));
}

}  // namespace

// Only answers about items have a session token: the old client for .NET fails if a container's has one.
Response answer_items(const Call& call) {
  Response response = answer(call, named_container(call));
  response.session_token = fmt::format("0:-1#{}", call.account.last_number());
  return response;
}

}  // namespace mayfly::serve
