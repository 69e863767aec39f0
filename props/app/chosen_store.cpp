#include "chosen_store.hpp"

#include <cstdlib>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "from_option.hpp"
#include "interrupt.hpp"
#include "mayfly/cosmos/cosmos_target.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/property/property.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/rest/master_key.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/target/target.hpp"
#include "under_test.hpp"

namespace mayfly::app {

namespace {

constexpr std::string_view endpoint_mark = "cosmos:";

// The environment, so that a secret need not stand on the command line, which every process of the machine can read.
std::string key_of(const CosmosAccess& access) {
  if (access.key) return *access.key;
  const char* key = std::getenv("MAYFLY_KEY");
  return key ? key : std::string(rest::emulator_key);
}

cosmos::Endpoint allowed_endpoint(const std::string& url, bool may_be_remote) {
  const cosmos::Endpoint endpoint = cosmos::parse_endpoint(url);
  if (!endpoint.is_loopback() && !may_be_remote)
    throw InputError(
        fmt::format("{} is not this machine. Databases will be made and deleted there, and "
                    "requests paid for: say --yes-remote if that is what you want",
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

}  // namespace

void declare_store(CommandLine& line, StoreOptions& options) {
  line.group(CommandLine::store_group);
  line.text("--target", options.target, "'CMD ARGS'", "Check this program of yours, or the endpoint cosmos:URL");
  line.time("--timeout", options.timeout, "Treat a case as hung after this time (default: 10s)");
  line.time("--start-timeout", options.start_timeout, "How long the program may take to start (default: 60s)");
  line.secret("--key", options.access.key, "KEY", "Of cosmos:URL (default: MAYFLY_KEY, or the emulators')");
  line.text("--clock-command", options.access.clock_command, "'CMD ARGS'",
            "Moves its clock, by the seconds that follow");
  line.flag("--yes-remote", options.access.yes_remote, "cosmos:URL may be on another machine");
}

std::unique_ptr<Subject> chosen_store(const StoreOptions& options, Audit audit) {
  const auto& target = options.target;
  const auto& access = options.access;
  const bool is_endpoint = target && target->starts_with(endpoint_mark);
  if (!is_endpoint && !(access == CosmosAccess{}))
    throw InputError("--key, --clock-command and --yes-remote are for --target cosmos:URL");
  if (!target) return store_under_test(audit);
  if (is_endpoint) return store_at(target->substr(endpoint_mark.size()), options.timeout, access);
  return from_option("--target", [&] {
    return std::make_unique<Target>(*target, options.timeout, options.start_timeout, is_interrupted);
  });
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
  std::string has_them, not_tested;
  for (const auto& [name, feature, without_it] : all_features) {
    if (has(store.features(), feature))
      has_them += fmt::format(" {}", name);
    else
      not_tested += fmt::format("not tested (the store has no \"{}\"): {}\n", name, without_it);
  }
  if (store.features().longest_step < Seconds::max())
    not_tested +=
        fmt::format("not tested (real time): clock steps of more than {} s\n", store.features().longest_step.count());
  for (const Property& law : laws())
    if (!has(store.features(), law.needs())) not_tested += fmt::format("not tested: \"{}\"\n", law.name);
  return fmt::format("target {}, with{}\n{}", remote->own_name(), has_them.empty() ? " no features" : has_them,
                     not_tested);
}

}  // namespace mayfly::app
