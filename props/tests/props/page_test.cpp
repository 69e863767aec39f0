#include "mayfly/props/report/page.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace mayfly::test {

namespace {

namespace json = boost::json;

std::size_t times_in(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// The data in the page.
json::object data_of(const std::string& page) {
  const std::string_view begin = "id=\"data\">";
  const auto from = page.find(begin) + begin.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from)).as_object();
}

json::object violation_of(std::size_t size) {
  return {{"store", "engine"}, {"text", std::string(size, 't')}, {"story", {{"gist", std::string(size, '<')}}}};
}

}  // namespace

TEST_CASE("no text in a report ends the script element that contains it") {
  const json::object report{{"title", "</script><!--<script>]]>\xE2\x80\xA8 \" \\ \n"}, {"violations", json::array{}}};
  const std::string page = html_page(report);
  const std::string empty = html_page({});
  for (const std::string_view part : {"</script", "<!--", "<script"})
    CHECK(times_in(page, part) == times_in(empty, part));
  CHECK(data_of(page) == report);
  CHECK(page.find("{{") == std::string::npos);
}

TEST_CASE("a page never grows beyond its size, and keeps the first timelines") {
  json::array own, theirs;
  for (int i = 0; i < 100; ++i) own.push_back(violation_of(3'000));
  for (int i = 0; i < 100; ++i) theirs.push_back(violation_of(1'000));
  const std::string page =
      html_page({{"title", "many"}, {"violations", own}, {"conformance", {{{"violations", theirs}}}}});
  CHECK(page.size() < largest_page);
  CHECK(page.size() > largest_page / 2);
  const json::object data = data_of(page);
  CHECK(data.at("violations").as_array().size() == own.size());
  CHECK(data.at("violations").at(0).as_object().contains("story"));
  CHECK(data.at("violations").as_array().back().at("too_large") == true);
  const std::string small = html_page({{"violations", {violation_of(3'000)}}});
  CHECK(data_of(small).at("violations").at(0) == violation_of(3'000));
}

}  // namespace mayfly::test
