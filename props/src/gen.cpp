#include "mayfly/props/gen.hpp"

#include <rapidcheck.h>

#include "mayfly/props/shrink.hpp"

namespace mayfly {

rc::Shrinkable<Case> shrinkable(Case test_case) {
  return rc::shrinkable::shrinkRecur(std::move(test_case), [](const Case& larger) {
    return rc::seq::map(rc::seq::fromContainer(simplifications(larger)),
                        [larger](const Simplification& way) { return simplified(larger, way); });
  });
}

rc::Gen<Case> cases(const Shape& shape) {
  return [shape](const rc::Random& random, int) {
    rc::Random own = random;
    return shrinkable(generate(own.next(), shape));
  };
}

}  // namespace mayfly
