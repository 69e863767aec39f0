#include "mayfly/sim/digest.hpp"

#include <bit>
#include <cstring>

namespace mayfly {

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

void Digest::add(const Outcome& answer) {
  add_number(static_cast<std::uint64_t>(answer.status));
  Fields fields(*this);
  fields.value(answer.document);
  fields.value(answer.documents);
  fields.value(answer.default_ttl);
  fields.value(answer.indexing);
  fields.value(answer.now);
  fields.value(answer.purged);
  fields.value(answer.count);
  fields.value(answer.held);
  fields.value(answer.charge);
  fields.value(answer.malformed);
}

void Digest::add_number(std::uint64_t number) {
  state_ = (std::rotl(state_, 23) ^ number) * 0x9ddfea08eb382d69;
  state_ ^= state_ >> 29;
}

// In pieces of eight bytes, the last one filled up with zeros and combined with the length. Most texts are one piece.
void Digest::add_text(std::string_view text) {
  static_assert(std::endian::native == std::endian::little, "a digest is the same on every machine");
  const auto piece_of = [](std::string_view bytes) {
    std::uint64_t piece = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      piece |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return piece;
  };
  const std::size_t size = text.size();
  for (; text.size() > 7; text.remove_prefix(8)) {
    std::uint64_t piece = 0;
    std::memcpy(&piece, text.data(), sizeof piece);
    add_number(piece);
  }
  add_number(piece_of(text) | std::uint64_t{size} << 56);
}

}  // namespace mayfly
