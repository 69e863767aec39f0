#pragma once

#include <iosfwd>
#include <string>
#include <utility>

#include <rapidcheck.h>

#include "mayfly/props/generate/generate.hpp"
#include "mayfly/props/property/property.hpp"
#include "mayfly/sim/basic_store.hpp"

// Cases and properties for RapidCheck. A store of one's own is checked by
//
//     rc::check("my store keeps the rules", [](const mayfly::Case& c) { return mayfly::keeps_the_rules<MyStore>(c); });
//
// A failing case is shrunk by the passes of passes.hpp and shown as a trace, as `mayfly replay` takes it. The store
// runs in this process: if it crashes, so does the test.

namespace mayfly {

/// Cases by our generator, from one draw each. At RapidCheck's nominal size of 100 they are as `generate` makes them; a
/// smaller size has that part of the operations, down to one.
rc::Gen<Case> cases(const World& world = {});

/// The trace, on lines of its own, because RapidCheck puts arguments in parentheses.
void showValue(const Case& test_case, std::ostream& out);

/// Whether the store keeps the property in this case, without what the store lacks. If it does not, RapidCheck's log
/// says what was asked, expected and answered.
bool keeps(const Property& property, const Case& test_case, Subject& subject);

/// The same for every property.
bool keeps_the_rules(const Case& test_case, Subject& subject);

/// The same for a store that begins as a copy of `empty`. If it has `check_invariants`, that is called after every
/// operation.
template <Store S>
bool keeps_the_rules(const Case& test_case, S empty = {}) {
  InProcess<S> subject("store", Audit::every_operation, std::move(empty));
  return keeps_the_rules(test_case, subject);
}

/// `rc::check` of one property, under the name of the store and the sentence of the property.
bool check_property(const Property& property, Subject& subject);

/// An `rc::check` for each property that is for the store; whether all of them hold.
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
