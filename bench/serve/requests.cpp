#include "requests.hpp"

#include <fmt/format.h>

#include "mayfly/rest/master_key.hpp"
#include "mayfly/rest/signature.hpp"

namespace mayfly::bench {

namespace {

constexpr std::string_view items_path = "/dbs/bench/colls/items/docs";

std::string request(std::string_view verb, const std::string& path, const std::string& more, const std::string& body) {
  static const rest::Signer key{rest::emulator_key};
  constexpr std::string_view date = "tue, 14 nov 2023 22:13:20 gmt";
  return fmt::format(
      "{} {} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: keep-alive\r\naccept: application/json\r\n"
      "cache-control: no-cache\r\nuser-agent: mayfly-bench\r\nx-ms-version: 2018-12-31\r\nx-ms-date: {}\r\n"
      "authorization: {}\r\n{}"
      "content-length: {}\r\n\r\n{}",
      verb, path, date, key.authorization(verb, path, date), more, body.size(), body);
}

std::string partition_field(std::size_t i) {
  return fmt::format("x-ms-documentdb-partitionkey: [\"p{}\"]\r\n", i % 1000);
}

std::string read(std::size_t i) {
  return request("GET", fmt::format("{}/item-{}", items_path, i), partition_field(i), "");
}

std::string write(std::size_t i) {
  return request(
      "POST", std::string(items_path),
      partition_field(i) + "x-ms-documentdb-is-upsert: true\r\ncontent-type: application/json\r\n",
      fmt::format(R"({{"id":"item-{}","pk":"p{}","ttl":{},"user":"somebody","basket":[1,2,3],"note":"{:x>200}"}})", i,
                  i % 1000, 3600 + i, ""));
}

}  // namespace

Requests make_requests(std::size_t items) {
  Requests all;
  all.setup = {request("POST", "/dbs", "", R"({"id":"bench"})"),
               request("POST", "/dbs/bench/colls", "",
                       R"({"id":"items","partitionKey":{"paths":["/pk"],"kind":"Hash"},"defaultTtl":-1})")};
  all.end = {request("DELETE", "/dbs/bench", "", "")};
  for (std::size_t i = 0; i < items; ++i) {
    all.reads.push_back(read(i));
    all.writes.push_back(write(i));
  }
  return all;
}

}  // namespace mayfly::bench
