#include <iostream>

#include "command.hpp"
#include "mayfly/model/reference.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/target/protocol_server.hpp"

namespace mayfly::app {

namespace {

struct NoOptions {};
void declare(CommandLine&, NoOptions&) {}

/// The reference behind the target protocol, on standard input and output.
Exit serve_model(const NoOptions&, const CommandLine&) {
  std::ios::sync_with_stdio(false);
  InProcess<ReferenceStore> reference("reference");
  serve_protocol(reference, std::cin, std::cout);
  if (!std::cout) throw InputError("standard output cannot be written");
  return Exit::held;
}

}  // namespace

Command model_server_command() {
  return command("model-server", "The reference as a target, on standard input", declare, serve_model);
}

}  // namespace mayfly::app
