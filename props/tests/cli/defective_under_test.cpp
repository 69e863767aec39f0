#include <cstdio>
#include <cstdlib>
#include <string>

#include "../app/under_test.hpp"
#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/sim/engine/engine.hpp"

// Links the program with a defective store under test. MAYFLY_DEFECT is the id of a planted defect (expires-late if it
// is not set) or one of the names below.

namespace mayfly {

namespace {

/// "abort": aborts at a read of an expired document.
struct Aborts : Engine {
  Outcome read(Instant now, const DocumentKey& key) {
    const Outcome outcome = Engine::read(now, key);
    if (outcome.status == Status::not_found && Engine::read(now - Seconds{1}, key).status == Status::ok) std::abort();
    return outcome;
  }
};

/// "exit-0", "exit-23": ends the process at a read of an expired document.
template <int status>
struct Exits : Engine {
  Outcome read(Instant now, const DocumentKey& key) {
    const Outcome outcome = Engine::read(now, key);
    if (outcome.status == Status::not_found && Engine::read(now - Seconds{1}, key).status == Status::ok)
      std::exit(status);
    return outcome;
  }
};

/// "abort-once": aborts at its first read, unless the file that it leaves then is there.
struct AbortsOnce : Engine {
  Outcome read(Instant now, const DocumentKey& key) {
    if (std::FILE* mark = std::fopen("aborted-once", "wx")) {
      std::fclose(mark);
      std::abort();
    }
    return Engine::read(now, key);
  }
};

/// "hang": never returns from deleting a document.
struct Hangs : Engine {
  Outcome erase(Instant now, const DocumentKey& key) {
    const Outcome outcome = Engine::erase(now, key);
    while (outcome.status == Status::no_content) waited = waited + 1;
    return outcome;
  }
  static inline volatile unsigned waited = 0;
};

std::string defect_wanted() {
  const char* name = std::getenv("MAYFLY_DEFECT");
  return name ? name : std::string(text_of(Defect::expires_late).id);
}

/// Calls with an empty store that has the defect.
auto with_defective_store(const auto& call) {
  const std::string name = defect_wanted();
  if (name == "abort") return call(Aborts{});
  if (name == "exit-0") return call(Exits<0>{});
  if (name == "exit-23") return call(Exits<23>{});
  if (name == "abort-once") return call(AbortsOnce{});
  if (name == "hang") return call(Hangs{});
  const DefectText* defect = defect_named(name);
  return call(defect ? DefectiveStore(defect->defect) : DefectiveStore());
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

/// "sound-canary": neither the canary nor the store under test has a defect.
std::unique_ptr<Subject> app::canary_store(Defect defect) {
  if (defect_wanted() == "sound-canary") defect = Defect::none;
  return std::make_unique<InProcess<DefectiveStore>>("canary", Audit::never, DefectiveStore(defect));
}

}  // namespace mayfly
