#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <span>

namespace mayfly::serve {

/// Tells one thread which of its files can go on. Nothing is asked of the system for a file that waits for the same
/// as before, so that a request that is read and answered at once takes two system calls: to read, and to write.
class Epoll {
 public:
  enum class For { reading, writing };

  class Watcher {
   public:
    /// Told again and again for as long as it is so. May destroy this watcher, and no other.
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

  /// The watchers of files that are ready, as soon as there are any; none after this time. Valid until the next call.
  std::span<Watcher* const> wait(std::chrono::nanoseconds at_most);

 private:
  void wait_in_nanoseconds(std::chrono::nanoseconds at_most) const;
  void control(int operation, int file, For what, Watcher* watcher);

  static constexpr std::size_t most_at_once = 64;  ///< the others have their turn after these

  int epoll_;
  std::array<Watcher*, most_at_once> ready_{};
};

}  // namespace mayfly::serve
