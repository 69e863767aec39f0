#include <algorithm>

#include <doctest/doctest.h>

#include "mayfly/serve/wire/http_session.hpp"
#include "mayfly/sim/random.hpp"
#include "serve_bytes.hpp"

namespace mayfly::test {

namespace {

using namespace serve;

struct Connected {
  Service service{{.access = Access::open}, ServiceClock::virtual_from(Instant{Seconds{1'700'000'000}})};
  HttpLimits limits;
  HttpSession session{service, limits};

  void send(std::string_view bytes, std::size_t step = 4096) {
    while (!bytes.empty()) {
      const auto room = session.room();
      const std::size_t count = std::min({step, room.size(), bytes.size()});
      std::copy_n(bytes.data(), count, room.data());
      session.take_in(count);
      bytes.remove_prefix(count);
    }
  }

  std::string say(std::string_view bytes, std::size_t step = 4096) {
    send(bytes, step);
    return std::exchange(session.output(), {});
  }
};

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

const std::string clock_request = "GET /_mayfly/clock HTTP/1.1\r\nHost: localhost\r\n\r\n";

}  // namespace

TEST_CASE("requests are answered in order, however their bytes arrive") {
  const std::string body = R"({"id":"d"})";
  const std::string all = "POST /dbs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n" + body +
                          "POST /dbs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
                          "chunked\r\n\r\n4\r\n{\"id\r\n6\r\n\":\"e\"}\r\n0\r\n\r\n" +
                          "DELETE /dbs/d HTTP/1.1\r\nHost: localhost\r\n\r\n" + clock_request;
  const std::string whole = Connected().say(all);
  CHECK(count_of(whole, "HTTP/1.1 201 Created\r\n") == 2);
  CHECK(count_of(whole, "HTTP/1.1 204 No Content\r\n") == 1);
  CHECK(count_of(whole, "HTTP/1.1 200 OK\r\n") == 1);
  CHECK(count_of(whole, "x-ms-request-charge: ") == 4);
  for (std::size_t step = 1; step < 20; ++step) CHECK(Connected().say(all, step) == whole);
}

TEST_CASE("input that is not HTTP, or too long, gets an error, and the connection ends") {
  const std::pair<std::string, const char*> wrong[]{
      {"nonsense\r\n\r\n", "400"},
      {"GET / HTTP/3.0\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nno colon\r\n\r\n", "400"},
      {"GET /dbs HTTP/1.1\r\n\r\n", "400"},
      {"GET /dbs HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n\r\n", "400"},
      {"GET /dbs HTTP/1.0\r\nHost: localhost\r\nhost: localhost\r\n\r\n", "400"},
      {"POST /dbs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "501"},
      {"POST /dbs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "501"},
      {"POST /dbs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n",
       "400"},
      {"POST /dbs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n",
       "400"},
      {"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", "400"},
      {"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "400"},
      {"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "400"},
      {std::string(3, '\0') + "\r\n\r\n", "400"},
      {"\x16\x03\x01\x02\x00 a greeting of TLS\r\n", "400"},
      {"GET / HTTP/1.1\r\nx: " + std::string(40'000, 'x') + "\r\n\r\n", "431"},
      {"GET /" + std::string(40'000, 'x'), "431"},
      {"POST /dbs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n", "413"},
      {"POST /dbs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4194305\r\n\r\n", "413"}};
  for (const auto& [bytes, status] : wrong) {
    Connected connected;
    const std::string answer = connected.say(bytes);
    const std::string sent(bytes.substr(0, 60));
    CAPTURE(sent);
    CHECK(answer.starts_with(std::string("HTTP/1.1 ") + status));
    CHECK(answer.find("connection: close\r\n") != std::string::npos);
    CHECK(answer.find("\"message\":") != std::string::npos);
    CHECK(connected.session.is_over());
    CHECK(connected.say(clock_request).empty());
  }
}

TEST_CASE("a HEAD is answered as a GET, without the body") {
  const std::string fields = "Host: localhost\r\nx-ms-activity-id: 7c5d2f6e-9c9b-4c7e-8a3d-0d5b9f1c2a3b\r\n\r\n";
  const std::string head = "HEAD /dbs HTTP/1.1\r\n" + fields;
  const std::string get = Connected().say("GET /dbs HTTP/1.1\r\n" + fields);
  const std::string header = get.substr(0, get.find("\r\n\r\n") + 4);
  CHECK(header.find("content-length: ") != std::string::npos);
  CHECK(Connected().say(head) == header);
  CHECK(Connected().say(head + head) == header + header);
  CHECK(Connected().say("HEAD /dbs/x HTTP/1.1\r\nHost: localhost\r\n\r\n").ends_with("\r\n\r\n"));
  Connected replaced;
  replaced.send(head + clock_request);
  replaced.session.answer_instead(error(507, "There is no room."));
  CHECK(count_of(replaced.session.output(), "HTTP/1.1 507") == 2);
  CHECK(count_of(replaced.session.output(), "There is no room.") == 1);
}

TEST_CASE("an item of more than 2 MB is refused, and the connection stays open") {
  Connected connected;
  const std::string body(2 * 1024 * 1024 + 1, ' ');
  const std::string answer = connected.say(
      "POST /dbs HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  CHECK(answer.starts_with("HTTP/1.1 413"));
  CHECK(!connected.session.is_over());
  CHECK(connected.say(clock_request).starts_with("HTTP/1.1 200"));
}

TEST_CASE("a client that expects 100-continue gets it, and one that asks to close is disconnected") {
  Connected connected;
  CHECK(connected.say("POST /dbs HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n") ==
        "HTTP/1.1 100 Continue\r\n\r\n");
  CHECK(connected.say(R"({"id":"d"})").starts_with("HTTP/1.1 201"));
  const std::string last = connected.say("GET /dbs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  CHECK(last.find("connection: close\r\n") != std::string::npos);
  CHECK(connected.session.is_over());
  Connected old;
  CHECK(old.say("GET /dbs HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 200"));
  CHECK(old.session.is_over());
}

TEST_CASE("a client of HTTP/1.0 is told that the connection stays open, also by an answer that replaces another") {
  Connected connected;
  connected.send("GET /_mayfly/clock HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  CHECK(connected.session.output().find("connection: keep-alive\r\n") != std::string::npos);
  connected.session.answer_instead(error(507, "There is no room."));
  CHECK(connected.session.output().starts_with("HTTP/1.1 507"));
  CHECK(connected.session.output().find("connection: keep-alive\r\n") != std::string::npos);
}

TEST_CASE("an incomplete request that takes too long gets an error, and an idle connection gets none") {
  Connected half;
  CHECK(half.say("GET /dbs HT").empty());
  half.session.time_out();
  CHECK(half.session.output().starts_with("HTTP/1.1 408"));
  CHECK(half.session.is_over());
  Connected silent;
  silent.session.time_out();
  CHECK(silent.session.output().empty());
  CHECK(silent.session.is_over());
}

TEST_CASE("a client that takes no answers is not answered without limit, and gets every answer once it does") {
  Connected connected;
  constexpr std::size_t count = 20'000;
  std::string many;
  for (std::size_t i = 0; i < count; ++i) many += clock_request;
  std::string answers = connected.say(many);
  const std::size_t at_first = count_of(answers, "HTTP/1.1 200 OK");
  CHECK(answers.size() >= connected.limits.waiting_bytes);
  CHECK(at_first < count / 2);
  do {
    connected.session.output().clear();
    connected.session.go_on();
    answers += connected.session.output();
  } while (!connected.session.output().empty());
  CHECK(count_of(answers, "HTTP/1.1 200 OK") == count);
}

TEST_CASE("no sequence of bytes crashes the server") {
  Random random(1);
  for (int i = 0; i < 3'000; ++i) serve_bytes(mutated_requests(random));
}

}  // namespace mayfly::test
