#include "mayfly/serve/service/hybrid_row.hpp"

#include <bit>
#include <cstdint>
#include <optional>

#include <boost/crc.hpp>
#include <fmt/format.h>

namespace mayfly::serve {

namespace {

constexpr unsigned char row_version = 0x81;  // the first byte of every row

enum Schema : std::uint32_t {
  result_schema = 2145473649,
  operation_schema = 2145473648,
  segment_schema = 2147473648,
  record_schema = 2147473649,
};

enum OperationField : unsigned char { has_kind, has_resource, has_partition, has_epk, has_id, has_binary_id, has_body };
enum ResultField : unsigned char { has_status, has_substatus, has_etag, has_result_body };

constexpr std::uint32_t segment_header_bytes = 10;
constexpr std::uint32_t item_resource = 2;

// Types and numbers of sparse fields.
constexpr std::uint64_t type_of_false = 0x02, type_of_true = 0x03, type_of_text = 0x14;
constexpr std::uint64_t number_of_if_match = 9, number_of_if_none_match = 10, number_of_minimal = 12;
constexpr char type_of_double = 0x10, number_of_charge = 6;

bool has(unsigned char presence, unsigned field) { return (presence >> field & 1) != 0; }

std::uint32_t checksum(std::string_view row) {
  boost::crc_32_type crc;
  crc.process_bytes(row.data(), row.size());
  return crc.checksum();
}

class Reader {
 public:
  explicit Reader(std::string_view bytes, std::size_t start = 0) : rest_(bytes), position_(start) {}

  bool is_at_end() const { return rest_.empty(); }
  std::size_t position() const { return position_; }

  [[noreturn]] void refuse(std::string_view what) const {
    throw Refusal(400, fmt::format("The batch is not valid HybridRow: {} at byte {}.", what, position_));
  }

  std::string_view take(std::size_t count) {
    if (count > rest_.size()) refuse("bytes are missing");
    const auto taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    position_ += count;
    return taken;
  }

  unsigned char byte() { return static_cast<unsigned char>(take(1).front()); }

  std::uint32_t number() {
    std::uint32_t number = 0;
    const auto bytes = take(sizeof number);
    for (std::size_t i = sizeof number; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
    return number;
  }

  /// A number in groups of seven bits, the lowest first.
  std::uint64_t short_number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      const unsigned char next = byte();
      number |= std::uint64_t{next & 0x7fU} << shift;
      if (next < 0x80) return number;
    }
    refuse("a number is too long");
  }

  std::string_view text() { return take(short_number()); }

  void expect_row(Schema schema) {
    if (byte() != row_version) refuse("a row does not begin with its version");
    if (number() != schema) refuse("a row is of an unknown schema");
  }

 private:
  std::string_view rest_;
  std::size_t position_;
};

std::string kind_name(std::uint32_t number) {
  switch (number) {
    case 0:
      return "Create";
    case 1:
      return "Patch";
    case 2:
      return "Read";
    case 4:
      return "Delete";
    case 5:
      return "Replace";
    case 20:
      return "Upsert";
    default:
      return std::to_string(number);
  }
}

void read_sparse_field(Reader& row, WrittenOperation& operation) {
  const std::uint64_t type = row.byte();
  const std::uint64_t number = row.short_number();
  if (type == type_of_text && number == number_of_if_match)
    operation.if_match = row.text();
  else if (type == type_of_text && number == number_of_if_none_match)
    operation.if_none_match = row.text();
  else if ((type == type_of_true || type == type_of_false) && number == number_of_minimal)
    operation.is_minimal = type == type_of_true;
  else
    row.refuse(fmt::format("the field {} of type {} is not supported", number, type));
}

WrittenOperation parse_operation(Reader row) {
  row.expect_row(operation_schema);
  const unsigned char presence = row.byte();
  if (!has(presence, has_kind)) row.refuse("an operation has no kind");
  WrittenOperation operation;
  operation.kind = kind_name(row.number());
  if (row.number() != item_resource) row.refuse("an operation is not on an item");
  if (has(presence, has_partition)) operation.partition = row.text();
  if (has(presence, has_epk)) row.text();
  if (has(presence, has_id)) operation.id = row.text();
  if (has(presence, has_binary_id)) row.text();
  if (has(presence, has_body)) operation.body = row.text();
  while (!row.is_at_end()) read_sparse_field(row, operation);
  return operation;
}

void put_number(std::string& out, std::uint64_t number, std::size_t bytes = 4) {
  for (; bytes > 0; --bytes, number >>= 8) out += static_cast<char>(number & 0xff);
}

void begin_row(std::string& out, Schema schema) {
  out += static_cast<char>(row_version);
  put_number(out, schema);
}

void put_text(std::string& out, std::string_view text) {
  std::size_t length = text.size();
  for (; length >= 0x80; length >>= 7) out += static_cast<char>((length & 0x7f) | 0x80);
  out += static_cast<char>(length);
  out += text;
}

std::string result_row(const Response& result) {
  const bool shows_body = !result.body.empty() && result.status < 300;
  const bool shows_etag = !result.etag.empty();
  std::string row;
  begin_row(row, result_schema);
  row += static_cast<char>(1U << has_status | 1U << has_substatus | (shows_etag ? 1U << has_etag : 0) |
                           (shows_body ? 1U << has_result_body : 0));
  put_number(row, static_cast<std::uint32_t>(result.status));
  put_number(row, static_cast<std::uint32_t>(result.substatus));
  if (shows_etag) put_text(row, result.etag);
  if (shows_body) put_text(row, result.body);
  row += type_of_double;
  row += number_of_charge;
  put_number(row, std::bit_cast<std::uint64_t>(result.charge), sizeof(double));
  return row;
}

}  // namespace

bool is_hybrid_row(std::string_view body) {
  return !body.empty() && static_cast<unsigned char>(body[0]) == row_version;
}

std::vector<WrittenOperation> parse_hybrid_row(std::string_view body, std::size_t most) {
  Reader segment(body);
  segment.expect_row(segment_schema);
  segment.byte();
  const std::uint32_t header_bytes = segment.number();
  if (header_bytes < segment_header_bytes) segment.refuse("the header is too short");
  segment.take(header_bytes - segment_header_bytes);
  std::vector<WrittenOperation> operations;
  while (!segment.is_at_end()) {
    if (operations.size() == most) throw Refusal(400, fmt::format("A batch may have at most {} operations.", most));
    segment.expect_row(record_schema);
    const std::uint32_t length = segment.number();
    const std::uint32_t expected = segment.number();
    const std::size_t start = segment.position();
    const std::string_view row = segment.take(length);
    if (checksum(row) != expected) Reader(row, start).refuse("the checksum of a row is wrong");
    operations.push_back(parse_operation(Reader(row, start)));
  }
  return operations;
}

std::string hybrid_row_text(const std::vector<Response>& results) {
  std::string text;
  begin_row(text, segment_schema);
  text += '\1';
  put_number(text, segment_header_bytes);
  for (const Response& result : results) {
    const std::string row = result_row(result);
    begin_row(text, record_schema);
    put_number(text, row.size());
    put_number(text, checksum(row));
    text += row;
  }
  return text;
}

}  // namespace mayfly::serve
