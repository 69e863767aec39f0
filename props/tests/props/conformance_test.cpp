#include "mayfly/props/conformance/conformance.hpp"

#include <algorithm>
#include <sstream>

#include <doctest/doctest.h>

#include "mayfly/model/reference.hpp"
#include "mayfly/model/rule.hpp"
#include "mayfly/props/conformance/known_failures.hpp"
#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/props/property/check.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/sim/basic_store.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/trace.hpp"
#include "shorthand.hpp"

namespace mayfly::test {

namespace {

Conformance judge(Subject& subject, const ConformancePlan& plan = {}) {
  return conform(plan, subject, [&](const Property& p, const Case& c) { return check(p, c, subject); });
}

// Enough to identify a defect.
const ConformancePlan quick{.seed = 7, .cases = 60, .floor = 5};

RuleSet broken_in(const Conformance& result) {
  RuleSet rules;
  for (const auto& rule : result.rules) rules.add_if(is_broken(rule.verdict), rule.rule);
  return rules;
}

template <class S>
void conforms_fully(const char* name) {
  InProcess<S> store(name);
  const Conformance result = judge(store);
  CHECK(result.findings.empty());
  CHECK_FALSE(result.was_stopped);
  for (const auto& rule : result.rules) {
    CAPTURE(id_of(rule.rule));
    CHECK(rule.verdict == RuleVerdict::pass);
    CHECK(rule.checks >= 100);
    REQUIRE(rule.scenarios.size() == 1);
    CHECK(rule.scenarios[0].is_met);
    CHECK_FALSE(rule.scenarios[0].is_left_out);
  }
}

void is_blamed_on_its_own_rule(const DefectText& defect) {
  CAPTURE(defect.id);
  InProcess<DefectiveStore> store("defective", Audit::never, DefectiveStore(defect.defect));
  const Conformance result = judge(store, quick);
  CHECK(ids_of(broken_in(result)) == id_of(defect.rule()));
  CHECK(result.count(RuleVerdict::unattributed) == 0);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].known == &defect);
  CHECK(result.findings[0].is_exact);
  const bool is_decided = defect.level() == Level::decided;
  CHECK(of(result, defect.rule()).verdict == (is_decided ? RuleVerdict::differs : RuleVerdict::fail));
}

/// Every planted defect of the rules that begin with one of these letters.
void are_blamed_on_their_own_rules(std::string_view letters) {
  std::size_t number = 0;
  for (const auto& defect : all_defects())
    if (defect.world.empty() && letters.find(defect.clause.front()) != std::string_view::npos && number++ % stride == 0)
      is_blamed_on_its_own_rule(defect);
}

/// The engine with a defect that is not in the catalogue.
struct DeletesTwice : Engine {
  Outcome erase(Instant now, const DocumentKey& key) {
    Outcome outcome = Engine::erase(now, key);
    if (outcome.status == Status::no_content) outcome.status = Status::ok;
    return outcome;
  }
};
struct ForgetsValues : Engine {
  Outcome create(Instant now, const DocumentKey& key, const Content& content) {
    return Engine::create(now, key, {content.ttl, ""});
  }
};
/// Queries show what is expired, but only until the collection is replaced.
struct ShortLivedGhosts : DefectiveStore {
  ShortLivedGhosts() : DefectiveStore(Defect::ghosts_in_queries) {}
  Outcome replace_collection(Instant now, const std::string& name, const Definition& definition) {
    purge(now, {1'000'000});
    return DefectiveStore::replace_collection(now, name, definition);
  }
};
struct DiesOfNever : Engine {
  Outcome create(Instant now, const DocumentKey& key, const Content& content) {
    if (content.ttl == TtlField{std::int64_t{-1}}) throw StoreFailure("died");
    return Engine::create(now, key, content);
  }
};

/// Hides features of a store, as a target may.
class Reticent final : public Subject {
 public:
  explicit Reticent(const Features& features) : features_(features) {}
  std::string name() const override { return "reticent"; }
  void reset(Instant now) override { engine_.reset(now); }
  Outcome apply(const Step& step) override {
    REQUIRE(has(features_, need_of(step.operation)));
    Outcome outcome = engine_.apply(step);
    if (!features_.charge) outcome.charge.reset();
    return outcome;
  }
  Features features() const override { return features_; }

 private:
  Features features_;
  InProcess<Engine> engine_{"engine"};
};

}  // namespace

TEST_CASE("the engine conforms fully, every rule exercised a hundred times") { conforms_fully<Engine>("engine"); }

TEST_CASE("the reference conforms fully, every rule exercised a hundred times") {
  conforms_fully<ReferenceStore>("reference");
}

TEST_CASE("a defect in a T rule is blamed on its own rule and on no other, with its sentence as the reading") {
  are_blamed_on_their_own_rules("T");
}

TEST_CASE("a defect in an E, X, W or F rule is blamed on its own rule and on no other") {
  are_blamed_on_their_own_rules("EXWF");
}

TEST_CASE("a defect in a P, I or R rule is blamed on its own rule and on no other") {
  are_blamed_on_their_own_rules("PIR");
}

TEST_CASE("a defect in a C rule is blamed on its own rule and on no other") { are_blamed_on_their_own_rules("C"); }

TEST_CASE("a finding has the shortest case that shows it") {
  InProcess<DefectiveStore> late("late", Audit::never, DefectiveStore(Defect::expires_late));
  const Conformance result = judge(late, quick);
  REQUIRE(result.findings.size() == 1);
  const Finding& finding = result.findings[0];
  CHECK(finding.failure.test_case.steps.size() == 4);
  CHECK(finding.is_minimal);
  CHECK(finding.repeats);
  CHECK(finding.times > 10);
}

TEST_CASE("a failing scenario is blamed on the broken rule, not on its own") {
  InProcess<DefectiveStore> late("late", Audit::never, DefectiveStore(Defect::expires_late));
  const Conformance result = judge(late, quick);
  CHECK_FALSE(of(result, Rule::E1).scenarios[0].is_met);
  CHECK(ids_of(of(result, Rule::E1).scenarios[0].blamed) == "X1");
  CHECK(of(result, Rule::E1).verdict == RuleVerdict::pass);
}

TEST_CASE("the same seed gives the same findings") {
  InProcess<DefectiveStore> store("revives", Audit::never, DefectiveStore(Defect::revived_by_never));
  const Conformance a = judge(store, quick), b = judge(store, quick);
  REQUIRE(a.findings.size() == b.findings.size());
  CHECK(trace_text(a.findings[0].failure.test_case) == trace_text(b.findings[0].failure.test_case));
  for (const auto& rule : a.rules) CHECK(rule.checks == of(b, rule.rule).checks);
}

TEST_CASE("a wrong status that no defect has is blamed on C2, wrong content on W3") {
  InProcess<DeletesTwice> status("status");
  CHECK(ids_of(broken_in(judge(status, quick))) == "C2");
  CHECK(of(judge(status, quick), Rule::C2).verdict == RuleVerdict::differs);
  InProcess<ForgetsValues> content("content");
  CHECK(ids_of(broken_in(judge(content, quick))) == "W3");
}

TEST_CASE("a defect with a wrong prediction is refuted, and at most nearly right") {
  InProcess<ShortLivedGhosts> store("ghosts");
  const Conformance result = judge(store, quick);
  CHECK(broken_in(result).empty());
  CHECK(of(result, Rule::X2).verdict == RuleVerdict::unattributed);
  for (const auto& finding : result.findings) CHECK_FALSE((finding.known && finding.is_exact));
  CHECK(std::any_of(result.findings.begin(), result.findings.end(),
                    [](const Finding& f) { return f.known == &text_of(Defect::ghosts_in_queries); }));
}

TEST_CASE("a crash is blamed on a rule, is never only another reading, and the other rules are still judged") {
  InProcess<DiesOfNever> store("dies");
  const Runner ask = [&](const Property& property, const Case& test_case) -> std::optional<Violation> {
    try {
      return check(property, test_case, store);
    } catch (const StoreFailure& failure) {
      return Violation{test_case.steps.size() - 1, test_case.steps.back().operation, {}, failure.what()};
    }
  };
  const Conformance result = conform(quick, store, ask);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].failure.violation.crash == "died");
  CHECK(result.findings[0].failure.test_case.steps.size() == 1);
  REQUIRE(result.findings[0].rule);
  CHECK(of(result, *result.findings[0].rule).verdict == RuleVerdict::fail);
  CHECK_FALSE(result.has_given_up);
  CHECK(result.count(RuleVerdict::pass) == rule_count - 1);
}

TEST_CASE("a store that crashes at every request is given up, and nothing passes") {
  InProcess<Engine> store("dies");
  const Conformance result = conform(quick, store, [](const Property&, const Case& test_case) {
    return std::optional(Violation{test_case.steps.size() - 1, test_case.steps.back().operation, {}, "died"});
  });
  CHECK(result.has_given_up);
  CHECK(result.count(RuleVerdict::pass) == 0);
  CHECK_FALSE(result.findings.empty());
}

TEST_CASE("a rule about a missing feature is unsupported, such as P5 of a store without held") {
  Reticent bare(BasicStore::features);
  const Conformance result = judge(bare, quick);
  RuleSet unsupported;
  for (const auto& rule : result.rules) {
    unsupported.add_if(rule.verdict == RuleVerdict::unsupported, rule.rule);
    CHECK((rule.checks > 0) == (rule.verdict == RuleVerdict::pass));
  }
  CHECK(ids_of(unsupported) == "T6 W4 P1 P2 P3 P4 P5 I3 I4 R1 R2");
  CHECK(of(result, Rule::R2).why == "it has no charge");

  Reticent silent({.held = false});
  const Conformance all = judge(silent, quick);
  CHECK(all.count(RuleVerdict::pass) == rule_count - 1);
  CHECK(of(all, Rule::P5).verdict == RuleVerdict::unsupported);
  CHECK(of(all, Rule::P5).why == "it has no held");
}

TEST_CASE("no rule passes in a run that is stopped at once") {
  InProcess<Engine> engine("engine");
  ConformancePlan plan;
  plan.stop = [] { return true; };
  const Conformance result = judge(engine, plan);
  CHECK(result.was_stopped);
  CHECK(result.count(RuleVerdict::not_exercised) == rule_count);
}

TEST_CASE("known failures: a deviation from the list is a mismatch") {
  Conformance result;
  for (std::size_t i = 0; i < rule_count; ++i)
    result.rules[i] = {.rule = static_cast<Rule>(i), .verdict = RuleVerdict::pass};
  result.rules[static_cast<std::size_t>(Rule::X1)].verdict = RuleVerdict::fail;
  result.rules[static_cast<std::size_t>(Rule::X4)].verdict = RuleVerdict::differs;
  result.rules[static_cast<std::size_t>(Rule::R2)].verdict = RuleVerdict::unsupported;
  const auto mismatches = [&](const std::string& text) {
    std::istringstream in(text);
    std::string all;
    for (const auto& mismatch : KnownFailures(in, "f").mismatches(result)) all += mismatch.text + "\n";
    return all;
  };
  CHECK(mismatches("X1 late\nX4 comes back") == "");
  CHECK(mismatches("X4 comes back\n") == "X1 is not known to be broken: fail\n");
  CHECK(mismatches("# why\n\n  X1\tlate\nX4 x\nT1 y\nR2 z\n") ==
        "f:5: T1 is listed as a known failure, but it passes\nf:6: R2 is listed as a known failure, but it is "
        "unsupported\n");
  CHECK(mismatches("X1 a\nX4 b\nX9 c\nX1 d\n") ==
        "f:3: there is no rule X9\nf:4: X1 is listed twice, first in line 1\n");
  CHECK_THROWS_WITH_AS(mismatches("X1 a\nX4\n"), "f:2: X4 needs a reason, in the same line", InputError);
  result.was_stopped = true;
  CHECK(mismatches("X1 a\nX4 b\nT1 c\n") == "");
}

TEST_CASE("known failures: an updated list keeps comments and lines that are still true") {
  Conformance result;
  for (std::size_t i = 0; i < rule_count; ++i)
    result.rules[i] = {.rule = static_cast<Rule>(i), .verdict = RuleVerdict::pass};
  result.rules[static_cast<std::size_t>(Rule::X1)].verdict = RuleVerdict::fail;
  result.rules[static_cast<std::size_t>(Rule::X4)].verdict = RuleVerdict::differs;
  std::istringstream in("# ours\n\nT1 kept by now\n  X4   comes back \n# end\nX4 again\nZ1 none\n");
  CHECK(KnownFailures(in, "f").updated(result) ==
        "# ours\n\n  X4   comes back \n# end\nX1 fail: no known defect does just this\n");
}

}  // namespace mayfly::test
