#include "mayfly/serve/service/service_clock.hpp"

#include <algorithm>
#include <utility>

namespace mayfly::serve {

ServiceClock ServiceClock::real(std::function<Instant()> wall) { return {std::move(wall), Instant{}}; }
ServiceClock ServiceClock::virtual_from(Instant start) { return {nullptr, start}; }

Instant ServiceClock::now() {
  if (wall_) last_ = std::min(std::max(last_, wall_()), latest_instant);
  return last_;
}

void ServiceClock::start_no_earlier(Instant start) { last_ = std::max(last_, start); }

bool ServiceClock::move_to(Instant second) {
  if (second < last_ || second > latest_instant) return false;
  last_ = second;
  return true;
}

void ServiceClock::take_back_to(Instant second) {
  if (is_virtual()) last_ = second;
}

}  // namespace mayfly::serve
