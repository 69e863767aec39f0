#include "serve_bytes.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "hybrid_batch.hpp"
#include "mayfly/serve/wire/http_session.hpp"

namespace mayfly::test {

namespace {

using namespace serve;

std::string request(std::string_view line, std::string_view fields, std::string_view body) {
  return fmt::format("{} HTTP/1.1\r\nHost: localhost\r\n{}Content-Length: {}\r\n\r\n{}", line, fields, body.size(),
                     body);
}

std::array<std::string, 18> well_formed() {
  const std::string_view in = "x-ms-documentdb-partitionkey: [\"p\"]\r\n";
  const std::string_view docs = "POST /dbs/d/colls/c/docs";
  return {
      request("GET /", "", ""),
      request("POST /dbs", "", R"({"id":"d"})"),
      request("POST /dbs/d/colls", "", R"({"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":10})"),
      request(
          "PUT /dbs/d/colls/c", "",
          R"({"id":"c","partitionKey":{"paths":["/pk"]},"indexingPolicy":{"indexingMode":"lazy"},"defaultTtl":-1})"),
      request(docs, in, R"({"id":"a","pk":"p","ttl":5,"x":[1.5,{"y":"\u00e9"},null]})"),
      request(docs, "x-ms-documentdb-is-upsert: true\r\n", R"({"id":"a","pk":1e2,"_ts":5,"_self":"x"})"),
      request("PUT /dbs/d/colls/c/docs/a", in, R"({"id":"a","pk":"p"})"),
      request("PATCH /dbs/d/colls/c/docs/a", in,
              R"({"operations":[{"op":"incr","path":"/ttl","value":2}],"condition":"from c where c.ttl > 1"})"),
      request("GET /dbs/d/colls/c/docs", "x-ms-max-item-count: 1\r\nx-ms-continuation: 1\r\n", ""),
      request("GET /dbs/d/colls/c/docs",
              "a-im: Incremental Feed\r\nif-none-match: *\r\nif-modified-since: Tue, 14 Nov 2023 22:13:20 GMT\r\n", ""),
      request("GET /dbs/AAAAAQ==/colls/AAAAAYAAAAI=/docs/AAAAAYAAAAIDAAAAAAAAAA==/", "", ""),
      request(
          docs, "x-ms-documentdb-isquery: true\r\n",
          R"({"query":"SELECT c.id, c[\"x\"] AS y FROM c WHERE c.pk = @p ORDER BY c._ts OFFSET 0 LIMIT 2","parameters":[{"name":"@p","value":"p"}]})"),
      request(docs, "x-ms-cosmos-is-batch-request: true\r\nx-ms-cosmos-batch-atomic: true\r\n" + std::string(in),
              R"([{"operationType":"Create","resourceBody":{"id":"b","pk":"p"}},{"operationType":"Delete","id":"b"}])"),
      request("POST /_mayfly/clock/advance", "", R"({"seconds":5})"),
      request("POST /_mayfly/default", "", R"({"database":"d","container":"c","defaultTtl":null})"),
      request("POST /_mayfly/purge", "", R"({"budget":1})"),
      request("GET /_mayfly/items?limit=3", "", ""),
      "DELETE /dbs/d/colls/c/docs/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n" + std::string(in) +
          "\r\n2\r\n{}\r\n0\r\n\r\n",
  };
}

void mutate(std::string& text, Random& random) {
  if (text.empty()) return;
  const std::size_t at = random.below(text.size());
  switch (random.below(4)) {
    case 0:
      text[at] = static_cast<char>(random.below(256));
      break;
    case 1:
      text.erase(at, 1 + random.below(8));
      break;
    case 2:
      text.insert(at, text.substr(at, 1 + random.below(16)));
      break;
    default:
      text[at] = "{}[]\",:/\\%?#\r\n 0-"[random.below(17)];
  }
}

/// A batch in HybridRow. Its rows are changed before they get their checksums, without which nobody would read them.
std::string hybrid_request(Random& random) {
  static const std::array<HybridOperation, 4> operations{
      {{.kind = 0, .partition = R"(["p"])", .id = "b", .body = R"({"id":"b","pk":"p"})", .sparse = "\x03\x0c"},
       {.kind = 1, .id = "a", .body = R"([{"op":"add","path":"/x/-","value":1}])"},
       {.kind = 2, .partition = R"([1e2])", .id = "a"},
       {.kind = 4, .id = "a", .sparse = "\x14\x09\x01*"}}};
  std::string body = hybrid_segment();
  for (std::size_t i = random.below(6); i > 0; --i) {
    std::string row = hybrid_row(operations[random.below(operations.size())]);
    if (random.one_in(2)) mutate(row, random);
    body += hybrid_record(row);
  }
  return request("POST /dbs/d/colls/c/docs",
                 random.one_in(2) ? "x-ms-cosmos-is-batch-request: true\r\n"
                                  : "x-ms-cosmos-is-batch-request: true\r\nx-ms-cosmos-batch-atomic: true\r\n"
                                    "x-ms-documentdb-partitionkey: [\"p\"]\r\n",
                 body);
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

void serve_bytes(std::string_view bytes) {
  Service service({.access = Access::open}, ServiceClock::virtual_from(Instant{Seconds{1'700'000'000}}));
  const HttpLimits limits;
  HttpSession session(service, limits);
  while (!bytes.empty() && !session.is_over()) {
    const auto room = session.room();
    const std::size_t count = std::min(room.size(), bytes.size());
    std::copy_n(bytes.data(), count, room.data());
    session.take_in(count);
    bytes.remove_prefix(count);
    const std::string& answers = session.output();
    require(answers.empty() || answers.starts_with("HTTP/1.1 "), "an answer is no response");
    // With the text around it, so that no echo of the input matches.
    require(answers.find("\r\n\r\n{\"code\":\"InternalServerError\"") == std::string::npos, "an internal error");
    session.output().clear();
  }
  service.account().engine().check_invariants();
}

std::string mutated_requests(Random& random) {
  static const auto all = well_formed();
  std::string text;
  // Most begin with the requests that the others depend on.
  if (random.below(8) > 0) text = all[1] + all[2] + all[4];
  const std::size_t intact = text.size();
  for (std::size_t i = 1 + random.below(4); i > 0; --i)
    text += random.one_in(8) ? hybrid_request(random) : all[random.below(all.size())];
  std::string rest = text.substr(intact);
  for (std::size_t i = random.below(4); i > 0; --i) mutate(rest, random);
  text.replace(intact, std::string::npos, rest);
  return text;
}

}  // namespace mayfly::test
