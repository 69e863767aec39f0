#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sys/mman.h>
#include <utility>

#include <boost/container/small_vector.hpp>

// An array that grows at its end without moving an element: each segment is twice as long as the one before it. What is
// not used yet of a long segment was never touched, so it takes no memory from the system. Long segments ask for huge
// pages: a processor that visits elements at random spends much of its time on looking up small ones.

namespace mayfly::engine {

template <class T, std::size_t first_segment>
class StableArray {
  static_assert(std::has_single_bit(first_segment));

 public:
  StableArray() = default;
  StableArray(const StableArray& other) { *this = other; }
  StableArray(StableArray&& other) noexcept { swap(other); }
  StableArray& operator=(const StableArray& other) {  // keeps the memory that is there
    shrink_to(std::min(size_, other.size_));
    for (std::size_t i = 0; i < size_; ++i) (*this)[i] = other[i];
    while (size_ < other.size_) emplace_back(other[size_]);
    return *this;
  }
  StableArray& operator=(StableArray&& other) noexcept {
    swap(other);
    return *this;
  }
  ~StableArray() {
    shrink_to(0);
    for (std::size_t i = 0; i < segments_.size(); ++i) std::allocator<T>().deallocate(segments_[i], length(i));
  }

  std::size_t size() const { return size_; }

  T& operator[](std::size_t at) { return *place(at); }
  const T& operator[](std::size_t at) const { return *place(at); }

  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (size_ + first_segment == first_segment << segments_.size()) add_segment();
    T* const added = std::construct_at(place(size_), std::forward<Arguments>(arguments)...);
    ++size_;
    return *added;
  }

 private:
  static constexpr std::size_t huge_page = std::size_t{1} << 21;

  static std::size_t length(std::size_t segment) { return first_segment << segment; }

  // Counted from `first_segment` on, the highest bit of a number tells its segment, the others where it is there.
  T* place(std::size_t at) const {
    const std::size_t number = at + first_segment;
    const auto segment = static_cast<std::size_t>(std::bit_width(number) - std::bit_width(first_segment));
    return segments_[segment] + (number ^ length(segment));
  }

  void add_segment() {
    const std::size_t count = length(segments_.size());
    T* const segment = segments_.emplace_back(std::allocator<T>().allocate(count));
    const auto begin = reinterpret_cast<std::uintptr_t>(segment);
    const std::uintptr_t first = (begin + huge_page - 1) & ~(huge_page - 1);
    const std::uintptr_t end = (begin + count * sizeof(T)) & ~(huge_page - 1);
    if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);  // where they can be had
  }

  void shrink_to(std::size_t size) {
    while (size_ > size) std::destroy_at(place(--size_));
  }

  void swap(StableArray& other) noexcept {
    std::swap(segments_, other.segments_);
    std::swap(size_, other.size_);
  }

  boost::container::small_vector<T*, 1> segments_;
  std::size_t size_ = 0;
};

}  // namespace mayfly::engine
