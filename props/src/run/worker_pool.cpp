#include "mayfly/props/run/worker_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <poll.h>
#include <sstream>

#include <boost/json.hpp>

#include "mayfly/props/property/check.hpp"
#include "mayfly/sim/json.hpp"
#include "mayfly/sim/trace.hpp"

namespace mayfly {

namespace {

namespace json = boost::json;

constexpr int poll_interval = 50;                // milliseconds
constexpr int most_milliseconds_to_end = 1'000;  // of a process that has closed its socket
constexpr std::size_t deepest = 64;              // in lists and objects: more than an answer may have

// A forked process has every property where this one has it.
std::string line_of(const Question& question, double timeout) {
  const auto address = reinterpret_cast<std::uintptr_t>(question.property);
  return json::serialize(
      json::object{{"property", address}, {"trace", trace_text(question.test_case)}, {"timeout", timeout}});
}

std::string line_of(const std::optional<Violation>& violation) {
  if (!violation) return "null";
  const auto& [step, operation, exchange, crash] = *violation;
  const auto& [answer, may_miss, may_purge, must_hold, may_hold] = exchange.expected;
  return json::serialize(json::object{{"step", step},
                                      {"operation", to_json(operation)},
                                      {"expected", to_json(answer)},
                                      {"may_miss", may_miss},
                                      {"may_purge", may_purge.units},
                                      {"must_hold", must_hold},
                                      {"may_hold", may_hold},
                                      {"actual", to_json(exchange.actual)},
                                      {"is_allowed", exchange.is_allowed},
                                      {"crash", crash}});
}

json::value parse(std::string_view line) {
  json::parse_options options;
  options.max_depth = deepest;
  options.allow_invalid_utf8 = true;  // a name that was escaped in an address may be anything
  return json::parse(line, {}, options);
}

std::optional<Violation> parse_violation(std::string_view line) {
  const json::value value = parse(line);
  if (value.is_null()) return std::nullopt;
  const auto number = [&](std::string_view name) { return value.at(name).to_number<std::uint64_t>(); };
  Exchange exchange{{.answer = parse_answer(value.at("expected")),
                     .may_miss = value.at("may_miss").as_bool(),
                     .may_purge = {number("may_purge")},
                     .must_hold = number("must_hold"),
                     .may_hold = number("may_hold")},
                    parse_answer(value.at("actual")),
                    value.at("is_allowed").as_bool()};
  return Violation{number("step"), std::get<Step>(parse_request(value.at("operation").as_object())).operation,
                   std::move(exchange), json::value_to<std::string>(value.at("crash"))};
}

/// In a worker: the answer to the question in a line.
std::string answer_to(const std::string& line, RemoteSubject& store) {
  const json::value question = parse(line);
  store.set_timeout(question.at("timeout").to_number<double>());
  const auto* property = reinterpret_cast<const Property*>(question.at("property").to_number<std::uintptr_t>());
  std::istringstream trace(json::value_to<std::string>(question.at("trace")));
  return line_of(check(*property, read_trace(trace, "question").front().without_expectations(), store));
}

/// In a worker: answers every question until the pool closes the channel. Any news meanwhile cancels the question.
int work(Channel& channel, RemoteSubject& store) {
  store.cancel_when([&] { return channel.has_news(); });
  while (const auto line = channel.read_line())
    if (!line->empty() && !channel.send(answer_to(*line, store))) break;
  return 0;
}

}  // namespace

WorkerPool::WorkerPool(RemoteSubject& store, std::size_t most_workers, double timeout, std::function<bool()> cancel)
    : store_(store), most_workers_(most_workers), timeout_(timeout), cancel_(std::move(cancel)) {}

Runner WorkerPool::runner() {
  return Runner(Runner::FirstFailure(
      [this](const Questions& next, const Runner::Counts& counts) { return first_failure(next, counts); }));
}

// Questions after the first failure are cancelled; all before it have to be answered.
Answered WorkerPool::first_failure(const Questions& next, const Runner::Counts& counts) {
  begun_.clear();
  held_ = 0;
  counts_ = &counts;
  failure_.reset();
  for (bool has_more = true;;) {
    while (has_more && !failure_ && !cancel_() && idle_worker()) has_more = begin_next(next);
    if (failure_ ? held_ == failure_->index : begun_.empty() && !has_more) break;
    if (cancel_()) break;
    wait();
  }
  cancel_from(0);
  if (failure_ && held_ < failure_->index) failure_.reset();  // cancelled
  return {held_, std::move(failure_)};
}

/// Gives the next question of the list to an idle worker. False if there is none.
bool WorkerPool::begin_next(const Questions& next) {
  auto question = next();
  if (!question) return false;
  begun_.push_back({std::move(*question)});
  const std::string line = line_of(begun_.back().question, timeout_);
  for (;;) {
    Worker* worker = idle_worker();
    if (!worker && cancel_()) return false;
    if (!worker) {
      wait();
      continue;
    }
    worker->place = held_ + begun_.size() - 1;
    if (worker->process.channel().send(line)) return true;
    worker->place.reset();  // it died while idle, which is not the store's failure: another gets the question
    reap(*worker);
  }
}

/// A worker that has nothing to do, a new one if there may be more; null if all of them are busy.
WorkerPool::Worker* WorkerPool::idle_worker() {
  const auto idle = std::find_if(workers_.begin(), workers_.end(), [](const Worker& worker) { return !worker.place; });
  if (idle != workers_.end()) return &*idle;
  if (workers_.size() == most_workers_) return nullptr;
  return &workers_.emplace_back(Worker{Child([this](Channel& channel) { return work(channel, store_); })});
}

void WorkerPool::cancel_from(std::size_t place) {
  for (auto& worker : workers_)
    if (worker.place && *worker.place >= place && !std::exchange(worker.is_cancelled, true))
      worker.process.channel().send("");  // if it cannot be sent the worker is dead, which is noticed later
}

/// Waits for the next answers, or for a moment.
void WorkerPool::wait() {
  std::vector<pollfd> sockets;
  for (auto& worker : workers_) sockets.push_back({worker.process.channel().descriptor(), POLLIN, 0});
  if (::poll(sockets.data(), sockets.size(), poll_interval) <= 0) return;
  for (std::size_t i = sockets.size(); i-- > 0;)
    if (sockets[i].revents != 0 && !receive(workers_[i])) reap(workers_[i]);
}

/// False if the worker is dead.
bool WorkerPool::receive(Worker& worker) {
  Channel& channel = worker.process.channel();
  if (!channel.receive()) return false;
  if (const auto line = channel.take_line()) finish(worker, parse_violation(*line));
  return true;
}

void WorkerPool::finish(Worker& worker, std::optional<Violation> violation) {
  const std::optional<std::size_t> place = std::exchange(worker.place, std::nullopt);
  if (std::exchange(worker.is_cancelled, false) || !place) return;
  Begun& begun = begun_[*place - held_];
  if (violation && (!*counts_ || (*counts_)(begun.question, *violation))) {
    failure_ = FailedQuestion{*place, begun.question, std::move(*violation)};
    cancel_from(*place + 1);
    return;
  }
  begun.has_held = true;
  for (; !begun_.empty() && begun_.front().has_held; ++held_) begun_.pop_front();
}

// If a worker dies, the store fails the case. If it was cancelling, that may have ended it.
void WorkerPool::reap(Worker& worker) {
  worker.process.has_ended(most_milliseconds_to_end);
  worker.process.kill();
  if (worker.place && !worker.is_cancelled) {
    const auto& steps = begun_[*worker.place - held_].question.test_case.steps;
    finish(worker, Violation{steps.size() - 1, steps.back().operation, {}, worker.process.ending()});
  }
  workers_.erase(workers_.begin() + (&worker - workers_.data()));
}

}  // namespace mayfly
