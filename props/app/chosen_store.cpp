#include "chosen_store.hpp"

#include <cstdlib>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "interrupt.hpp"
#include "mayfly/cosmos/cosmos_target.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/property/property.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/rest/master_key.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/process/ending.hpp"
#include "mayfly/sim/target/target.hpp"
#include "terminal.hpp"
#include "under_test.hpp"

namespace mayfly::app {

namespace {

constexpr std::string_view endpoint_mark = "cosmos:";

// From the environment too, because every process of the machine can read a command line.
std::string key_of(const CosmosAccess& access) {
  if (access.key) return *access.key;
  const char* key = std::getenv("MAYFLY_KEY");
  return key ? key : std::string(rest::emulator_key);
}

cosmos::Endpoint allowed_endpoint(const std::string& url, bool may_be_remote) {
  const cosmos::Endpoint endpoint = cosmos::parse_endpoint(url);
  if (!endpoint.is_loopback() && !may_be_remote)
    throw InputError(
        fmt::format("{} is not this machine. Mayfly creates and deletes databases there, and every request costs: "
                    "give --yes-remote to allow that",
                    endpoint.url()));
  return endpoint;
}

std::unique_ptr<Subject> store_at(const std::string& url, double seconds, const CosmosAccess& access) {
  cosmos::CosmosOptions options{.endpoint = {}, .key = key_of(access), .clock_command = {}};
  from_option(access.key ? "--key" : "MAYFLY_KEY", [&] { rest::key_bytes(options.key); });
  if (access.clock_command)
    options.clock_command =
        from_option("--clock-command", [&] { return cosmos::ClockCommand(*access.clock_command, seconds); });
  return from_option("--target", [&] {
    options.endpoint = allowed_endpoint(url, access.yes_remote);
    return std::make_unique<cosmos::CosmosTarget>(options, seconds);
  });
}

constexpr std::string_view flush_advice = "a target has to flush its standard output after each line";

// A program that keeps its first answer in a buffer fails here.
std::unique_ptr<Subject> started_target(const StoreOptions& options) {
  try {
    return std::make_unique<Target>(*options.target, options.timeout, options.start_timeout, is_interrupted);
  } catch (const InputError& error) {
    const std::string_view what = error.what();
    if (what.find(timeout_text(options.start_timeout)) == std::string_view::npos) throw;
    throw InputError(fmt::format("{}; {}", what, flush_advice));
  }
}

}  // namespace

void declare_store(CommandLine& line, StoreOptions& options) {
  line.group(CommandLine::store_group);
  line.text("--target", options.target, CommandLine::command_type,
            "Test your program instead, or the endpoint cosmos:URL");
  line.time("--timeout", options.timeout, "Treat a case as hung after this time (default: 10s)");
  line.time("--start-timeout", options.start_timeout, "How long the program may take to start (default: 60s)");
  line.secret("--key", options.access.key, "KEY", "Key of cosmos:URL (default: MAYFLY_KEY, or the emulators')");
  line.text("--clock-command", options.access.clock_command, CommandLine::command_type,
            "Command that advances the clock of cosmos:URL; the seconds are appended");
  line.flag("--yes-remote", options.access.yes_remote, "Allow a cosmos:URL on another machine");
}

std::unique_ptr<Subject> chosen_store(const StoreOptions& options, Audit audit) {
  const auto& target = options.target;
  const auto& access = options.access;
  const bool is_endpoint = target && target->starts_with(endpoint_mark);
  if (!is_endpoint && !(access == CosmosAccess{}))
    throw InputError("--key, --clock-command and --yes-remote are for --target cosmos:URL");
  if (!target) return store_under_test(audit);
  if (is_endpoint) return store_at(target->substr(endpoint_mark.size()), options.timeout, access);
  return from_option("--target", [&] { return started_target(options); });
}

std::string advice_on(const Subject& store, std::string_view crash) {
  const bool is_program = dynamic_cast<const Target*>(&store) != nullptr;
  return is_program && is_timeout_text(crash) ? fmt::format("If it did answer: {}.\n", flush_advice) : "";
}

std::string name_of_store(Subject& store) {
  const RemoteSubject* remote = store.remote();
  if (!remote) return store.name();
  boost::json::error_code error;
  const auto name = boost::json::parse(remote->own_name(), error);
  return !error && name.is_string() ? boost::json::value_to<std::string>(name) : remote->own_name();
}

std::string introduction(Subject& store) {
  const RemoteSubject* remote = store.remote();
  if (!remote) return {};
  std::string with, without;
  const auto not_tested = [&](const std::string& what) {
    without += folded("not tested" + what, 2, " ", prose_width()) + "\n";
  };
  for (const auto& [name, feature, without_it] : all_features)
    if (has(store.features(), feature))
      with += fmt::format(" {}", name);
    else
      not_tested(fmt::format(" (the store has no \"{}\"): {}", name, without_it));
  if (const auto longest = store.features().longest_step; longest < Seconds::max())
    not_tested(fmt::format(" (real time): clock steps of more than {} s", longest.count()));
  if (const auto beyond_limits = beyond(store.features().limits); !beyond_limits.empty())
    not_tested(fmt::format(" (the store's limits): {}", fmt::join(beyond_limits, "; ")));
  for (const Property& law : laws())
    if (!has(store.features(), law.needs())) not_tested(fmt::format(": \"{}\"", law.name));
  const auto first = fmt::format("target {}, with{}", remote->own_name(), with.empty() ? " no features" : with);
  return folded(first, 2, " ", prose_width()) + "\n" + without;
}

}  // namespace mayfly::app
