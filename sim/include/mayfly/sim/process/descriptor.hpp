#pragma once

#include <sys/types.h>

namespace mayfly {

/// A file descriptor that the process which made it closes at the end.
///
/// A child must not keep its parent's ends of pipes open: the process at the other end would never see them close. So
/// a child closes all of its parent's descriptors, but those that are passed on to it (Child does so). The objects that
/// it inherits with its memory are closed, for it.
class Descriptor {
 public:
  Descriptor() = default;

  /// Owns it from now on. Requires that it is open.
  explicit Descriptor(int number);
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }

  /// Below zero if it is closed, or was inherited: `poll` passes over it then.
  int number() const;
  bool is_open() const { return number() >= 0; }
  void close();

  /// Reads and writes return at once instead of waiting.
  void stop_blocking() const;

  /// In a child that was just forked: this one stays open, there and in all that the child forks, until they end.
  void pass_on();

  /// In a child that was just forked: closes all that were not passed on to it.
  static void close_inherited();

  /// In a child that was just forked, and outlives its parent: closes what was passed on to the parent.
  static void close_passed_on();

 private:
  int number_ = -1;
  pid_t owner_ = 0;
};

/// Both ends are closed on exec. Throws std::system_error.
struct Pipe {
  /// With room for this many bytes, if the system allows it.
  explicit Pipe(int size = 0);

  Descriptor read_end;
  Descriptor write_end;
};

/// Two ends that are alike: what is written to one is read from the other. Otherwise as a pipe.
struct SocketPair {
  SocketPair();

  Descriptor parents;
  Descriptor childs;
};

}  // namespace mayfly
