#include "mayfly/serve/service/container_requests.hpp"

#include <boost/json/serialize.hpp>

#include "mayfly/serve/message/json_text.hpp"
#include "mayfly/serve/service/item_text.hpp"
#include "mayfly/serve/service/offer_requests.hpp"
#include "mayfly/serve/service/paging.hpp"
#include "mayfly/serve/service/unsupported.hpp"

namespace mayfly::serve {

namespace json = boost::json;

namespace {

Response shown(int status, const Container& container) {
  return {.status = status, .body = json::serialize(to_json(container)), .etag = etag_of(container.written.version)};
}

Response list(const Call& call, const Database& database) {
  std::vector<Listed> all;
  for (const auto& [name, container] : database.containers)
    all.push_back({container.rid.container, to_json(container)});
  return list_page(call, database.rid_text, "DocumentCollections", std::move(all));
}

ContainerDefinition definition_in(const Request& request, ContainerDefinition::For purpose) {
  const json::object body = parse_json_object(request.body);
  refuse_unsupported_settings(body);
  return ContainerDefinition(body, purpose);
}

Response create(const Call& call, Database& database) {
  ContainerDefinition definition = definition_in(call.request, ContainerDefinition::For::creating);
  auto throughput = named_throughput(call.request);
  if (!throughput && !database.offer) throughput = default_throughput();
  return shown(201, call.account.create_container(call.now, database, std::move(definition), std::move(throughput)));
}

Response replace(const Call& call, Database& database) {
  ContainerDefinition definition = definition_in(call.request, ContainerDefinition::For::replacing);
  Container& container = call.account.container(database, call.address[3]);
  if (definition.id != container.id) throw Refusal(400, "The id of a container cannot be changed.");
  if (definition.shown["partitionKey"].at("paths") != container.shown["partitionKey"].at("paths"))
    throw Refusal(400, "The partition key of a container cannot be changed.");
  if (!(definition.unique_keys == container.unique_keys))
    throw Refusal(400, "The unique keys of a container cannot be changed.");
  definition.shown["partitionKey"] = container.shown["partitionKey"];
  check_if_match(call.request, container.written.version);
  call.account.replace_container(call.now, container, std::move(definition));
  return shown(200, container);
}

}  // namespace

Response answer_containers(const Call& call) {
  Database& database = call.account.database(call.address[1]);
  if (call.address.is_feed()) {
    if (call.request.verb == Verb::get || is_query(call.request)) return list(call, database);
    if (call.request.verb != Verb::post) refuse_verb(call);
    return create(call, database);
  }
  if (call.request.verb == Verb::put) return replace(call, database);
  Container& container = call.account.container(database, call.address[3]);
  if (call.request.verb == Verb::get) return unless_known(call.request, shown(200, container));
  if (call.request.verb != Verb::erase) refuse_verb(call);
  check_if_match(call.request, container.written.version);
  call.account.delete_container(call.now, database, container);
  return {.status = 204};
}

// The whole container is one range: clients request the ranges before they request the parts of a container. They read
// them as a feed of changes, and go on until nothing has changed.
Response answer_ranges(const Call& call) {
  if (call.request.verb != Verb::get) refuse_verb(call);
  const Container& container = owner(call);
  const json::object range{{"id", "0"},
                           {"_rid", container.rid_text},
                           {"minInclusive", ""},
                           {"maxExclusive", "FF"},
                           {"ridPrefix", 0},
                           {"throughputFraction", 1},
                           {"status", "online"},
                           {"parents", json::array()},
                           {"_self", container.link + "pkranges/0/"},
                           {"_etag", etag_of(container.written.version)},
                           {"_ts", container.written.ts.time_since_epoch().count()}};
  Response page = list_page(call, container.rid_text, "PartitionKeyRanges", {{1, range}});
  page.etag = etag_of(container.rid.container);  // the range never changes
  return unless_known(call.request, std::move(page));
}

}  // namespace mayfly::serve
