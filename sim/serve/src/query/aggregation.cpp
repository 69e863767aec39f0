#include "aggregation.hpp"

namespace mayfly::serve {

using Kind = Aggregate::Kind;

void Aggregation::add(const QueryValue& value, WorkMeter& work) {
  if (!value) return;
  ++count_;
  if (kind_ == Kind::count) return;
  if (kind_ == Kind::sum || kind_ == Kind::avg) {
    is_undefined_ = is_undefined_ || !value->is_number();
    if (value->is_number()) sum_ += value->to_number<double>();
    return;
  }
  is_undefined_ = is_undefined_ || value->is_structured();
  if (is_undefined_) return;
  const auto order = sorted_as(value.get(), extreme_.get());
  if (!extreme_ || (kind_ == Kind::min ? order < 0 : order > 0)) extreme_ = computed(copied(*value, work));
}

QueryValue Aggregation::result() const {
  if (kind_ == Kind::count) return number(static_cast<double>(count_));
  if (is_undefined_) return nullptr;
  if (kind_ == Kind::sum) return number(sum_);
  if (kind_ == Kind::avg) return count_ == 0 ? nullptr : number(sum_ / static_cast<double>(count_));
  return extreme_;
}

}  // namespace mayfly::serve
