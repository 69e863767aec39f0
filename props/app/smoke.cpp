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
#include "shown_failure.hpp"

// First contact with a target: a short story, asked request by request, and what is wrong with an answer in plain
// words.

namespace mayfly::app {

namespace {

namespace json = boost::json;

void declare(CommandLine& line, StoreOptions& options) {
  declare_store(line, options);
  line.require("--target");
}

struct Step {
  Operation operation;
  std::string_view what;  ///< is asked, and what should come of it
};

std::vector<Step> story() {
  const std::string c = "sessions";
  const DocumentKey one{c, "alice", "s1"}, other{c, "bob", "s1"};
  return {
      {CreateCollection{{c, {.default_ttl = std::int64_t{10}}}}, "a collection whose documents live for 10 s (T1)"},
      {CreateCollection{{c, {}}}, "its name is taken: 409 (C2)"},
      {ReadCollection{{c}}, "its settings: default_ttl 10, indexing consistent"},
      {Create{{one, {.ttl = std::int64_t{5}, .value = "v1"}}}, "a document that lives for 5 s (E3)"},
      {Create{{other, {.ttl = {}, .value = "v2"}}}, "the same id elsewhere, which inherits the 10 s (C1, E1)"},
      {Create{{one, {.ttl = std::int64_t{0}, .value = "v3"}}}, "0 is no ttl: 400, before anything else (T3)"},
      {Query{{c, {}}}, "both documents, in any order"},
      {Advance{Seconds{4}}, "the clock moves by 4 s"},
      {Read{{one}}, "in its last second it is still there (X1)"},
      {PatchDocument{other, {.value = "v4"}}, "a patch is a write: _ts is now, the rest stays (W1, W4)"},
      {Advance{Seconds{1}}, "the clock moves by 1 s"},
      {Read{{one}}, "5 s after it was written it is expired: 404 (X1, X2)"},
      {Query{{c, {}}}, "a query leaves it out (X2)"},
      {Count{{c, {}}}, "a count does not count it (X2)"},
      {Purge{{10}}, "in the background it is deleted, or was before; free of charge (P1, P2)"},
      {Held{}, "one document is left (P5)"},
      {Create{{one, {.ttl = std::int64_t{-1}, .value = "v5"}}}, "its identity is free again: 201 (X3)"},
      {ReplaceCollection{{c, {.default_ttl = std::int64_t{1}, .indexing = Indexing::lazy}}}, "a lazy index"},
      {Index{c, {10}}, "which catches up (I4)"},
      {Delete{{one}}, "it is deleted: 204"},
      {DeleteCollection{{c}}, "and so is the collection: 204"},
  };
}

std::string status_text(const json::value& status) {
  constexpr std::array<std::pair<int, std::string_view>, 6> meanings{{{200, "ok"},
                                                                      {201, "created"},
                                                                      {204, "done, nothing to show"},
                                                                      {400, "not a valid request"},
                                                                      {404, "not found"},
                                                                      {409, "there already"}}};
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
      lines.push_back(fmt::format("\"documents\" has {}, and should not", json::serialize(each)));
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

/// What is wrong with the charge, where something is.
std::string explain_charge(const Outcome& answer) {
  const json::object fields = to_json(answer);
  const auto* charge = fields.if_contains("charge");
  if (!charge) return "\"charge\" is missing, though it is among the features";
  if (answer.charge) return "\"charge\" should be 0: purging is free (P2)";
  return fmt::format("\"charge\" is {}, and should be a number", json::serialize(*charge));
}

/// What the rules do not allow about the answer.
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
      tell_story();
      if (store_->features().batch) try_batch();
    } catch (const StoreFailure& failure) {
      stop_if_interrupted();
      ++wrong_;
      fmt::print("{:>3} WRONG  {}\n           the target {}\n", ++asked_, current_, failure.what());
    }
    return verdict();
  }

 private:
  void tell_story() {
    current_ = "reset: an empty store";
    Lockstep lockstep(start, *store_);
    for (const auto& [operation, what] : story())
      if (has(store_->features(), need_of(operation))) ask(lockstep, operation, what);
  }

  void ask(Lockstep& lockstep, const Operation& operation, std::string_view what) {
    current_ = fmt::format("{}: {}", keywords[operation.index()], what);
    stop_if_interrupted();
    const Exchange exchange = lockstep.step(operation);
    const bool wants_charge = store_->features().charge && collection_of(operation);
    report(explain(exchange, wants_charge), operation, exchange.actual);
  }

  void report(const Lines& complaints, const Operation& operation, const Outcome& answer) {
    fmt::print("{:>3} {:<5}  {}\n", ++asked_, complaints.empty() ? "ok" : "WRONG", current_);
    if (complaints.empty()) return;
    ++wrong_;
    fmt::print("           asked     {}\n           answered  {}\n", to_line(to_json(operation)),
               to_line(to_json(answer)));
    for (const auto& complaint : complaints) fmt::print("           {}\n", complaint);
  }

  // The story once more, in one line: each answer has to be that to the same request alone.
  void try_batch() {
    current_ = "a list of requests in one line";
    Case all{start, {}};
    for (const auto& [operation, what] : story())
      if (has(store_->features(), need_of(operation))) all.steps.push_back(operation);
    const auto difference = batch_difference(all, *store_->remote());
    fmt::print("{:>3} {:<5}  {}: {}\n", ++asked_, difference ? "WRONG" : "ok", current_,
               difference ? "one of its answers is not that to the same request alone" : "the list of their answers");
    if (!difference) return;
    ++wrong_;
    fmt::print("           asked in a batch  {}\n           it answers        {}\n           alone             {}\n",
               to_line(to_json(difference->operation)), to_line(to_json(difference->in_batch)),
               to_line(to_json(difference->alone)));
  }

  Exit verdict() const {
    if (wrong_ > 0)
      fmt::print("\n{} of {} wrong\n", wrong_, counted(asked_, "answer"));
    else
      fmt::print("\nall {} are right; go on with: {} check{}\n", counted(asked_, "answer"), line_.program(),
                 line_.given(CommandLine::store_group));
    return wrong_ > 0 ? Exit::violation : Exit::held;
  }

  static constexpr Instant start{Seconds{1'700'000'000}};

  const CommandLine& line_;
  std::unique_ptr<Subject> store_;
  std::string current_;  ///< what is being asked
  std::size_t asked_ = 0;
  std::size_t wrong_ = 0;
};

Exit smoke(const StoreOptions& options, const CommandLine& line) {
  watch_for_interrupt();
  return Smoke(options, line).run();
}

}  // namespace

Command smoke_command() {
  return command("smoke", "First contact with a target: what is wrong with its answers", declare, smoke);
}

}  // namespace mayfly::app
