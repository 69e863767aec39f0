#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "mayfly/props/report/story.hpp"

namespace mayfly {

/// The time of a story as columns. A ttl may be a second or 68 years, so that columns do not measure it: each step has
/// one, and so has each second between or after them that is a deadline.
class Axis {
 public:
  struct Column {
    Instant at;
    std::optional<std::size_t> step;  ///< its number in the case; nothing at a second when nothing is asked
  };
  /// From the first column to before the last.
  struct Span {
    std::size_t from;
    std::size_t until;
  };

  explicit Axis(const Story& story);

  const std::vector<Column>& columns() const { return columns_; }

  /// That of a step that is left out is the first.
  std::size_t of_step(std::size_t step) const;

  /// The first at this second or after it.
  std::size_t of(Instant second) const;

  Span of(const Life& life) const;

  /// From when the rules last showed the document, if they did, to where it came to light that the store does not
  /// agree.
  Span of(const Lane& lane, const Ghost& ghost) const;

 private:
  std::vector<Column> columns_;
};

}  // namespace mayfly
