#include "mayfly/props/report/fold.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/report/ascii_timeline.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/story_json.hpp"
#include "mayfly/props/report/storyteller.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "shorthand.hpp"

namespace mayfly::test {

namespace {

DocumentKey numbered_key(int number) { return {"c0", "p0", "d" + std::to_string(number)}; }

/// What happens to documents of one deadline until a query after it.
std::vector<Operation> expiring(int documents) {
  std::vector<Operation> operations{CreateCollection{{"c0", {.default_ttl = std::int64_t{1}}}}};
  for (int i = 0; i < documents; ++i) operations.push_back(Create{{numbered_key(i), {}}});
  operations.insert(operations.end(), {Advance{Seconds{1}}, Query{{"c0", {}}}});
  return operations;
}

Story story_until_difference(Subject& subject, const std::vector<Operation>& operations) {
  Storyteller teller({}, subject);
  for (const auto& operation : operations)
    if (teller.take(operation).differs()) break;
  return teller.story();
}

Story story_with(Defect defect, const std::vector<Operation>& operations) {
  auto subject = store_with(defect);
  return story_until_difference(subject, operations);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<std::string> words_of(const Story& story) {
  std::vector<std::string> words;
  for (const auto& step : story.steps) words.push_back(in_words(step));
  return words;
}

}  // namespace

TEST_CASE("names are counted by the number at their end") {
  CHECK(next_name("d0") == "d1");
  CHECK(next_name("d9") == "d10");
  CHECK(next_name("item-0099") == "item-0100");
  CHECK(next_name("7") == "8");
  CHECK_FALSE(next_name("d"));
  CHECK_FALSE(next_name(""));
  CHECK_FALSE(next_name("d" + std::string(30, '9')));
  CHECK(comes_before(numbered_key(9), numbered_key(10)));
  CHECK_FALSE(comes_before(numbered_key(10), numbered_key(9)));
  CHECK(comes_before({"c0", "p9", "d5"}, {"c0", "p10", "d0"}));
}

TEST_CASE("a crowd is one step and one lane") {
  const Story story = story_with(Defect::ghosts_in_queries, expiring(17));
  CHECK(words_of(story) == std::vector<std::string>{"create collection c0, default ttl 1",
                                                    "create c0/p0/d0 ... d16 (17 documents)", "the clock moves by 1 s",
                                                    "query c0"});
  CHECK(gist(story) ==
        "At second 1 the store still shows c0/p0/d0, which by the rules expired at second 1; so with 16 other "
        "documents.");
  CHECK(ascii_timeline(story) == R"(               second  0                 1
                clock              +1
           c0 default  1                 Q
c0/p0/d0 ... d16 (17)        W==========|!!!!!!
                                         ^ differs
              = alive by the rules  | deadline
              ! shown by the store, against the rules  W write  Q query
)");
  const std::string text = narrate(story);
  CHECK(has(text, "0  create c0/p0/d0 ... d16 (17 documents)  [C2]\n              each {\"status\":201}\n"));
  CHECK(has(text, "visible at c0/p0/d0 ... d16 (17): reference nothing, store {\"value\":\"\",\"_ts\":0}\n"));
  const auto json = story_json(story);
  CHECK(json.at("steps").at(1).at("times") == 17);
  CHECK(json.at("steps").at(1).at("words") == "create c0/p0/d0 ... d16 (17 documents)");
  CHECK(json.at("lanes").at(2).at("label") == "c0/p0/d0 ... d16 (17)");
}

TEST_CASE("a crowd of any size is shown as a whole") {
  const Story story = story_with(Defect::ghosts_in_queries, expiring(1'024));
  CHECK(story.left_out == 0);
  CHECK(has(ascii_timeline(story), "c0/p0/d0 ... d1023 (1,024)"));
  CHECK(has(gist(story), "so with 1,023 other documents."));
  CHECK(narrate(story).size() < 2'000);
  CHECK(boost::json::serialize(story_json(story)).size() < 5'000);
}

TEST_CASE("fewer than four requests are shown one by one") {
  CHECK(story_with(Defect::none, expiring(3)).steps.size() == 1 + 3 + 2);
  CHECK(story_with(Defect::none, expiring(4)).steps.size() == 1 + 1 + 2);
}

TEST_CASE("a document with a request of its own has a lane of its own, and the request a step") {
  auto operations = expiring(9);
  operations.insert(operations.begin() + 5, Read{{numbered_key(2)}});
  const Story story = story_with(Defect::none, operations);
  CHECK(words_of(story)[1] == "create c0/p0/d0 ... d3 (4 documents)");
  CHECK(words_of(story)[2] == "read c0/p0/d2");
  CHECK(words_of(story)[3] == "create c0/p0/d4 ... d8 (5 documents)");
  std::vector<std::string> labels;
  for (const auto& lane : story.lanes) labels.push_back(label_of(lane));
  CHECK(labels ==
        std::vector<std::string>{"clock", "c0", "c0/p0/d0", "c0/p0/d1", "c0/p0/d2", "c0/p0/d3", "c0/p0/d4 ... d8 (5)"});
}

TEST_CASE("requests are one step only if they are answered alike") {
  std::vector<Operation> operations{CreateCollection{{"c0", {}}}};
  for (int i = 0; i < 8; ++i) operations.push_back(Upsert{{d0, {}}});
  for (int i = 0; i < 4; ++i) operations.push_back(Create{{d0, {}}});
  CHECK(words_of(story_with(Defect::none, operations)) ==
        std::vector<std::string>{"create collection c0", "upsert c0/p0/d0", "upsert c0/p0/d0 (7 times)",
                                 "create c0/p0/d0 (4 times)"});
  const Story story = story_with(Defect::none, operations);
  REQUIRE(story.lanes.back().lives.size() == 2);
  CHECK(story.lanes.back().lives[0].ended == Life::Ending::overwritten);
  CHECK(story.lanes.back().marks.size() == 3);
}

TEST_CASE("a difference and a crash are steps of their own") {
  struct Full : Engine {
    Outcome create(Instant now, const DocumentKey& key, const Content& content) {
      return ++creates > 6 ? Outcome{Status::bad_request} : Engine::create(now, key, content);
    }
    int creates = 0;
  };
  InProcess<Full> full("store");
  const Story story = story_until_difference(full, expiring(9));
  CHECK(words_of(story).back() == "create c0/p0/d6");
  CHECK(words_of(story)[1] == "create c0/p0/d0 ... d5 (6 documents)");
  Case test_case;
  for (auto& operation : expiring(9)) test_case.steps.emplace_back(operation);
  test_case.steps.resize(10);
  const Failure failure{&agrees_unwatched(), test_case, {9, test_case.steps.back().operation, {}, "fell"}};
  auto subject = store_with(Defect::none);
  const Story crash = tell_story(failure, subject);
  CHECK(words_of(crash)[1] == "create c0/p0/d0 ... d7 (8 documents)");
  CHECK(crash.steps.back().crash == "fell");
  CHECK(gist(crash) == "At second 0, asked to create c0/p0/d8, the store fell.");
}

TEST_CASE("steps that are repeated in turn are shown once") {
  std::vector<Operation> operations{CreateCollection{{"c0", {.default_ttl = std::int64_t{1}}}}};
  for (int i = 0; i < 20; ++i) operations.insert(operations.end(), {Create{{d0, {}}}, Advance{Seconds{1}}});
  const std::string text = narrate(story_with(Defect::none, operations));
  CHECK(has(text, "              ... the same 2 steps 19 more times, until second 19\n"));
  CHECK(text.size() < 1'000);
}

TEST_CASE("tens of collections are one lane") {
  std::vector<Operation> operations;
  for (int i = 0; i < 20; ++i)
    operations.push_back(CreateCollection{{"c" + std::to_string(i), {.default_ttl = std::int64_t{5}}}});
  const Story story = story_with(Defect::none, operations);
  CHECK(words_of(story) == std::vector<std::string>{"create collection c0 ... c19 (20 collections), default ttl 5"});
  CHECK(label_of(story.lanes.front()) == "c0 ... c19 (20)");
}

TEST_CASE("names that are not plain are quoted, and all that is not ASCII is escaped") {
  CHECK(shown_name("item-7.a_B") == "item-7.a_B");
  CHECK(shown_name("") == R"("")");
  CHECK(shown_name("d0 ") == R"("d0 ")");
  CHECK(shown_name("a/b") == R"("a/b")");
  CHECK(shown_name("a\"\\\n\x01") == R"("a\"\\\n\u0001")");
  CHECK(shown_name("e\xCC\x81\xC3\xA9") == R"("e\u0301\u00E9")");
  CHECK(shown_name("\xE2\x80\xAE\xF0\x9F\x98\x80") == R"("\u202E\uD83D\uDE00")");
  CHECK(shown_name(std::string(255, 'x')) == std::string(20, 'x') + ".." + std::string(10, 'x') + " (255 bytes)");
  CHECK(label_of(DocumentKey{"c0", "", "a b"}) == R"(c0/""/"a b")");
}

TEST_CASE("long texts and long lists are shown by their ends") {
  const std::string text = shown_value({{"value", std::string(70'000, 'v')}});
  CHECK(text.size() < 120);
  CHECK(has(text, "(70,000 bytes)\"}"));
  CHECK(shown_value({{"n", {1, 2, 3, 4, 5, 6, 7, 8}}}) == R"({"n":[1,2,"... 5 more",8]})");
}

}  // namespace mayfly::test
