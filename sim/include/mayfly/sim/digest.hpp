#pragma once

#include <cstdint>
#include <string_view>

#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// A fingerprint of what was asked and answered: the same on every machine and compiler. Documents of an answer count in
/// any order, as the rules have it.
class Digest {
 public:
  void add(Instant start) { add_number(static_cast<std::uint64_t>(start.time_since_epoch().count())); }
  void add(const Operation& operation);
  void add(const Outcome& answer);

  std::uint64_t value() const { return state_; }

 private:
  class Fields;

  void add_number(std::uint64_t number);
  void add_text(std::string_view text);

  std::uint64_t state_ = 0x9ae16a3b2f90404f;
};

}  // namespace mayfly
