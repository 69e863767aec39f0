#pragma once

#include <memory>
#include <optional>
#include <string>

#include "command.hpp"
#include "mayfly/sim/subject.hpp"

namespace mayfly::app {

/// The store that is put to the test: the program or the endpoint that the user names, or the store that is built in.
/// Throws InputError if the program cannot be started or does not speak the protocol, and if the endpoint cannot be
/// used.
/// What a program is asked fails once the user has interrupted this one. `Options` are those of a command.
std::unique_ptr<Subject> chosen_store(const std::optional<std::string>& target, double seconds, double start_timeout,
                                      Audit audit, const CosmosAccess& access);
template <class Options>
std::unique_ptr<Subject> chosen_store(const Options& options, Audit audit = Audit::never) {
  return chosen_store(options.target, options.timeout, options.start_timeout, audit, options.access);
}

/// The options beside --target with which the user gets at the store, but for a secret.
std::string access_options(const CosmosAccess& access);

/// What a target calls itself, and what is not checked for what it lacks, as lines; nothing of the store that is built
/// in.
std::string introduction(Subject& store);

}  // namespace mayfly::app
