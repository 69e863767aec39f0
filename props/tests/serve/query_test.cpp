#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>

#include "mayfly/serve/query/item_query.hpp"
#include "mayfly/sim/random.hpp"

namespace mayfly::test {

namespace {

namespace json = boost::json;
using serve::ItemQuery;
using serve::QueryError;

// `v` of every type, in no order, and `n` below.
const json::value all_items = json::parse(R"([
  {"id":"string","v":"b","n":{"deep":[10,{"x":true}]}},
  {"id":"none"},
  {"id":"five","v":5,"n":{"deep":[20]}},
  {"id":"null","v":null},
  {"id":"true","v":true},
  {"id":"list","v":[1,2]},
  {"id":"half","v":5.5,"odd name":1},
  {"id":"object","v":{"a":1,"b":2}},
  {"id":"false","v":false},
  {"id":"empty","v":""}
])");

json::array results(const std::string& sql, const json::value& items = all_items, const json::array& parameters = {}) {
  std::vector<json::object> objects;
  for (const auto& item : items.get_array()) objects.push_back(item.get_object());
  return ItemQuery::parse(sql, parameters).run(std::move(objects));
}

std::string answer(const std::string& sql, const json::array& parameters = {}) {
  return json::serialize(results(sql, all_items, parameters));
}

// The ids of the selected items.
std::string passing(const std::string& condition, const json::array& parameters = {}) {
  std::string ids;
  for (const auto& id : results("SELECT VALUE c.id FROM c WHERE " + condition, all_items, parameters))
    ids += (ids.empty() ? "" : " ") + std::string(id.get_string());
  return ids;
}

std::string query_refusal(const std::string& sql) {
  try {
    ItemQuery::parse(sql, {});
  } catch (const QueryError& error) {
    return error.what();
  }
  return "accepted";
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("a query shows whole items, columns, values or a count") {
  CHECK(results("SELECT * FROM c") == all_items.get_array());
  CHECK(results("select * from root r") == all_items.get_array());
  CHECK(results("SELECT VALUE x FROM c AS x") == all_items.get_array());
  CHECK(answer(R"(SELECT c.id, c.n.deep[0], c["n"]["deep"] AS all, 'x' FROM c WHERE c.v = 5)") ==
        R"([{"id":"five","$1":20,"all":[20],"$2":"x"}])");
  CHECK(answer("SELECT c FROM c WHERE c.id = 'none'") == R"([{"c":{"id":"none"}}])");
  CHECK(answer("SELECT c.id, c.v FROM c WHERE c.id = 'none'") == R"([{"id":"none"}])");
  CHECK(answer("SELECT VALUE c.n.deep[0] FROM c") == "[10,20]");
  CHECK(answer("SELECT VALUE c['odd name'] FROM c") == "[1]");
  CHECK(answer("SELECT VALUE COUNT(1) FROM c WHERE c.v > 1") == "[2]");
  CHECK(answer("SELECT VALUE COUNT(c.v) FROM c") == "[9]");
  CHECK(answer("SELECT COUNT(1) AS all FROM c") == R"([{"all":10}])");
  CHECK(answer("SELECT COUNT(1) FROM c WHERE false") == R"([{"$1":0}])");
}

TEST_CASE("values of one type compare, and values of two types do not") {
  CHECK(passing("c.v = 5") == "five");
  CHECK(passing("c.v != 5") == "half");
  CHECK(passing("c.v <> 'b'") == "empty");
  CHECK(passing("c.v < 5.25") == "five");
  CHECK(passing("c.v >= 5") == "five half");
  CHECK(passing("c.v <= 5") == "five");
  CHECK(passing("c.v > false") == "true");
  CHECK(passing("c.v < 'a'") == "empty");
  CHECK(passing("c.v = null") == "null");
  CHECK(passing("c.v != null") == "");
  CHECK(passing("c.v = true") == "true");
  CHECK(passing("5 = c.v") == "five");
  CHECK(passing("c.v = @v", {{{"name", "@v"}, {"value", {2, 1}}}}) == "");
  CHECK(passing("c.v = @v", {{{"name", "@v"}, {"value", {1.0, 2}}}}) == "list");
  CHECK(passing("c.v = @v", {{{"name", "@v"}, {"value", {{"b", 2}, {"a", 1}}}}}) == "object");
  CHECK(passing("c.v != @v", {{{"name", "@v"}, {"value", {{"b", 2}}}}}) == "");
  CHECK(passing("NOT (c.v != @v)", {{{"name", "@v"}, {"value", {{"b", 2}}}}}) == "");
  CHECK(passing("c.v != @v", {{{"name", "@v"}, {"value", {2, 1}}}}) == "");
  CHECK(passing("c.v < @v", {{{"name", "@v"}, {"value", {3}}}}) == "");
}

TEST_CASE("undefined is neither true nor false, and WHERE selects only what is true") {
  CHECK(passing("c.v") == "true");
  CHECK(passing("NOT c.v") == "false");
  CHECK(passing("NOT (c.v = 5)") == "half");
  CHECK(passing("c.v = undefined") == "");
  CHECK(passing("c.missing != 1") == "");
  CHECK(passing("NOT (c.missing = 1)") == "");
  CHECK(passing("c.missing = c.missing") == "");
  CHECK(passing("c.v = 5 OR c.missing = 1") == "five");
  CHECK(passing("c.missing = 1 OR c.v = 5") == "five");
  CHECK(passing("NOT (c.v = 5 AND c.missing = 1)") == "half");
  CHECK(passing("NOT (c.missing = 1 AND c.v = 5)") == "half");
  CHECK(passing("NOT (c.v = 5 OR c.missing = 1)") == "");
  CHECK(passing("IS_DEFINED(c.n)") == "string five");
  CHECK(passing("NOT is_defined(c.v)") == "none");
  CHECK(passing("IS_DEFINED(c.v) AND NOT IS_DEFINED(c.v.a) AND c.v != 'x'") == "string empty");
  CHECK(query_refusal("SELECT * FROM c WHERE IS_DEFINED(c.v, c.n)").starts_with("expected ), found \",\""));
  CHECK(passing("c.v.a = 1 AND c.v.b = 2") == "object");
  CHECK(passing("c.n.deep[1].x") == "string");
}

TEST_CASE("AND binds before OR, NOT binds before both, and parentheses before all") {
  CHECK(passing("c.v = 5 OR c.v = true AND c.v = 'b'") == "five");
  CHECK(passing("(c.v = 5 OR c.id = 'true') AND c.v") == "true");
  CHECK(passing("NOT c.v = 5 OR c.v = 5") == "five half");
  CHECK(passing("NOT NOT c.v") == "true");
  CHECK(passing("((c.v)) = ((5))") == "five");
}

TEST_CASE("IN is true for a value that equals one of the list") {
  CHECK(passing("c.v IN (1, 5, 'b', null)") == "string five null");
  CHECK(passing("c.v NOT IN (1, 5.5)") == "five");
  CHECK(passing("NOT (c.v IN (5))") == "half");
  CHECK(passing("c.v IN (undefined, 5)") == "five");
  CHECK(passing("c.id IN (@a, @b)", {{{"name", "@a"}, {"value", "true"}}, {{"name", "@b"}, {"value", "none"}}}) ==
        "none true");
}

TEST_CASE("literals are written as in the service") {
  CHECK(answer(R"(SELECT VALUE 'it\'s "so"' FROM c WHERE c.v = 5)") == R"(["it's \"so\""])");
  CHECK(answer(R"(SELECT VALUE "it's \"so\"" FROM c WHERE c.v = 5)") == R"(["it's \"so\""])");
  CHECK(answer(R"(SELECT VALUE "\u00e9\n\\\ud83d\ude00" FROM c WHERE c.v = 5)") == "[\"\u00e9\\n\\\\\U0001F600\"]");
  CHECK(answer("SELECT VALUE -3 FROM c WHERE c.v = 5") == "[-3]");
  CHECK(passing("c.v = 0.5e1") == "five");
  CHECK(passing("c.v > -.5 AND c.v < 55E-1") == "five");
  CHECK(passing("c.v = TRUE") == "true");
  CHECK(passing("c.v = @none", {{{"name", "@none"}}}) == "");
}

TEST_CASE("numbers compare as doubles") {
  const auto number_passes = [](const char* number, const std::string& condition) {
    const json::value items = json::array{json::object{{"v", json::parse(number)}}};
    return !results("SELECT * FROM c WHERE c.v " + condition, items).empty();
  };
  CHECK(number_passes("9007199254740993", "= 9007199254740992"));
  CHECK(number_passes("9007199254740993", "= 9007199254740992.0"));
  CHECK(number_passes("9007199254740993", "< 9007199254740994"));
  CHECK(number_passes("10000000000000000", "= 1e16"));
  CHECK(number_passes("9223372036854775807", "= 9223372036854775808"));
  CHECK(number_passes("18446744073709551615", "= 1.8446744073709552e19"));
  CHECK(number_passes("18446744073709551615", "> 9223372036854775807"));
  CHECK(number_passes("18446744073709551615", "> -1"));
  CHECK(number_passes("-9223372036854775808", "= -9223372036854775808"));
  CHECK(number_passes("-9223372036854775808", "> -1e300"));
  CHECK(number_passes("-1", "< 18446744073709551615"));
  CHECK(number_passes("2", "> 1.5"));
  CHECK(number_passes("-2", "< -1.5"));
  CHECK(number_passes("-1", "> -1.5"));
  CHECK(number_passes("1", "= 1.0"));
}

TEST_CASE("ORDER BY sorts every item by type and then by value, and is stable") {
  const auto ids = [](const std::string& order) { return answer("SELECT VALUE c.id FROM c ORDER BY " + order); };
  CHECK(ids("c.v") == R"(["none","null","false","true","five","half","empty","string","list","object"])");
  CHECK(ids("c.v ASC") == ids("c.v"));
  CHECK(ids("c.v DESC") == R"(["object","list","string","empty","half","five","true","false","null","none"])");
  CHECK(ids("c.missing desc") == answer("SELECT VALUE c.id FROM c"));
  CHECK(answer("SELECT VALUE c.id FROM c WHERE c.v >= 5 ORDER BY c.v DESC") == R"(["half","five"])");
}

TEST_CASE("OFFSET, LIMIT and TOP select a part of the results") {
  CHECK(answer("SELECT VALUE c.id FROM c OFFSET 1 LIMIT 2") == R"(["none","five"])");
  CHECK(answer("SELECT VALUE c.id FROM c ORDER BY c.id OFFSET 8 LIMIT 9") == R"(["string","true"])");
  CHECK(answer("SELECT VALUE c.id FROM c OFFSET 10 LIMIT 1") == "[]");
  CHECK(answer("SELECT VALUE c.id FROM c OFFSET 0 LIMIT 0") == "[]");
  CHECK(answer("SELECT VALUE c.id FROM c OFFSET @a LIMIT @b",
               {{{"name", "@a"}, {"value", 9}}, {{"name", "@b"}, {"value", 5}}}) == R"(["empty"])");
  CHECK(answer("SELECT TOP 1 c.id FROM c") == R"([{"id":"string"}])");
  CHECK(answer("SELECT TOP 2 VALUE c.v FROM c") == R"(["b"])");
  CHECK(answer("SELECT VALUE COUNT(1) FROM c OFFSET 0 LIMIT 1") == "[10]");
  CHECK(answer("SELECT VALUE COUNT(1) FROM c OFFSET 1 LIMIT 1") == "[]");
}

TEST_CASE("a message names an unsupported part of a query and its position") {
  CHECK(query_refusal("SELECT * FROM c GROUP BY c.a") == "GROUP BY is not supported (at character 17)");
  CHECK(query_refusal("SELECT * FROM c JOIN t IN c.tags") == "JOIN is not supported (at character 17)");
  CHECK(query_refusal("SELECT DISTINCT c.a FROM c") == "DISTINCT is not supported (at character 8)");
  CHECK(query_refusal("SELECT * FROM c WHERE c.a LIKE 'x%'") == "LIKE is not supported (at character 27)");
  CHECK(query_refusal("SELECT * FROM c WHERE c.a BETWEEN 1 AND 2") == "BETWEEN is not supported (at character 27)");
  CHECK(query_refusal("SELECT * FROM c WHERE c.a + 1 = 2") == "+ is not supported (at character 27)");
  CHECK(query_refusal("SELECT * FROM c WHERE UPPER(c.a) = 'A'") ==
        "the function UPPER is not supported (at character 23)");
  CHECK(query_refusal("SELECT VALUE SUM(c.a) FROM c") == "the function SUM is not supported (at character 14)");
  CHECK(query_refusal("SELECT * FROM c WHERE udf.f(1)") == "UDF is not supported (at character 23)");
  CHECK(query_refusal("SELECT {a: 1} FROM c") == "{ is not supported (at character 8)");
  CHECK(query_refusal("SELECT * FROM t IN c.tags") == "IN in FROM is not supported (at character 17)");
  CHECK(query_refusal("SELECT * FROM c.tags") == "a part of items in FROM is not supported (at character 16)");
  CHECK(query_refusal("SELECT * FROM (SELECT * FROM c)") == "a subquery is not supported (at character 15)");
  CHECK(query_refusal("SELECT * FROM c ORDER BY c.a, c.b") ==
        "ORDER BY of more than one property is not supported (at character 29)");
  CHECK(query_refusal("SELECT COUNT(1), c.a FROM c") == "COUNT with other columns is not supported");
}

TEST_CASE("a message names an invalid part of a query and its position") {
  CHECK(query_refusal("") == "expected SELECT, found the end of the query");
  CHECK(query_refusal("UPDATE c") == "expected SELECT, found \"UPDATE\" at character 1");
  CHECK(query_refusal("SELECT *") == "expected FROM, found the end of the query");
  CHECK(query_refusal("SELECT * FROM") == "expected a name, found the end of the query");
  CHECK(query_refusal("SELECT * FROM c WHERE") == "expected a name, found the end of the query");
  CHECK(query_refusal("SELECT * FROM c WHERE d.a = 1") == "\"d\" at character 23 is neither a property nor c");
  CHECK(query_refusal("SELECT * FROM c WHERE c.a = 'x") == "an unterminated string at character 29");
  CHECK(query_refusal("SELECT * FROM c WHERE c.a = 'x\\") == "an unterminated string at character 29");
  CHECK(query_refusal("SELECT * FROM c WHERE c.a = '\\q'") ==
        "a string with an invalid escape or character at character 29");
  CHECK(query_refusal("SELECT * FROM c WHERE c.a = 1 = 2") == "unexpected \"=\" at character 31");
  CHECK(query_refusal("SELECT * FROM c WHERE (c.a = 1") == "expected ), found the end of the query");
  CHECK(query_refusal("SELECT * FROM c WHERE c.a = 1x") == "a number ends in a letter at character 30");
  CHECK(query_refusal("SELECT * FROM c WHERE c.a = 1e999") == "1e999 is not a number at character 29");
  CHECK(query_refusal("SELECT * FROM c WHERE c.a = @a") == "no parameter is given for \"@a\" at character 29");
  CHECK(query_refusal("SELECT * FROM c OFFSET 1") == "expected LIMIT, found the end of the query");
  CHECK(query_refusal("SELECT * FROM c OFFSET 1.5 LIMIT 1") ==
        "OFFSET needs a whole number, at least 0, found \"1.5\" at character 24");
  CHECK(query_refusal("SELECT c.a, c.b.a FROM c") == "two columns are named \"a\"");
  CHECK(query_refusal("SELECT TOP 1 * FROM c OFFSET 0 LIMIT 1") == "TOP and OFFSET LIMIT exclude each other");
}

TEST_CASE("queries that nest deeply or go on for long neither crash nor hang") {
  const auto start = std::string("SELECT * FROM c WHERE ");
  CHECK(query_refusal(start + repeated("(", 10'000)).starts_with("the query nests deeper than 100 levels"));
  CHECK(query_refusal(start + repeated("NOT ", 10'000)).starts_with("the query nests deeper than 100 levels"));
  CHECK(query_refusal(start + repeated("IS_DEFINED(", 10'000)).starts_with("the query nests deeper than 100 levels"));
  CHECK(query_refusal(start + repeated("(", 99) + "true" + repeated(")", 99)) == "accepted");
  CHECK(query_refusal(start + "c.a = 1" + repeated(" OR c.a = 1", 10'000)) == "accepted");
  CHECK(query_refusal(start + "c" + repeated(".a", 50'000)) == "accepted");
  CHECK(query_refusal(start + repeated(" ", 300'000)) == "the query is longer than 262144 bytes");
}

TEST_CASE("any sequence of words is answered or refused") {
  constexpr std::array<std::string_view, 46> words{
      "SELECT",     "TOP",   "VALUE", "*",    "FROM",   "c",     "c.v", "c[\"v\"]", "c.n.deep[0]", "WHERE",
      "ORDER",      "BY",    "ASC",   "DESC", "OFFSET", "LIMIT", "AND", "OR",       "NOT",         "IN",
      "IS_DEFINED", "COUNT", "AS",    "(",    ")",      ",",     ".",   "[",        "]",           "=",
      "!=",         "<",     ">=",    "-",    "1",      "5.5",   "'b'", "null",     "true",        "undefined",
      "@a",         "GROUP", "'",     "\\",   "1e",     "\xff"};
  const json::array parameters{{{"name", "@a"}, {"value", 5}}};
  int answered = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Random random(seed);
    std::string sql = random.one_in(2) ? "SELECT * FROM c WHERE " : "SELECT ";
    for (std::uint64_t i = random.below(12); i > 0; --i) sql += std::string(words[random.below(words.size())]) + " ";
    try {
      results(sql, all_items, parameters);
      ++answered;
    } catch (const QueryError&) {
    }
  }
  CHECK(answered > 200);  // otherwise the test would only check refusals
}

}  // namespace mayfly::test
