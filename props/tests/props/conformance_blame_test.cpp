#include <algorithm>
#include <sstream>

#include <doctest/doctest.h>

#include "faulty_store.hpp"
#include "mayfly/model/rule.hpp"
#include "mayfly/props/conformance/conformance.hpp"
#include "mayfly/props/conformance/known_failures.hpp"
#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/decisive.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "shorthand.hpp"

// Stores with a defect that is not in the catalogue: the verdicts on them must be true nevertheless.

namespace mayfly::test {

namespace {

constexpr RuleSet about_charges{Rule::P2, Rule::R1, Rule::R2};

Conformance judged(Fault fault, const ConformancePlan& plan = {.seed = 1, .floor = 5}) {
  InProcess<FaultyStore> store("faulty", Audit::never, FaultyStore(fault));
  return conform(plan, store, [&](const Property& p, const Case& c) { return check(p, c, store); });
}

/// One for every `stride`-th of `all_faults`. Judged once, for the time it takes.
const std::vector<Conformance>& all_judged() {
  static const std::vector<Conformance> results = [] {
    std::vector<Conformance> all;
    for (std::size_t i = 0; i < all_faults.size(); i += stride) all.push_back(judged(all_faults[i].fault));
    return all;
  }();
  return results;
}

/// Calls `see(rule, result)` for each of them.
void for_each_fault(const auto& see) {
  for (std::size_t i = 0; i < all_judged().size(); ++i) {
    CAPTURE(std::string(all_faults[i * stride].sentence));
    see(all_faults[i * stride].rule, all_judged()[i]);
  }
}

RuleSet with_verdict(const Conformance& result, RuleVerdict verdict) {
  RuleSet rules;
  for (const auto& rule : result.rules) rules.add_if(rule.verdict == verdict, rule.rule);
  return rules;
}

/// The rules that decide a step of the case.
RuleSet deciding_anywhere(const Finding& finding) {
  RuleSet rules;
  for (const RuleSet step : decisive_steps(finding.failure.test_case)) rules |= step;
  return rules;
}

}  // namespace

TEST_CASE("a correct store passes every rule that it supports") {
  const Conformance result = judged(Fault::none);
  CHECK(result.findings.empty());
  CHECK(result.why_inconclusive() == "");
  CHECK(result.count(RuleVerdict::pass) + result.count(RuleVerdict::unsupported) == rule_count);
}

TEST_CASE("a defect that no planted one explains") {
  SUBCASE("the broken rule never passes, even if no planted defect explains it") {
    for_each_fault([](Rule rule, const Conformance& result) {
      CHECK(may_be_broken(of(result, rule).verdict));
      CHECK(result.not_investigated == 0);
      CHECK(with_verdict(result, RuleVerdict::pass).bits() != 0);
      for (const auto& finding : result.findings) CHECK_FALSE((finding.known && finding.is_exact));
    });
  }
  // Twice if two cases with different operations are both minimal.
  SUBCASE("it is reported once, rarely twice, with a minimal case") {
    std::size_t findings = 0;
    for_each_fault([&](Rule, const Conformance& result) {
      findings += result.findings.size();
      for (const auto& finding : result.findings) {
        CHECK(finding.is_minimal);
        CHECK(finding.repeats);
        CHECK(finding.failure.test_case.steps.size() <= 7);
      }
    });
    CHECK(findings >= all_judged().size());
    CHECK(findings <= all_judged().size() + 2);
  }
  SUBCASE("no rule passes that decides a step of an unexplained case, except one that the answer rules out") {
    for_each_fault([](Rule, const Conformance& result) {
      for (const auto& finding : result.findings) {
        if (finding.rule) continue;
        const Exchange& exchange = finding.failure.violation.exchange;
        RuleSet cleared = about_charges;
        cleared.add_if(exchange.expected.answer.status == exchange.actual.status, Rule::C2);
        const RuleSet passing = with_verdict(result, RuleVerdict::pass) & deciding_anywhere(finding);
        CHECK(ids_of(passing.without(cleared)) == "");
        CHECK(ids_of(finding.candidates.without(with_verdict(result, RuleVerdict::unattributed))) == "");
      }
    });
  }
}

TEST_CASE("W5: countdowns that a change from never to n restarts are not blamed on E1 or X1") {
  const Conformance result = judged(Fault::never_to_seconds_restarts);
  REQUIRE(result.findings.size() == 1);
  const Finding& finding = result.findings[0];
  CHECK_FALSE(finding.rule);
  CHECK(ids_of(finding.candidates) == "T1 E1 X1 X2 W5 C2");
  CHECK(finding.level == Level::stated);
  CHECK(finding.steps.size() == finding.failure.test_case.steps.size());
  CHECK(of(result, Rule::W5).why == "one of T1 E1 X1 X2 W5 C2 is broken");
  CHECK(of(result, Rule::W5).failures == finding.times);
  CHECK(of(result, Rule::E3).verdict == RuleVerdict::pass);
  CHECK(result.count(RuleVerdict::fail) == 0);
}

TEST_CASE("T3, T4: an accepted invalid ttl is blamed on the rule that cases with TTL on and off show to be broken") {
  for (const auto& [fault, rule] :
       {std::pair(Fault::zero_ttl_kept, Rule::T3), {Fault::any_ttl_kept_while_off, Rule::T4}}) {
    const Conformance result = judged(fault);
    REQUIRE(result.findings.size() == 1);
    CHECK(result.findings[0].rule == rule);
    CHECK(result.findings[0].failure.test_case.steps.size() == 2);
    CHECK(of(result, rule).verdict == (rule == Rule::T3 ? RuleVerdict::fail : RuleVerdict::differs));
    CHECK(result.count(RuleVerdict::unattributed) == 0);
  }
}

TEST_CASE("a lost index entry is one finding, and breaks no status") {
  const Conformance result = judged(Fault::lost_index_entry);
  REQUIRE(result.findings.size() == 1);
  CHECK(ids_of(result.findings[0].candidates) == "T1 E1 C1");
  CHECK(of(result, Rule::C2).verdict == RuleVerdict::pass);
}

TEST_CASE("known failures: one candidate of an unattributed finding is enough") {
  const Conformance result = judged(Fault::never_to_seconds_restarts);
  const auto mismatches = [&](const std::string& text) {
    std::istringstream in(text);
    std::string all;
    for (const auto& mismatch : KnownFailures(in, "f").mismatches(result)) all += mismatch.text + "\n";
    return all;
  };
  CHECK(mismatches("W5 restarts countdowns") == "");
  CHECK(mismatches("") == "one of T1 E1 X1 X2 W5 C2 is broken, and none of them is known to be\n");
  CHECK(mismatches("W5 restarts\nX4 comes back") == "f:2: X4 is listed as a known failure, but it passes\n");
  std::istringstream none, some("W5 restarts countdowns\n");
  CHECK(KnownFailures(some, "f").updated(result) == "W5 restarts countdowns\n");
  const std::string updated = KnownFailures(none, "f").updated(result);
  CHECK(std::count(updated.begin(), updated.end(), '\n') == 6);
  CHECK(updated.find("W5 unattributed: one of T1 E1 X1 X2 W5 C2 is broken\n") != std::string::npos);
}

TEST_CASE("fewer cases than the least, or a rule that was never exercised, prove nothing") {
  Conformance result;
  for (std::size_t i = 0; i < rule_count; ++i)
    result.rules[i] = {.rule = static_cast<Rule>(i), .verdict = RuleVerdict::pass};
  result.cases = least_cases - 1;
  CHECK(result.why_inconclusive() == "99 cases were finished, but fewer than 100 prove nothing");
  result.cases = least_cases;
  CHECK(result.why_inconclusive() == "");
  result.rules[3].verdict = RuleVerdict::not_exercised;
  CHECK(result.why_inconclusive() == "never exercised: T4");
  result.rules[3].verdict = RuleVerdict::unsupported;
  CHECK(result.why_inconclusive() == "");
}

}  // namespace mayfly::test
