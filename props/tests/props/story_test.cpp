#include "mayfly/props/report/story.hpp"

#include <set>
#include <sstream>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/report/ascii_timeline.hpp"
#include "mayfly/props/report/axis.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/story_json.hpp"
#include "mayfly/props/report/storyteller.hpp"
#include "mayfly/props/run/random_search.hpp"
#include "mayfly/sim/json.hpp"
#include "shorthand.hpp"

namespace mayfly::test {

namespace {

/// The story of a case until the first difference, or to the end.
Story story_of(Defect defect, const std::vector<Operation>& operations, Instant start = {}) {
  auto subject = store_with(defect);
  Storyteller teller(start, subject);
  for (const auto& operation : operations)
    if (teller.take(operation).differs()) break;
  return teller.story();
}

CreateCollection collection(std::int64_t default_ttl) { return {{"c0", {.default_ttl = default_ttl}}}; }
ReplaceCollection new_default(std::int64_t default_ttl) { return {{"c0", {.default_ttl = default_ttl}}}; }
Create create(std::int64_t ttl, DocumentKey key = d0) { return {{std::move(key), {.ttl = ttl}}}; }
Advance advance(std::int64_t seconds) { return {Seconds{seconds}}; }
Create inheriting() { return {{d0, {}}}; }
Read read(DocumentKey key = d0) { return {{std::move(key)}}; }

const Lane& lane_of(const Story& story, const DocumentKey& key = d0) {
  for (const auto& lane : story.lanes)
    if (lane.kind == Lane::Kind::document && lane.key == key) return lane;
  FAIL("there is no lane for ", key.id);
  return story.lanes.front();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void check_fits(const std::string& drawing, std::size_t width = 80) {
  CAPTURE(drawing);
  for (const auto& line : lines_of(drawing)) {
    CHECK(line.size() <= width);
    for (const char c : line) CHECK((c >= ' ' && c <= '~'));
  }
}

Instant second(std::int64_t count) { return Instant{Seconds{count}}; }

/// A reference that gives this answer to one request instead.
class Altered final : public Subject {
 public:
  Altered(Operation altered, const std::string& answer)
      : altered_(std::move(altered)), answer_(parse_answer(boost::json::parse(answer))) {}
  std::string name() const override { return "store"; }
  void reset(Instant now) override { reference_.reset(now); }
  Outcome apply(const Step& step) override {
    Outcome right = reference_.apply(step);
    return step.operation == altered_ ? answer_ : right;
  }

 private:
  Operation altered_;
  Outcome answer_;
  InProcess<ReferenceStore> reference_{"reference"};
};

Story story_of_altered(const Operation& last, const std::string& answer) {
  Altered subject(last, answer);
  Storyteller teller({}, subject);
  for (const Operation& operation : {Operation{collection(-1)}, Operation{create(5)}, last}) teller.take(operation);
  return teller.story();
}

}  // namespace

TEST_CASE("an invalid answer is shown as the store gave it, with what is wrong with it") {
  const std::string shown = R"({"status":200,"document":{"partition":"p0","id":"d0","value":"","_ts":0,"ttl":)";
  const std::vector<std::pair<std::string, std::string>> answers{
      {shown + "0}}", "At second 0 the store shows c0/p0/d0 with ttl 0 instead of 5."},
      {shown + R"("5"}})", R"(At second 0 the store shows c0/p0/d0 with ttl "5" instead of 5.)"},
      {shown + R"([5],"etag":1}})",
       R"(At second 0 the store shows c0/p0/d0 with ttl [5] instead of 5, etag 1 instead of absent.)"},
      {R"({"status":200,"document":{"partition":"p0","id":"d0","value":7,"ttl":5}})",
       R"(At second 0 the store shows c0/p0/d0 with value 7 instead of "", _ts absent instead of 0.)"},
      {R"({"status":200,"document":[]})",
       "At second 0 the store does not show c0/p0/d0, which by the rules lives until second 5."}};
  for (const auto& pair : answers) {
    const Story story = story_of_altered(read(), pair.first);
    CHECK(gist(story) == pair.second);
    CHECK(narrate(story).find("store      " + pair.first + "   <-- differs") != std::string::npos);
    CHECK(story_json(story).at("steps").at(2).at("answer").as_string() == pair.first);
    check_fits(ascii_timeline(story));
  }
  const Operation settings = ReadCollection{{"c0"}};
  CHECK(gist(story_of_altered(settings, "{}")) ==
        "At second 0, asked to read collection c0, the store answers no status where the rules demand 200.");
  CHECK(gist(story_of_altered(settings, R"({"status":"200"})")) ==
        R"(At second 0, asked to read collection c0, the store answers "200" where the rules demand 200.)");
  CHECK(gist(story_of_altered(settings, R"({"status":200,"default_ttl":-1,"indexing":"eager"})")) ==
        "At second 0, asked to read collection c0, the store answers otherwise than the rules allow.");
}

TEST_CASE("a life runs from the write to the deadline, and a ghost from there to the answer that shows it") {
  const Story story = story_of(Defect::expires_late, {collection(-1), create(5), advance(5), read()});
  const Lane& lane = lane_of(story);
  REQUIRE(lane.lives.size() == 1);
  CHECK(lane.lives[0].from == second(0));
  CHECK(lane.lives[0].until == second(5));
  CHECK(lane.lives[0].ended == Life::Ending::expired);
  CHECK(lane.lives[0].text == "ttl 5 s");
  REQUIRE(lane.ghosts.size() == 1);
  CHECK(lane.ghosts[0].kind == Ghost::Kind::shown);
  const Axis axis(story);
  CHECK(axis.of(lane.lives[0]).from == 1);
  CHECK(axis.of(lane.lives[0]).until == 3);
  CHECK(axis.of(lane, lane.ghosts[0]).from == 3);
  CHECK(axis.of(lane, lane.ghosts[0]).until == 4);
  CHECK(gist(story) == "At second 5 the store still shows c0/p0/d0, which by the rules expired at second 5.");
}

TEST_CASE("a timeline shows each life, the clock, the default, and the step at which the store breaks the rules") {
  const Story story = story_of(Defect::expires_late, {collection(-1), create(5), advance(5), read()});
  CHECK(ascii_timeline(story) == R"(      second  0                 5
       clock              +5
  c0 default  never
    c0/p0/d0        W==========|r!!!!!
                                ^ differs
              = alive by the rules  | deadline
              ! shown by the store, against the rules  W write  R read
              lower case: 4xx by the rules
)");
}

TEST_CASE("X4: a ghost reaches from the end of its life to the answer that shows it") {
  const Story story = story_of(Defect::revived_by_off,
                               {collection(1), inheriting(), advance(3), ReplaceCollection{{"c0", {}}}, read()});
  CHECK(ascii_timeline(story).find("W==========|!!!!!!!!!!!!r!!!!!") != std::string::npos);
  CHECK(gist(story) == "At second 3 the store still shows c0/p0/d0, which by the rules expired at second 1.");
}

TEST_CASE("a document that is missing too early is a hole in its life") {
  const Story story = story_of(Defect::expires_early, {collection(-1), create(5), advance(4), read()});
  CHECK(lane_of(story).ghosts.at(0).kind == Ghost::Kind::hidden);
  CHECK(lane_of(story).lives.at(0).ended == Life::Ending::open);
  CHECK(gist(story) == "At second 4 the store does not show c0/p0/d0, which by the rules lives until second 5.");
  CHECK(ascii_timeline(story).find("W===========R????|") != std::string::npos);
}

TEST_CASE("writes and deletes end a life, and the identity begins another") {
  const Story story = story_of(Defect::none, {collection(-1), create(5), Upsert{{d0, {}}}, Delete{{d0}}, create(7)});
  const auto& lives = lane_of(story).lives;
  REQUIRE(lives.size() == 3);
  CHECK(lives[0].ended == Life::Ending::overwritten);
  CHECK(lives[1].ended == Life::Ending::deleted);
  CHECK(lives[1].text == "no ttl");
  CHECK(lives[2].ended == Life::Ending::open);
  CHECK(lives[2].until == second(7));
  INFO(ascii_timeline(story));
  CHECK(ascii_timeline(story).find("W=====W=====D     W") != std::string::npos);
}

TEST_CASE("W5: a new default moves the deadline, and the one before stays visible") {
  const Story later =
      story_of(Defect::deadline_never_later, {collection(2), inheriting(), new_default(9), advance(2), read()});
  const Life& life = lane_of(later).lives.at(0);
  CHECK(life.until == second(9));
  CHECK(life.once_due == std::vector{second(2)});
  CHECK(ascii_timeline(later) == R"(      second  0                       2     9
       clock                    +2
  c0 default  2           9
    c0/p0/d0        W================:R????|
                                      ^ differs
              = alive by the rules  | deadline  : where it was due before
              ? not shown by the store  W write  R read
)");
  const Story at_once = story_of(Defect::none, {collection(9), inheriting(), advance(5), new_default(2)});
  const Life& cut = lane_of(at_once).lives.at(0);
  CHECK(cut.ended == Life::Ending::default_changed);
  CHECK(cut.until == second(5));
  CHECK(cut.once_due == std::vector{second(9)});
  const Story off = story_of(Defect::none, {collection(9), inheriting(), ReplaceCollection{{"c0", {}}}});
  CHECK(lane_of(off).lives.at(0).until == std::nullopt);
  CHECK(ascii_timeline(off).find('>') != std::string::npos);
}

TEST_CASE("C3: a deleted collection ends the lives of its documents, and its own") {
  const Story story =
      story_of(Defect::none, {collection(-1), create(5), DeleteCollection{{"c0"}}, collection(-1), inheriting()});
  CHECK(lane_of(story).lives.at(0).ended == Life::Ending::deleted);
  CHECK(lane_of(story).lives.size() == 2);
  CHECK(story.lanes.at(0).lives.at(0).ended == Life::Ending::deleted);
}

TEST_CASE("a difference that no request of the case shows is found all the same") {
  const DocumentKey other{"c0", "p0", "d1"};
  const Story story = story_of(Defect::ghosts_in_queries,
                               {collection(-1), create(1), create(1, other), advance(1), Query{{"c0", std::nullopt}}});
  CHECK(lane_of(story).ghosts.size() == 1);
  CHECK(lane_of(story, other).ghosts.size() == 1);
  CHECK(gist(story).find("; so with 1 other document.") != std::string::npos);
}

TEST_CASE("a document that the step itself should have ended is a ghost of that step") {
  // A store that refuses every delete.
  struct Keeps : ReferenceStore {
    static Expectation erase(Instant, const DocumentKey&) { return {.answer = {.status = Status::bad_request}}; }
  };
  InProcess<Keeps> subject("store");
  Storyteller teller({}, subject);
  for (const Operation& operation : std::vector<Operation>{collection(-1), create(5), advance(1), Delete{{d0}}})
    teller.take(operation);
  const Story story = teller.story();
  CHECK(gist(story) == "At second 1 the store still shows c0/p0/d0, which by the rules was deleted at second 1.");
  const Axis axis(story);
  CHECK(axis.of(lane_of(story), lane_of(story).ghosts.at(0)).from == 3);
}

TEST_CASE("a document shown with other content is described by the difference") {
  const Story story =
      story_of(Defect::patch_keeps_ts, {collection(-1), create(5), advance(1), PatchDocument{d0, {.value = "b"}}});
  CHECK(lane_of(story).ghosts.at(0).kind == Ghost::Kind::altered);
  CHECK(gist(story) == "At second 1 the store shows c0/p0/d0 with _ts 0 instead of 1.");
}

TEST_CASE("an answer may show other content than a later read") {
  struct Misreads : ReferenceStore {
    Expectation read(Instant now, const DocumentKey& key) {
      if (++reads > 1) return ReferenceStore::read(now, key);
      Expectation wrong = ReferenceStore::read(now, key);
      wrong.answer.document->value = "?";
      return wrong;
    }
    int reads = 0;
  };
  InProcess<Misreads> subject("store");
  Storyteller teller({}, subject);
  for (const Operation& operation : std::vector<Operation>{collection(-1), create(5), read()}) teller.take(operation);
  const Story story = teller.story();
  CHECK(story.documents.empty());
  CHECK(gist(story) == "At second 0 the store shows c0/p0/d0 with value \"?\" instead of \"\".");
}

TEST_CASE("an answer that is not about a document names both statuses") {
  const Story story = story_of(Defect::default_zero_accepted, {collection(0)});
  CHECK(gist(story) == "At second 0, asked to create collection c0, the store answers 201 where the rules demand 400.");
  CHECK(ascii_timeline(story).find("  c0 default  s\n") != std::string::npos);
}

TEST_CASE("a crashed store gets no further requests, and its last output is shown") {
  auto subject = store_with(Defect::none);
  const Failure failure{
      &agrees_unwatched(), {second(3), {collection(-1), create(5), read()}}, {2, read(), {}, "fell\nover"}};
  const Story story = tell_story(failure, subject);
  CHECK(story.steps.back().differs());
  CHECK(gist(story) == "At second 3, asked to read c0/p0/d0, the store fell.");
  CHECK(ascii_timeline(story).find("^ dies here") != std::string::npos);
  CHECK(narrate(story).find("store      fell   <-- differs\n                over\n") != std::string::npos);
  CHECK(story_json(story).at("steps").as_array().back().at("crash") == "fell\nover");
}

TEST_CASE("the comparison of a law is the last step, and changes no life") {
  auto subject = store_with(Defect::none);
  Failure failure{&laws()[3], {{}, {collection(-1), create(5)}}, {1, create(7), {}, {}}};
  failure.violation.exchange.actual.charge = Charge{6};
  const Story story = tell_story(failure, subject);
  REQUIRE(story.steps.size() == 3);
  CHECK(story.steps.back().kind == StoryStep::Kind::law);
  CHECK(lane_of(story).lives.size() == 1);
  CHECK(narrate(story).find("\nWhat the law compares, at the request\n") != std::string::npos);
  CHECK(ascii_timeline(story).find("^ compared by the law") != std::string::npos);
}

TEST_CASE("distant and close times have columns of the same width") {
  constexpr std::int64_t now = 1'700'000'000;
  const Story story = story_of(
      Defect::expires_late,
      {collection(2'147'483'647), inheriting(), create(1, {"c0", "p0", "d1"}), advance(1), read({"c0", "p0", "d1"})},
      second(now));
  const Axis axis(story);
  REQUIRE(axis.columns().size() == 6);
  CHECK(axis.columns().back().at == second(now + 2'147'483'647));
  CHECK(!axis.columns().back().step);
  const std::string drawing = ascii_timeline(story);
  check_fits(drawing);
  CHECK(lines_of(drawing).at(0) == "      second  1700000000              +1    +2147483647");
}

TEST_CASE("if not even the end of a story fits, it is cut at the margin") {
  std::vector<Operation> operations{collection(-1)};
  for (int i = 0; i < 6; ++i) operations.push_back(create(2'147'483'640 + i, {"c0", "p0", "d" + std::to_string(i)}));
  operations.push_back(CreateCollection{{"c1", {.default_ttl = 0}}});
  const Story story = story_of(Defect::default_zero_accepted, operations, second(1'700'000'000));
  check_fits(ascii_timeline(story));
  CHECK(ascii_timeline(story).find("^ differs") != std::string::npos);
}

TEST_CASE("names of any kind and length stay distinguishable in the available width") {
  const std::string longest(200, 'x');
  const std::vector<DocumentKey> keys{{"c0", "p0", longest + "a" + longest},
                                      {"c0", "p0", longest + "b" + longest},
                                      {"c0", "\xC3\xA9", "\n\x1B[2J</script>"},
                                      {"c0", "", ""}};
  std::vector<Operation> operations{collection(1)};
  for (const auto& key : keys) operations.push_back(Create{{key, {}}});
  operations.insert(operations.end(), {advance(1), Query{{"c0", std::nullopt}}});
  const Story story = story_of(Defect::ghosts_in_queries, operations);
  const std::string drawing = ascii_timeline(story);
  check_fits(drawing);
  std::set<std::string> labels;
  for (const auto& line : lines_of(drawing))
    if (line.find('W') != std::string::npos && line.find('=') < line.size()) labels.insert(line.substr(0, 31));
  CHECK(labels.size() >= keys.size());
  CHECK(gist(story).size() < 200);
}

TEST_CASE("a long story is cut to its end, and the page stays small") {
  std::vector<Operation> operations{collection(-1)};
  for (int i = 0; i < 500; ++i) {
    const DocumentKey key{"c0", "p0", "d" + std::to_string(i % 100)};
    operations.push_back(Upsert{{key, {.value = std::string(3'000, 'v')}}});
    operations.push_back(Query{{"c0", std::nullopt}});
  }
  operations.insert(operations.end(), {Delete{{d0}}, create(1), advance(1), read()});
  const Story story = story_of(Defect::expires_late, operations);
  CHECK(story.step_count() == operations.size());
  CHECK(story.left_out > 600);
  check_fits(ascii_timeline(story));
  CHECK(ascii_timeline(story).find(".. second") != std::string::npos);
  CHECK(ascii_timeline(story).find("|r!") != std::string::npos);
  CHECK(ascii_timeline(story).find("more lane") != std::string::npos);
  const std::string json = boost::json::serialize(story_json(story));
  CHECK(json.size() < 150'000);
  CHECK(story_json(story).at("left_out").to_number<std::size_t>() > story.left_out);
}

TEST_CASE("every defect has a story that fits a terminal, with aligned lanes") {
  for (const auto& defect : all_defects()) {
    CAPTURE(defect.id);
    auto subject = store_with(defect.defect);
    const SearchResult searched = random_search(subject, 1, 200'000);
    REQUIRE(searched.failure);
    const Story story = tell_story(*searched.failure, subject);
    CHECK(story.steps.back().differs());
    check_fits(ascii_timeline(story));
    check_fits(ascii_timeline(story, 60), 60);
    const auto json = story_json(story);
    const auto columns = json.at("columns").as_array().size();
    for (const auto& lane : json.at("lanes").as_array())
      for (const auto& life : lane.at("lives").as_array()) {
        const auto& object = life.as_object();
        if (object.contains("until")) CHECK(object.at("until").to_number<std::size_t>() <= columns);
      }
  }
}

}  // namespace mayfly::test
