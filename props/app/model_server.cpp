#include <iostream>

#include "command.hpp"
#include "mayfly/model/reference.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/target/protocol_server.hpp"

namespace mayfly::app {

Exit model_server() {
  std::ios::sync_with_stdio(false);
  InProcess<ReferenceStore> reference("reference");
  serve_protocol(reference, std::cin, std::cout);
  if (!std::cout) throw InputError("standard output cannot be written");
  return Exit::held;
}

}  // namespace mayfly::app
