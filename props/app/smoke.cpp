#include <algorithm>
#include <array>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "chosen_store.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/props/run/batches.hpp"
#include "mayfly/sim/json.hpp"
#include "mayfly/sim/lockstep.hpp"
#include "terminal.hpp"

// First contact with a target: a short sequence of requests, sent one by one, and an explanation of each wrong answer.

namespace mayfly::app {

namespace {

namespace json = boost::json;

void declare(CommandLine& line, StoreOptions& options) {
  declare_store(line, options);
  line.require("--target");
}

struct SmokeStep {
  Operation operation;
  std::string_view what;  ///< what the request is, and the answer that it should get
};

std::vector<SmokeStep> ttl_steps() {
  const std::string c = "sessions";
  const DocumentKey one{c, "alice", "s1"}, other{c, "bob", "s1"};
  return {
      {CreateCollection{{c, {.default_ttl = std::int64_t{10}}}}, "a collection whose documents live for 10 s (T1)"},
      {CreateCollection{{c, {}}}, "its name is taken: 409 (C2)"},
      {ReadCollection{{c}}, "its settings: default_ttl 10, indexing consistent"},
      {Create{{one, {.ttl = std::int64_t{5}, .value = "v1"}}}, "a document that lives for 5 s (E3)"},
      {Create{{other, {.ttl = {}, .value = "v2"}}}, "the same id in another partition inherits the 10 s (C1, E1)"},
      {Create{{one, {.ttl = std::int64_t{0}, .value = "v3"}}},
       "a ttl of 0 is invalid: 400, though the id is taken (T3, C2)"},
      {Query{{c, {}}}, "both documents, in any order"},
      {PatchDocument{other, {}}, "a patch that names nothing: 400 (C2)"},
      {PatchDocument{other, {.ttl = std::int64_t{5}, .remove_ttl = true}},
       "one that sets and removes the ttl: 400 (C2)"},
      {Advance{Seconds{4}}, "the clock moves by 4 s"},
      {Read{{one}}, "in its last second it is still there (X1)"},
      {PatchDocument{other, {.value = "v4"}}, "a patch is a write: _ts is now, the rest stays (W1, W4)"},
      {Advance{Seconds{1}}, "the clock moves by 1 s"},
      {Read{{one}}, "5 s after it was written it is expired: 404 (X1, X2)"},
      {Query{{c, {}}}, "a query leaves it out (X2)"},
      {Count{{c, {}}}, "a count does not count it (X2)"},
      {Held{}, "1 or 2 documents: the expired one may still be stored (P1)"},
      {Purge{{10}}, "deletes it if that is not done yet, at no charge (P1, P2)"},
      {Held{}, "1 document: the expired one is deleted (P5)"},
      {Create{{one, {.ttl = std::int64_t{-1}, .value = "v5"}}}, "its identity is free again: 201 (X3)"},
      {ReplaceCollection{{c, {.default_ttl = std::int64_t{1}, .indexing = Indexing::lazy}}},
       "a lazy index is built (I3)"},
      {Index{c, {10}}, "the lazy index catches up (I4)"},
      {Delete{{one}}, "the document is deleted: 204"},
      {DeleteCollection{{c}}, "the collection is deleted: 204"},
  };
}

/// Names that a careless store takes for each other or does not keep as they are given (C1).
std::vector<SmokeStep> name_steps() {
  const auto named = [](std::string partition, std::string id) {
    return Create{{{"names", std::move(partition), std::move(id)}, {}}};
  };
  return {
      {CreateCollection{{"names", {}}}, "a collection for names (C1)"},
      {named("alice", "s1"), "a document"},
      {named("alice", "S1"), "another, for case counts: 201 (C1)"},
      {named("alice", "s1 "), "another, for every space counts: 201 (C1)"},
      {named("alice", "s01"), "another, for a name is no number: 201 (C1)"},
      {named("alice/s1", ""), "an empty id is one too, unless hello states limits with min_bytes 1: 201 (C1)"},
      {named("", "alice/s1"), "another, for names are not joined: 201 (C1)"},
      {named("bob", "caf\xc3\xa9"), "a name beyond ASCII (C1)"},
      {named("bob", "cafe\xcc\x81"), "another, for it has other code points, though it looks the same: 201 (C1)"},
      {named("bob", {"s1\0\n\"\\\xf0\x9f\x98\x80", 10}),
       "any character can stand in a name, unless hello states limits with forbidden: 201 (C1)"},
      {Query{{"names", {}}}, "all of them, with their names as they were given (C1)"},
  };
}

/// As long as the limits allow, but no longer than a smoke test should take.
std::string longest(const std::optional<std::uint64_t>& limit) {
  constexpr std::uint64_t most = 1'000'000;
  return std::string(std::min(limit.value_or(least_bytes_limit), most), 'x');
}

/// What is just within the limits.
std::vector<SmokeStep> limit_steps(const Limits& limits) {
  if (limits == Limits{}) return {};
  const DocumentKey key{longest(limits.collection_bytes), longest(limits.partition_bytes), longest(limits.id_bytes)};
  return {
      {CreateCollection{{key.collection, {}}}, "a collection whose name is as long as the limits allow: 201"},
      {Create{{key, {.ttl = {}, .value = longest(limits.value_bytes)}}},
       "a document whose names and value are as long as the limits allow: 201"},
      {Read{{key}}, "it has them as they were given (C1)"},
  };
}

std::string status_text(const json::value& status) {
  constexpr std::array<std::pair<int, std::string_view>, 6> meanings{{{200, "ok"},
                                                                      {201, "created"},
                                                                      {204, "deleted"},
                                                                      {400, "invalid request"},
                                                                      {404, "not found"},
                                                                      {409, "exists already"}}};
  for (const auto& [code, meaning] : meanings)
    if (status == json::value(code)) return fmt::format("{} ({})", code, meaning);
  return json::serialize(status);
}

std::string value_text(std::string_view name, const json::value& value) {
  return name == "status" ? status_text(value) : json::serialize(value);
}

using Lines = std::vector<std::string>;

void explain_field(const std::string& name, const json::value* wanted, const json::value* given, Lines& lines);

void explain_object(const std::string& path, const json::object& wanted, const json::object& given, Lines& lines) {
  for (const auto& field : wanted)
    explain_field(path + std::string(field.key()), &field.value(), given.if_contains(field.key()), lines);
  for (const auto& field : given)
    if (!wanted.contains(field.key())) explain_field(path + std::string(field.key()), nullptr, &field.value(), lines);
}

void explain_list(const json::array& wanted, const json::array& given, Lines& lines) {
  for (const auto& each : wanted)
    if (std::find(given.begin(), given.end(), each) == given.end())
      lines.push_back(fmt::format("\"documents\" lacks {}", json::serialize(each)));
  for (const auto& each : given)
    if (std::find(wanted.begin(), wanted.end(), each) == wanted.end())
      lines.push_back(fmt::format("\"documents\" should not have {}", json::serialize(each)));
  if (lines.empty()) lines.emplace_back("\"documents\" has a document twice");
}

void explain_field(const std::string& name, const json::value* wanted, const json::value* given, Lines& lines) {
  if (wanted && given && *wanted == *given) return;
  if (!given)
    lines.push_back(fmt::format("\"{}\" is missing, and should be {}", name, value_text(name, *wanted)));
  else if (!wanted)
    lines.push_back(fmt::format("\"{}\" is there, and should not be", name));
  else if (wanted->is_object() && given->is_object())
    explain_object(name + ".", wanted->get_object(), given->get_object(), lines);
  else if (wanted->is_array() && given->is_array())
    explain_list(wanted->get_array(), given->get_array(), lines);
  else
    lines.push_back(
        fmt::format("\"{}\" is {}, and should be {}", name, value_text(name, *given), value_text(name, *wanted)));
}

/// Requires an answer whose charge is wrong or missing.
std::string explain_charge(const Outcome& answer) {
  const json::object fields = to_json(answer);
  const auto* charge = fields.if_contains("charge");
  if (!charge) return "\"charge\" is missing, though hello announced it as a feature";
  if (answer.charge) return "\"charge\" should be 0: purging is free (P2)";
  return fmt::format("\"charge\" is {}, and should be a number", json::serialize(*charge));
}

/// What is wrong with the answer; nothing if the rules allow it.
Lines explain(const Exchange& exchange, bool wants_charge) {
  Lines lines;
  if (!exchange.is_allowed) {
    json::object wanted = to_json(exchange.expected.answer), given = to_json(exchange.actual);
    for (auto* answer : {&wanted, &given}) answer->erase("charge");  // each store has its own prices
    explain_object("", wanted, given, lines);
  }
  const bool is_wrong_otherwise = lines.empty() && !exchange.is_allowed;
  if (is_wrong_otherwise || (wants_charge && !exchange.actual.charge)) lines.push_back(explain_charge(exchange.actual));
  return lines;
}

class Smoke {
 public:
  Smoke(const StoreOptions& options, const CommandLine& line) : line_(line), store_(chosen_store(options)) {}

  Exit run() {
    fmt::print("{}\n", introduction(*store_));
    try {
      send_steps();
      if (store_->features().batch) send_batch();
    } catch (const StoreFailure& failure) {
      stop_if_interrupted();
      print_step(false);
      fmt::print("           the target {}\n", failure.what());
      if (const auto advice = advice_on(*store_, failure.what()); !advice.empty()) fmt::print("           {}", advice);
    }
    return verdict();
  }

 private:
  std::vector<SmokeStep> steps_for(const Features& features) const {
    std::vector<SmokeStep> steps;
    for (const auto& part : {ttl_steps(), name_steps(), limit_steps(features.limits)})
      std::copy_if(part.begin(), part.end(), std::back_inserter(steps), [&](const SmokeStep& step) {
        return has(features, need_of(step.operation)) && is_within(features.limits, step.operation);
      });
    return steps;
  }

  void send_steps() {
    current_ = "reset: an empty store";
    Lockstep lockstep(start, *store_);
    for (const auto& step : steps_) send(lockstep, step);
  }

  void send(Lockstep& lockstep, const SmokeStep& step) {
    current_ = fmt::format("{}: {}", keywords[step.operation.index()], step.what);
    stop_if_interrupted();
    const Exchange exchange = lockstep.step(step.operation);
    const Lines complaints = explain(exchange, store_->features().charge && collection_of(step.operation));
    print_step(complaints.empty());
    if (complaints.empty()) return;
    fmt::print("           asked     {}\n           answered  {}\n", to_line(to_json(step.operation)),
               to_line(to_json(exchange.actual)));
    for (const auto& complaint : complaints) fmt::print("           {}\n", complaint);
  }

  // Sends all steps again, in one line. Each answer has to be the same as to the request alone.
  void send_batch() {
    current_ = "batch: all of these requests in one line get the same answers";
    Case all{start, {}};
    for (const auto& step : steps_) all.steps.push_back(step.operation);
    const auto difference = batch_difference(all, *store_->remote());
    print_step(!difference);
    if (!difference) return;
    fmt::print("           asked     {}\n           in batch  {}\n           alone     {}\n",
               to_line(to_json(difference->operation)), to_line(to_json(difference->in_batch)),
               to_line(to_json(difference->alone)));
  }

  void print_step(bool is_right) {
    if (!is_right) ++wrong_;
    const auto line = fmt::format("{:>3} {:<5}  {}", ++asked_, is_right ? "ok" : "WRONG", current_);
    fmt::print("{}\n", folded(line, 11, " ", prose_width()));
  }

  Exit verdict() const {
    if (wrong_ > 0)
      fmt::print("\n{} of {} wrong\n", wrong_, counted(asked_, "answer"));
    else
      fmt::print("\nall {} are right; continue with: {} check{}\n", counted(asked_, "answer"), line_.program(),
                 line_.given(CommandLine::store_group));
    return wrong_ > 0 ? Exit::violation : Exit::held;
  }

  static constexpr Instant start{Seconds{1'700'000'000}};

  const CommandLine& line_;
  std::unique_ptr<Subject> store_;
  const std::vector<SmokeStep> steps_ = steps_for(store_->features());
  std::string current_;  ///< the step that is under way
  std::size_t asked_ = 0;
  std::size_t wrong_ = 0;
};

Exit smoke(const StoreOptions& options, const CommandLine& line) {
  watch_for_interrupt();
  return Smoke(options, line).run();
}

}  // namespace

Command smoke_command() {
  return command("smoke", "First requests to a target, each wrong answer explained", declare, smoke);
}

}  // namespace mayfly::app
