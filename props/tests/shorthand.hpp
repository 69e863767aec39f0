#pragma once

#include <cstdint>

#include "mayfly/props/conformance.hpp"
#include "mayfly/props/defective_store.hpp"
#include "mayfly/sim/subject.hpp"

// What many tests write, in short.

namespace mayfly::test {

constexpr Instant at(std::int64_t second) { return Instant{Seconds{second}}; }

inline const DocumentKey d0{"c0", "p0", "d0"};

inline InProcess<DefectiveStore> store_with(Defect defect) {
  return InProcess<DefectiveStore>("store", Audit::never, DefectiveStore(defect));
}

inline const RuleResult& of(const Conformance& result, Rule rule) {
  return result.rules[static_cast<std::size_t>(rule)];
}

}  // namespace mayfly::test
