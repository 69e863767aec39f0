#include "mayfly/serve/service/resource_id.hpp"

#include <algorithm>
#include <array>
#include <openssl/evp.h>

namespace mayfly::serve {

namespace {

constexpr std::size_t most_bytes = 16;
constexpr std::uint32_t container_bit = 0x8000'0000;
constexpr std::uint64_t kind_bits = 0xf000'0000'0000'0000;

using Bytes = std::array<unsigned char, most_bytes>;

/// Writes `size` bytes of the number, the highest first.
void put(Bytes& bytes, std::size_t at, std::uint64_t number, std::size_t size) {
  for (std::size_t i = size; i-- > 0; number >>= 8) bytes[at + i] = static_cast<unsigned char>(number & 0xff);
}

std::uint64_t take(const unsigned char* bytes, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i) number = number << 8 | bytes[i];
  return number;
}

std::string link_text(const Bytes& bytes, std::size_t size) {
  std::array<unsigned char, 25> text{};
  const int length = EVP_EncodeBlock(text.data(), bytes.data(), static_cast<int>(size));
  std::replace(text.begin(), text.end(), '/', '-');  // ids are parts of links
  return {reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(length)};
}

}  // namespace

std::string to_text(const ResourceId& id) {
  Bytes bytes{};
  put(bytes, 0, id.database, 4);
  put(bytes, 4, id.container | container_bit, 4);
  put(bytes, 8, id.item & ~kind_bits, 8);
  std::reverse(bytes.begin() + 8, bytes.end());
  return link_text(bytes, id.item != 0 ? 16 : id.container != 0 ? 8 : 4);
}

std::optional<ResourceId> parse_resource_id(std::string_view text) {
  if (text.size() != 8 && text.size() != 12 && text.size() != 24) return std::nullopt;
  std::string base64(text);
  std::replace(base64.begin(), base64.end(), '-', '/');
  std::array<unsigned char, 18> bytes{};
  const auto* encoded = reinterpret_cast<const unsigned char*>(base64.data());
  if (EVP_DecodeBlock(bytes.data(), encoded, static_cast<int>(base64.size())) < 0) return std::nullopt;
  std::reverse(bytes.begin() + 8, bytes.begin() + 16);
  ResourceId id{.database = static_cast<std::uint32_t>(take(bytes.data(), 4))};
  if (text.size() > 8) id.container = static_cast<std::uint32_t>(take(bytes.data() + 4, 4)) & ~container_bit;
  if (text.size() > 12) id.item = take(bytes.data() + 8, 8) & ~kind_bits;
  if (to_text(id) != text) return std::nullopt;
  return id;
}

std::string offer_rid(std::uint32_t number) {
  Bytes bytes{};
  put(bytes, 0, number, 3);
  return link_text(bytes, 3);
}

}  // namespace mayfly::serve
