#pragma once

#include <sys/types.h>

namespace mayfly {

/// A file descriptor, closed at the end by the process that made it.
///
/// A child must not keep its parent's ends of pipes open: the process at the other end would never see them close. So a
/// child closes all of its parent's descriptors, except those that are passed on to it (Child does so). The Descriptor
/// objects that it inherits with its memory then count as closed.
class Descriptor {
 public:
  Descriptor() = default;

  /// Takes ownership. Requires that the descriptor is open.
  explicit Descriptor(int number);
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }

  /// Negative if it is closed or was inherited, in which case `poll` ignores it.
  int number() const;
  bool is_open() const { return number() >= 0; }
  void close();

  /// Makes reads and writes return at once instead of waiting.
  void stop_blocking() const;

  /// To be called in a new child: this descriptor stays open there, and in all processes that the child forks, until
  /// they end.
  void pass_on();

  /// To be called in a new child: closes all descriptors that were not passed on to it.
  static void close_inherited();

  /// To be called in a new child that outlives its parent: closes the descriptors that were passed on to the parent.
  static void close_passed_on();

 private:
  int number_ = -1;
  pid_t owner_ = 0;
};

/// A pipe. Both ends are closed on exec. Throws std::system_error.
struct Pipe {
  /// `size` is the wanted capacity in bytes; the system may refuse it.
  explicit Pipe(int size = 0);

  Descriptor read_end;
  Descriptor write_end;
};

/// A connection with two equal ends: data written to one is read from the other. Otherwise as Pipe.
struct SocketPair {
  SocketPair();

  Descriptor parents;
  Descriptor childs;
};

}  // namespace mayfly
