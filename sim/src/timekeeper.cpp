#include "mayfly/sim/timekeeper.hpp"

#include <thread>

#include "mayfly/sim/stopwatch.hpp"

namespace mayfly {

namespace {

class RealTimekeeper final : public Timekeeper {
 public:
  double now() override { return Stopwatch::now(); }

  void wait_until(double time) override {
    while (now() < time) std::this_thread::sleep_for(std::chrono::duration<double>(time - now()));
  }
};

}  // namespace

Timekeeper& real_timekeeper() {
  static RealTimekeeper keeper;
  return keeper;
}

}  // namespace mayfly
