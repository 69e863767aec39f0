#include "sessions.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mayfly/props/verify.hpp>

/// Dies of what the sound one survives.
struct Dying : Sessions<SessionCache<false>> {
  Outcome erase(Instant now, const mayfly::DocumentKey& key) {
    const Outcome outcome = Sessions::erase(now, key);
    if (outcome.status == Status::no_content) std::abort();
    return outcome;
  }
};

/// Operations of the shortest case that shows what is wrong with a store.
template <class Store>
std::ptrdiff_t shortest(const mayfly::VerifyOptions& options) {
  const mayfly::Verified verified = mayfly::verify<Store>(options);
  return std::count(verified.trace.begin(), verified.trace.end(), '\n') - 1;  // but for the reset
}

bool finds_defects() {
  return shortest<Sessions<SessionCache<true>>>({}) == 4 &&
         shortest<Sessions<SessionCache<true>>>({.isolated = false}) == 4 && shortest<Dying>({}) == 3;
}

int main() {
  using Store = Sessions<SessionCache<false>>;  // with true, it is late
  const mayfly::Verified verified = mayfly::verify<Store>({.seed = 7, .cases = 2'000});
  std::puts(verified.text.c_str());  // under GoogleTest: EXPECT_TRUE(verified.held) << verified.text;
  return verified.held && finds_defects() ? 0 : 1;
}
