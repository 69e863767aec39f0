#include "mayfly/sim/target/target.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/sim/json.hpp"

namespace mayfly {

namespace {

namespace json = boost::json;

// A line with more requests would be no faster, and its answer could be endless.
constexpr std::size_t largest_batch = 1'000;

constexpr std::uint64_t protocol_version = 1;

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
          fmt::format("there is no feature {}; those are \"batch\", \"patch\", \"purge\", \"lazy\" and "
                      "\"charge\"",
                      shortened(name)));
    features.*known->feature = true;
  }
  return features;
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
  forget_the_foreseen();
  process_.emplace(words_);
  say_hello();
}

void Target::say_hello() {
  std::string line;
  append_line(line, Hello{protocol_version});
  const std::string_view answer = process_->exchange(line, deadline(seconds_to_start_));
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
  const auto* own_name = object->if_contains("name");
  known_.begin(features_.charge);
  own_name_ = own_name ? shortened(*own_name) : "no name";
}

Deadline Target::deadline(double seconds) const {
  return {.seconds = seconds, .gives_up = [this] { return (cancel_ && cancel_()) || (gives_up_ && gives_up_()); }};
}

bool Target::restart() {
  process_.reset();
  forget_the_foreseen();
  return true;
}

bool Target::is_foreseen(const auto& request) const {
  const auto* next =
      next_ < foreseen_.size() ? std::get_if<std::decay_t<decltype(request)>>(&foreseen_[next_]) : nullptr;
  return next && *next == request;
}

void Target::forget_the_foreseen() {
  foreseen_.clear();
  answers_.clear();
  next_ = 0;
}

// Requires that what was foreseen is this request, or nothing.
Outcome Target::answer_to(const auto& request) {
  if (next_ < foreseen_.size()) return outcome_in(*answers_[next_++]);
  const Request live = request;
  return outcome_in(*ask({&live, 1}).front());
}

const Outcome& Target::outcome_in(const Answer& answer) {
  if (const auto* complaint = std::get_if<std::string>(&answer)) process_->fail(*complaint);
  return std::get<Outcome>(answer);
}

void Target::demand_reset(const Outcome& outcome) {
  if (outcome.status != Status::ok || !outcome.malformed.empty())
    process_->fail(fmt::format("answers {} to a reset, which is always 200", shortened(to_json(outcome))));
}

void Target::reset(Instant now) {
  ensure_running();
  const Reset request{now};
  if (!is_foreseen(request)) {
    forget_the_foreseen();
    deadline_ = deadline(seconds_);
  }
  demand_reset(answer_to(request));
}

Outcome Target::apply(const Step& step) {
  if (!is_foreseen(step)) take_back();
  Outcome answer = answer_to(step);
  record(step, answer);
  return answer;
}

void Target::take_back() {
  if (next_ == foreseen_.size()) return;  // nobody has gone ahead
  std::vector<Request> past;
  for (std::size_t i = 0; i < next_; ++i) {
    if (std::holds_alternative<Reset>(foreseen_[i])) past.clear();
    past.push_back(foreseen_[i]);
  }
  forget_the_foreseen();
  ask(past);
}

void Target::ask_all(std::span<const Request> requests, const Seen& sees) {
  ensure_running();
  deadline_ = deadline(seconds_);
  forget_the_foreseen();
  const auto answers = ask(requests);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Outcome& outcome = outcome_in(*answers[i]);
    if (std::holds_alternative<Reset>(requests[i])) demand_reset(outcome);
    if (const auto* step = std::get_if<Step>(&requests[i])) record(*step, outcome);
    if (!sees(i, outcome)) return;
  }
}

void Target::ask_ahead(std::span<const Request> requests) {
  ensure_running();
  deadline_ = deadline(seconds_);
  forget_the_foreseen();
  answers_ = ask(requests);
  foreseen_.assign(requests.begin(), requests.end());
}

std::vector<const Target::Answer*> Target::ask(std::span<const Request> requests) {
  if (!process_->is_usable()) throw StoreFailure("has ended");
  known_.forget();
  std::vector<const Answer*> answers;
  answers.reserve(requests.size());
  const std::size_t at_once = features_.batch ? largest_batch : 1;
  for (; !requests.empty(); requests = requests.subspan(std::min(at_once, requests.size())))
    ask_at_once(requests.first(std::min(at_once, requests.size())), answers);
  answered_ += answers.size();
  return answers;
}

void Target::ask_at_once(std::span<const Request> requests, std::vector<const Answer*>& answers) {
  const bool is_batch = requests.size() > 1;
  line_.clear();
  for (const auto& request : requests) append_line(line_ += is_batch ? line_.empty() ? "[" : "," : "", request);
  if (is_batch) line_ += ']';
  const std::string_view text = process_->exchange(line_, deadline_);
  try {
    if (is_batch)
      known_.list(text, requests.size(), answers);
    else
      answers.push_back(&known_.one(text));
  } catch (const InputError& error) {
    process_->fail(error.what());
  }
}

}  // namespace mayfly
