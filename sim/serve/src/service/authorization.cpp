#include "mayfly/serve/service/authorization.hpp"

#include <algorithm>
#include <array>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <optional>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "mayfly/serve/service/resource_id.hpp"
#include "mayfly/sim/input_error.hpp"

namespace mayfly::serve {

namespace {

constexpr std::size_t digest_bytes = 32;
constexpr std::string_view prefix = "type=master&ver=1.0&sig=";

void append_lower(std::string& out, std::string_view text) {
  const std::size_t start = out.size();
  out += text;
  for (std::size_t i = start; i < out.size(); ++i)
    if (out[i] >= 'A' && out[i] <= 'Z') out[i] = static_cast<char>(out[i] - 'A' + 'a');
}

/// How many `=` end the text, or nothing if it is not base64. OpenSSL takes `=` and white space anywhere.
std::optional<std::size_t> base64_padding(std::string_view text) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t padding = text.size() - std::min(text.find_first_not_of(alphabet), text.size());
  const bool is_padding_only = text.find_first_not_of('=', text.size() - padding) == std::string_view::npos;
  if (text.empty() || text.size() % 4 != 0 || padding > 2 || !is_padding_only) return std::nullopt;
  return padding;
}

std::vector<unsigned char> decoded_key(std::string_view base64) {
  const auto padding = base64_padding(base64);
  std::vector<unsigned char> key(base64.size() / 4 * 3 + 1);
  const auto* text = reinterpret_cast<const unsigned char*>(base64.data());
  const int size = padding ? EVP_DecodeBlock(key.data(), text, static_cast<int>(base64.size())) : -1;
  if (size <= 0) throw InputError("a key must be base64 text, as the service's are");
  key.resize(static_cast<std::size_t>(size) - *padding);
  return key;
}

/// The signature in an authorization header, or nothing.
std::string given_signature(std::string_view header) {
  bool is_valid = true;
  const std::string decoded = percent_decoded(header, is_valid);
  return is_valid && decoded.starts_with(prefix) ? decoded.substr(prefix.size()) : std::string();
}

}  // namespace

// A context that was set up with the key is used again and again, which saves setting it up.
struct Authorization::Mac {
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

bool is_same_key(std::string_view base64_key, std::string_view other) {
  return decoded_key(base64_key) == decoded_key(other);
}

void check_own_key(std::string_view base64_key) {
  constexpr std::size_t least_bytes = 32;
  const std::size_t size = decoded_key(base64_key).size();
  if (size < least_bytes)
    throw InputError(fmt::format("--key has {} bytes, and needs {}: make one with `openssl rand -base64 {}`", size,
                                 least_bytes, least_bytes));
}

Authorization::Authorization(std::string_view base64_key) : mac_(std::make_unique<Mac>(decoded_key(base64_key))) {}
Authorization::~Authorization() = default;
Authorization::Authorization(Authorization&&) noexcept = default;
Authorization& Authorization::operator=(Authorization&&) noexcept = default;

std::string Authorization::signature(std::string_view text) const {
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

bool Authorization::admits(const Request& request, const Address& address) const {
  const auto header = request.field("authorization");
  if (!header) return false;
  const std::string given = given_signature(*header);
  const auto fits = [&](std::string_view kind, std::string_view link) {
    const std::string expected = signature(text_to_sign(request, kind, link));
    return given.size() == expected.size() && CRYPTO_memcmp(given.data(), expected.data(), given.size()) == 0;
  };
  if (fits(address.kind(), address.link())) return true;
  // By resource id, only the last one is signed, in lower case.
  if (address.size() < 2 || !parse_resource_id(address.link_end())) return false;
  std::string rid;
  append_lower(rid, address.link_end());
  return fits(address.kind(), rid);
}

std::string text_to_sign(const Request& request, std::string_view kind, std::string_view link) {
  std::string text;
  text.reserve(256);
  text.append(name_of(request.verb)) += '\n';
  append_lower(text, kind);
  text.append("\n").append(link) += '\n';
  const auto date = request.field("x-ms-date");
  append_lower(text, date.value_or(""));
  text += '\n';
  if (!date) append_lower(text, request.field("date").value_or(""));
  text += '\n';
  return text;
}

}  // namespace mayfly::serve
