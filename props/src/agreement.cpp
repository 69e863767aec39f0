#include "mayfly/props/property.hpp"

namespace mayfly {

std::optional<Violation> check_agreement(const Case& test_case, Subject& subject, Watch watch, Tally* tally) {
  Lockstep lockstep(test_case.start, subject);
  for (std::size_t step = 0; step < test_case.operations.size(); ++step) {
    const auto& operation = test_case.operations[step];
    if (tally) tally->before(lockstep.reference(), lockstep.now(), operation);
    Exchange exchange = lockstep.step(operation);
    if (tally) tally->after(operation, exchange.actual);
    if (!exchange.is_allowed) return Violation{step, operation, std::move(exchange)};
    if (watch == Watch::nothing) continue;
    if (auto difference = lockstep.observe())
      return Violation{step, std::move(difference->operation), std::move(difference->exchange)};
  }
  return std::nullopt;
}

}  // namespace mayfly
