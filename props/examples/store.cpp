// A little store with TTL that Mayfly can check. With --revives it has a defect: expired documents come back when the
// collection's default is raised. To build it alone: g++ -std=c++20 -O2 store.cpp -o store -lboost_json
#include <iostream>
#include <map>

#include <boost/json.hpp>

namespace json = boost::json;
struct Document {
  std::int64_t ts = 0, ttl = 0;  // 0 inherits
  std::string text = {};         // as answers show it
};
struct Collection {
  std::int64_t default_ttl = 0;  // 0 is off
  std::string indexing = {};
  std::map<std::pair<std::string, std::string>, Document> documents = {};  // by partition and id
};
bool revives = false;
std::int64_t now = 0;
std::map<std::string, Collection, std::less<>> collections;
bool is_valid(const json::value& t, json::error_code problem = {}) {
  const auto number = t.to_number<std::int64_t>(problem);  // 5.0 is 5, and 1.5 is none
  return !problem && (number == -1 || (number > 0 && number >> 31 == 0));
}
bool is_expired(const Collection& c, const Document& document) {
  const std::int64_t ttl = document.ttl != 0 ? document.ttl : c.default_ttl;
  return c.default_ttl != 0 && ttl > 0 && document.ts + ttl <= now;
}
std::string say(int code, const std::string& rest = {}) { return "{\"status\":" + std::to_string(code) + rest + "}"; }
std::string query(const Collection& c, const json::value* partition, bool counts) {
  std::string shown;
  int count = 0;
  for (const auto& [key, document] : c.documents)
    if (!is_expired(c, document) && (!partition || partition->as_string() == key.first))
      (shown += count++ == 0 ? "" : ",") += document.text;
  return say(200, counts ? ",\"count\":" + std::to_string(count) : ",\"documents\":[" + shown + "]");
}
std::string purge(std::int64_t budget) {
  std::int64_t purged = 0;
  for (auto& [name, c] : collections)
    std::erase_if(c.documents, [&, &of = c](const auto& entry) {
      return purged < budget && is_expired(of, entry.second) && ++purged;
    });
  return say(200, ",\"purged\":" + std::to_string(purged));
}
std::string held() {
  std::size_t held = 0;
  for (const auto& [name, c] : collections) held += c.documents.size();
  return say(200, ",\"held\":" + std::to_string(held));
}
std::string define(const json::object& r, Collection* old) {
  const json::value *ttl = r.if_contains("default_ttl"), *indexing = r.if_contains("indexing");
  if (ttl && ttl->is_null()) ttl = nullptr;
  if (ttl && (!is_valid(*ttl) || (indexing && *indexing == "none"))) return say(400);
  if ((r.at("op") == "create_collection") == (old != nullptr)) return say(old ? 409 : 404);
  if (old && !revives) std::erase_if(old->documents, [&](const auto& entry) { return is_expired(*old, entry.second); });
  Collection& c = old ? *old : collections[std::string(r.at("collection").as_string())];
  c = {ttl ? ttl->to_number<std::int64_t>() : 0, indexing ? indexing->as_string().c_str() : "consistent", std::move(c.documents)};
  return say(old ? 200 : 201);
}
std::string answer(const json::object& r) {
  const auto text = [&](const char* name) { return r.contains(name) ? std::string(r.at(name).as_string()) : ""; };
  const std::string op = text("op");
  if (op == "hello") return say(200, R"(,"name":"store.cpp","features":["batch","purge","count","held"])");
  if (op == "reset") return collections.clear(), now = r.at("now").as_int64(), say(200);
  if (op == "advance") return say(200, ",\"now\":" + std::to_string(now += r.at("seconds").as_int64()));
  if (op == "purge") return purge(r.at("budget").as_int64());
  if (op == "held") return held();
  const auto found = collections.find(text("collection"));
  Collection* c = found == collections.end() ? nullptr : &found->second;
  if (op == "create_collection" || op == "replace_collection") return define(r, c);
  const json::value* ttl = r.if_contains("ttl");
  if (!c || (ttl && !is_valid(*ttl))) return say(ttl && !is_valid(*ttl) ? 400 : 404);
  if (op == "delete_collection") return collections.erase(found), say(204);
  const std::string default_ttl = c->default_ttl != 0 ? ",\"default_ttl\":" + std::to_string(c->default_ttl) : "";
  if (op == "read_collection") return say(200, ",\"indexing\":\"" + c->indexing + "\"" + default_ttl);
  if (op == "query" || op == "count")
    return c->indexing == "none" ? say(400) : query(*c, r.if_contains("partition"), op == "count");
  const std::pair key{text("partition"), text("id")};
  const auto old = c->documents.find(key);
  const bool is_live = old != c->documents.end() && !is_expired(*c, old->second);
  if (is_live ? op == "create" : op != "create" && op != "upsert") return say(is_live ? 409 : 404);
  if (op == "read") return say(200, ",\"document\":" + old->second.text);
  if (op == "delete") return c->documents.erase(old), say(204);
  json::object shown{{"partition", key.first}, {"id", key.second}, {"value", text("value")}, {"_ts", now}};
  if (ttl) shown["ttl"] = *ttl;
  c->documents[key] = {now, ttl ? ttl->to_number<std::int64_t>() : 0, json::serialize(shown)};
  return say(is_live ? 200 : 201, ",\"document\":" + json::serialize(shown));
}
int main(int argc, char**) {
  std::ios::sync_with_stdio(false);
  revives = argc > 1;
  for (std::string line, out; std::getline(std::cin, line); out.clear()) {
    const json::value request = json::parse(line, json::make_shared_resource<json::monotonic_resource>());
    if (request.is_object()) out = answer(request.get_object());
    if (request.is_array())
      for (const auto& each : request.get_array()) (out += out.empty() ? '[' : ',') += answer(each.as_object());
    std::cout << out << (request.is_array() ? "]" : "") << std::endl;
  }
}
