#pragma once

#include <bit>
#include <cstddef>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "mayfly/sim/engine/stable_array.hpp"

// A hash map that grows in small steps (linear hashing): where another one would stop to move all its elements, this
// one moves those of one part. Parts are maps of about a thousand elements, and the hash tells which part an element
// belongs to. When there are more elements than that, the next part in turn gives half of its elements to a new one.

namespace mayfly::engine {

/// `Map` is a flat hash map whose hash is well mixed. Values move when an element is added.
template <class Map>
class SteppedMap {
 public:
  using Key = typename Map::key_type;
  using Value = typename Map::mapped_type;

  /// Null if there is none.
  const Value* find(const Key& key) const {
    if (parts_.size() == 0) return nullptr;
    const Map& part = parts_[part_of(key)];
    const auto found = part.find(key);
    return found == part.end() ? nullptr : &found->second;
  }
  Value* find(const Key& key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

  /// The value of this key, and whether it is new.
  template <class... Arguments>
  std::pair<Value*, bool> try_emplace(const Key& key, Arguments&&... arguments) {
    if (size_ == parts_.size() * part_size) add_part();
    const auto [at, is_new] = parts_[part_of(key)].try_emplace(key, std::forward<Arguments>(arguments)...);
    size_ += is_new ? 1 : 0;
    return {&at->second, is_new};
  }

  /// Requires that it is there.
  void erase(const Key& key) {
    parts_[part_of(key)].erase(key);
    --size_;
  }

  /// Calls `visit(key, value)` for each.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t number = 0; number < parts_.size(); ++number)
      for (const auto& [key, value] : parts_[number]) visit(key, value);
  }

 private:
  static constexpr std::size_t part_size = 1024;

  // Not the highest bits of the hash nor its lowest byte: a part uses those. There are as many parts as a power of two,
  // and some more for one bit more of the hash.
  std::size_t part_of(const Key& key) const {
    if (parts_.size() == 1) return 0;
    const std::size_t whole = std::bit_floor(parts_.size());
    const std::size_t number = typename Map::hasher{}(key) >> 8 & (2 * whole - 1);
    return number < parts_.size() ? number : number - whole;
  }

  void add_part() {
    Map& added = parts_.emplace_back();
    const std::size_t number = parts_.size() - 1;
    if (number == 0) return;
    Map& halved = parts_[number - std::bit_floor(number)];
    added.reserve(halved.size() / 2);
    boost::unordered::erase_if(halved, [&](auto& element) {
      if (part_of(element.first) != number) return false;
      added.emplace(element.first, std::move(element.second));
      return true;
    });
  }

  StableArray<Map, 1> parts_;
  std::size_t size_ = 0;
};

}  // namespace mayfly::engine
