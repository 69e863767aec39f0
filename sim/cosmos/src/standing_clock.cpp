#include "mayfly/cosmos/standing_clock.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/sim/preview.hpp"

namespace mayfly::cosmos {

namespace {

namespace json = boost::json;

constexpr auto clock_path = "/_mayfly/clock";

/// The second of the virtual clock in the answer, or nothing.
std::optional<Instant> virtual_now(const HttpAnswer& answer) {
  boost::system::error_code error;
  const json::value body = json::parse(answer.body, error);
  const auto* object = body.if_object();
  const auto* mode = object ? object->if_contains("mode") : nullptr;
  const auto* now = object ? object->if_contains("now") : nullptr;
  if (error || answer.status != 200 || !mode || *mode != json::value("virtual") || !now || !now->is_int64())
    return std::nullopt;
  return Instant{Seconds{now->get_int64()}};
}

class MayflyClock final : public StandingClock {
 public:
  explicit MayflyClock(CosmosStore& store) : store_(store) {}

  Instant now() override { return second_in(store_.ask_account({"GET", clock_path, {}, {}})); }

  bool begin_anew(Instant now) override {
    const auto body = json::serialize(json::object{{"now", now.time_since_epoch().count()}, {"only", store_.prefix()}});
    if (virtual_now(store_.ask_account({"POST", "/_mayfly/reset", {{"content-type", "application/json"}}, body})) !=
        now)
      return false;
    store_.forget_everything();
    return true;
  }

  Instant advance(Seconds step) override {
    const auto body = json::serialize(json::object{{"seconds", step.count()}});
    return second_in(store_.ask_account(
        {"POST", std::string(clock_path) + "/advance", {{"content-type", "application/json"}}, body}));
  }

 private:
  static Instant second_in(const HttpAnswer& answer) {
    if (const auto now = virtual_now(answer)) return *now;
    throw StoreFailure(fmt::format("does not move its clock ({}): {}", answer.status, preview(answer.body)));
  }

  CosmosStore& store_;
};

class CommandedClock final : public StandingClock {
 public:
  CommandedClock(CosmosStore& store, ClockCommand command) : store_(store), command_(std::move(command)) {}

  Instant now() override { return store_.write_probe(); }

  Instant advance(Seconds step) override {
    command_.move(step.count());
    return now();
  }

 private:
  CosmosStore& store_;
  ClockCommand command_;
};

}  // namespace

std::unique_ptr<StandingClock> mayfly_clock(CosmosStore& store) {
  if (!virtual_now(store.ask_account({"GET", clock_path, {}, {}}))) return nullptr;
  return std::make_unique<MayflyClock>(store);
}

std::unique_ptr<StandingClock> commanded_clock(CosmosStore& store, ClockCommand command) {
  return std::make_unique<CommandedClock>(store, std::move(command));
}

}  // namespace mayfly::cosmos
