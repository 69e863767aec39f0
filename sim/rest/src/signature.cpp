#include "mayfly/rest/signature.hpp"

#include <array>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdexcept>

#include "mayfly/rest/address.hpp"
#include "mayfly/rest/lower_case.hpp"
#include "mayfly/rest/master_key.hpp"
#include "mayfly/rest/percent.hpp"

namespace mayfly::rest {

namespace {

constexpr std::size_t digest_bytes = 32;
constexpr std::string_view prefix = "type=master&ver=1.0&sig=";

void append_lower(std::string& out, std::string_view text) {
  for (const char c : text) out += lower_case(c);
}

}  // namespace

// A context that was set up with the key is used again and again, which saves setting it up.
struct Signer::Mac {
  explicit Mac(const std::vector<unsigned char>& key)
      : algorithm(EVP_MAC_fetch(nullptr, "HMAC", nullptr), &EVP_MAC_free),
        context(EVP_MAC_CTX_new(algorithm.get()), &EVP_MAC_CTX_free) {
    std::array<char, 7> digest{"SHA256"};
    const std::array<OSSL_PARAM, 2> parameters{OSSL_PARAM_construct_utf8_string("digest", digest.data(), 0),
                                               OSSL_PARAM_construct_end()};
    if (!context || EVP_MAC_init(context.get(), key.data(), key.size(), parameters.data()) != 1)
      throw std::runtime_error("OpenSSL offers no HMAC-SHA256");
  }

  std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> algorithm;
  std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context;
};

Signer::Signer(std::string_view base64_key) : mac_(std::make_unique<Mac>(key_bytes(base64_key))) {}
Signer::~Signer() = default;
Signer::Signer(Signer&&) noexcept = default;
Signer& Signer::operator=(Signer&&) noexcept = default;

std::string text_to_sign(const SignedPart& part) {
  std::string text;
  text.reserve(256);
  append_lower(text, part.verb);
  text += '\n';
  append_lower(text, part.kind);
  text.append("\n").append(part.link) += '\n';
  append_lower(text, part.ms_date);
  text += '\n';
  append_lower(text, part.date);
  text += '\n';
  return text;
}

std::string Signer::signature(std::string_view text) const {
  std::array<unsigned char, digest_bytes> digest{};
  std::size_t size = 0;
  EVP_MAC_CTX* context = mac_->context.get();
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  if (EVP_MAC_init(context, nullptr, 0, nullptr) != 1 || EVP_MAC_update(context, bytes, text.size()) != 1 ||
      EVP_MAC_final(context, digest.data(), &size, digest.size()) != 1)
    throw std::runtime_error("OpenSSL could not sign");
  std::array<unsigned char, 45> base64{};
  const int length = EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(size));
  return {reinterpret_cast<const char*>(base64.data()), static_cast<std::size_t>(length)};
}

std::string Signer::authorization(std::string_view verb, std::string_view path, std::string_view ms_date) const {
  const Address address(path);
  const std::string link = address.link();
  const std::string text =
      text_to_sign({.verb = verb, .kind = address.kind(), .link = link, .ms_date = ms_date, .date = {}});
  return percent_encoded(std::string(prefix) + signature(text));
}

bool Signer::is_signed(std::string_view text, std::string_view authorization) const {
  const auto given = percent_decoded(authorization);
  const std::string expected = std::string(prefix) + signature(text);
  return given && given->size() == expected.size() &&
         CRYPTO_memcmp(given->data(), expected.data(), expected.size()) == 0;
}

}  // namespace mayfly::rest
