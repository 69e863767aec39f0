// A libFuzzer target. Inputs are traces, the same files that `mayfly check --corpus` keeps and `mayfly replay` takes:
// it mutates operations, not bytes, and the file that it writes about a failure (crash-*) is a trace.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include "mayfly/props/generate/generate.hpp"
#include "mayfly/props/property/agreement.hpp"
#include "mayfly/props/property/property.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/random.hpp"
#include "mayfly/sim/trace.hpp"

namespace {

using namespace mayfly;

/// The first case of a trace, or nothing if the bytes are no trace.
std::optional<Case> case_in(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  try {
    return read_trace(in, "input").front().without_expectations();
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Inserts some operations of another case, removes some, or repeats some.
void mutate(Case& test_case, Random& random) {
  auto& steps = test_case.steps;
  const Case other = generate(random.next(), {.longest_case = 20});
  const std::size_t at = random.below(steps.size() + 1);
  const auto place = steps.begin() + static_cast<std::ptrdiff_t>(at);
  const std::size_t count = std::min<std::size_t>(steps.size() - at, 1 + random.below(4));
  const auto what = random.below(4);
  if (what == 0)
    steps.erase(place, place + static_cast<std::ptrdiff_t>(count));
  else if (what == 1 && count > 0)
    steps.insert(place, steps[at]);
  else
    steps.insert(place, other.steps.begin(), other.steps.end());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto test_case = case_in(data, size);
  if (!test_case) return 0;
  InProcess<Engine> engine("engine", Audit::every_operation);
  for (const Watch watch : {Watch::nothing, Watch::everything})
    if (check_agreement(*test_case, engine, watch)) {
      std::fprintf(stderr, "the engine disagrees with the rules: mayfly replay shows where\n");
      std::abort();
    }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  Case test_case = case_in(data, size).value_or(generate(random.next(), {.longest_case = 20}));
  mutate(test_case, random);
  const std::string text = trace_text(test_case);
  if (text.size() > most) return size;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
