#include "mayfly/sim/digest.hpp"

#include <bit>
#include <cstring>

namespace mayfly {

namespace {

template <class Number>
std::uint64_t read_as(const char* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

/// Up to seven bytes as a number. Of four or more, two pieces overlap.
std::uint64_t last_piece(std::string_view bytes) {
  const std::size_t size = bytes.size();
  const auto at = [&](std::size_t i) { return read_as<unsigned char>(&bytes[i]) << (8 * i); };
  if (size >= 4)
    return read_as<std::uint32_t>(&bytes[0]) | read_as<std::uint32_t>(&bytes[size - 4]) << (8 * (size - 4));
  return size == 0 ? 0 : at(0) | at(size / 2) | at(size - 1);
}

}  // namespace

/// Adds the fields of operations and answers. Each field counts, present or not, so its position identifies it.
class Digest::Fields {
 public:
  explicit Fields(Digest& digest) : digest_(digest) {}

  void required(std::string_view, const auto& field) { value(field); }
  void optional(std::string_view, const auto& field) { value(field); }

  void value(const Document& document) {
    digest_.add_text(document.partition);
    digest_.add_text(document.id);
    digest_.add_text(document.value);
    value(document.ts);
    value(document.ttl);
    value(document.malformed);
  }
  void value(const std::vector<Document>& documents) {
    std::uint64_t sum = documents.size();
    for (const auto& document : documents) {
      Digest alone;
      Fields(alone).value(document);
      sum += alone.value();
    }
    digest_.add_number(sum);
  }
  // An answer without malformed fields, which is nearly every one, adds nothing.
  void value(const MalformedFields& fields) {
    for (const auto& field : fields) {
      value(field.name);
      value(field.value);
    }
  }
  template <class T>
  void value(const std::optional<T>& field) {
    digest_.add_number(field.has_value());
    if (field) value(*field);
  }
  template <class... Kinds>
  void value(const std::variant<Kinds...>& field) {
    digest_.add_number(field.index());
    std::visit([&](const auto& kind) { value(kind); }, field);
  }
  void value(const std::string& text) { digest_.add_text(text); }
  void value(const OtherJson& json) { digest_.add_text(json.text); }
  void value(Seconds seconds) { digest_.add_number(static_cast<std::uint64_t>(seconds.count())); }
  void value(Instant instant) { value(instant.time_since_epoch()); }
  void value(Budget budget) { digest_.add_number(budget.units); }
  void value(Charge charge) { digest_.add_number(std::bit_cast<std::uint64_t>(charge.units)); }
  void value(std::integral auto number) { digest_.add_number(static_cast<std::uint64_t>(number)); }
  void value(Indexing indexing) { digest_.add_number(static_cast<std::uint64_t>(indexing)); }
  template <class Empty>
  requires std::is_empty_v<Empty>
  void value(const Empty&) {}

 private:
  Digest& digest_;
};

void Digest::add(const Operation& operation) {
  add_number(operation.index());
  Fields fields(*this);
  std::visit([&](const auto& o) { o.fields(o, fields); }, operation);
}

// Which fields there are is one number with the status: most answers have few.
void Digest::add(const Outcome& answer) {
  Fields fields(*this);
  std::uint64_t present = answer.default_ttl.index();
  const auto for_each_optional = [&](auto add) {
    add(answer.document);
    add(answer.documents);
    add(answer.indexing);
    add(answer.now);
    add(answer.purged);
    add(answer.count);
    add(answer.held);
    add(answer.charge);
  };
  for_each_optional([&](const auto& field) { present = present << 1 | (field ? 1 : 0); });
  add_number(static_cast<std::uint64_t>(static_cast<std::uint32_t>(answer.status)) << 32 | present);
  for_each_optional([&](const auto& field) {
    if (field) fields.value(*field);
  });
  if (const auto* seconds = std::get_if<Seconds>(&answer.default_ttl)) fields.value(*seconds);
  fields.value(answer.malformed);
}

void Digest::add_number(std::uint64_t number) {
  state_ = (std::rotl(state_, 23) ^ number) * 0x9ddfea08eb382d69;
  state_ ^= state_ >> 29;
}

// In pieces of eight bytes, the last one filled up with zeros and combined with the length. Most texts are one piece.
void Digest::add_text(std::string_view text) {
  static_assert(std::endian::native == std::endian::little, "a digest is the same on every machine");
  const std::size_t size = text.size();
  for (; text.size() > 7; text.remove_prefix(8)) add_number(read_as<std::uint64_t>(text.data()));
  add_number(last_piece(text) | std::uint64_t{size} << 56);
}

}  // namespace mayfly
