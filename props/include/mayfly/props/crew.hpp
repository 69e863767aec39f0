#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/props/runner.hpp"
#include "mayfly/props/transcript.hpp"
#include "mayfly/sim/child.hpp"

// Many processes that ask one store side by side. Where time is real a case is mostly waited for, and so they share the
// waiting.
//
// Each member lives on from question to question, for it has a connection and a database of its own, and has to learn
// how the store's clock goes. It runs the property and sends back what the store answered; whoever asked runs the
// property on these answers once more. So nothing but requests and answers travels, in their one concrete syntax.

namespace mayfly {

class Crew {
 public:
  /// Requires that the store outlives it, and that this process has one thread. Members are started when they are
  /// needed. A case, or where time is real a request, may take so many seconds. Once `gives_up` says so, nobody is
  /// waited for any more.
  Crew(RemoteSubject& store, std::size_t most_members, double seconds, std::function<bool()> gives_up);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();

  /// How long that may be from now on, for questions that are not begun yet.
  void allow(double seconds) { seconds_ = seconds; }

  /// As a runner does it. What is answered is kept until it was asked for as often as it was foreseen: who asks the
  /// same once more wants to know whether it is still so. What was begun and is not foreseen any more is broken off.
  void ask_ahead(const std::vector<Question>& questions);

  /// Checks the property. A member that dies is a store that fails. Nothing if it was given up.
  std::optional<Violation> ask(const Property& property, const Case& test_case);

  /// What the store answers while the property is checked, for a `Playback`; nothing if it was given up.
  std::optional<Transcript> answers_to(const Property& property, const Case& test_case);

  /// Asks, and asks ahead. Requires that the crew outlives it, as the next does.
  Runner runner();
  /// The latter alone, for a runner that has its own way to ask.
  Runner::AskAhead foresight();

 private:
  using Task = std::string;  ///< a question as text

  struct Member {
    Child process;
    int socket = -1;
    std::deque<Task> tasks{};  ///< that it has not answered; it breaks off all but the last
    std::string heard{};       ///< of its answer
  };

  struct Foreseen {
    std::size_t times = 0;
    std::optional<Transcript> answers{};
  };

  void start_waiting();
  Member* free_member();
  Member& add_member();
  void listen();
  bool hear(Member& member);
  void take_answer(Member& member, const std::string& line);
  bool is_begun(const Task& task) const;
  void bury(Member& member);

  RemoteSubject& store_;
  std::size_t most_members_;
  double seconds_;
  std::function<bool()> gives_up_;
  std::vector<Member> members_;
  std::deque<Task> waiting_;           ///< to be begun, in this order
  std::map<Task, Foreseen> foreseen_;  ///< what waits, was begun, or is answered
};

}  // namespace mayfly
