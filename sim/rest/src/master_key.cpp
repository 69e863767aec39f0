#include "mayfly/rest/master_key.hpp"

#include <algorithm>
#include <openssl/evp.h>
#include <optional>

#include <fmt/format.h>

#include "mayfly/sim/input_error.hpp"

namespace mayfly::rest {

namespace {

/// How many `=` end the text, or nothing if it is not base64. OpenSSL takes `=` and white space anywhere.
std::optional<std::size_t> base64_padding(std::string_view text) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t padding = text.size() - std::min(text.find_first_not_of(alphabet), text.size());
  const bool is_padding_only = text.find_first_not_of('=', text.size() - padding) == std::string_view::npos;
  if (text.empty() || text.size() % 4 != 0 || padding > 2 || !is_padding_only) return std::nullopt;
  return padding;
}

}  // namespace

std::vector<unsigned char> key_bytes(std::string_view base64_key) {
  const auto padding = base64_padding(base64_key);
  std::vector<unsigned char> key(base64_key.size() / 4 * 3 + 1);
  const auto* text = reinterpret_cast<const unsigned char*>(base64_key.data());
  const int size = padding ? EVP_DecodeBlock(key.data(), text, static_cast<int>(base64_key.size())) : -1;
  if (size <= 0) throw InputError("a key must be base64 text, as the service's are");
  key.resize(static_cast<std::size_t>(size) - *padding);
  return key;
}

void check_own_key(std::string_view base64_key) {
  constexpr std::size_t least_bytes = 32;
  const std::size_t size = key_bytes(base64_key).size();
  if (size < least_bytes)
    throw InputError(fmt::format("the key has {} bytes, and needs {}: make one with `openssl rand -base64 {}`", size,
                                 least_bytes, least_bytes));
}

}  // namespace mayfly::rest
