#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "mayfly/rest/address.hpp"
#include "mayfly/rest/master_key.hpp"
#include "mayfly/rest/signature.hpp"
#include "mayfly/rest/wall_clock.hpp"
#include "mayfly/serve/message/message.hpp"
#include "mayfly/serve/service/account.hpp"
#include "mayfly/serve/service/service_clock.hpp"

namespace mayfly::serve {

/// Which requests the server accepts.
enum class Access {
  emulator,  ///< signed with the emulators' key, which is published; control endpoints need no signature
  own_key,   ///< signed with a key that only the user has, control endpoints included
  open,      ///< any
};

struct ServiceOptions {
  Access access = Access::emulator;
  std::string key{rest::emulator_key};
  /// The clock of signatures, which clients read even if the server's own clock is virtual.
  std::function<Instant()> wall = rest::wall_clock_second;
  std::int64_t start = 0;  ///< without a journal: different for each server, so that none accepts the tokens of another
};

/// The whole server except the network: requests in, responses out, one after the other. Used by one thread.
class Service {
 public:
  Service(ServiceOptions options, ServiceClock clock, std::optional<Journal> journal = {});

  /// Never throws because of a client: an invalid request gets an error response.
  Response answer(const Request& request);

  /// Makes the effects of all answers since the last commit lasting. If that fails, undoes them all, and returns the
  /// error response that the caller must send instead of each of these answers.
  std::optional<Response> commit();

  /// Runs the background processes for a bounded amount of work. True if the bound was reached.
  bool work_in_background();

  ServiceClock& clock() { return clock_; }
  const Account& account() const { return account_; }

 private:
  Response answer_or_error(const Request& request);
  Response dispatch(const Request& request);
  void go_back();
  void admit(const Request& request, const rest::Address& address) const;

  ServiceOptions options_;
  ServiceClock clock_;
  Instant committed_;  ///< second of the last commit, or of the start
  rest::Signer key_;
  Account account_;
  std::uint64_t answers_ = 0;
  std::optional<JournalError> broken_;  ///< why the server cannot answer requests any more
};

}  // namespace mayfly::serve
