#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <span>

namespace mayfly::serve {

/// Notifies one thread which of its files are ready. A file that keeps waiting for the same event needs no further
/// system call, so a request that is read and answered at once takes two: to read, and to write.
class Epoll {
 public:
  enum class For { reading, writing };

  class Watcher {
   public:
    /// Called repeatedly while the file is ready. May destroy this watcher, and no other.
    virtual void is_ready() = 0;

   protected:
    ~Watcher() = default;
  };

  Epoll();
  ~Epoll();
  Epoll(const Epoll&) = delete;
  Epoll& operator=(const Epoll&) = delete;

  /// Requires that the watcher lives until the file is closed or forgotten.
  void watch(int file, For what, Watcher& watcher);
  void watch_instead(int file, For what, Watcher& watcher);
  void forget(int file);

  /// Waits until files are ready, for `at_most` this time, and returns their watchers; none if the time passed. Valid
  /// until the next call.
  std::span<Watcher* const> wait(std::chrono::nanoseconds at_most);

 private:
  void wait_in_nanoseconds(std::chrono::nanoseconds at_most) const;
  void control(int operation, int file, For what, Watcher* watcher);

  static constexpr std::size_t most_at_once = 64;  ///< other ready files are returned by the next call

  int epoll_;
  std::array<Watcher*, most_at_once> ready_{};
};

}  // namespace mayfly::serve
