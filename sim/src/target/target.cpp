#include "mayfly/sim/target/target.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/sim/json.hpp"
#include "mayfly/sim/process/command.hpp"

namespace mayfly {

namespace {

namespace json = boost::json;

// Larger batches would be no faster, by their requests or by their bytes.
constexpr std::size_t largest_batch = 1'000;
constexpr std::size_t long_line = 8 * 1024 * 1024;

// By how much an answer may exceed its estimate. A target that writes without end is stopped there.
constexpr std::size_t longest_excess = 32 * 1024 * 1024;

constexpr std::uint64_t protocol_version = 1;

std::string feature_names() {
  std::string names;
  for (const auto& text : all_features) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", text.name);
  return names;
}

Features parse_features(const json::value& named) {
  Features features;
  for (const auto& text : all_features) features.*text.feature = false;
  if (!named.is_array()) throw InputError("\"features\" must be a list of names");
  for (const auto& name : named.get_array()) {
    const auto known = std::find_if(all_features.begin(), all_features.end(), [&](const FeatureText& text) {
      return name.is_string() && name.get_string() == text.name;
    });
    if (known == all_features.end())
      throw InputError(
          fmt::format("announces {}, which is no feature; those are {}", shortened(name), feature_names()));
    features.*known->feature = true;
  }
  return features;
}

Limits limits_in(const json::value& named) {
  try {
    return parse_limits(named);
  } catch (const InputError& error) {
    throw InputError(fmt::format("states wrong limits: {}", error.what()));
  }
}

}  // namespace

Target::Target(const std::string& command, double seconds, double seconds_to_start, std::function<bool()> cancel)
    : words_(command_words(command)),
      seconds_to_start_(seconds_to_start),
      seconds_(seconds),
      cancel_(std::move(cancel)) {
  try {
    ensure_running();
  } catch (const StoreFailure& failure) {
    throw InputError(fmt::format("at hello, the target {}", failure.what()));
  }
}

void Target::ensure_running() {
  if (process_ && process_->is_usable()) return;
  forget_answers();
  process_.emplace(words_);
  say_hello();
}

void Target::say_hello() {
  std::string line;
  append_line(line, Hello{protocol_version});
  const std::string_view answer = process_->exchange(line, deadline(seconds_to_start_), longest_excess);
  try {
    take_introduction(parse_line(answer));
  } catch (const InputError& error) {
    process_->fail(error.what());
  }
}

void Target::take_introduction(const json::value& answer) {
  const auto* object = answer.if_object();
  const auto* status = object ? object->if_contains("status") : nullptr;
  if (!status || *status != json::value(200))
    throw InputError(fmt::format("answers without \"status\":200: {}", shortened(answer)));
  const auto* features = object->if_contains("features");
  if (!features) throw InputError(R"(answers without "features", a list that may be empty: )" + shortened(answer));
  features_ = parse_features(*features);
  const auto* limits = object->if_contains("limits");
  if (limits) features_.limits = limits_in(*limits);
  const auto* own_name = object->if_contains("name");
  known_.begin(features_.charge);
  own_name_ = own_name ? shortened(*own_name) : "no name";
}

Deadline Target::deadline(double seconds) const {
  return {.seconds = seconds,
          .cancel_when = [this] { return (cancel_ && cancel_()) || (cancel_now_ && cancel_now_()); }};
}

bool Target::restart() {
  process_.reset();
  drop();
  return true;
}

void Target::drop() {
  Subject::drop();
  forget_answers();
}

void Target::forget_answers() {
  asked_.clear();
  answers_.clear();
  received_ = 0;
  line_.clear();
  answer_bytes_ = 0;
}

void Target::reset(Instant now) {
  drop();
  ensure_running();
  deadline_ = deadline(seconds_);
  demand_reset(ask(Reset{now}));
}

Outcome Target::apply(const Step& step) {
  Outcome answer = with_charge_demanded(step, ask(step));
  record(step, answer);
  return answer;
}

/// Sends a single request, outside of batches.
Outcome Target::ask(const Request& request) {
  drop();
  add_to_batch(request);
  ask_batch();
  return next_outcome();
}

Outcome Target::receive() {
  if (received_ == answers_.size()) ask_next_batch();
  const Request& request = asked_[received_];
  Outcome outcome = next_outcome();
  if (const auto* step = std::get_if<Step>(&request)) {
    outcome = with_charge_demanded(*step, std::move(outcome));
    record(*step, outcome);
    return outcome;
  }
  demand_reset(outcome);
  return {};
}

void Target::add_to_batch(Request request) {
  line_ += asked_.empty() ? '[' : ',';
  append_line(line_, request);
  answer_bytes_ += sizes_.of(request);
  asked_.push_back(std::move(request));
}

bool Target::is_batch_full() const {
  if (asked_.empty()) return false;
  return !features_.batch || asked_.size() == largest_batch || line_.size() > long_line || answer_bytes_ > long_line;
}

void Target::ask_next_batch() {
  ensure_running();
  forget_answers();
  while (has_requests() && !is_batch_full()) {
    const auto request = next_request();
    if (const auto* start = std::get_if<Instant>(&request)) {
      deadline_ = deadline(seconds_);
      add_to_batch(Reset{*start});
    } else {
      add_to_batch(*std::get<const Step*>(request));
    }
  }
  ask_batch();
}

const Outcome& Target::next_outcome() {
  const Answer& answer = *answers_[received_++];
  if (const auto* complaint = std::get_if<std::string>(&answer)) process_->fail(*complaint);
  return std::get<Outcome>(answer);
}

void Target::demand_reset(const Outcome& outcome) {
  if (outcome.status != Status::ok || !outcome.malformed.empty())
    process_->fail(fmt::format("answers {} to a reset, which is always 200", shortened(to_json(outcome))));
}

Outcome Target::with_charge_demanded(const Step& step, Outcome outcome) const {
  const bool is_charged = collection_of(step.operation) && !std::holds_alternative<Index>(step.operation);
  if (features_.charge && is_charged && !outcome.charge && !outcome.malformed.contains("charge"))
    outcome.malformed.add({"charge", std::nullopt});
  return outcome;
}

void Target::ask_batch() {
  if (!process_->is_usable()) throw StoreFailure("has ended");
  known_.forget();
  const bool is_list = asked_.size() > 1;
  if (is_list) line_ += ']';
  const auto line = std::string_view(line_).substr(is_list ? 0 : 1);
  const std::string_view text = process_->exchange(line, deadline_, longest_excess + answer_bytes_);
  try {
    if (is_list)
      known_.list(text, asked_.size(), answers_);
    else
      answers_.push_back(&known_.one(text));
  } catch (const InputError& error) {
    process_->fail(error.what());
  }
  answered_ += answers_.size();
}

}  // namespace mayfly
