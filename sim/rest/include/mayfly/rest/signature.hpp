#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace mayfly::rest {

/// What is signed of a request.
struct SignedPart {
  std::string_view verb;     ///< in any case
  std::string_view kind;     ///< of resource, such as `docs`
  std::string_view link;     ///< such as `dbs/d/colls/c`
  std::string_view ms_date;  ///< the header field `x-ms-date`
  std::string_view date;     ///< the header field `date`; empty if there is `x-ms-date`
};

std::string text_to_sign(const SignedPart& part);

/// Signs with a master key: HMAC-SHA256, in base64.
class Signer {
 public:
  /// Requires base64 text; throws InputError.
  explicit Signer(std::string_view base64_key);
  ~Signer();
  Signer(Signer&&) noexcept;
  Signer& operator=(Signer&&) noexcept;

  /// The header field `authorization` for a request on a path that was sent at `ms_date`.
  std::string authorization(std::string_view verb, std::string_view path, std::string_view ms_date) const;

  /// Whether the header field `authorization` signs the text. Takes the same time wherever a signature is wrong.
  bool is_signed(std::string_view text, std::string_view authorization) const;

 private:
  struct Mac;
  std::string signature(std::string_view text) const;

  std::unique_ptr<Mac> mac_;
};

}  // namespace mayfly::rest
