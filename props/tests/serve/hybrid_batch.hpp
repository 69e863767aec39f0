#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/crc.hpp>

// Batches as the .NET client writes them, byte by byte.

namespace mayfly::test {

inline std::string little_endian(std::uint32_t number) {
  std::string bytes;
  for (int i = 0; i < 4; ++i, number >>= 8) bytes += static_cast<char>(number & 0xff);
  return bytes;
}

/// Text of less than 16384 bytes, after its length.
inline std::string with_length(std::string_view text) {
  std::string bytes;
  if (text.size() >= 0x80) bytes += static_cast<char>((text.size() & 0x7f) | 0x80);
  bytes += static_cast<char>(text.size() >= 0x80 ? text.size() >> 7 : text.size());
  return bytes.append(text);
}

struct HybridOperation {
  std::uint32_t kind = 0;
  std::optional<std::string> partition{}, id{}, body{};
  std::string sparse{};
};

inline std::string hybrid_row(const HybridOperation& operation) {
  const auto bit = [](const auto& field, unsigned place) { return field ? 1U << place : 0U; };
  std::string row = "\x81" + little_endian(2145473648);
  row += static_cast<char>(3U | bit(operation.partition, 2) | bit(operation.id, 4) | bit(operation.body, 6));
  row += little_endian(operation.kind) + little_endian(2);
  for (const auto& field : {operation.partition, operation.id, operation.body})
    if (field) row += with_length(*field);
  return row + operation.sparse;
}

inline std::string hybrid_record(const std::string& row) {
  boost::crc_32_type crc;
  crc.process_bytes(row.data(), row.size());
  return "\x81" + little_endian(2147473649) + little_endian(static_cast<std::uint32_t>(row.size())) +
         little_endian(crc.checksum()) + row;
}

inline std::string hybrid_segment() { return "\x81" + little_endian(2147473648) + '\1' + little_endian(10); }

inline std::string hybrid_batch(const std::vector<HybridOperation>& operations) {
  std::string batch = hybrid_segment();
  for (const auto& operation : operations) batch += hybrid_record(hybrid_row(operation));
  return batch;
}

}  // namespace mayfly::test
