#pragma once

#include <memory>
#include <optional>
#include <string>

#include "command_line.hpp"
#include "mayfly/sim/subject.hpp"

namespace mayfly::app {

/// How to get at a store behind an endpoint (--target cosmos:URL).
struct CosmosAccess {
  std::optional<std::string> key;
  std::optional<std::string> clock_command;
  bool yes_remote = false;
  bool operator==(const CosmosAccess&) const = default;
};

/// The options of every command that tests a store.
struct StoreOptions {
  std::optional<std::string> target;  ///< the command that runs the store, or where it is; else the built-in one
  CosmosAccess access;
  double timeout = 10;
  double start_timeout = 60;
};

void declare_store(CommandLine& line, StoreOptions& options);

/// The store that is put to the test: the program or the endpoint that the user names, or the store that is built in.
/// Throws InputError if the program cannot be started or does not speak the protocol, and if the endpoint cannot be
/// used. After an interrupt every request to a program fails.
std::unique_ptr<Subject> chosen_store(const StoreOptions& options, Audit audit = Audit::never);

/// What the store calls itself.
std::string name_of_store(Subject& store);

/// What a target calls itself, and what is not tested because it lacks a feature, as lines; nothing for the built-in
/// store.
std::string introduction(Subject& store);

}  // namespace mayfly::app
