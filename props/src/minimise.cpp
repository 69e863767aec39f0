#include "mayfly/props/minimise.hpp"

#include <rapidcheck.h>

#include "mayfly/props/gen.hpp"

namespace mayfly {

namespace {

class Minimiser {
 public:
  Minimiser(Failure failure, Subject& subject, const std::function<bool()>& stop)
      : result_{std::move(failure)}, subject_(subject), stop_(stop) {}

  Minimised run() {
    cut_after_failure();
    show_the_look();
    walk();
    return std::move(result_);
  }

 private:
  bool still_fails(const Property& property, const Case& test_case) {
    ++result_.runs;
    auto violation = property.check(test_case, subject_);
    if (!violation) return false;
    result_.failure = {&property, test_case, std::move(*violation)};
    return true;
  }

  void cut_after_failure() {
    Case cut = result_.failure.test_case;
    if (result_.failure.violation.step + 1 >= cut.operations.size()) return;
    cut.operations.resize(result_.failure.violation.step + 1);
    still_fails(*result_.failure.property, cut);
  }

  void show_the_look() {
    if (result_.failure.property != &agrees_watched()) return;
    Case shown = result_.failure.test_case;
    if (still_fails(agrees_unwatched(), shown)) return;
    shown.operations.push_back(result_.failure.violation.operation);
    still_fails(agrees_unwatched(), shown);
  }

  void walk() {
    auto node = shrinkable(result_.failure.test_case);
    for (auto next = node.shrinks();;) {
      if (stop_()) return;
      const auto smaller = next.next();
      if (!smaller) break;
      if (!still_fails(*result_.failure.property, smaller->value())) continue;
      next = smaller->shrinks();
    }
    result_.is_minimal = true;
  }

  Minimised result_;
  Subject& subject_;
  const std::function<bool()>& stop_;
};

}  // namespace

Minimised minimise(Failure failure, Subject& subject, const std::function<bool()>& stop) {
  return Minimiser(std::move(failure), subject, stop).run();
}

}  // namespace mayfly
