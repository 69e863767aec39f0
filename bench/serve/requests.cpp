#include "requests.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "mayfly/serve/service/address.hpp"
#include "mayfly/serve/service/authorization.hpp"

namespace mayfly::bench {

namespace {

using namespace serve;

constexpr std::string_view items_path = "/dbs/bench/colls/items/docs";

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text)
    encoded += std::isalnum(static_cast<unsigned char>(c)) ? std::string(1, c) : fmt::format("%{:02X}", c);
  return encoded;
}

std::string request(Verb verb, const std::string& path, const std::string& more, const std::string& body) {
  static const Authorization key{emulator_key};
  constexpr std::string_view date = "tue, 14 nov 2023 22:13:20 gmt";
  const Field field{"x-ms-date", date};
  const Address address(path);
  const std::string signature = key.signature(
      text_to_sign({.verb = verb, .target = path, .fields = {&field, 1}, .body = {}}, address.kind(), address.link()));
  std::string name(name_of(verb));
  std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(
      "{} {} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: keep-alive\r\naccept: application/json\r\n"
      "cache-control: no-cache\r\nuser-agent: mayfly-bench\r\nx-ms-version: 2018-12-31\r\nx-ms-date: {}\r\n"
      "authorization: {}\r\n{}"
      "content-length: {}\r\n\r\n{}",
      name, path, date, percent_encoded("type=master&ver=1.0&sig=" + signature), more, body.size(), body);
}

std::string partition_field(std::size_t i) {
  return fmt::format("x-ms-documentdb-partitionkey: [\"p{}\"]\r\n", i % 1000);
}

std::string read(std::size_t i) {
  return request(Verb::get, fmt::format("{}/item-{}", items_path, i), partition_field(i), "");
}

std::string write(std::size_t i) {
  return request(
      Verb::post, std::string(items_path),
      partition_field(i) + "x-ms-documentdb-is-upsert: true\r\ncontent-type: application/json\r\n",
      fmt::format(R"({{"id":"item-{}","pk":"p{}","ttl":{},"user":"somebody","basket":[1,2,3],"note":"{:x>200}"}})", i,
                  i % 1000, 3600 + i, ""));
}

}  // namespace

Requests make_requests(std::size_t items) {
  Requests all;
  all.setup = {request(Verb::post, "/dbs", "", R"({"id":"bench"})"),
               request(Verb::post, "/dbs/bench/colls", "",
                       R"({"id":"items","partitionKey":{"paths":["/pk"],"kind":"Hash"},"defaultTtl":-1})")};
  all.end = {request(Verb::erase, "/dbs/bench", "", "")};
  for (std::size_t i = 0; i < items; ++i) {
    all.reads.push_back(read(i));
    all.writes.push_back(write(i));
  }
  return all;
}

}  // namespace mayfly::bench
