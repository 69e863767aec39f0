#pragma once

#include <iosfwd>
#include <string>
#include <utility>

#include <rapidcheck.h>

#include "mayfly/props/generate/generate.hpp"
#include "mayfly/props/property/property.hpp"
#include "mayfly/sim/basic_store.hpp"

// Cases and properties for RapidCheck. A user's store is checked by
//
//     rc::check("my store keeps the rules", [](const mayfly::Case& c) { return mayfly::keeps_the_rules<MyStore>(c); });
//
// A failing case is shrunk by the passes of passes.hpp and shown as a trace for `mayfly replay`. The store
// runs in this process: if it crashes, so does the test.

namespace mayfly {

/// Cases of Mayfly's generator, each from one draw. At RapidCheck's nominal size of 100 a case is as `generate` makes
/// it; at a smaller size it keeps that fraction of the operations, at least one.
rc::Gen<Case> cases(const World& world = {});

/// Prints the trace on lines of its own, because RapidCheck puts arguments in parentheses.
void showValue(const Case& test_case, std::ostream& out);

/// Whether the property holds for the store in this case, without the operations that the store does not support. If
/// not, RapidCheck's log shows the request and the expected and actual answers.
bool keeps(const Property& property, const Case& test_case, Subject& subject);

/// The same for every property.
bool keeps_the_rules(const Case& test_case, Subject& subject);

/// The same for a store that begins as a copy of `empty`. If the store has `check_invariants`, it is called after every
/// operation.
template <Store S>
bool keeps_the_rules(const Case& test_case, S empty = {}) {
  InProcess<S> subject("store", Audit::every_operation, std::move(empty));
  return keeps_the_rules(test_case, subject);
}

/// Calls `rc::check` for one property, under the name of the store and the sentence of the property.
bool check_property(const Property& property, Subject& subject);

/// Calls `rc::check` for each property that applies to the store. True if all hold.
bool check_every_property(Subject& subject);

template <Store S>
bool check_every_property(std::string name, S empty = {}) {
  InProcess<S> subject(std::move(name), Audit::every_operation, std::move(empty));
  return check_every_property(subject);
}

}  // namespace mayfly

template <>
struct rc::Arbitrary<mayfly::Case> {
  static Gen<mayfly::Case> arbitrary() { return mayfly::cases(); }
};
