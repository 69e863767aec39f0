#include "mayfly/serve/service/effective_key.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "mayfly/serve/message/json_text.hpp"

namespace mayfly::serve {

namespace {

constexpr std::string_view all_end = "FF";

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

std::uint64_t mixed(std::uint64_t k) {
  k = (k ^ k >> 33) * 0xff51afd7ed558ccd;
  k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53;
  return k ^ k >> 33;
}

/// MurmurHash3, x64, 128 bits, with seed 0: the high half first.
std::array<std::uint64_t, 2> murmur_hash(std::string_view bytes) {
  constexpr std::uint64_t c1 = 0x87c37b91114253d5, c2 = 0x4cf5ad432745937f;
  const auto first_word = [](std::uint64_t k) { return std::rotl(k * c1, 31) * c2; };
  const auto second_word = [](std::uint64_t k) { return std::rotl(k * c2, 33) * c1; };
  const std::uint64_t size = bytes.size();
  std::uint64_t low = 0, high = 0;
  for (; bytes.size() >= 16; bytes.remove_prefix(16)) {
    low = (std::rotl(low ^ first_word(little_endian(bytes.substr(0, 8))), 27) + high) * 5 + 0x52dce729;
    high = (std::rotl(high ^ second_word(little_endian(bytes.substr(8, 8))), 31) + low) * 5 + 0x38495ab5;
  }
  if (bytes.size() > 8) high ^= second_word(little_endian(bytes.substr(8)));
  low ^= first_word(little_endian(bytes.substr(0, 8)));
  low ^= size;
  high ^= size;
  low += high;
  high += low;
  low = mixed(low);
  high = mixed(high);
  low += high;
  return {high + low, low};
}

/// A component of a partition as the hash reads it: its type, then its value.
std::string typed_bytes(std::string_view component) {
  using namespace std::string_literals;
  if (component.empty()) return "\x00"s;
  if (component == "null") return "\x01";
  if (component == "false") return "\x02";
  if (component == "true") return "\x03";
  if (component.front() == '"') return "\x08" + decoded_name(component) + "\xff";
  const auto bits = std::bit_cast<std::uint64_t>(parse_json(component).to_number<double>());
  std::string bytes("\x05");
  for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(bits >> shift & 0xff);
  return bytes;
}

/// The length of the first component, which may be a text that contains commas.
std::size_t component_size(std::string_view partition) {
  if (!partition.starts_with('"')) return std::min(partition.find(','), partition.size());
  std::size_t at = 1;
  while (partition[at] != '"') at += partition[at] == '\\' ? 2 : 1;
  return at + 1;
}

std::string_view range_end(const Request& request, std::string_view name, std::string_view all) {
  const std::string_view text = request.field(name).value_or(all);
  if (text.find_first_not_of("0123456789ABCDEF") != text.npos)
    throw Refusal(400, fmt::format("The header {} must have upper-case hexadecimal digits.", name));
  return text;
}

}  // namespace

std::string effective_key(std::string_view partition) {
  constexpr std::uint64_t upper_bits_off = 0x3fff'ffff'ffff'ffff;
  std::string key;
  while (true) {
    const std::size_t size = component_size(partition);
    const auto [high, low] = murmur_hash(typed_bytes(partition.substr(0, size)));
    key += fmt::format("{:016X}{:016X}", high & upper_bits_off, low);
    if (size == partition.size()) return key;
    partition.remove_prefix(size + 1);
  }
}

bool KeyRange::has(std::string_view partition) const {
  const std::string key = effective_key(partition);
  return first <= key && key < end;
}

std::optional<KeyRange> named_range(const Request& request, const PartitionKey& key) {
  KeyRange range{std::string(range_end(request, "x-ms-start-epk", "")),
                 std::string(range_end(request, "x-ms-end-epk", all_end))};
  if (range.first.empty() && range.end == all_end) return std::nullopt;
  if (!key.has_effective_keys())
    throw Refusal(400, "Ranges of effective partition keys need a container whose partitionKey has the version 2.");
  return range;
}

}  // namespace mayfly::serve
