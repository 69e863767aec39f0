#pragma once

#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "asked.hpp"

namespace mayfly::test {

inline const std::string docs_path = "/dbs/d/colls/c/docs";
inline const Asked::Fields in_p{{"x-ms-documentdb-partitionkey", R"(["p"])"}};

/// With a container `c` whose items are found by `pk`, and more properties of it if given.
struct WithContainer : Asked {
  explicit WithContainer(const std::string& more = R"(,"defaultTtl":10)") {
    post("/dbs", R"({"id":"d"})");
    CHECK(post("/dbs/d/colls", R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash"})" + more + "}").status ==
          201);
  }
  serve::Response put_item(const std::string& id, const std::string& more = "") {
    return post(docs_path, fmt::format(R"({{"id":"{}","pk":"p"{}}})", id, more),
                {{"x-ms-documentdb-is-upsert", "true"}});
  }
  serve::Response read(const std::string& id, Asked::Fields more = {}) {
    more.insert(more.end(), in_p.begin(), in_p.end());
    return get(docs_path + "/" + id, more);
  }
};

inline std::string message_of(const serve::Response& response) {
  return std::string(std::string_view(json_of(response).at("message").as_string()));
}

inline std::set<std::string> ids_in(const serve::Response& response) {
  std::set<std::string> ids;
  const boost::json::value body = json_of(response);
  for (const boost::json::value& item : body.at("Documents").as_array())
    ids.insert(std::string(std::string_view(item.at("id").as_string())));
  return ids;
}

}  // namespace mayfly::test
