#pragma once

#include <cerrno>
#include <cstddef>
#include <new>
#include <sys/mman.h>
#include <system_error>

namespace mayfly {

/// `count` objects in memory that a process shares with its children. A child's writes outlive the child.
template <class T>
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t count) : bytes_(count * sizeof(T)) {
    void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    first_ = static_cast<T*>(memory);
    for (std::size_t i = 0; i < count; ++i) new (first_ + i) T;
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() { ::munmap(first_, bytes_); }

  T& operator[](std::size_t i) { return first_[i]; }

 private:
  std::size_t bytes_;
  T* first_ = nullptr;
};

}  // namespace mayfly
