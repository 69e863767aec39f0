#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mayfly/rest/address.hpp"
#include "mayfly/rest/master_key.hpp"
#include "mayfly/rest/signature.hpp"
#include "mayfly/serve/service/account.hpp"
#include "mayfly/serve/service/message.hpp"
#include "mayfly/serve/service/service_clock.hpp"

namespace mayfly::serve {

/// Which requests are answered.
enum class Access {
  emulator,  ///< signed with the emulators' key, which is published; control endpoints need no signature
  own_key,   ///< signed with a key that only the user has, control endpoints included
  open,      ///< any
};

struct ServiceOptions {
  Access access = Access::emulator;
  std::string key{rest::emulator_key};
  std::int64_t start = 0;  ///< without a journal: another for each server, so that none takes the tokens of another
};

/// The whole server but for the wire: requests in, responses out, one after the other. Used by one thread.
class Service {
 public:
  Service(ServiceOptions options, ServiceClock clock, std::optional<Journal> journal = {});

  /// Never throws for what a client does: whatever is wrong with a request, the response says so.
  Response answer(const Request& request);

  /// Makes what was answered since the last time lasting. If that fails, says why: all of it is undone, and must be
  /// answered with the error instead.
  std::optional<Response> commit();

  /// Lets the background processes do a bounded piece of work, and says whether there was as much as that.
  bool work_in_background();

  ServiceClock& clock() { return clock_; }
  const Account& account() const { return account_; }

 private:
  Response dispatch(const Request& request);
  void go_back();
  void admit(const Request& request, const rest::Address& address) const;

  ServiceOptions options_;
  ServiceClock clock_;
  Instant committed_;  ///< when the last commit was made, or the start
  rest::Signer key_;
  Account account_;
  std::optional<JournalError> broken_;  ///< why nothing can be answered any more
};

}  // namespace mayfly::serve
