#include <cstdlib>
#include <string>

#include "../app/under_test.hpp"
#include "defective.hpp"

// The program with a store that has a defect, so that tests see it find one. MAYFLY_DEFECT says which.

namespace mayfly {

namespace {

/// Dies of a read of an expired document.
struct Aborts : Engine {
  Outcome read(Instant now, const DocumentKey& key) {
    const Outcome outcome = Engine::read(now, key);
    if (outcome.status == Status::not_found && Engine::read(now - Seconds{1}, key).status == Status::ok) std::abort();
    return outcome;
  }
};

/// Never comes back from deleting a document.
struct Hangs : Engine {
  Outcome erase(Instant now, const DocumentKey& key) {
    const Outcome outcome = Engine::erase(now, key);
    while (outcome.status == Status::no_content) waited = waited + 1;
    return outcome;
  }
  static inline volatile unsigned waited = 0;
};

/// Calls with an empty store that has the defect.
auto with_defective_store(const auto& call) {
  const char* defect = std::getenv("MAYFLY_DEFECT");
  const std::string name = defect ? defect : "";
  if (name == "abort") return call(Aborts{});
  if (name == "hang") return call(Hangs{});
  if (name == "charge") return call(test::ChargesForTtl{});
  return call(test::ReadsLate{});
}

}  // namespace

std::unique_ptr<Subject> app::store_under_test(Audit audit) {
  return with_defective_store([&]<class S>(S empty) -> std::unique_ptr<Subject> {
    return std::make_unique<InProcess<S>>("engine", audit, std::move(empty));
  });
}

Exploration app::explore_under_test(const Scope& scope, const ExploreLimits& limits) {
  return with_defective_store([&]<class S>(S empty) { return Explorer<S>(scope, limits, std::move(empty)).run(); });
}

}  // namespace mayfly
