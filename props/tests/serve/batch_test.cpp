#include "mayfly/serve/service/batch.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "hybrid_batch.hpp"
#include "with_container.hpp"

namespace mayfly::test {

namespace {

namespace json = boost::json;
using namespace serve;

Response ask_batch(Asked& asked, const std::string& body, bool is_atomic, const char* goes_on = "True") {
  return asked.post(docs_path, body,
                    {in_p[0],
                     {"x-ms-cosmos-is-batch-request", "True"},
                     {"x-ms-cosmos-batch-atomic", is_atomic ? "True" : "False"},
                     {"x-ms-cosmos-batch-continue-on-error", goes_on}});
}

/// The statuses in a result that is HybridRow.
std::vector<int> statuses_in(const Response& response) {
  std::vector<int> statuses;
  const std::string row_start = "\x81" + little_endian(2145473649);
  for (auto at = response.body.find(row_start); at != std::string::npos; at = response.body.find(row_start, at + 1)) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(response.body.at(at + 6 + i)); };
    statuses.push_back(byte(0) | byte(1) << 8);
  }
  return statuses;
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

}  // namespace

TEST_CASE("a batch sees its own writes, and is executed as a whole or not at all") {
  WithContainer asked;
  asked.put_item("old", R"(,"n":1)");
  const auto batch = [&](const char* body, bool is_atomic = true) {
    return asked.post(docs_path, body,
                      {in_p[0],
                       {"x-ms-cosmos-is-batch-request", "True"},
                       {"x-ms-cosmos-batch-atomic", is_atomic ? "True" : "False"}});
  };
  const char* good = R"([
    {"operationType":"Create","resourceBody":{"id":"a","pk":"p","n":1.50}},
    {"operationType":"Patch","id":"a","resourceBody":{"operations":[{"op":"incr","path":"/n","value":1}]}},
    {"operationType":"Read","id":"a"},
    {"operationType":"Delete","id":"old"}])";
  const Response done = batch(good);
  CHECK(done.status == 200);
  const json::value results = json_of(done);
  CHECK(results.at(0).at("statusCode") == 201);
  CHECK(results.at(2).at("resourceBody").at("n") == 2.5);
  CHECK(results.at(3).at("statusCode") == 204);
  CHECK(asked.read("old").status == 404);
  const char* bad = R"([
    {"operationType":"Upsert","resourceBody":{"id":"b","pk":"p"}},
    {"operationType":"Replace","id":"b","resourceBody":{"id":"b","pk":"p","ttl":0}},
    {"operationType":"Delete","id":"a"}])";
  const Response undone = batch(bad);
  CHECK(undone.status == 207);
  CHECK(json_of(undone).at(0).at("statusCode") == 424);
  CHECK(json_of(undone).at(1).at("statusCode") == 400);
  CHECK(json_of(undone).at(2).at("statusCode") == 424);
  CHECK(asked.read("a").status == 200);
  CHECK(asked.read("b").status == 404);
  const json::value single = json_of(batch(bad, false));
  CHECK(single.at(0).at("statusCode") == 201);
  CHECK(single.at(1).at("statusCode") == 400);
  CHECK(single.at(2).at("statusCode") == 204);
  for (const char* body : {"{}", "[]", "[5]", "[", R"([{"operationType":"Dance"}])"}) CHECK(batch(body).status != 200);

  const json::value elsewhere =
      json_of(batch(R"([{"operationType":"Create","partitionKey":"[\"q\"]","resourceBody":{"id":"q1","pk":"q"}}])"));
  CHECK(elsewhere.at(0).at("statusCode") == 400);
}

TEST_CASE("the answers of a batch have at most 2 MB, and operations that would exceed them have no effect") {
  WithContainer asked;
  asked.put_item("large", ",\"x\":\"" + std::string(1'500'000, 'x') + '"');
  const auto batch = [&](const std::string& body, const char* is_atomic) {
    return asked.post(docs_path, body,
                      {in_p[0], {"x-ms-cosmos-is-batch-request", "True"}, {"x-ms-cosmos-batch-atomic", is_atomic}});
  };
  std::string reads = R"([{"operationType":"Create","resourceBody":{"id":"a","pk":"p"}})";
  for (int i = 0; i < 99; ++i) reads += R"(,{"operationType":"Read","id":"large"})";
  reads += "]";
  const Response refused = batch(reads, "true");
  CHECK(refused.status == 413);
  CHECK(refused.body.size() < 1000);
  CHECK(asked.read("a").status == 404);
  const Response own =
      batch(R"([{"operationType":"Patch","id":"large","resourceBody":[{"op":"add","path":"/y","value":")" +
                std::string(700'000, 'y') + R"("}]},{"operationType":"Read","id":"large"}])",
            "true");
  CHECK(own.status == 207);
  CHECK(json_of(own).at(0).at("statusCode") == 413);
  CHECK(json_of(own).at(1).at("statusCode") == 424);
  const Response bulk = batch(reads, "false");
  CHECK(bulk.body.size() < 2'100'000);
  CHECK(json_of(bulk).at(0).at("statusCode") == 201);
  CHECK(json_of(bulk).at(1).at("statusCode") == 200);
  CHECK(json_of(bulk).at(2).at("statusCode") == 413);
  const std::string patch =
      R"({"operationType":"Patch","id":"large","resourceBody":[{"op":"incr","path":"/n","value":1}]})";
  CHECK(batch("[" + patch + "," + patch + "]", "true").status == 413);
  CHECK(json_of(batch("[" + patch + "," + patch + "]", "false")).at(1).at("statusCode") == 413);
}

TEST_CASE("a batch takes an item of the largest size") {
  WithContainer asked;
  const auto batch = [&](const std::string& operation, const char* is_atomic) {
    const Response response =
        asked.post(docs_path, "[" + operation + "]",
                   {in_p[0], {"x-ms-cosmos-is-batch-request", "True"}, {"x-ms-cosmos-batch-atomic", is_atomic}});
    return response.status == 200 ? json_of(response).at(0).at("statusCode") : json::value(response.status);
  };
  for (const char* is_atomic : {"true", "false"}) {
    const std::string item =
        fmt::format(R"({{"id":"{}","pk":"p","x":"{}"}})", is_atomic, std::string(2 * 1024 * 1024 - 100, 'x'));
    CHECK(batch(R"({"operationType":"Create","resourceBody":)" + item + "}", is_atomic) == 201);
    CHECK(batch(fmt::format(R"({{"operationType":"Read","id":"{}"}})", is_atomic), is_atomic) == 200);
  }
}

TEST_CASE("a batch in HybridRow is executed as one in JSON, and answered in HybridRow") {
  WithContainer asked;
  const std::string body = R"({"id":"a","pk":"p","n":1})";
  const HybridOperation create{.kind = 0, .id = "a", .body = body};
  const Response done =
      ask_batch(asked,
                hybrid_batch({create,
                              {.kind = 1, .id = "a", .body = R"({"operations":[{"op":"incr","path":"/n","value":1}]})"},
                              {.kind = 2, .id = "a"},
                              {.kind = 5, .id = "a", .body = body},
                              {.kind = 20, .body = R"({"id":"b","pk":"p"})"}}),
                true);
  CHECK(done.status == 200);
  CHECK(statuses_in(done) == std::vector{201, 200, 200, 200, 201});
  CHECK(done.body.find(R"("n":2)") != std::string::npos);
  const Response erased = ask_batch(asked, hybrid_batch({{.kind = 4, .id = "b"}}), true);
  CHECK(hex(erased.body) ==
        "81f0d8ff7f010a000000"          // the segment
        "81f1d8ff7f180000003383f917"    // a record: 24 bytes, their CRC-32
        "817154e17f03cc00000000000000"  // status 204, no other
        "10060000000000001440");        // the charge: 5
  CHECK(asked.read("b").status == 404);
  const Response undone = ask_batch(asked, hybrid_batch({{.kind = 4, .id = "a"}, {.kind = 4, .id = "x"}}), true);
  CHECK(undone.status == 207);
  CHECK(statuses_in(undone) == std::vector{424, 404});
  CHECK(asked.read("a").status == 200);
}

TEST_CASE("the fields of an operation in HybridRow have an effect") {
  WithContainer asked;
  const auto in_q = R"({"id":"b","pk":"q","n":1})";
  const std::string minimal = {3, 12};
  const auto if_match = [](const std::string& etag) { return std::string{0x14, 9} + with_length(etag); };
  const Response bulk =
      ask_batch(asked,
                hybrid_batch({{.kind = 0, .partition = R"(["q"])", .body = in_q},
                              {.kind = 5, .partition = R"(["q"])", .id = "b", .body = in_q, .sparse = minimal},
                              {.kind = 2, .partition = R"(["q"])", .id = "b", .sparse = minimal},
                              {.kind = 4, .partition = R"(["q"])", .id = "b", .sparse = if_match("\"x\"")},
                              {.kind = 4, .partition = R"(["q"])", .id = "b", .sparse = if_match("*")},
                              {.kind = 4, .partition = R"(["q"])", .id = "b"}}),
                false);
  CHECK(bulk.status == 207);
  CHECK(statuses_in(bulk) == std::vector{201, 200, 200, 412, 204, 404});
  const auto count = [&](std::string_view text) {
    std::size_t times = 0;
    for (auto at = bulk.body.find(text); at != std::string::npos; at = bulk.body.find(text, at + 1)) ++times;
    return times;
  };
  CHECK(count(R"("n":1)") == 2);
}

TEST_CASE("several operations stop at the first error, unless the request says that they go on") {
  WithContainer asked;
  const std::string json = R"([{"operationType":"Create","resourceBody":{"id":"a","pk":"p"}},
      {"operationType":"Read","id":"x"}, {"operationType":"Delete","id":"a"}])";
  const std::string binary =
      hybrid_batch({{.kind = 0, .body = R"({"id":"a","pk":"p"})"}, {.kind = 2, .id = "x"}, {.kind = 4, .id = "a"}});
  const Response stopped = ask_batch(asked, json, false, "False");
  CHECK(stopped.status == 207);
  CHECK(json_of(stopped).at(1).at("statusCode") == 404);
  CHECK(json_of(stopped).at(2).at("statusCode") == 424);
  CHECK(asked.read("a").status == 200);
  CHECK(json_of(ask_batch(asked, json, false, "True")).at(2).at("statusCode") == 204);
  CHECK(statuses_in(ask_batch(asked, binary, false, "False")) == std::vector{201, 404, 424});
  CHECK(statuses_in(ask_batch(asked, binary, false, "True")) == std::vector{409, 404, 204});
}

TEST_CASE("a batch that is not valid HybridRow is a 400 that says where") {
  WithContainer asked;
  const std::string good = hybrid_batch({{.kind = 0, .partition = R"(["p"])", .body = R"({"id":"a","pk":"p"})"}});
  const auto refused = [&](const std::string& bytes, const std::string& part) {
    const Response response = ask_batch(asked, bytes, false);
    CHECK(response.status == 400);
    if (response.status == 400)
      CHECK_MESSAGE(message_of(response).find(part) != std::string::npos, message_of(response));
  };
  for (std::size_t size = 1; size < good.size(); ++size)
    if (size != hybrid_segment().size()) refused(good.substr(0, size), "bytes are missing");
  refused(hybrid_segment(), "needs an operation");
  std::string changed = good;
  changed.back() = ' ';
  refused(changed, "the checksum of a row is wrong at byte 23");
  refused("\x81" + little_endian(1), "a row is of an unknown schema");
  refused(hybrid_segment() + good, "a row is of an unknown schema");
  refused("\x81" + little_endian(2147473648) + '\1' + little_endian(9), "the header is too short");
  refused(hybrid_batch({{.kind = 0, .sparse = std::string{0x07, 11, 5, 0, 0, 0}}}), "the field 11 of type 7");
  refused(hybrid_batch({{.kind = 0, .sparse = std::string(12, '\xff')}}), "a number is too long");
  refused(hybrid_segment() + hybrid_record("\x81" + little_endian(2145473648) + '\x43' + little_endian(0) +
                                           little_endian(2) + std::string(9, '\xff') + '\x01'),
          "");
  refused(hybrid_batch(std::vector<HybridOperation>(101)), "at most 100 operations");
  CHECK(statuses_in(ask_batch(asked, hybrid_batch({{.kind = 7, .id = "a"}}), false)) == std::vector{400});
  CHECK(asked.read("a").status == 404);
}

}  // namespace mayfly::test
