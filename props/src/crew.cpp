#include "mayfly/props/crew.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <poll.h>
#include <sstream>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/sim/trace.hpp"

namespace mayfly {

namespace {

namespace json = boost::json;

constexpr int poll_interval = 50;            // milliseconds
constexpr int patience_with_an_end = 1'000;  // the same, for a process that has closed its socket

// A forked process has every property where this one has it.
std::string task_of(const Property& property, const Case& test_case) {
  const auto place = reinterpret_cast<std::uintptr_t>(&property);
  return json::serialize(json::object{{"property", place}, {"trace", trace_text(test_case)}});
}

/// Does what the line says: how long it may take, and a question.
Transcript done(const std::string& line, RemoteSubject& store) {
  std::size_t end = 0;
  store.allow(std::stod(line, &end));
  const json::value task = json::parse(line.substr(end));
  const auto* property = reinterpret_cast<const Property*>(task.at("property").to_number<std::uintptr_t>());
  std::istringstream trace(json::value_to<std::string>(task.at("trace")));
  return record(*property, read_trace(trace, "task").front().without_expectations(), store);
}

/// Whether all of it could be sent.
bool send_line(int socket, std::string line) {
  line += '\n';
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t sent = ::send(socket, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Appends what there is to be heard. False if nobody will speak any more.
bool hear_more(int socket, std::string& heard) {
  std::array<char, 65'536> buffer;
  ssize_t count = 0;
  do {
    count = ::recv(socket, buffer.data(), buffer.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  heard.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

bool is_being_spoken_to(int socket) {
  pollfd waiting{socket, POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

/// Takes a line off the front of the text. Requires that there is one.
std::string take_line(std::string& text) {
  const std::size_t end = text.find('\n');
  std::string line = text.substr(0, end);
  text.erase(0, end + 1);
  return line;
}

/// In a member: answers until nobody asks any more. Who is asked for something else need not finish what it is at.
int work(int socket, RemoteSubject& store) {
  store.fail_when([=] { return is_being_spoken_to(socket); });
  std::string heard;
  for (;;) {
    while (heard.find('\n') == std::string::npos)
      if (!hear_more(socket, heard)) return 0;
    const std::string line = take_line(heard);
    const bool is_the_last = heard.empty();
    if (!send_line(socket, to_line(is_the_last ? done(line, store) : Transcript()))) return 0;
  }
}

}  // namespace

Crew::Crew(RemoteSubject& store, std::size_t most_members, double seconds, std::function<bool()> gives_up)
    : store_(store), most_members_(most_members), seconds_(seconds), gives_up_(std::move(gives_up)) {}

Crew::~Crew() {
  for (const auto& member : members_) ::close(member.socket);
}

void Crew::ask_ahead(const std::vector<Question>& questions) {
  auto before = std::exchange(foreseen_, {});
  waiting_.clear();
  for (const auto& [property, test_case] : questions) {
    Task task = task_of(*property, test_case);
    Foreseen& now = foreseen_[task];
    if (++now.times > 1) continue;
    const auto same = before.find(task);
    if (same != before.end()) now.answers = std::move(same->second.answers);
    if (!now.answers && !is_begun(task)) waiting_.push_back(std::move(task));
  }
  start_waiting();
}

std::optional<Violation> Crew::ask(const Property& property, const Case& test_case) {
  auto answers = answers_to(property, test_case);
  if (!answers) return std::nullopt;
  Playback playback(store_, std::move(*answers));
  return check(property, test_case, playback);
}

std::optional<Transcript> Crew::answers_to(const Property& property, const Case& test_case) {
  const Task task = task_of(property, test_case);
  const auto [place, is_new] = foreseen_.try_emplace(task, Foreseen{.times = 1});
  if (is_new && !is_begun(task)) waiting_.push_front(task);
  while (!place->second.answers) {
    if (gives_up_()) return std::nullopt;
    start_waiting();
    listen();
  }
  auto answers = place->second.answers;
  if (--place->second.times == 0) foreseen_.erase(place);
  return answers;
}

Runner::AskAhead Crew::foresight() {
  return [this](const std::vector<Question>& questions) { ask_ahead(questions); };
}

Runner Crew::runner() {
  return {[this](const Property& property, const Case& test_case) { return ask(property, test_case); }, foresight()};
}

// Who has died since the last question is not the store's fault: somebody else gets this one.
void Crew::start_waiting() {
  while (!waiting_.empty()) {
    Member* member = free_member();
    if (!member) return;
    if (!send_line(member->socket, fmt::format("{} {}", seconds_, waiting_.front()))) {
      bury(*member);
      continue;
    }
    member->tasks.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

/// Who has nothing to do, or only what nobody wants to know any more.
Crew::Member* Crew::free_member() {
  const auto find = [&](const auto& is_free) {
    const auto found = std::find_if(members_.begin(), members_.end(), is_free);
    return found == members_.end() ? nullptr : &*found;
  };
  if (Member* idle = find([](const Member& member) { return member.tasks.empty(); })) return idle;
  if (members_.size() < most_members_) return &add_member();
  return find([&](const Member& member) { return !foreseen_.contains(member.tasks.back()); });
}

bool Crew::is_begun(const Task& task) const {
  return std::any_of(members_.begin(), members_.end(),
                     [&](const Member& member) { return !member.tasks.empty() && member.tasks.back() == task; });
}

Crew::Member& Crew::add_member() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  Child process([&] {
    ::close(ends[0]);
    for (const auto& other : members_) ::close(other.socket);  // or their end would not be noticed
    return work(ends[1], store_);
  });
  ::close(ends[1]);
  return members_.emplace_back(Member{std::move(process), ends[0]});
}

/// Waits until somebody has something to say, or a little.
void Crew::listen() {
  std::vector<pollfd> sockets;
  for (const auto& member : members_) sockets.push_back({member.socket, POLLIN, 0});
  if (::poll(sockets.data(), sockets.size(), poll_interval) <= 0) return;
  for (std::size_t i = sockets.size(); i-- > 0;)
    if (sockets[i].revents != 0 && !hear(members_[i])) bury(members_[i]);
}

/// False if the member is dead.
bool Crew::hear(Member& member) {
  if (!hear_more(member.socket, member.heard)) return false;
  while (member.heard.find('\n') != std::string::npos) take_answer(member, take_line(member.heard));
  return true;
}

void Crew::take_answer(Member& member, const std::string& line) {
  const Task task = std::move(member.tasks.front());
  member.tasks.pop_front();
  const bool was_broken_off = !member.tasks.empty();
  const auto place = foreseen_.find(task);
  if (!was_broken_off && place != foreseen_.end()) place->second.answers = parse_transcript(line);
}

// If it was still cancelling an earlier task, that may be what ended it: the last one is retried.
void Crew::bury(Member& member) {
  ::close(member.socket);
  member.process.has_ended(patience_with_an_end);
  member.process.kill();
  const std::string ending = member.process.ending();
  const std::deque<Task> tasks = std::move(member.tasks);
  members_.erase(members_.begin() + (&member - &members_.front()));
  const auto place = tasks.empty() ? foreseen_.end() : foreseen_.find(tasks.back());
  if (place == foreseen_.end()) return;
  if (tasks.size() > 1)
    waiting_.push_front(tasks.back());
  else
    place->second.answers = Transcript{ending};
}

}  // namespace mayfly
