#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "asked.hpp"
#include "mayfly/props/generate/generate.hpp"
#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/property/property.hpp"
#include "mayfly/props/property/scenarios.hpp"
#include "mayfly/sim/json.hpp"

// The server as a store under test: its REST interface must satisfy what the engine must.

namespace mayfly::test {

namespace {

namespace json = boost::json;
using serve::Response;
using serve::Verb;

Ttl ttl_in(const json::object& item) {
  const json::value* ttl = item.if_contains("ttl");
  if (!ttl) return Inherit{};
  if (*ttl == -1) return Never{};
  return Seconds{ttl->to_number<std::int64_t>()};
}

Document document_in(const json::value& value) {
  const json::object& item = value.as_object();
  const auto text = [&](const char* name) { return std::string(std::string_view(item.at(name).as_string())); };
  return {text("pk"), text("id"), text("value"), Instant{Seconds{item.at("_ts").to_number<std::int64_t>()}},
          ttl_in(item)};
}

/// The field as JSON text, or nothing if it is absent.
std::string field_text(const TtlField& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field)) return std::to_string(*number);
  if (const auto* other = std::get_if<OtherJson>(&field)) return other->text;
  return std::holds_alternative<Null>(field) ? "null" : "";
}

/// Turns operations into requests, and responses into outcomes.
class Translated {
 public:
  explicit Translated(Instant now) : asked_(now) { asked_.post("/dbs", R"({"id":"d"})"); }

  Outcome operator()(const Advance& o) {
    const Instant now = asked_.service.clock().now();
    if (o.seconds > latest_instant - now) return {.status = Status::bad_request};
    asked_.service.clock().move_to(now + o.seconds);
    return {.status = Status::ok, .now = now + o.seconds};
  }
  Outcome operator()(const CreateCollection& o) {
    // In a creation the service does not take null for off, so the property is left out.
    Definition definition = o.definition;
    if (std::holds_alternative<Null>(definition.default_ttl)) definition.default_ttl = Absent{};
    return bare(asked_.post("/dbs/d/colls", container_text(o.collection, definition)));
  }
  // The documents that the preview announces must expire (W5, F3).
  Outcome operator()(const ReplaceCollection& o) {
    const std::int64_t before = live_in(o.collection);
    const std::int64_t expires = previewed(o);
    Outcome outcome = bare(asked_.ask(Verb::put, container(o.collection), container_text(o.collection, o.definition)));
    if (expires >= 0 && outcome.status == Status::ok) CHECK(live_in(o.collection) == before - expires);
    return outcome;
  }
  Outcome operator()(const ReadCollection& o) {
    const Response response = asked_.get(container(o.collection));
    Outcome outcome = bare(response);
    if (response.status != 200) return outcome;
    const json::value body = json_of(response);
    if (const auto* ttl = body.as_object().if_contains("defaultTtl"))
      outcome.default_ttl = *ttl == -1 ? DefaultTtl{Never{}} : DefaultTtl{Seconds{ttl->to_number<std::int64_t>()}};
    const json::value& mode = body.at("indexingPolicy").at("indexingMode");
    outcome.indexing = mode == "none" ? Indexing::none : mode == "lazy" ? Indexing::lazy : Indexing::consistent;
    return outcome;
  }
  Outcome operator()(const DeleteCollection& o) { return bare(asked_.ask(Verb::erase, container(o.collection))); }
  Outcome operator()(const Create& o) { return one(asked_.post(items(o.key), item_text(o.key, o.content), in(o.key))); }
  Outcome operator()(const Replace& o) {
    return one(asked_.ask(Verb::put, item(o.key), item_text(o.key, o.content), in(o.key)));
  }
  Outcome operator()(const Upsert& o) {
    auto fields = in(o.key);
    fields.push_back({"x-ms-documentdb-is-upsert", "true"});
    return one(asked_.post(items(o.key), item_text(o.key, o.content), fields));
  }
  Outcome operator()(const PatchDocument& o) {
    if (o.patch.remove_ttl && !std::holds_alternative<Absent>(o.patch.ttl))
      return {.status = Status::bad_request,
              .charge = Charge{1}};  // the service has no such patch: an operation sets or removes
    return one(asked_.ask(Verb::patch, item(o.key), patch_text(o), in(o.key)));
  }
  Outcome operator()(const Read& o) { return one(asked_.get(item(o.key), in(o.key))); }
  Outcome operator()(const Delete& o) { return bare(asked_.ask(Verb::erase, item(o.key), "", in(o.key))); }
  Outcome operator()(const Query& o) {
    const Response response = search(o, "SELECT * FROM c");
    Outcome outcome = bare(response);
    if (response.status != 200) return outcome;
    outcome.documents.emplace();
    const json::value body = json_of(response);
    for (const json::value& each : body.at("Documents").as_array()) outcome.documents->push_back(document_in(each));
    return outcome;
  }
  Outcome operator()(const Count& o) {
    const Response response = search(o, "SELECT VALUE COUNT(1) FROM c");
    Outcome outcome = bare(response);
    if (response.status == 200) outcome.count = json_of(response).at("Documents").at(0).to_number<std::uint64_t>();
    return outcome;
  }
  Outcome operator()(const Purge& o) {
    const Response response = asked_.post("/_mayfly/purge", fmt::format(R"({{"budget":{}}})", o.budget.units));
    Outcome outcome = bare(response);
    outcome.purged = json_of(response).at("purged").to_number<std::uint64_t>();
    return outcome;
  }
  Outcome operator()(const Index& o) {
    const bool is_there = asked_.get(container(o.collection)).status == 200;
    const Response response = asked_.post("/_mayfly/index", fmt::format(R"({{"budget":{}}})", o.budget.units));
    return is_there ? bare(response) : Outcome{.status = Status::not_found, .charge = Charge{0}};
  }

  Outcome operator()(const Held&) {
    const Response response = asked_.get("/_mayfly/stats");
    Outcome outcome = bare(response);
    auto& held = outcome.held.emplace(0);
    const json::value body = json_of(response);
    for (const json::value& each : body.at("containers").as_array()) held += each.at("held").to_number<std::uint64_t>();
    return outcome;
  }

 private:
  Response search(const FindsDocuments& o, const char* query) {
    Asked::Fields fields{{"x-ms-max-item-count", "-1"}};
    if (o.partition) fields.push_back({"x-ms-documentdb-partitionkey", partition(*o.partition)});
    return asked_.query(container(o.collection) + "/docs", query, fields);
  }
  static std::string container(const std::string& name) { return "/dbs/d/colls/" + name; }

  std::int64_t live_in(const std::string& collection) {
    const json::value stats = json_of(asked_.get("/_mayfly/stats"));
    for (const json::value& each : stats.at("containers").as_array()) {
      CHECK(each.at("held").to_number<int>() == each.at("live").to_number<int>() + each.at("expired").to_number<int>());
      if (each.at("container").as_string() == collection) return each.at("live").to_number<std::int64_t>();
    }
    return 0;
  }

  /// Below 0 if the preview is refused. It has the new default and the old index.
  std::int64_t previewed(const ReplaceCollection& o) {
    const std::string ttl = field_text(o.definition.default_ttl);
    const auto body =
        fmt::format(R"({{"database":"d","container":"{}","defaultTtl":{}}})", o.collection, ttl.empty() ? "null" : ttl);
    const Response response = asked_.post("/_mayfly/default/preview", body);
    return response.status == 200 ? json_of(response).at("expires").to_number<std::int64_t>() : -1;
  }
  static std::string items(const DocumentKey& key) { return container(key.collection) + "/docs"; }
  static std::string item(const DocumentKey& key) { return items(key) + "/" + key.id; }

  // Kept until the next one, because fields are views.
  std::string_view partition(const std::string& value) {
    return partition_ = "[" + json::serialize(json::string_view(value)) + "]";
  }
  Asked::Fields in(const DocumentKey& key) { return {{"x-ms-documentdb-partitionkey", partition(key.partition)}}; }

  static std::string container_text(const std::string& id, const Definition& definition) {
    constexpr std::array<const char*, 3> modes{"consistent", "lazy", "none"};
    const std::string ttl = field_text(definition.default_ttl);
    return fmt::format(R"({{"id":"{}","partitionKey":{{"paths":["/pk"]}},"indexingPolicy":{{"indexingMode":"{}"}}{}}})",
                       id, modes[static_cast<std::size_t>(definition.indexing)],
                       ttl.empty() ? "" : ",\"defaultTtl\":" + ttl);
  }
  static std::string item_text(const DocumentKey& key, const Content& content) {
    const json::object item{{"id", key.id}, {"pk", key.partition}, {"value", content.value}};
    const std::string text = json::serialize(item);
    const std::string ttl = field_text(content.ttl);
    return text.substr(0, text.size() - 1) + (ttl.empty() ? "" : ",\"ttl\":" + ttl) + "}";
  }

  // Removing a missing property is an error, and so is a patch without a change: such a patch writes another property
  // instead.
  std::string patch_text(const PatchDocument& o) {
    std::string text;
    const auto add = [&](const std::string& operation) { text += (text.empty() ? "[" : ",") + operation; };
    if (o.patch.value)
      add(R"({"op":"set","path":"/value","value":)" + json::serialize(json::string_view(*o.patch.value)) + "}");
    const std::string ttl = field_text(o.patch.ttl);
    if (!ttl.empty()) add(R"({"op":"set","path":"/ttl","value":)" + ttl + "}");
    if (o.patch.remove_ttl) {
      const Response response = asked_.get(item(o.key), in(o.key));
      const bool has_ttl = response.status == 200 && json_of(response).as_object().contains("ttl");
      add(has_ttl ? R"({"op":"remove","path":"/ttl"})" : R"({"op":"set","path":"/other","value":1})");
    }
    return text.empty() ? "[]" : text + "]";
  }

  static Outcome bare(const Response& response) {
    return {.status = static_cast<Status>(response.status), .charge = Charge{response.charge}};
  }
  static Outcome one(const Response& response) {
    Outcome outcome = bare(response);
    if (response.status < 300) outcome.document = document_in(json_of(response));
    return outcome;
  }

  Asked asked_;
  std::string partition_;
};

class Server final : public Subject {
 public:
  std::string name() const override { return "server"; }
  void reset(Instant now) override { translated_.emplace(now); }
  Outcome apply(const Step& step) override { return std::visit(*translated_, step.operation); }

 private:
  std::optional<Translated> translated_;
};

}  // namespace

TEST_CASE("the server meets every scenario") {
  Server server;
  for (const Scenario& scenario : all_scenarios()) {
    CAPTURE(scenario.name);
    CHECK(is_met_by(scenario, server));
  }
}

TEST_CASE("the server answers every random case as the reference does, and keeps every law") {
  Server server;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Case test_case = generate(seed, {.longest_case = 60});
    CAPTURE(seed);
    for (const Property& property : all_properties()) {
      CAPTURE(property.name);
      const auto violation = check(property, test_case, server);
      if (!violation) continue;
      FAIL_CHECK("at step ", violation->step, " ", to_line(to_json(violation->operation)), " is answered ",
                 to_line(to_json(violation->exchange.actual)));
    }
  }
}

}  // namespace mayfly::test
