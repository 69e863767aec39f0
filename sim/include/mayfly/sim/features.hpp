#pragma once

#include <array>
#include <string_view>

#include "mayfly/sim/limits.hpp"
#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// Optional features of a store under test. Requests that need a missing one are neither sent nor checked.
struct Features {
  bool batch = true;
  bool patch = true;
  bool purge = true;
  bool lazy = true;
  bool charge = true;
  bool held = true;
  bool count = true;
  Seconds longest_step = Seconds::max();  ///< of its clock; in real time, a long one would have to be waited out
  Limits limits;
  bool operator==(const Features&) const = default;
};

/// One of them, or nothing.
using Feature = bool Features::*;

struct FeatureText {
  std::string_view name;
  Feature feature;
  std::string_view without_it;  ///< what is left out
};
inline constexpr std::array<FeatureText, 7> all_features{{
    {"batch", &Features::batch, "several requests in one line: they are sent one by one"},
    {"patch", &Features::patch, "patch requests (W4)"},
    {"purge", &Features::purge, "purge requests (P1-P5)"},
    {"lazy", &Features::lazy, "lazy indexing and index requests (I3, I4)"},
    {"charge", &Features::charge, "charges (P2, R1, R2)"},
    {"held", &Features::held, "held requests: whether purging deletes what expired (P5)"},
    {"count", &Features::count, "count requests (X2)"},
}};

constexpr bool has(const Features& features, Feature needed) { return !needed || features.*needed; }

/// What a store needs to answer the operation.
Feature need_of(const Operation& operation);

/// Whether no name and no value of the case is beyond the limits.
bool is_within(const Limits& limits, const Case& test_case);

/// Whether a store with these features can run the case.
bool can_run(const Features& features, const Case& test_case);

/// The case without what a store with these features lacks or what is beyond its limits; lazy collections become
/// consistent ones, and long clock steps as long as they may be.
Case within(const Features& features, Case test_case);

}  // namespace mayfly
