#include "mayfly/serve/service/resource_id.hpp"

#include <algorithm>
#include <array>
#include <openssl/evp.h>

namespace mayfly::serve {

namespace {

constexpr std::size_t most_bytes = 16;

template <class Number>
void put(std::array<unsigned char, most_bytes>& bytes, std::size_t at, Number number) {
  for (std::size_t i = sizeof number; i-- > 0; number = static_cast<Number>(number >> 8))
    bytes[at + i] = static_cast<unsigned char>(number & 0xff);
}

template <class Number>
Number take(const unsigned char* bytes) {
  Number number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) number = static_cast<Number>(number << 8 | bytes[i]);
  return number;
}

}  // namespace

std::string to_text(const ResourceId& id) {
  std::array<unsigned char, most_bytes> bytes{};
  put(bytes, 0, id.database);
  put(bytes, 4, id.container);
  put(bytes, 8, id.item);
  const int size = id.item != 0 ? 16 : id.container != 0 ? 8 : 4;
  std::array<unsigned char, 25> text{};
  const int length = EVP_EncodeBlock(text.data(), bytes.data(), size);
  std::replace(text.begin(), text.end(), '/', '-');  // ids are parts of links
  return {reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(length)};
}

std::optional<ResourceId> parse_resource_id(std::string_view text) {
  if (text.size() != 8 && text.size() != 12 && text.size() != 24) return std::nullopt;
  std::string base64(text);
  std::replace(base64.begin(), base64.end(), '-', '/');
  std::array<unsigned char, 18> bytes{};
  const auto* encoded = reinterpret_cast<const unsigned char*>(base64.data());
  if (EVP_DecodeBlock(bytes.data(), encoded, static_cast<int>(base64.size())) < 0) return std::nullopt;
  ResourceId id{.database = take<std::uint32_t>(bytes.data())};
  if (text.size() > 8) id.container = take<std::uint32_t>(bytes.data() + 4);
  if (text.size() > 12) id.item = take<std::uint64_t>(bytes.data() + 8);
  if (to_text(id) != text) return std::nullopt;
  return id;
}

}  // namespace mayfly::serve
