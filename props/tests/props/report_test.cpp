#include <doctest/doctest.h>

#include "mayfly/props/report/annotation.hpp"
#include "mayfly/props/report/campaign_result.hpp"
#include "mayfly/props/report/junit.hpp"
#include "mayfly/props/report/output_file.hpp"
#include "mayfly/props/report/report_writers.hpp"
#include "mayfly/props/report/result_json.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/input_error.hpp"
#include "temporary_folder.hpp"

namespace mayfly::test {

TEST_CASE("an annotation escapes the characters that GitHub would interpret") {
  CHECK(annotation("a title", "all is well") == "::error title=a title::all is well\n");
  CHECK(annotation("50%: a, b", "50%: a, b\r\nnext") == "::error title=50%25%3A a%2C b::50%25: a, b%0D%0Anext\n");
  CHECK(annotation("t", "m", {"a,b.jsonl", 7}) == "::error file=a%2Cb.jsonl,line=7,title=t::m\n");
}

TEST_CASE("a JUnit file has every case, and counts the cases by result") {
  const JunitCase cases[] = {{"rules", "X1"},
                             {"rules", "X2", JunitCase::End::failed, "fail", "the story"},
                             {"rules", "P1", JunitCase::End::skipped, "it has no purge"},
                             {.group = "campaign", .name = "random cases", .seconds = 1.5}};
  CHECK(junit_text("mayfly", cases) ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuite name=\"mayfly\" tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"1.500\">\n"
        "  <testcase classname=\"mayfly.rules\" name=\"X1\"/>\n"
        "  <testcase classname=\"mayfly.rules\" name=\"X2\">\n"
        "    <failure message=\"fail\">the story</failure>\n"
        "  </testcase>\n"
        "  <testcase classname=\"mayfly.rules\" name=\"P1\">\n"
        "    <skipped message=\"it has no purge\"/>\n"
        "  </testcase>\n"
        "  <testcase classname=\"mayfly.campaign\" name=\"random cases\" time=\"1.500\"/>\n"
        "</testsuite>\n");
}

TEST_CASE("a rate is in millions from a tenth of one, and in two digits below") {
  CHECK(rate(1'234'567, 1) == "1.23 M");
  CHECK(rate(100'000, 1) == "0.10 M");
  CHECK(rate(43'210, 1) == "43,000");
  CHECK(rate(4'321, 1) == "4,300");
  CHECK(rate(432, 10) == "43");
  CHECK(rate(0, 0) == "0");
}

TEST_CASE("characters that XML cannot contain are replaced by their codes") {
  const auto shown = [](const std::string& text) {
    const JunitCase cases[] = {{"g", "n", JunitCase::End::failed, text, text}};
    const std::string xml = junit_text("s", cases);
    const auto begin = xml.find("message=\"") + 9, middle = xml.find("\">", begin);
    return std::pair(xml.substr(begin, middle - begin), xml.substr(middle + 2, xml.find("</failure>") - middle - 2));
  };
  using Shown = std::pair<std::string, std::string>;
  CHECK(shown("<a href=\"b\">&") == Shown("&lt;a href=&quot;b&quot;&gt;&amp;", "&lt;a href=&quot;b&quot;&gt;&amp;"));
  CHECK(shown("a\n\tb\r") == Shown("a&#10;&#9;b&#13;", "a\n\tb&#13;"));
  CHECK(shown(std::string("\0\x1b[31m\x7f", 7)).first == "\\x00\\x1b[31m\\x7f");
  CHECK(shown("\u00e9\u20ac\U0001F600").first == "\u00e9\u20ac\U0001F600");
  CHECK(shown("\xff \xc3").first == "\\xff \\xc3");
  CHECK(shown("\xc0\x80").first == "\\xc0\\x80");           // longer than it need be
  CHECK(shown("\xed\xa0\x80").first == "\\xed\\xa0\\x80");  // half of a surrogate pair
  CHECK(shown("\xef\xbf\xbf").first == "\\xef\\xbf\\xbf");  // no character
}

TEST_CASE("a result is read back as written") {
  CampaignReport campaign{.settings = " --ops 5", .shard_count = 3, .shards = {2}, .laws = 4, .answered = 5};
  campaign.canary = "survived";
  campaign.hidden = {Rule::P2, Rule::R1};
  campaign.digest = {.parts = {~std::uint64_t{0}, 7}, .cases = 2};
  campaign.tally.add_answers(0, Status::ok, 3);
  campaign.tally.add_answers(0, Tally::other_status, 1);
  campaign.tally.add_decisive(Rule::X4, 9);
  Result result{.command = "check", .store = "s", .target = "t", .access = " --target t", .seed = ~std::uint64_t{0}};
  result.features.patch = false;
  result.not_investigated = 2;
  result.campaign = campaign;
  ReportedFinding finding{.store = "s", .property = "p", .headline = "h", .intro = "i", .text = "t", .trace = "{}"};
  finding.deciding = {Rule::X1, Rule::C2};
  finding.rule = Rule::X1;
  finding.steps = {{3, {Rule::T1}}};
  finding.number = 0;
  finding.earlier = 2;
  finding.differs_in_batch = true;
  finding.failure = {{"step", 1}};
  result.findings = {finding};
  conclude_campaign(result);

  const TemporaryFolder folder;
  write_whole(folder.file(), result_json(result));
  Result read = read_result(folder.file(), "check");
  CHECK(result_json(read) == result_json(result));
  CHECK(read.campaign->tally.decisive(Rule::X4) == 9);
  conclude_campaign(read);
  CHECK(result_json(read) == result_json(result));
  CHECK_THROWS_AS(read_result(folder.file(), "conform"), InputError);
}

}  // namespace mayfly::test
