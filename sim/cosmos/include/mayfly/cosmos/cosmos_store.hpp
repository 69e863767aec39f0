#pragma once

#include <optional>
#include <set>
#include <sys/types.h>

#include "mayfly/cosmos/account_client.hpp"
#include "mayfly/cosmos/rest_mapping.hpp"
#include "mayfly/cosmos/sweeper.hpp"
#include "mayfly/sim/real_time.hpp"

namespace mayfly::cosmos {

/// A database of ours in an account, and in it the containers of one case after the other.
///
/// Databases are named by a random prefix of this object and the process that uses it: one that was forked has a
/// connection and a database of its own. What was made is deleted in the end, however that comes; nothing else is
/// ever touched.
class CosmosStore final : public RunningStore {
 public:
  /// `seconds` is how long the endpoint may take to delete each database that was made. Throws InputError if the key is
  /// none.
  CosmosStore(const Endpoint& endpoint, const std::string& key, double seconds);

  /// Requests from now on have to be answered within this time: each of them, or all until the next call.
  enum class Limit { each, all };
  void set_timeout(double seconds, Limit limit);

  void clear() override;

  /// Throws StoreFailure.
  Outcome ask(const Operation& operation) override;
  Instant write_probe() override;

  /// Whether the endpoint can count by a query.
  bool can_count();

  /// Asks for something outside of the database.
  HttpAnswer ask_account(HttpRequest request);

  /// The account was emptied.
  void forget_everything();

  /// What the names of our databases begin with, and no others.
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
  std::set<std::string> collections_;  ///< of the case, as far as they are there
  Deadline deadline_;
  Limit limit_ = Limit::all;
  std::uint64_t answered_ = 0;
};

}  // namespace mayfly::cosmos
