#include "mayfly/serve/service/database_requests.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "mayfly/serve/message/json_text.hpp"
#include "mayfly/serve/service/item_text.hpp"
#include "mayfly/serve/service/offer_requests.hpp"
#include "mayfly/serve/service/paging.hpp"

namespace mayfly::serve {

namespace json = boost::json;

namespace {

Response shown(int status, const Database& database) {
  return {.status = status, .body = json::serialize(to_json(database)), .etag = etag_of(database.written.version)};
}

Response list(const Call& call) {
  std::vector<Listed> all;
  for (const auto& [name, database] : call.account.databases())
    all.push_back({database.rid.database, to_json(database)});
  return list_page(call, "", "Databases", std::move(all));
}

}  // namespace

Response answer_account(const Call& call) {
  if (call.request.verb != Verb::get) refuse_verb(call);
  // The client reaches the server again under the name and the scheme that it used, even through a proxy.
  const std::string endpoint =
      fmt::format("{}://{}/", call.request.scheme(), call.request.field("host").value_or("localhost"));
  const json::array locations{{{"name", "local"}, {"databaseAccountEndpoint", endpoint}}};
  // With the id `localhost`, or without locations, clients request the account again before every operation. The
  // client for .NET requires the rest, and that the text at the end is a JSON object that is not empty; without the
  // replication it fails in direct mode before it hears that there is none.
  const json::object account{{"id", "mayfly"},
                             {"_self", ""},
                             {"_rid", "mayfly"},
                             {"_dbs", "//dbs/"},
                             {"writableLocations", locations},
                             {"readableLocations", locations},
                             {"enableMultipleWriteLocations", false},
                             {"userConsistencyPolicy", {{"defaultConsistencyLevel", "Session"}}},
                             {"userReplicationPolicy", {{"maxReplicasetSize", 4}}},
                             {"systemReplicationPolicy", {{"maxReplicasetSize", 4}}},
                             {"queryEngineConfiguration", R"({"maxSqlQueryInputLength":262144})"}};
  return {.body = json::serialize(account)};
}

Response answer_databases(const Call& call) {
  if (call.address.is_feed()) {
    if (call.request.verb == Verb::get || is_query(call.request)) return list(call);
    if (call.request.verb != Verb::post) refuse_verb(call);
    const std::string id = id_in(parse_json_object(call.request.body), most_id_bytes);
    return shown(201, call.account.create_database(call.now, id, named_throughput(call.request)));
  }
  Database& database = call.account.database(call.address[1]);
  if (call.request.verb == Verb::get) return unless_known(call.request, shown(200, database));
  if (call.request.verb != Verb::erase) refuse_verb(call);
  check_if_match(call.request, database.written.version);
  call.account.delete_database(database);
  return {.status = 204};
}

}  // namespace mayfly::serve
