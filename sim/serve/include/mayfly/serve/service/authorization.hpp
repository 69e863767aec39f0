#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mayfly/serve/service/address.hpp"
#include "mayfly/serve/service/message.hpp"

namespace mayfly::serve {

/// The key that emulators of the service have in common. It is published, and so protects nothing.
inline constexpr std::string_view emulator_key =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

/// Whether both are the same bytes, however their base64 is written. Throws InputError.
bool is_same_key(std::string_view base64_key, std::string_view other);

/// Throws InputError unless the key is base64 text of at least 32 bytes: a shorter one can be guessed.
void check_own_key(std::string_view base64_key);

/// Checks signatures made with a master key: HMAC-SHA256 over verb, kind of resource, link and date.
///
/// The date is signed but not compared with a clock: the server's may be virtual, and a client's may be faked too.
class Authorization {
 public:
  /// Requires base64 text; throws InputError.
  explicit Authorization(std::string_view base64_key);
  ~Authorization();
  Authorization(Authorization&&) noexcept;
  Authorization& operator=(Authorization&&) noexcept;

  /// Whether the request is signed with the key. Takes the same time wherever a signature is wrong.
  bool admits(const Request& request, const Address& address) const;

  /// The signature of a text, in base64.
  std::string signature(std::string_view text) const;

 private:
  struct Mac;
  std::unique_ptr<Mac> mac_;
};

/// What is signed, for a link in one of its forms.
std::string text_to_sign(const Request& request, std::string_view kind, std::string_view link);

}  // namespace mayfly::serve
