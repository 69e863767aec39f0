#pragma once

#include <cstdint>
#include <string_view>

#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// A fingerprint of requests and answers, the same on every machine and compiler. The order of documents within an
/// answer does not matter, as in the rules.
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
