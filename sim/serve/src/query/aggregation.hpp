#pragma once

#include <cstdint>

#include "query_parser.hpp"

namespace mayfly::serve {

/// Computes an aggregate, value by value. As in the service, undefined values do not count; SUM and AVG are undefined
/// if a value is no number, MIN and MAX if one is a list or an object.
class Aggregation {
 public:
  explicit Aggregation(Aggregate::Kind kind) : kind_(kind) {}

  void add(const QueryValue& value, WorkMeter& work);
  QueryValue result() const;

 private:
  Aggregate::Kind kind_;
  std::uint64_t count_ = 0;
  double sum_ = 0;
  QueryValue extreme_;
  bool is_undefined_ = false;
};

}  // namespace mayfly::serve
