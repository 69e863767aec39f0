#pragma once

#include <cstdint>

#include "mayfly/props/conformance/conformance.hpp"
#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/sim/subject.hpp"

// Abbreviations for tests.

namespace mayfly::test {

// Under the sanitizers the harness is many times slower. There a test checks only every `stride`-th of many similar
// cases; without sanitizers it checks all.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr std::size_t stride = 4;
#else
constexpr std::size_t stride = 1;
#endif
#else
constexpr std::size_t stride = 1;
#endif

constexpr Instant at(std::int64_t second) { return Instant{Seconds{second}}; }

inline const DocumentKey d0{"c0", "p0", "d0"};

inline InProcess<DefectiveStore> store_with(Defect defect) {
  return InProcess<DefectiveStore>("store", Audit::never, DefectiveStore(defect));
}

inline const RuleResult& of(const Conformance& result, Rule rule) {
  return result.rules[static_cast<std::size_t>(rule)];
}

}  // namespace mayfly::test
