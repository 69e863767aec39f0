#include <iostream>
#include <mayfly/props/rapidcheck.hpp>
#include <sstream>

#include "sessions.hpp"

using MyStore = Sessions<SessionCache<false>>;
using LateStore = Sessions<SessionCache<true>>;

/// The shortest case that shows a session after its end.
constexpr auto late_trace = R"({"op":"reset","now":0}
{"op":"create_collection","collection":"c0","default_ttl":1}
{"op":"create","collection":"c0","partition":"p0","id":"d0"}
{"op":"advance","seconds":1}
)";

/// Whether RapidCheck says what is wrong with the late one.
bool finds_the_defect() {
  std::ostringstream printed;
  std::streambuf* const before = std::cerr.rdbuf(printed.rdbuf());
  const bool holds = rc::check("my late store keeps the rules",
                               [](const mayfly::Case& c) { return mayfly::keeps_the_rules<LateStore>(c); });
  std::cerr.rdbuf(before);
  return !holds && printed.str().find(late_trace) != std::string::npos &&
         printed.str().find(R"(expected  {"status":200,"documents":[]})") != std::string::npos;
}

int main() {
  const bool holds = rc::check("my store keeps the rules", [](const mayfly::Case& c) {
    return mayfly::keeps_the_rules<MyStore>(c);  // with LateStore, it is late
  });
  return holds && mayfly::check_every_property<MyStore>("sessions") && finds_the_defect() ? 0 : 1;
}
