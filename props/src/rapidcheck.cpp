#include "mayfly/props/rapidcheck.hpp"

#include <algorithm>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/shrink/passes.hpp"
#include "mayfly/sim/trace.hpp"

namespace mayfly {

namespace {

/// A change among those of all passes.
struct Position {
  std::size_t pass = 0;
  std::size_t change = 0;
};

rc::Shrinkable<Case> shrinkable(Case test_case, Position from);

/// Every change of every pass that makes the case simpler, in turn, from a position on and round to it. A case that is
/// simpler goes on from the change that made it: what did not help before will rarely help now, and comes last.
class SimplerCases {
 public:
  SimplerCases(Case larger, Position from) : larger_(std::move(larger)), from_(from) {
    begin_pass(from.pass);
    at_.change = std::min(from.change, end_);
  }

  rc::Maybe<rc::Shrinkable<Case>> operator()() {
    for (;;) {
      for (; at_.change < end_; ++at_.change) {
        Case smaller = larger_;
        changes_[at_.change](smaller);
        if (complexity(smaller) < limit_) return shrinkable(std::move(smaller), Position{at_.pass, at_.change++});
      }
      if (++passes_begun_ > passes().size()) return rc::Nothing;
      begin_pass((at_.pass + 1) % passes().size());
      if (passes_begun_ == passes().size()) end_ = std::min(from_.change, end_);
    }
  }

 private:
  void begin_pass(std::size_t pass) {
    changes_ = passes()[pass](larger_);
    at_ = {pass, 0};
    end_ = changes_.size();
  }

  Case larger_;
  Position from_;
  Complexity limit_ = complexity(larger_);
  std::vector<Change> changes_;  ///< of the pass at hand
  Position at_;
  std::size_t end_ = 0;
  std::size_t passes_begun_ = 0;  ///< after the first
};

rc::Shrinkable<Case> shrinkable(Case test_case, Position from) {
  return rc::shrinkable::shrink(
      [test_case = std::move(test_case)] { return test_case; },
      [from](Case&& larger) { return rc::Seq<rc::Shrinkable<Case>>(SimplerCases(std::move(larger), from)); });
}

World scaled(World world, int size) {
  constexpr std::size_t nominal = rc::kNominalSize;
  const auto part = static_cast<std::size_t>(std::clamp(size, 0, rc::kNominalSize));
  for (std::size_t* operations : {&world.longest_case, &world.usual_case})
    *operations = std::max<std::size_t>(1, *operations * part / nominal);
  return world;
}

}  // namespace

rc::Gen<Case> cases(const World& world) {
  return [world](const rc::Random& random, int size) {
    rc::Random own = random;
    return shrinkable(generate(own.next(), scaled(world, size)), {});
  };
}

void showValue(const Case& test_case, std::ostream& out) { out << '\n' << trace_text(test_case); }

bool keeps(const Property& property, const Case& test_case, Subject& subject) {
  Case possible = within(subject.features(), test_case);
  auto violation = check(property, possible, subject);
  if (!violation) return true;
  RC_LOG(violation_text({&property, std::move(possible), std::move(*violation)}, subject.name()));
  return false;
}

bool keeps_the_rules(const Case& test_case, Subject& subject) {
  const auto properties = all_properties();
  return std::all_of(properties.begin(), properties.end(),
                     [&](const Property& property) { return keeps(property, test_case, subject); });
}

bool check_property(const Property& property, Subject& subject) {
  return rc::check(fmt::format("{}: {}", subject.name(), property.name),
                   [&](const Case& test_case) { return keeps(property, test_case, subject); });
}

bool check_every_property(Subject& subject) {
  bool all_hold = true;
  for (const Property& property : all_properties())
    if (has(subject.features(), property.needs())) all_hold = check_property(property, subject) && all_hold;
  return all_hold;
}

}  // namespace mayfly
