#pragma once

#include <string>
#include <vector>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "mayfly/serve/message/json_text.hpp"
#include "mayfly/serve/service/service.hpp"

namespace mayfly::test {

/// A service for tests: it answers every request, signed or not, and its clock is virtual.
class Asked {
 public:
  using Fields = std::vector<serve::Field>;
  static constexpr Instant start{Seconds{1'700'000'000}};

  explicit Asked(Instant now = start, serve::Access access = serve::Access::open)
      : service({.access = access, .wall = [] { return start; }}, serve::ServiceClock::virtual_from(now)) {}

  serve::Response ask(serve::Verb verb, const std::string& target, const std::string& body = "",
                      const Fields& fields = {}) {
    return service.answer({.verb = verb, .target = target, .fields = fields, .body = body});
  }
  serve::Response get(const std::string& target, const Fields& fields = {}) {
    return ask(serve::Verb::get, target, "", fields);
  }
  serve::Response post(const std::string& target, const std::string& body, const Fields& fields = {}) {
    return ask(serve::Verb::post, target, body, fields);
  }
  serve::Response query(const std::string& target, const std::string& sql, Fields fields = {}) {
    fields.push_back({"x-ms-documentdb-isquery", "True"});
    fields.push_back({"x-ms-documentdb-query-enablecrosspartition", "True"});
    return post(target, boost::json::serialize(boost::json::value{{"query", sql}}), fields);
  }

  void advance(std::int64_t seconds) {
    const Instant now = service.clock().now();
    service.clock().move_to(now + Seconds{seconds});
  }

  serve::Service service;
};

inline boost::json::value json_of(const serve::Response& response) { return serve::parse_json(response.body); }

}  // namespace mayfly::test
