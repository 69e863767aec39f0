#include "mayfly/serve/service/authorization.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "asked.hpp"
#include "mayfly/rest/http_date.hpp"

namespace mayfly::test {

namespace {

using namespace serve;

}  // namespace

TEST_CASE("a signature is checked over verb, kind, link and date") {
  // The example of the service's documentation.
  const rest::Signer key("dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y+O/0H/t4bQtVNw==");
  const std::string good = "type%3dmaster%26ver%3d1.0%26sig%3dc09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu%2bc%2bc%3d";
  const auto admits = [&](Verb verb, const std::string& target, std::string_view date, std::string_view header) {
    const Asked::Fields fields{{"X-MS-Date", date}, {"Authorization", header}};
    return is_signed({.verb = verb, .target = target, .fields = fields}, rest::Address(target), key);
  };
  const std::string_view date = "Thu, 27 Apr 2017 00:51:12 GMT";
  CHECK(admits(Verb::get, "/dbs/ToDoList", date, good));
  CHECK(admits(Verb::get, "//dbs/ToDoList/", date, good));
  CHECK(!admits(Verb::put, "/dbs/ToDoList", date, good));
  CHECK(!admits(Verb::get, "/dbs/todolist", date, good));
  CHECK(!admits(Verb::get, "/dbs/ToDoList/colls", date, good));
  CHECK(!admits(Verb::get, "/dbs/ToDoList", "Thu, 27 Apr 2017 00:51:13 GMT", good));
  for (const std::string& header : {std::string(), std::string("%"), std::string("type=master&ver=1.0&sig="),
                                    good + "x", good.substr(0, good.size() - 1), std::string(100'000, 'x')})
    CHECK(!admits(Verb::get, "/dbs/ToDoList", date, header));
  CHECK_THROWS(rest::Signer("not base64"));
  CHECK_THROWS(rest::Signer(""));
}

TEST_CASE("with a key of one's own, a request is refused that is more than 15 minutes from the wall clock") {
  const rest::Signer key(rest::emulator_key);
  const auto status = [&](Access access, std::int64_t seconds) {
    Asked asked(Asked::start + Seconds{1'000'000}, access);  // the virtual clock does not matter
    const std::string date = rest::http_date(Asked::start + Seconds{seconds});
    const std::string header = key.authorization("get", "/dbs", date);
    return asked.get("/dbs", {{"x-ms-date", date}, {"authorization", header}}).status;
  };
  for (const std::int64_t seconds : {-900, -1, 0, 900}) CHECK(status(Access::own_key, seconds) == 200);
  for (const std::int64_t seconds : {-86'400, -901, 901}) CHECK(status(Access::own_key, seconds) == 403);
  CHECK(status(Access::emulator, -901) == 200);
  Asked asked(Asked::start, Access::own_key);
  for (const char* date : {"", "soon"})
    CHECK(asked.get("/dbs", {{"x-ms-date", date}, {"authorization", key.authorization("get", "/dbs", date)}}).status ==
          403);
}

TEST_CASE("with the emulators' key, control needs no signature, and requests from pages of other sites are refused") {
  Asked asked(Asked::start, Access::emulator);
  CHECK(asked.get("/dbs").status == 401);
  CHECK(asked.get("/_mayfly/clock").status == 200);
  for (const char* host : {"localhost:8081", "127.0.0.1:8081", "[::1]:8081", "127.0.0.1"}) {
    const std::string origin = std::string("http://") + host;
    CHECK(asked.get("/_mayfly/clock", {{"host", host}}).status == 200);
    CHECK(asked.get("/_mayfly/clock", {{"host", host}, {"origin", origin}, {"sec-fetch-site", "same-origin"}}).status ==
          200);
  }
  const std::vector<Asked::Fields> others{{{"host", "evil.example:8081"}},
                                          {{"host", "localhost.evil.example"}},
                                          {{"host", "127.evil.example"}, {"origin", "http://127.evil.example"}},
                                          {{"host", "127.0.0.1.evil.example:8081"}},
                                          {{"host", "[::1].evil.example"}},
                                          {{"host", "[::1]evil:8081"}},
                                          {{"host", "::1"}},
                                          {{"host", "[127.0.0.1]"}},
                                          {{"host", "127.1"}},
                                          {{"host", "8.8.8.8"}},
                                          {{"host", ""}},
                                          {{"host", "localhost:8081"}, {"origin", "http://evil.example"}},
                                          {{"host", "localhost:8081"}, {"origin", "null"}},
                                          {{"host", "localhost:8081"}, {"origin", "http://localhost:3000"}},
                                          {{"host", "localhost:8081"}, {"sec-fetch-site", "cross-site"}}};
  for (const auto& fields : others) {
    CHECK(asked.ask(Verb::post, "/_mayfly/reset", "", fields).status == 403);
    CHECK(asked.get("/dbs", fields).status == 403);
  }
  Asked own(Asked::start, Access::own_key);
  CHECK(own.get("/_mayfly/clock").status == 401);
  CHECK(own.ask(Verb::post, "/_mayfly/reset").status == 401);
  // Past the origin, the signature is missing.
  const auto status_from = [](Asked& server, const char* origin) {
    return server.get("/_mayfly/clock", {{"host", "localhost:8081"}, {"origin", origin}}).status;
  };
  CHECK(status_from(own, "http://localhost:8081") == 401);
  CHECK(status_from(own, "https://localhost:8081") == 401);
  CHECK(status_from(own, "https://evil.example") == 403);
  CHECK(status_from(asked, "https://localhost:8081") == 403);
}

}  // namespace mayfly::test
