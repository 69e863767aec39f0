#include "mayfly/props/run/campaign.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <poll.h>
#include <span>

#include "mayfly/props/property/decisive.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/run/isolate.hpp"
#include "mayfly/sim/process/child.hpp"
#include "mayfly/sim/process/shared_memory.hpp"
#include "mayfly/sim/random.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace mayfly {

namespace {

constexpr std::uint64_t no_case = std::numeric_limits<std::uint64_t>::max();

// Each of these cases is shrunk in the end, so there are not many. Only a few of those that are alike are kept, because
// a common defect must not displace a rare one.
constexpr std::uint64_t most_failed_cases = 64;
constexpr std::uint64_t most_alike = 4;

bool are_enough_alike(const auto& failed_cases, std::uint64_t likeness) {
  const auto alike = std::count_if(failed_cases.begin(), failed_cases.end(),
                                   [&](const auto& failed) { return failed.likeness == likeness; });
  return alike >= std::int64_t{most_alike};
}

/// By the property, the kind of request, both statuses, and the deciding rules.
std::uint64_t likeness_of(const Failure& failure) {
  const auto& [step, operation, exchange, crash] = failure.violation;
  const auto rules = decisive_steps(failure.test_case);
  std::uint64_t likeness = static_cast<std::uint64_t>(failure.property - all_properties().data());
  for (const std::uint64_t part :
       {std::uint64_t{operation.index()}, static_cast<std::uint64_t>(exchange.expected.answer.status),
        static_cast<std::uint64_t>(exchange.actual.status), rules[step].bits()})
    likeness = mix(likeness + part) + 1;
  return likeness;
}

/// What a worker reports, in shared memory, which outlives the worker.
struct WorkerBoard {
  struct WrongCase {
    std::uint64_t number = 0;
    std::uint64_t likeness = 0;
  };

  std::atomic<std::uint64_t> number{0};  ///< the case that it is at
  std::atomic<double> began{0};          ///< when that was
  std::array<WrongCase, most_failed_cases>
      failed_cases{};                          ///< the first cases that failed, few of those that are alike
  std::atomic<std::uint64_t> failed_count{0};  ///< how many these are
  std::atomic<std::uint64_t> failures{0};      ///< how many failed
  std::atomic<std::uint64_t> next{0};          ///< it is done with its cases below this number
  std::array<std::uint64_t, 65> digests{};     ///< by how many binary digits the case's number has
  WorldTallies worlds{};
  std::uint64_t laws = 0;
  std::uint64_t answered = 0;  ///< by a store in another process
};
static_assert(std::is_trivially_copyable_v<WorldTallies>);

/// Shared by all processes of a campaign.
struct Common {
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> last{no_case};  ///< cases above this number need not be run
};

class Campaign {
 public:
  Campaign(const CampaignPlan& plan, Subject& subject, Subject* reference_subject, const Observer& observer)
      : plan_(plan),
        subject_(subject),
        reference_subject_(reference_subject),
        observer_(observer),
        boards_(plan.jobs),
        workers_(plan.jobs) {}

  CampaignResult run() {
    for (unsigned w = 0; w < plan_.jobs; ++w) start(w, plan_.shard.index + plan_.shard.count * w);
    while (std::any_of(workers_.begin(), workers_.end(), [](const auto& worker) { return worker.has_value(); })) {
      wait_a_little();
      for (unsigned w = 0; w < plan_.jobs; ++w) look_after(w);
      if (observer_(so_far()) && !common_[0].stop.exchange(true)) was_interrupted_ = true;
      if (Stopwatch::now() - began_ > plan_.longest_wait) common_[0].stop = true;
    }
    return so_far();
  }

 private:
  std::uint64_t stride() const { return plan_.shard.count * plan_.jobs; }

  void start(unsigned w, std::uint64_t number) {
    boards_[w].number = number;
    boards_[w].next = number;
    boards_[w].began = Stopwatch::now();
    workers_[w].emplace([&] {
      work(boards_[w], number);
      return 0;
    });
  }

  // In the worker.
  void work(WorkerBoard& board, std::uint64_t number) {
    const double end = began_ + plan_.most_seconds;
    const RemoteSubject* remote = subject_.remote();
    for (; number < plan_.cases && number <= common_[0].last && !common_[0].stop && Stopwatch::now() < end;
         number += stride()) {
      board.number = number;
      board.began = Stopwatch::now();
      RandomSearch search(plan_.seed, plan_.worlds, subject_, reference_subject_);
      WorldTally& world = board.worlds[index_of(search.world_of(number))];
      Digest digest;
      subject_.record_in(&digest);
      const std::uint64_t answered = remote ? remote->answered() : 0;
      const auto failure = search.check_case(number, &world.tally);
      subject_.record_in(nullptr);
      board.digests[std::bit_width(number)] += mix(digest.value() + mix(number));
      board.next = number + stride();
      ++world.cases;
      world.seconds += Stopwatch::now() - board.began;
      board.laws += search.laws_checked();
      if (remote) board.answered += remote->answered() - answered;
      if (!failure) continue;
      add_hit(board, *failure, number);
      if (!plan_.keep_going) lower_last(number);
    }
  }

  static void add_hit(WorkerBoard& board, const Failure& failure, std::uint64_t number) {
    ++board.failures;
    const std::uint64_t likeness = likeness_of(failure);
    if (board.failed_count == most_failed_cases ||
        are_enough_alike(std::span(board.failed_cases).first(board.failed_count), likeness))
      return;
    board.failed_cases[board.failed_count] = {number, likeness};
    ++board.failed_count;
  }

  void lower_last(std::uint64_t number) {
    std::uint64_t last = common_[0].last;
    while (number < last && !common_[0].last.compare_exchange_weak(last, number)) {
    }
  }

  // In the parent.

  void wait_a_little() {
    std::vector<pollfd> pipes;
    for (const auto& worker : workers_)
      if (worker) pipes.push_back({worker->descriptor(), POLLIN, 0});
    ::poll(pipes.data(), pipes.size(), 50);
  }

  void look_after(unsigned w) {
    auto& worker = workers_[w];
    if (!worker) return;
    // Once the campaign stops, the timeout is short.
    const double case_seconds = subject_.remote() ? std::numeric_limits<double>::max() : plan_.case_seconds;
    const double patience = common_[0].stop ? std::min(case_seconds, patience_when_stopped) : case_seconds;
    const bool has_timed_out = Stopwatch::now() - boards_[w].began > patience;
    if (has_timed_out) worker->kill();
    if (!worker->has_ended()) return;
    const bool is_done = worker->result().has_value();
    const std::string crash = has_timed_out ? timeout_text(plan_.case_seconds) : worker->ending();
    worker.reset();
    if (is_done || common_[0].stop) return;
    const std::uint64_t number = boards_[w].number;
    boards_[w].next = number + stride();
    crashes_.push_back({number, crash, std::hash<std::string>{}(crash)});
    if (!plan_.keep_going) lower_last(number);
    if (number + stride() < plan_.cases && number + stride() <= common_[0].last && !common_[0].stop)
      start(w, number + stride());
  }

  CampaignResult so_far() {
    CampaignResult result{.seconds = Stopwatch::now() - began_, .was_interrupted = was_interrupted_};
    for (unsigned w = 0; w < plan_.jobs; ++w) {
      for (std::size_t i = 0; i < all_worlds.size(); ++i) result.worlds[i] += boards_[w].worlds[i];
      result.laws += boards_[w].laws;
      result.answered += boards_[w].answered;
    }
    for (const WorldTally& world : result.worlds) {
      result.tally += world.tally;
      result.cases += world.cases;
    }
    add_hits(result);
    if (!is_in_real_time(subject_)) result.digest = digest();
    return result;
  }

  void add_hits(CampaignResult& result) {
    std::vector<FailedCase> all = crashes_;
    std::uint64_t failures = crashes_.size();
    for (unsigned w = 0; w < plan_.jobs; ++w) {
      failures += boards_[w].failures;
      for (std::uint64_t i = 0; i < boards_[w].failed_count; ++i)
        all.push_back({boards_[w].failed_cases[i].number, {}, boards_[w].failed_cases[i].likeness});
    }
    std::sort(all.begin(), all.end(), [](const FailedCase& a, const FailedCase& b) { return a.number < b.number; });
    for (auto& failed : all)
      if (!are_enough_alike(result.failed_cases, failed.likeness)) result.failed_cases.push_back(std::move(failed));
    result.unreported = failures - result.failed_cases.size();
  }

  CampaignDigest digest() {
    CampaignDigest digest;
    std::uint64_t done = plan_.cases;
    for (unsigned w = 0; w < plan_.jobs; ++w) done = std::min<std::uint64_t>(done, boards_[w].next);
    for (unsigned digits = 0; digest.cases < plan_.cases; ++digits) {
      const std::uint64_t end = digits < 64 ? std::min(std::uint64_t{1} << digits, plan_.cases) : plan_.cases;
      if (done < end) break;
      std::uint64_t part = 0;
      for (unsigned w = 0; w < plan_.jobs; ++w) part += boards_[w].digests[digits];
      digest.parts.push_back(part);
      digest.cases = end;
    }
    return digest;
  }

  const CampaignPlan& plan_;
  Subject& subject_;
  Subject* reference_subject_;
  const Observer& observer_;
  double began_ = Stopwatch::now();
  SharedMemory<WorkerBoard> boards_;
  SharedMemory<Common> common_{1};
  std::vector<std::optional<Child>> workers_;
  std::vector<FailedCase> crashes_;
  bool was_interrupted_ = false;
};

}  // namespace

WorldTally& WorldTally::operator+=(const WorldTally& other) {
  cases += other.cases;
  seconds += other.seconds;
  tally += other.tally;
  return *this;
}

std::optional<Reproduced> reproduce(const FailedCase& failed, RandomSearch& search, double case_seconds,
                                    const std::function<bool()>& cancel) {
  if (failed.crash.empty()) {
    auto failure = search.check_case(failed.number);
    return failure ? std::optional(Reproduced{std::move(*failure), &search.failed()}) : std::nullopt;
  }
  const Case test_case = search.case_of(failed.number);
  for (const auto& [property, subject] : search.tasks_of(failed.number))
    if (auto violation = check_isolated(*property, test_case, *subject, case_seconds, cancel))
      return Reproduced{{property, test_case, std::move(*violation)}, subject};
  return std::nullopt;
}

CampaignResult run_campaign(const CampaignPlan& plan, Subject& subject, Subject* reference_subject,
                            const Observer& observer) {
  return Campaign(plan, subject, reference_subject, observer).run();
}

}  // namespace mayfly
