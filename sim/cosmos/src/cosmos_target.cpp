#include "mayfly/cosmos/cosmos_target.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/sim/json.hpp"
#include "mayfly/sim/preview.hpp"
#include "mayfly/sim/shifted.hpp"

namespace mayfly::cosmos {

namespace {

namespace json = boost::json;

// Clocks of one service's machines differ by some milliseconds; on this machine there is only one.
constexpr double blur_elsewhere = 0.1;

// The time within which a clock that runs shows another second.
constexpr double more_than_a_second = 1.1;

// A clock that is never set back must last for many cases, so it is not moved far.
constexpr Seconds longest_shared_step{200'000};

/// An answer with the field `name`, which `read(body)` finds in the answer to a control request of `mayfly serve`.
/// Throws StoreFailure if it is not there.
template <class Read>
Outcome answer_with(const HttpAnswer& answer, const char* name, Read read) {
  try {
    if (answer.status == 200) {
      Outcome outcome = parse_answer(json::object{{"status", 200}, {name, read(json::parse(answer.body))}});
      outcome.charge = charge_in(answer);
      return outcome;
    }
  } catch (const boost::system::system_error&) {
  } catch (const std::out_of_range&) {
  }
  throw StoreFailure(
      fmt::format("does not answer how many documents are {} ({}): {}", name, answer.status, preview(answer.body)));
}

}  // namespace

CosmosTarget::CosmosTarget(const CosmosOptions& options, double seconds)
    : seconds_(seconds), store_(options.endpoint, options.key, seconds) {
  try {
    store_.set_timeout(seconds, CosmosStore::Limit::all);
    say_hello(options);
  } catch (const StoreFailure& failure) {
    throw InputError(fmt::format("{} {}", store_.endpoint().url(), failure.what()));
  }
}

CosmosTarget::~CosmosTarget() = default;

void CosmosTarget::say_hello(const CosmosOptions& options) {
  store_.ask_account({"GET", "/", {}, {}});
  clock_ = mayfly_clock(store_);
  if (clock_ && options.clock_command)
    throw InputError(fmt::format("{} moves its clock itself, so that no command is needed", store_.endpoint().url()));
  learn_features();
  if (clock_) return;
  if (!options.clock_command) return let_time_run(real_timekeeper());
  if (!runs_by_itself()) {
    clock_ = commanded_clock(store_, *options.clock_command);
    return;
  }
  moved_ = std::make_unique<MovedTimekeeper>(*options.clock_command);
  let_time_run(*moved_);
}

void CosmosTarget::let_time_run(Timekeeper& keeper) {
  if (!moved_) {
    time_ = Time::real;
    features_.longest_step = longest_wait;
  }
  const ClockSkew skew(store_.endpoint().is_loopback() ? 0 : blur_elsewhere);
  real_.emplace(name(), store_, keeper, skew, features_);
  features_ = real_->features();
}

bool CosmosTarget::runs_by_itself() {
  const Instant before = store_.write_probe();
  real_timekeeper().wait_until(real_timekeeper().now() + more_than_a_second);
  return store_.write_probe() != before;
}

void CosmosTarget::learn_features() {
  const HttpAnswer answer = store_.ask_account({"GET", "/dbs", {}, {}});
  features_ = {.batch = false, .patch = true, .purge = false, .lazy = false};
  features_.count = store_.can_count();
  features_.limits = clock_ ? service_limits() : web_server_limits();
  features_.charge = !answer.field("x-ms-request-charge").empty();
  // In an account with other clients, the numbers of held and purged documents say nothing, and the clock cannot be set
  // for each case.
  features_.purge = features_.held = clock_ && clock_->begin_anew(clock_->now());
  if (!features_.purge) features_.longest_step = longest_shared_step;
}

std::string CosmosTarget::own_name() const {
  const std::string_view how = clock_   ? "whose clock stands still until it is moved"
                               : moved_ ? "whose clock runs and is moved by a command"
                                        : "in real time";
  return fmt::format("\"{}\" {}", store_.endpoint().url(), how);
}

void CosmosTarget::reset(Instant now) {
  store_.set_timeout(seconds_, real_ ? CosmosStore::Limit::each : CosmosStore::Limit::all);
  if (real_) return real_->reset(now);
  start_ = began_ = now;
  if (!clock_->begin_anew(now)) began_ = clock_->now();
  store_.clear();
  of_the_case_ = Clock{now};
}

Outcome CosmosTarget::apply(const Step& step) {
  if (real_) return real_->apply(step);
  Outcome answer = ask(step.operation);
  record(step, answer);
  return answer;
}

Outcome CosmosTarget::ask(const Operation& operation) {
  if (const auto* step = std::get_if<Advance>(&operation)) return advance(step->seconds);
  if (const auto* background = std::get_if<Purge>(&operation)) return purge(background->budget);
  if (std::holds_alternative<Held>(operation)) return held();
  Outcome outcome = shifted(store_.ask(operation), start_ - began_);
  if (!features_.charge) outcome.charge.reset();
  return outcome;
}

Outcome CosmosTarget::advance(Seconds step) {
  Outcome outcome = of_the_case_.advance(step);
  if (outcome.now && step > Seconds{0}) outcome.now = start_ + (clock_->advance(step) - began_);
  return outcome;
}

Outcome CosmosTarget::purge(Budget budget) {
  const auto body = json::serialize(json::object{{"budget", budget.units}});
  const HttpAnswer answer =
      store_.ask_account({"POST", "/_mayfly/purge", {{"content-type", "application/json"}}, body});
  return answer_with(answer, "purged", [](const json::value& parsed) { return parsed.at("purged"); });
}

Outcome CosmosTarget::held() {
  const HttpAnswer answer = store_.ask_account({"GET", "/_mayfly/stats", {}, {}});
  return answer_with(answer, "held", [](const json::value& parsed) {
    std::int64_t held = 0;
    for (const auto& container : parsed.at("containers").as_array())
      held += container.at("held").to_number<std::int64_t>();
    return json::value(held);
  });
}

}  // namespace mayfly::cosmos
