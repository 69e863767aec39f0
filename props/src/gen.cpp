#include "mayfly/props/gen.hpp"

#include <rapidcheck.h>

#include "mayfly/props/shrink.hpp"

namespace mayfly {

rc::Shrinkable<Case> shrinkable(Case test_case) {
  return rc::shrinkable::shrinkRecur(std::move(test_case), [](const Case& larger) {
    std::vector<Change> changes;
    for (const Pass pass : passes())
      for (auto& change : pass(larger)) changes.push_back(std::move(change));
    const auto changed = [larger](const Change& change) {
      Case smaller = larger;
      change(smaller);
      return smaller;
    };
    const auto is_simpler = [limit = complexity(larger)](const Case& smaller) { return complexity(smaller) < limit; };
    return rc::seq::filter(rc::seq::map(rc::seq::fromContainer(std::move(changes)), changed), is_simpler);
  });
}

rc::Gen<Case> cases(const Shape& shape) {
  return [shape](const rc::Random& random, int) {
    rc::Random own = random;
    return shrinkable(generate(own.next(), shape));
  };
}

}  // namespace mayfly
