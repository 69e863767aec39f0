#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "mayfly/props/report/story.hpp"

namespace mayfly {

/// The time of a story as columns. They are not to scale, because a ttl may be a second or 68 years: each step has a
/// column, and so has each deadline between or after the steps.
class Axis {
 public:
  struct Column {
    Instant at;
    std::optional<std::size_t> step;  ///< its number in the case; nothing for a deadline between requests
  };
  /// The columns from `from` up to, but not including, `until`.
  struct Span {
    std::size_t from;
    std::size_t until;
  };

  explicit Axis(const Story& story);

  const std::vector<Column>& columns() const { return columns_; }

  /// The column of the step. A step that is left out has the first.
  std::size_t of_step(std::size_t step) const;

  /// The first column at this second or later.
  std::size_t of(Instant second) const;

  Span of(const Life& life) const;

  /// Up to the step that shows the difference: from that step, or for a document that is still shown from its end by
  /// the rules.
  Span of(const Lane& lane, const Ghost& ghost) const;

 private:
  std::vector<Column> columns_;
};

}  // namespace mayfly
