#include <cstdio>
#include <string_view>

#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/props/rapidcheck.hpp"

// A property that fails, for rapidcheck.sh: prints how many cases it ran. With "each", every property of the store.
int main(int argc, char** argv) {
  const mayfly::DefectiveStore late(mayfly::Defect::expires_late);
  if (argc > 1 && std::string_view(argv[1]) == "each") return mayfly::check_every_property("late store", late) ? 0 : 1;
  int runs = 0;
  const bool holds = rc::check("a late store keeps the rules", [&](const mayfly::Case& c) {
    ++runs;
    return mayfly::keeps_the_rules(c, late);
  });
  std::printf("%d\n", runs);
  return holds ? 0 : 1;
}
