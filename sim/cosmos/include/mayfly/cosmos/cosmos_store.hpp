#pragma once

#include <optional>
#include <set>
#include <sys/types.h>

#include "mayfly/cosmos/account_client.hpp"
#include "mayfly/cosmos/rest_mapping.hpp"
#include "mayfly/cosmos/sweeper.hpp"
#include "mayfly/sim/real_time.hpp"

namespace mayfly::cosmos {

/// A database of its own in an account, which has the containers of one case at a time.
///
/// A database is named by a random prefix of this object and by the process that uses it: a forked process has a
/// connection and a database of its own. All of them are deleted when the processes have ended, in whatever way. Other
/// databases of the account are never touched.
class CosmosStore final : public RunningStore {
 public:
  /// `seconds` is the timeout for deleting each database. Throws InputError if the key is not valid.
  CosmosStore(const Endpoint& endpoint, const std::string& key, double seconds);

  /// Sets the timeout from now on: of each request, or of all requests until the next call.
  enum class Limit { each, all };
  void set_timeout(double seconds, Limit limit);

  void clear() override;

  /// Throws StoreFailure.
  Outcome ask(const Operation& operation) override;
  Instant write_probe() override;

  /// Whether the endpoint can count by a query.
  bool can_count();

  /// Sends a request that is not about the database.
  HttpAnswer ask_account(HttpRequest request);

  /// To be called when the account was emptied.
  void forget_everything();

  /// The names of this object's databases begin with it, and no other names do.
  const std::string& prefix() const { return prefix_; }

  std::uint64_t answered() const { return answered_; }
  const Endpoint& endpoint() const { return endpoint_; }

 private:
  void ensure_mine();
  void ensure_database();
  HttpAnswer send(HttpRequest request);
  CasePlace probe_place() const { return {place_.database, 0}; }
  Outcome send_all_pages(const Operation& operation);
  void remember(const Operation& operation, const Outcome& outcome);

  Endpoint endpoint_;
  std::string key_;
  std::string prefix_;
  Sweeper sweeper_;
  pid_t user_ = 0;                          ///< the process that the account and what follows belong to
  std::unique_ptr<AccountClient> account_;  ///< opened when it is needed
  bool has_database_ = false;
  bool has_probe_ = false;
  CasePlace place_;
  std::set<std::string> collections_;  ///< those of the case that exist
  Deadline deadline_;
  Limit limit_ = Limit::all;
  std::uint64_t answered_ = 0;
};

}  // namespace mayfly::cosmos
