#include "mayfly/props/run/earlier_cases.hpp"

#include <algorithm>

#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/property/runner.hpp"
#include "mayfly/props/shrink/minimise.hpp"
#include "mayfly/sim/trace.hpp"

namespace mayfly {

namespace {

constexpr int most_times = 4;  // that a worker runs a case, for the laws

class Afresh {
 public:
  Afresh(RemoteSubject& target, const std::function<bool()>& stop) : target_(target), stop_(stop) {}

  /// Whether the case, after the earlier ones, breaks the property in a fresh process.
  bool fails(const Property& property, const std::vector<Case>& earlier, const Case& test_case) {
    if (stop_()) return false;
    prepare({earlier, {}}, target_);
    auto violation = check(property, test_case, target_);
    if (!violation || stop_()) return false;
    found_ = {earlier, {&property, test_case, std::move(*violation)}};
    return true;
  }

  bool fails(const Failure& failure, const std::vector<Case>& earlier) {
    return fails(agrees_unwatched(), earlier, failure.test_case) ||
           fails(*failure.property, earlier, failure.test_case);
  }

  void remove_cases() {
    remove_by_halves(found_.earlier.size(), [&](std::size_t begin, std::size_t end) {
      auto fewer = found_.earlier;
      cut(fewer, begin, end);
      return !fewer.empty() && fails(*found_.failure.property, fewer, found_.failure.test_case);
    });
  }

  void remove_operations() {
    for (std::size_t i = 0; i < found_.earlier.size(); ++i)
      remove_by_halves(found_.earlier[i].steps.size(), [&](std::size_t begin, std::size_t end) {
        auto shorter = found_.earlier;
        cut(shorter[i].steps, begin, end);
        return fails(*found_.failure.property, shorter, found_.failure.test_case);
      });
    const std::size_t needed = found_.failure.violation.step + 1;
    Case shorter = found_.failure.test_case;
    if (needed < shorter.steps.size()) cut(shorter.steps, needed, shorter.steps.size());
    fails(*found_.failure.property, found_.earlier, shorter);
    remove_by_halves(found_.failure.test_case.steps.size(), [&](std::size_t begin, std::size_t end) {
      Case less = found_.failure.test_case;
      cut(less.steps, begin, end);
      return !less.steps.empty() && fails(*found_.failure.property, found_.earlier, less);
    });
  }

  FreshFailure take() { return std::move(found_); }

 private:
  template <class T>
  static void cut(std::vector<T>& all, std::size_t begin, std::size_t end) {
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end));
  }

  /// Calls `can_go` with ranges of `count` elements, halves first and single ones last, from the end. If it returns
  /// true, the range was removed.
  static void remove_by_halves(std::size_t count, const auto& can_go) {
    for (std::size_t size = std::max<std::size_t>(count / 2, 1); size > 0; size /= 2)
      for (std::size_t end = count; end >= size; end -= size) {
        if (can_go(end - size, end)) count -= size;
        if (end == size) break;
      }
  }

  RemoteSubject& target_;
  const std::function<bool()>& stop_;
  FreshFailure found_;
};

/// Whether it fails after the same case, which is enough if a reset leaves something behind, or after `before`.
bool fails_after_others(Afresh& afresh, const Failure& original, const Failure& smallest,
                        const std::vector<Case>& before) {
  const bool is_shrunk = smallest.property != nullptr;
  if (is_shrunk && afresh.fails(smallest, {smallest.test_case})) return true;
  if (is_shrunk && afresh.fails(smallest, {original.test_case})) return true;
  if (afresh.fails(original, {original.test_case})) return true;
  std::vector<Case> run;
  for (int times = 0; times < most_times; ++times) run.insert(run.end(), before.begin(), before.end());
  if (before.empty() || !(afresh.fails(original, before) || afresh.fails(original, run))) return false;
  afresh.remove_cases();
  return true;
}

}  // namespace

FreshFailure fail_afresh(const Failure& original, const Failure& smallest, const std::vector<Case>& before,
                         RemoteSubject& target, const std::function<bool()>& stop) {
  if (!target.restart()) return {{}, smallest};
  Afresh afresh(target, stop);
  if (smallest.property && afresh.fails(*smallest.property, {}, smallest.test_case)) return afresh.take();
  if (afresh.fails(*original.property, {}, original.test_case)) {
    const Runner runner([&](const Property& property, const Case& test_case) {
      return afresh.fails(property, {}, test_case) ? std::optional(afresh.take().failure.violation) : std::nullopt;
    });
    return {{}, minimise(afresh.take().failure, runner, stop).failure};
  }
  const bool passes = !stop();
  if (!fails_after_others(afresh, original, smallest, before)) return {{}, smallest, passes};
  afresh.remove_operations();
  return afresh.take();
}

void prepare(const FreshFailure& failure, RemoteSubject& target) {
  target.restart();
  for (const auto& earlier : failure.earlier) check(agrees_unwatched(), earlier, target);
}

std::string trace_text(const FreshFailure& failure) {
  std::string text;
  for (const auto& earlier : failure.earlier) text += trace_text(earlier);
  return text + trace_text(failure.failure.test_case);
}

}  // namespace mayfly
