#pragma once

namespace mayfly::bench {

/// How busy the processors of this machine are. Figures of a shared machine mean little without it: whoever waits for
/// a processor that others use is late by milliseconds.
class Processors {
 public:
  /// The seconds that all of them together have been busy, in whatever process.
  static double busy_seconds();

  /// The seconds that this process has been, its children left out.
  static double own_seconds();

  static unsigned count();
};

}  // namespace mayfly::bench
