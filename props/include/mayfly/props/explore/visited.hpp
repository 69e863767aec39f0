#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

namespace mayfly {

/// The states that a search has reached, numbered in that order, each with the step that led to it. It keeps whole
/// states and not just their hashes, so that "no state is new" is a proof.
class VisitedStates {
 public:
  using Id = std::uint32_t;
  using Step = std::uint16_t;  ///< the number of an operation in the alphabet

  VisitedStates() : ids_(0, Hash{this}, Equal{this}) {}
  VisitedStates(const VisitedStates&) = delete;
  VisitedStates& operator=(const VisitedStates&) = delete;

  /// Adds the state if it is new. True if it was.
  bool add(std::string_view state, Id parent, Step step);

  std::string_view operator[](Id id) const { return states_[id].bytes; }
  std::size_t size() const { return states_.size(); }

  /// The steps that led from the first state to this one.
  std::vector<Step> path_to(Id id) const;

  /// The memory used, in bytes, including that needed to grow.
  std::size_t memory() const;

 private:
  struct State {
    std::string_view bytes;
    Id parent;
    Step step;
  };
  static constexpr std::size_t block_size = std::size_t{1} << 20;

  static std::size_t hash_of(std::string_view state) { return std::hash<std::string_view>{}(state); }
  struct Hash {
    using is_transparent = void;
    const VisitedStates* states;
    std::size_t operator()(Id id) const { return hash_of((*states)[id]); }
    std::size_t operator()(std::string_view state) const { return hash_of(state); }
  };
  struct Equal {
    using is_transparent = void;
    const VisitedStates* states;
    bool operator()(Id a, Id b) const { return a == b; }
    bool operator()(std::string_view state, Id id) const { return state == (*states)[id]; }
    bool operator()(Id id, std::string_view state) const { return state == (*states)[id]; }
  };

  std::string_view keep(std::string_view state);

  std::deque<State> states_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t used_ = block_size;  ///< bytes of the last block
  boost::unordered_flat_set<Id, Hash, Equal> ids_;
};

}  // namespace mayfly
