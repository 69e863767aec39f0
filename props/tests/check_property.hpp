#pragma once

#include <optional>

#include "mayfly/props/generate.hpp"
#include "mayfly/props/minimise.hpp"

namespace mayfly::test {

/// Runs the property under RapidCheck, with a fixed seed. The shrunk failure, if there is one.
std::optional<Failure> find_failure(const Property& property, Subject& subject, int runs, const Shape& shape = {});

/// The failure as a trace, or "" if there is none: so that a test that compares it with "" prints it.
std::string trace_of(const std::optional<Failure>& failure);

}  // namespace mayfly::test
