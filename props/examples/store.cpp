// A little store with TTL that Mayfly can check. With --revives it has a defect: what is expired comes back when the
// collection's default is raised. To build it alone: g++ -std=c++20 -O2 store.cpp -o store -lboost_json
#include <iostream>
#include <map>

#include <boost/json.hpp>

namespace json = boost::json;
struct Collection {
  json::value default_ttl = {};  // null is off
  json::string indexing = "consistent";
  std::map<std::pair<json::string, json::string>, json::object> documents = {};  // by partition and id
};
bool revives = false;
std::int64_t now = 0;
std::map<json::string, Collection> collections;
bool is_valid(const json::value& ttl) {
  return ttl == -1 || (ttl.is_int64() && ttl.get_int64() >= 1 && ttl.get_int64() < 1LL << 31);
}
bool is_expired(const Collection& c, const json::object& document) {
  const json::value& ttl = document.contains("ttl") ? document.at("ttl") : c.default_ttl;
  return !c.default_ttl.is_null() && ttl != -1 && document.at("_ts").as_int64() + ttl.as_int64() <= now;
}
json::object query(const Collection& c, const json::value* partition) {
  json::array documents;
  for (const auto& [key, document] : c.documents)
    if (!is_expired(c, document) && (!partition || *partition == key.first)) documents.push_back(document);
  return {{"status", 200}, {"documents", std::move(documents)}};
}
json::object define(const json::object& r, Collection* old) {
  Collection made;
  if (const auto* ttl = r.if_contains("default_ttl")) made.default_ttl = *ttl;
  if (const auto* indexing = r.if_contains("indexing")) made.indexing = indexing->as_string();
  if (!made.default_ttl.is_null() && (!is_valid(made.default_ttl) || made.indexing == "none")) return {{"status", 400}};
  const bool creates = r.at("op") == "create_collection";
  if (creates == (old != nullptr)) return {{"status", creates ? 409 : 404}};
  if (old && !revives) std::erase_if(old->documents, [&](const auto& entry) { return is_expired(*old, entry.second); });
  if (old) made.documents = std::move(old->documents);
  collections[r.at("collection").as_string()] = std::move(made);
  return {{"status", creates ? 201 : 200}};
}

json::object answer(const json::object& r) {
  const auto text = [&](const char* name) { return r.contains(name) ? r.at(name).as_string() : json::string(); };
  const json::string op = text("op");
  if (op == "hello") return {{"status", 200}, {"name", "store.cpp"}, {"features", json::array{"batch"}}};
  if (op == "reset") return collections.clear(), now = r.at("now").as_int64(), json::object{{"status", 200}};
  if (op == "advance") return {{"status", 200}, {"now", now += r.at("seconds").as_int64()}};
  const auto found = collections.find(text("collection"));
  Collection* c = found == collections.end() ? nullptr : &found->second;
  if (op == "create_collection" || op == "replace_collection") return define(r, c);
  if (r.contains("ttl") && !is_valid(r.at("ttl"))) return {{"status", 400}};
  if (!c) return {{"status", 404}};
  if (op == "delete_collection") return collections.erase(found), json::object{{"status", 204}};
  if (op == "read_collection") return {{"status", 200}, {"indexing", c->indexing}, {"default_ttl", c->default_ttl}};
  if (op == "query" && c->indexing == "none") return {{"status", 400}};
  if (op == "query") return query(*c, r.if_contains("partition"));
  const auto old = c->documents.find({text("partition"), text("id")});
  const bool is_live = old != c->documents.end() && !is_expired(*c, old->second);
  if (is_live ? op == "create" : op != "create" && op != "upsert") return {{"status", is_live ? 409 : 404}};
  if (op == "read") return {{"status", 200}, {"document", old->second}};
  if (op == "delete") return c->documents.erase(old), json::object{{"status", 204}};
  json::object document{{"partition", text("partition")}, {"id", text("id")}, {"value", text("value")}, {"_ts", now}};
  if (r.contains("ttl")) document["ttl"] = r.at("ttl");
  c->documents[{text("partition"), text("id")}] = document;
  return {{"status", is_live ? 200 : 201}, {"document", std::move(document)}};
}

int main(int argc, char**) {
  std::ios::sync_with_stdio(false);
  revives = argc > 1;
  for (std::string line; std::getline(std::cin, line);) {
    json::value request = json::parse(line);
    if (auto* batch = request.if_array())
      for (auto& each : *batch) each = answer(each.as_object());
    else
      request = answer(request.as_object());
    std::cout << request << std::endl;
  }
}
