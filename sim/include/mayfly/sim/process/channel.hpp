#pragma once

#include <optional>
#include <string>

#include "mayfly/sim/process/deadline.hpp"
#include "mayfly/sim/process/descriptor.hpp"

namespace mayfly {

/// One end of a connection between a process and its child, which send each other lines.
class Channel {
 public:
  Channel() = default;
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

  /// Sends a line, given without its newline. Waits until there is room for it. False if the other end is closed.
  bool send(std::string line);

  /// Waits for a line. Nothing if the other end is closed first, or the deadline has passed or is cancelled.
  std::optional<std::string> read_line(const Deadline& deadline = {.end = Deadline::never});

  /// Takes the next received line, without its newline, if there is one.
  std::optional<std::string> take_line();

  /// Waits for data, and receives it. False if the other end is closed.
  bool receive();

  /// Waits up to `milliseconds` until `receive` would return at once. False if it still would not. Ignores lines that
  /// were received before.
  bool has_news(int milliseconds = 0) const;

  /// For `poll`: readable when `receive` would return at once.
  int descriptor() const { return socket_.number(); }

 private:
  Descriptor socket_;
  std::string received_;
};

}  // namespace mayfly
