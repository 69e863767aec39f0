#pragma once

#include <memory>
#include <optional>
#include <string>

#include "command_line.hpp"
#include "mayfly/sim/subject.hpp"

namespace mayfly::app {

/// How to reach a store behind an endpoint (--target cosmos:URL).
struct CosmosAccess {
  std::optional<std::string> key;
  std::optional<std::string> clock_command;
  bool yes_remote = false;
  bool operator==(const CosmosAccess&) const = default;
};

/// The options of every command that tests a store.
struct StoreOptions {
  std::optional<std::string> target;  ///< the command that runs the store, or cosmos:URL; without it, the built-in one
  CosmosAccess access;
  double timeout = 10;
  double start_timeout = 60;
};

void declare_store(CommandLine& line, StoreOptions& options);

/// The store under test: the program or endpoint of --target, or the built-in store. Throws InputError if the program
/// cannot be started or does not speak the protocol, and if the endpoint cannot be used. After an interrupt every
/// request to a program fails.
std::unique_ptr<Subject> chosen_store(const StoreOptions& options, Audit audit = Audit::never);

/// What the store calls itself.
std::string name_of_store(Subject& store);

/// The name of a target, and what is not tested because it lacks a feature or lies beyond its limits, as lines; empty
/// for the built-in store.
std::string introduction(Subject& store);

/// What may be the cause if a program failed in this way, as a line, or nothing: it did not flush its answer.
std::string advice_on(const Subject& store, std::string_view crash);

}  // namespace mayfly::app
