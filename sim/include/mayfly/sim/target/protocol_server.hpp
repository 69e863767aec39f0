#pragma once

#include <iosfwd>
#include <string>

#include "mayfly/sim/subject.hpp"

namespace mayfly {

/// Puts a store behind the target protocol (sim/PROTOCOL.md): answers each line of `in` on `out`, until there are no
/// more.
void serve_protocol(Subject& subject, std::istream& in, std::ostream& out);

}  // namespace mayfly
