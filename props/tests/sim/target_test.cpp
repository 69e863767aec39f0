#include "mayfly/sim/target/target.hpp"

#include <doctest/doctest.h>

#include "mayfly/props/generate/generate.hpp"
#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/process/command.hpp"

// Targets in detail; targets.sh drives whole programs.

namespace mayfly::test {

namespace {

using Words = std::vector<std::string>;

// Answers a reset with 200 and then each request with the next number, so that it shows how often it was asked.
constexpr auto counting = R"(python3 -c "
import json, sys
def answer(r):
    global count
    count = 200 if r['op'] in ('hello', 'reset') else count + 1
    return {'status': count, 'features': ['batch']} if r['op'] == 'hello' else {'status': count}
for line in sys.stdin:
    r = json.loads(line)
    print(json.dumps([answer(each) for each in r] if type(r) is list else answer(r)), flush=True)
")";

constexpr auto example = "python3 " MAYFLY_SOURCE_DIR "/props/examples/store.py";

/// A collection with so many documents, each with a value of so many bytes.
Case crowd(std::size_t count, std::size_t bytes) {
  Case test_case{{}, {CreateCollection{{"c0", {.default_ttl = std::int64_t{5}}}}}};
  for (std::size_t i = 0; i < count; ++i)
    test_case.steps.push_back(Create{
        {{"c0", "p" + std::to_string(i % 2), "d" + std::to_string(i)}, {.ttl = {}, .value = std::string(bytes, 'v')}}});
  return test_case;
}

int status_of(const Outcome& outcome) { return static_cast<int>(outcome.status); }

}  // namespace

TEST_CASE("a command is split into words as a shell splits it") {
  CHECK(command_words("store") == Words{"store"});
  CHECK(command_words("  a  b\tc ") == Words{"a", "b", "c"});
  CHECK(command_words(R"(a 'b c' "d 'e'" f\ g)") == Words{"a", "b c", "d 'e'", "f g"});
  CHECK(command_words(R"('' "" x''y)") == Words{"", "", "xy"});
  CHECK(command_words(R"("a\"b" 'c\d')") == Words{"a\"b", "c\\d"});
  CHECK_THROWS_AS(command_words(" "), InputError);
  CHECK_THROWS_AS(command_words("a 'b"), InputError);
}

TEST_CASE("a case within a store's features needs no other feature") {
  for (const auto& [name, feature, without_it] : all_features) {
    Features features;
    features.*feature = false;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const Case whole = generate(seed, {});
      CHECK(within({}, whole) == whole);
      CHECK(can_run({}, whole));
      CHECK(can_run(features, within(features, whole)));
      CHECK((within(features, whole) == whole) == can_run(features, whole));
    }
  }
}

TEST_CASE("a case within the longest clock step has no longer one, and is otherwise the same") {
  const Case steps{{}, {Advance{Seconds{2}}, Advance{Seconds{3}}, Advance{Seconds{4}}}};
  const Features features{.longest_step = Seconds{3}};
  CHECK_FALSE(can_run(features, steps));
  CHECK(within(features, steps).steps ==
        std::vector<Step>{Advance{Seconds{2}}, Advance{Seconds{3}}, Advance{Seconds{3}}});
}

TEST_CASE("a single request drops the cases sent before, and gets its own answer") {
  Target target(counting, 20);
  const Case sent{{}, {Advance{Seconds{1}}, Advance{Seconds{1}}, Advance{Seconds{1}}}};
  target.send(sent);
  target.receive();  // the reset
  CHECK(target.answered() == 4);
  CHECK(status_of(target.receive()) == 201);
  target.reset({});
  CHECK(status_of(target.apply(Advance{Seconds{2}})) == 201);
  CHECK(target.answered() == 6);
  target.send(sent);
  target.receive();
  target.drop();
  target.send(sent);
  target.receive();
  CHECK(status_of(target.receive()) == 201);
}

TEST_CASE("a case sent after a restart is answered by the new process") {
  Target target(counting, 20);
  const Case sent{{}, {Advance{Seconds{1}}}};
  target.restart();
  target.send(sent);
  target.receive();
  CHECK(status_of(target.receive()) == 201);
}

TEST_CASE("a list of answers is read whatever it contains, also a second time") {
  constexpr auto line =
      R"( [ {"status":200,"document":{"partition":"],[","id":"\"}","value":"{\",","_ts":1}},{"status":404} ,
    {"status":404,"error":"\\"},{"status":"none"},7 ] )";
  Answers answers;
  answers.begin(true);
  for (int time = 0; time < 2; ++time) {
    std::vector<const Answers::Answer*> read;
    answers.list(line, 5, read);
    REQUIRE(read.size() == 5);
    const auto& shown = std::get<Outcome>(*read[0]);
    REQUIRE(shown.document);
    CHECK(shown.document->partition == "],[");
    CHECK(shown.document->value == "{\",");
    CHECK(std::get<Outcome>(*read[1]).status == Status::not_found);
    CHECK(std::get<Outcome>(*read[2]).status == Status::not_found);
    CHECK(std::get<Outcome>(*read[3]).malformed == MalformedFields{{"status", OtherJson{"\"none\""}}});
    CHECK(std::get<std::string>(*read[4]) == "answers 7: must be a JSON object, got 7");
  }
}

TEST_CASE("text that is not a list of the expected number of answers is rejected") {
  Answers answers;
  answers.begin(true);
  std::vector<const Answers::Answer*> read;
  for (const auto* line : {"", "[", "]", "[]]", "[[]", "[1,2", "1,2]", "[1 2,3]", "[1,,2]", "[1,2,]", "[{]},{[}]",
                           "[1],[2]", "[\"1,2]", "[\"\\\",2]", "{\"a\":[1,2]", "[1,2]x"}) {
    CAPTURE(line);
    CHECK_THROWS_AS(answers.list(line, 2, read), InputError);
    CHECK_THROWS_AS(answers.list(line, 3, read), InputError);
  }
  CHECK_THROWS_WITH_AS(answers.list("[1,2]", 3, read), "answers 2 to 3 requests in one line: [1,2]", InputError);
  CHECK_THROWS_WITH_AS(answers.list(R"({"status":200})", 2, read),
                       R"(answers no list to 2 requests in one line: {"status":200})", InputError);
}

TEST_CASE("charges of a store without that feature are ignored") {
  for (const bool with_charges : {true, false}) {
    Answers answers;
    answers.begin(with_charges);
    CHECK(std::get<Outcome>(answers.one(R"({"status":200,"charge":3})")).charge.has_value() == with_charges);
    CHECK(std::get<Outcome>(answers.one(R"({"status":200,"charge":"3"})")).malformed.empty() != with_charges);
  }
}

TEST_CASE("a sound target that holds a crowd of a thousand documents of 64 KiB is not blamed") {
  Case test_case = crowd(1'000, 64 * 1024);
  for (const Operation& operation : {Operation{Query{{"c0", {}}}}, Operation{Query{{"c0", "p1"}}}})
    test_case.steps.insert(test_case.steps.end(), 2, operation);
  for (int i = 0; i < 1'000; ++i) test_case.steps.push_back(Read{{{"c0", "p0", "d0"}}});
  test_case.steps.push_back(Advance{Seconds{5}});
  test_case.steps.push_back(Query{{"c0", {}}});
  Target target(example, 200);
  CHECK_FALSE(check(agrees_unwatched(), test_case, target));
}

// When the first answer is received, as many are there as one line has asked for.
TEST_CASE("a batch ends where it gets long, and where its answers may") {
  const auto asked_at_once = [](const Case& test_case) {
    Target target(counting, 20);
    target.send(test_case);
    target.receive();
    return target.answered();
  };
  const auto kib = [](std::size_t count) { return count * 1024; };
  CHECK(asked_at_once(crowd(998, 10)) == 1'000);
  CHECK(asked_at_once(crowd(1'500, 10)) == 1'000);
  CHECK(asked_at_once(crowd(100, kib(512))) == 5);  // answers of up to six times as many bytes show the documents
  Case queries = crowd(100, kib(1));
  queries.steps.insert(queries.steps.end(), 500, Query{{"c0", {}}});
  CHECK(asked_at_once(queries) == 115);  // each query may show 100 documents of 6 KiB
  Case absent{{}, {CreateCollection{{"c0", {}}}}};
  absent.steps.insert(absent.steps.end(), 900, Read{{{"c0", "p0", std::string(kib(10), 'd')}}});
  CHECK(asked_at_once(absent) == 817);  // of 10 KiB each, answered in few bytes
}

TEST_CASE("what a case has written counts for the answers of that case, and not for those of the next") {
  AnswerSize size;
  const Request query = Query{{"c0", {}}}, reset = Reset{};
  const auto write = [](std::string id, std::size_t bytes) {
    return Request(Upsert{{{"c0", "p0", id}, {{}, std::string(bytes, 'v')}}});
  };
  const auto nothing = size.of(query);
  CHECK(size.of(write("d0", 1'000)) >= 6'000);
  const auto one = size.of(query);
  CHECK(one >= nothing + 6'000);
  size.of(write("d0", 500));
  CHECK(size.of(query) == one);  // it may be as long as it ever was, and is one document all the same
  CHECK(size.of(Read{{{"c0", "p0", "d0"}}}) >= 6'000);
  CHECK(size.of(Read{{{"c0", "p0", "d1"}}}) < 1'000);
  CHECK(size.of(PatchDocument{{"c0", "p0", "d0"}, {.remove_ttl = true}}) >= 6'000);
  CHECK(size.of(Count{{"c0", {}}}) == nothing);
  size.of(write("d1", 1'000));
  CHECK(size.of(query) >= one + 6'000);
  size.of(reset);
  CHECK(size.of(query) == nothing);
}

TEST_CASE("cases sent together are answered in order, resets included") {
  Target target(counting, 20);
  const Case one{{}, {Advance{Seconds{1}}}};
  const Case two{{}, {Advance{Seconds{1}}, Advance{Seconds{1}}}};
  std::vector<int> statuses;
  target.send(two);
  target.send(one);
  for (int i = 0; i < 5; ++i) statuses.push_back(status_of(target.receive()));
  CHECK(statuses == std::vector<int>{200, 201, 202, 200, 201});
  CHECK(target.answered() == 5);
}

}  // namespace mayfly::test
