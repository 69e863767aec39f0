#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mayfly/props/property/runner.hpp"
#include "mayfly/serve/message/json_text.hpp"
#include "mayfly/serve/service/service.hpp"
#include "mayfly/sim/random.hpp"
#include "mayfly/sim/stopwatch.hpp"
#include "temporary_folder.hpp"

// The journal's promise: a server that is stopped, killed and out of room answers everything as one that never was.
//
// Two servers get the same random requests, and only one of them has a journal. That one is stopped, or killed between
// or within requests, or its file may not grow for a while. A kill is a copy of its files: what another process would
// find. Within a commit, the copy's log ends somewhere in what the commit wrote.
//
// MAYFLY_RESTART_SECONDS=3600 ./mayfly test -R 'never stopped' searches for an hour: seeds 0 to 39, then 40 and on,
// or from MAYFLY_RESTART_SEED on.

namespace mayfly::test {

namespace {

namespace json = boost::json;
using namespace serve;

struct Question {
  Verb verb = Verb::get;
  std::string target;
  std::string body = {};
  std::string partition = {};  ///< header, if any
  std::string_view more = {};  ///< another header that says true, if any
};

/// Random requests, most of which make sense.
class Questions {
 public:
  explicit Questions(std::uint64_t seed) : random_(seed) {}

  Question change() { return random_.one_in(20) ? control() : client_change(); }

  Question client_change() {
    const auto kind = random_.below(20);
    if (kind == 0) return database_change();
    return kind < 4 ? container_change() : item_change();
  }

  Question large_item() {
    const auto id = random_.below(10);
    return {.verb = Verb::post,
            .target = container() + "/docs",
            .body = fmt::format(R"({{"id":"large {}","pk":1,"x":"{}"}})", id, std::string(60'000, 'x')),
            .more = "x-ms-documentdb-is-upsert"};
  }

  Question control() {
    const std::string path = "/_mayfly/" + pick<3>({"purge", "index", "purge"});
    if (random_.one_in(12))
      return {.verb = Verb::post,
              .target = "/_mayfly/reset",
              .body = pick<3>({"", R"({"now":1000000})", R"({"now":1700000000})"})};
    return {.verb = Verb::post, .target = path, .body = pick<3>({"", R"({"budget":1})", R"({"budget":3})"})};
  }

  Random& random() { return random_; }

 private:
  template <std::size_t N>
  std::string pick(const std::array<const char*, N>& choices) {
    return choices[random_.below(N)];
  }

  std::string database() { return pick<2>({"/dbs/d", "/dbs/e"}); }
  std::string container() { return database() + "/colls/" + pick<3>({"c", "k", "\u00e9%20x"}); }

  Question database_change() {
    const std::string name = pick<2>({"d", "e"});
    if (random_.one_in(6)) return {.verb = Verb::erase, .target = "/dbs/" + name};
    return {.verb = Verb::post, .target = "/dbs", .body = fmt::format(R"({{"id":"{}"}})", name)};
  }

  Question container_change() {
    const std::string id = pick<3>({"c", "k", "\u00e9 x"});
    const std::string path = database() + "/colls";
    const std::string named = path + "/" + (id.size() > 1 ? "%C3%A9%20x" : id);
    if (random_.one_in(12)) return {.verb = Verb::erase, .target = named};
    const std::string key = pick<7>({R"("paths":["/pk"])", R"("paths":["/pk"])", R"("paths":["/pk"])",
                                     R"("paths":["/pk","/n"],"kind":"MultiHash")", R"("paths":["/in/\"b c\""])",
                                     R"("paths":["/ttl"])", R"("paths":["/_etag"])"});
    std::string body = fmt::format(R"({{"id":"{}","partitionKey":{{{}}})", id, key);
    body += pick<8>({"", "", R"(,"defaultTtl":-1)", R"(,"defaultTtl":5)", R"(,"defaultTtl":100)",
                     R"(,"defaultTtl":2147483647)", R"(,"defaultTtl":0)", R"(,"defaultTtl":null)"});
    body += pick<5>({"", "", R"(,"indexingPolicy":{"indexingMode":"lazy"})",
                     R"(,"indexingPolicy":{"indexingMode":"none","automatic":false})",
                     R"(,"indexingPolicy":{"indexingMode":"consistent","excludedPaths":[{"path":"/x/?"}]})"});
    if (random_.one_in(2)) body += ",\"note\":" + value(0);
    body += '}';
    if (random_.one_in(2)) return {.verb = Verb::put, .target = named, .body = body};
    return {.verb = Verb::post, .target = path, .body = body};
  }

  Question item_change() {
    const std::string path = container() + "/docs";
    const std::string id = pick<6>({"a", "b", "c", "\u00e9", "x y", "~"});
    const std::string escaped = id == "x y" ? "x%20y" : id;
    const std::string key = partition();
    const std::string header = key.empty() ? "[{}]" : "[" + key + "]";
    switch (random_.below(8)) {
      case 0:
        return {.verb = Verb::erase, .target = path + "/" + escaped, .partition = header};
      case 1:
        return {.verb = Verb::patch, .target = path + "/" + escaped, .body = patch(), .partition = header};
      case 2:
        return {.verb = Verb::put, .target = path + "/" + escaped, .body = item(id, key), .partition = header};
      case 3:
        return {.verb = Verb::post,
                .target = path,
                .body = fmt::format(R"([{{"operationType":"Upsert","resourceBody":{}}},{{"operationType":"Delete",)"
                                    R"("id":"a"}},{{"operationType":"Create","resourceBody":{}}}])",
                                    item(id, key), item("b", key)),
                .partition = header,
                .more = random_.one_in(2) ? "x-ms-cosmos-batch-atomic" : ""};
      default:
        return {.verb = Verb::post,
                .target = path,
                .body = item(id, key),
                .more = random_.one_in(3) ? "" : "x-ms-documentdb-is-upsert"};
    }
  }

  std::string partition() {
    return pick<16>({R"("p")", R"("p")", R"("p")", "1", "1.0", "1e16", "10000000000000000", "9007199254740993",
                     "0.9369347054789312", "0.9369347054789313", "null", "true", R"("a,\"b")", R"("\u0000")", "",
                     "-0.0"});
  }

  std::string item(const std::string& id, const std::string& key) {
    std::string text = fmt::format(R"({{"id":"{}")", id);
    if (!key.empty()) text += ",\"pk\":" + key;
    text += pick<10>({"", "", "", R"(,"ttl":-1)", R"(,"ttl":1)", R"(,"ttl":7)", R"(,"ttl":2147483647)", R"(,"ttl":5.0)",
                      R"(,"ttl":0)", R"(,"\u005fts":1,"_etag":"x")"});
    for (std::uint64_t i = random_.below(3); i > 0; --i) text += fmt::format(",\"{}\":{}", property(), value(0));
    return text + "}";
  }

  std::string patch() {
    return fmt::format(R"([{{"op":"{}","path":"/{}","from":"/m","value":{}}}])",
                       pick<6>({"add", "set", "replace", "remove", "incr", "move"}), property(), value(0));
  }

  std::string property() { return pick<6>({"n", "m", "ttl", "in", "deep", "\u00fc"}); }

  std::string value(int depth) {
    switch (random_.below(depth < 3 ? 10 : 6)) {
      case 0:
        return pick<8>({"1e308", "5e-324", "1e-400", "-0.0", "18446744073709551615", "-9223372036854775808",
                        "123456789012345678901234567890", "1e999"});
      case 1: {
        // Any double, with all its digits.
        double number = 0;
        const std::uint64_t bits = random_.next() & 0xbfffffffffffffff;
        std::memcpy(&number, &bits, sizeof number);
        return fmt::format("{:.17g}", number);
      }
      case 2:
        return pick<6>({R"("")", R"("\u0000\ud83d\ude00\"\\/")", R"("line\nbreak")", "true", "null", R"("Infinity")"});
      case 6:
        return "[" + value(depth + 1) + "," + value(depth + 1) + "]";
      case 7:
        return fmt::format(R"({{"b c":{},"":{}}})", value(depth + 1), value(depth + 1));
      case 8: {
        const std::size_t levels = random_.one_in(2) ? 40 : 120 + random_.below(12);
        return std::string(levels, '[') + std::string(levels, ']');
      }
      default:
        return std::to_string(random_.below(100));
    }
  }

  Random random_;
};

/// Removes the numbers that each server chooses by itself, because the answers of two servers differ in them.
void forget_numbers(json::value& value) {
  if (auto* list = value.if_array())
    for (auto& element : *list) forget_numbers(element);
  auto* object = value.if_object();
  if (!object) return;
  for (const char* name : {"_rid", "_etag", "eTag", "_self"}) object->erase(name);
  for (auto& member : *object) forget_numbers(member.value());
}

std::string common_text(const Response& response) {
  if (response.body.empty()) return std::to_string(response.status);
  json::value body = parse_json(response.body, {}, 2 * greatest_depth);
  forget_numbers(body);
  return fmt::format("{} {}", response.status, json::serialize(body));
}

class Twins {
 public:
  Twins(std::uint64_t seed, bool is_virtual)
      : questions_(seed), is_virtual_(is_virtual), twin_({.access = Access::open}, clock()) {
    open();
  }

  /// A request to both, unless the file has no room for it.
  void change() {
    if (questions_.random().one_in(5)) return pass_time();
    ask_both(questions_.change());
  }

  void stop() {
    const auto before = seen_before_the_end();
    server_.reset();
    reopen(before);
  }

  void kill_between_requests() {
    const auto before = seen_before_the_end();
    copy_files();
    reopen(before);
  }

  void kill_within_request() {
    const auto before = seen_before_the_end();
    const bool is_control = questions_.random().one_in(3);
    const Question question = is_control ? any_control() : questions_.client_change();
    const std::uintmax_t log_before = log_size();
    std::filesystem::copy_file(name("-mark"), name("-mark-before"), std::filesystem::copy_options::overwrite_existing);
    answer(*server_, question);
    const bool is_kept = !server_->commit();
    REQUIRE(is_kept);
    const std::uintmax_t log_after = log_size();
    std::filesystem::rename(name("-mark-before"), name("-mark"));
    const auto written = static_cast<std::uint64_t>(log_after - log_before);
    const std::uintmax_t end = log_before + (written == 0 ? 0 : questions_.random().below(written + 1));
    copy_files();
    std::filesystem::resize_file(name("-wal"), end);
    if (log_before < end && end < log_after) ++(is_control ? cut_controls_ : cut_);
    open();
    // A control may commit on its own, before the server does: it is then done, or not, wherever the log ends.
    const bool is_done = end == log_after || (is_control && seen(*server_) != before);
    if (is_done)
      answer(twin_, question);
    else
      REQUIRE(seen(*server_) == before);
    compare();
  }

  /// For a while, the file may grow by a few pages at most.
  void fill_disk() {
    const auto before = seen_before_the_end();
    server_.reset();
    const auto pages = std::filesystem::file_size(name("")) / 4096 + questions_.random().below(6);
    open({.pages = static_cast<std::uint32_t>(pages)});
    REQUIRE(seen(*server_) == before);
    for (int i = 0; i < 10; ++i) {
      change();
      ask_both(questions_.large_item());
    }
    stop();
  }

  int refused() const { return refused_; }  ///< requests that found no room
  int cut() const { return cut_; }          ///< commits that were killed in the middle
  int cut_controls() const { return cut_controls_; }

  void compare() {
    index();
    REQUIRE(common(*server_) == common(twin_));
  }

 private:
  using Texts = std::vector<std::string>;

  std::string name(const char* ending) const { return (folder_->file().string() + ending); }
  std::uintmax_t log_size() const { return std::filesystem::file_size(name("-wal")); }

  ServiceClock clock() {
    return is_virtual_ ? ServiceClock::virtual_from(Instant{}) : ServiceClock::real([this] { return wall_; });
  }

  void open(JournalLimits limits = {}) {
    Journal journal(folder_->file(), limits);
    REQUIRE(journal.loss().value_or("") == "");
    server_.emplace(ServiceOptions{.access = Access::open}, clock(), std::move(journal));
  }

  void copy_files() {
    auto other = std::make_unique<TemporaryFolder>();
    for (const char* ending : {"", "-wal", "-mark"})
      if (std::filesystem::exists(name(ending)))
        std::filesystem::copy_file(name(ending), other->file().string() + ending);
    server_.reset();
    folder_ = std::move(other);
  }

  void reopen(const Texts& before) {
    open();
    if (!before.empty()) REQUIRE(seen(*server_) == before);
    compare();
  }

  static Response answer(Service& service, const Question& question) {
    std::vector<Field> fields{{"x-ms-documentdb-query-enablecrosspartition", "true"}};
    if (!question.partition.empty()) fields.push_back({"x-ms-documentdb-partitionkey", question.partition});
    if (!question.more.empty()) fields.push_back({question.more, "true"});
    if (question.body.starts_with("[{\"operationType")) fields.push_back({"x-ms-cosmos-is-batch-request", "true"});
    return service.answer({.verb = question.verb, .target = question.target, .fields = fields, .body = question.body});
  }

  void ask_both(const Question& question) {
    CAPTURE(question.target);
    CAPTURE(question.body);
    const Response answered = answer(*server_, question);
    const auto failure = server_->commit();
    if (failure) {
      REQUIRE(failure->status == 507);
      ++refused_;
      return;
    }
    const Response other = answer(twin_, question);
    REQUIRE(answered.status == other.status);
    // Loading the file has dropped the expired items already, without a purge.
    if (question.target != "/_mayfly/purge") REQUIRE(common_text(answered) == common_text(other));
  }

  std::uint64_t some_seconds() { return questions_.random().below(questions_.random().one_in(10) ? 200 : 4); }

  Question clock_move() {
    return {.verb = Verb::post,
            .target = "/_mayfly/clock/advance",
            .body = fmt::format(R"({{"seconds":{}}})", some_seconds())};
  }

  Question any_control() { return is_virtual_ && questions_.random().one_in(2) ? clock_move() : questions_.control(); }

  void pass_time() {
    if (is_virtual_) return ask_both(clock_move());
    wall_ += Seconds{some_seconds()};
  }

  void index() {
    for (Service* service : {&*server_, &twin_}) answer(*service, {.verb = Verb::post, .target = "/_mayfly/index"});
  }

  Texts seen_before_the_end() {
    compare();
    return seen(*server_);
  }

  static Texts common(Service& service) {
    Texts texts;
    for (const Response& response : everything(service)) texts.push_back(common_text(response));
    return sorted(texts);
  }

  /// All that a server shows, its own numbers included.
  static Texts seen(Service& service) {
    Texts texts;
    for (const Response& response : everything(service))
      texts.push_back(fmt::format("{} {} {}", response.status, response.etag, response.body));
    return sorted(texts);
  }

  // Items come in an order of the server's own.
  static Texts sorted(Texts texts) {
    std::sort(texts.begin(), texts.end());
    return texts;
  }

  static std::vector<Response> everything(Service& service) {
    std::vector<Response> all;
    all.push_back(answer(service, {.target = "/_mayfly/clock"}));
    for (const auto& [id, database] : service.account().databases()) {
      all.push_back(answer(service, {.target = "/dbs/" + id}));
      for (const auto& [name, container] : database.containers) {
        const std::string path = "/dbs/" + id + "/colls/" + (name.size() > 1 ? "%C3%A9%20x" : name);
        all.push_back(answer(service, {.target = path}));
        const Response feed = answer(service, {.target = path + "/docs"});
        add_items(all, feed);
        read_each(all, service, path + "/docs/", container, feed);
        for (const char* sql : {"SELECT * FROM c", "SELECT VALUE COUNT(1) FROM c WHERE c.n > 0.5",
                                "SELECT VALUE c.n FROM c ORDER BY c.n"})
          add_items(all, answer(service, {.verb = Verb::post,
                                          .target = path + "/docs",
                                          .body = fmt::format(R"({{"query":"{}"}})", sql),
                                          .more = "x-ms-documentdb-isquery"}));
      }
    }
    return all;
  }

  /// Reads each item of a feed by its id and key, which the item itself says.
  static void read_each(std::vector<Response>& all, Service& service, const std::string& path,
                        const Container& container, const Response& feed) {
    const bool is_by_etag = container.key.paths().front().front() == "_etag";  // which is not what the client wrote
    if (is_by_etag) return;
    const json::value body = parse_json(feed.body, {}, 2 * greatest_depth);
    for (const json::value& item : body.at("Documents").as_array()) {
      const std::string id(std::string_view(item.at("id").as_string()));
      const std::string key = container.key.partition_of(item.as_object());
      Response read = answer(service, {.target = path + percent_encoded(id), .partition = header_of(key)});
      REQUIRE(read.status == 200);
      REQUIRE(parse_json(read.body, {}, 2 * greatest_depth) == item);
      all.push_back(std::move(read));
    }
  }

  static std::string percent_encoded(std::string_view text) {
    std::string encoded;
    for (const char c : text) encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return encoded;
  }

  /// A partition as a header names it: a component that is missing is an empty object.
  static std::string header_of(const std::string& key) {
    std::string list = "[" + key + "]";
    if (list == "[]") return "[{}]";
    if (list[1] == ',') list.insert(1, "{}");
    if (list[list.size() - 2] == ',') list.insert(list.size() - 1, "{}");
    return list;
  }

  static void add_items(std::vector<Response>& all, const Response& page) {
    if (page.status != 200) return all.push_back(page);
    REQUIRE(page.continuation.empty());
    json::value body = parse_json(page.body, {}, 2 * greatest_depth);
    for (const json::value& item : body.at("Documents").as_array()) all.push_back({.body = json::serialize(item)});
  }

  Questions questions_;
  bool is_virtual_;
  Instant wall_{Seconds{1'700'000'000}};
  std::unique_ptr<TemporaryFolder> folder_ = std::make_unique<TemporaryFolder>();
  Service twin_;
  std::optional<Service> server_;
  int refused_ = 0;
  int cut_ = 0;
  int cut_controls_ = 0;
};

/// How often the rare things happened.
struct Floors {
  int refused = 0;
  int cut = 0;
  int cut_controls = 0;
};

void search(std::uint64_t seed, Floors& floors) {
  CAPTURE(seed);
  Random random(seed, 1);
  Twins twins(seed, seed % 2 == 0);
  for (int part = 0; part < 12; ++part) {
    for (auto changes = random.below(40); changes > 0; --changes) twins.change();
    switch (random.below(4)) {
      case 0:
        twins.stop();
        break;
      case 1:
        twins.kill_between_requests();
        break;
      case 2:
        for (int kill = 0; kill < 3; ++kill) twins.kill_within_request();
        break;
      default:
        twins.fill_disk();
    }
  }
  floors.refused += twins.refused();
  floors.cut += twins.cut();
  floors.cut_controls += twins.cut_controls();
}

}  // namespace

TEST_CASE("a server that is stopped, killed and out of room answers as one that never stopped") {
  const char* seconds = std::getenv("MAYFLY_RESTART_SECONDS");
  const Stopwatch watch;
  std::uint64_t seed = 0;
  Floors floors;
  for (; seed < 40; ++seed) search(seed, floors);
  CHECK(floors.refused > 40);
  CHECK(floors.cut > 20);
  CHECK(floors.cut_controls > 5);
  if (const char* first = std::getenv("MAYFLY_RESTART_SEED")) seed = std::strtoull(first, nullptr, 10);
  for (; seconds && watch.seconds() < std::atof(seconds); ++seed) search(seed, floors);
  if (seconds) MESSAGE(fmt::format("up to seed {}", seed));
}

}  // namespace mayfly::test
