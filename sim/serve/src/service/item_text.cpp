#include "mayfly/serve/service/item_text.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <span>

#include "mayfly/serve/message/json_text.hpp"

namespace mayfly::serve {

namespace {

constexpr std::size_t digits = 16;
constexpr std::array<std::string_view, 5> servers_own{"_rid", "_self", "_etag", "_ts", "_attachments"};

bool is_left_out(std::string_view name) { return name == "ttl" || is_servers_own(name); }

bool has_left_out(const boost::json::object& object) {
  return std::any_of(object.begin(), object.end(), [](const auto& member) { return is_left_out(member.key()); });
}

/// Writes the last hexadecimal digits of the number, as many as there is room for.
void write_hex(std::span<char> room, std::uint64_t number) {
  for (std::size_t i = room.size(); i-- > 0; number >>= 4) room[i] = "0123456789abcdef"[number & 15];
}

/// Requires text that `write_hex` wrote.
std::uint64_t from_hex(std::string_view text) {
  std::uint64_t number = 0;
  for (const char c : text) number = number << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  return number;
}

void append_number(std::string& out, std::int64_t number) {
  std::array<char, 24> text{};
  out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr);
}

std::string_view without_quotes(std::string_view etag) {
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') return etag.substr(1, etag.size() - 2);
  return etag;
}

}  // namespace

std::string pack(const StoredItem& item) {
  std::array<char, 2 * digits> numbers;
  write_hex(std::span(numbers).first<digits>(), item.number);
  write_hex(std::span(numbers).last<digits>(), item.version);
  std::string value;
  value.reserve(item.text.size() + numbers.size());
  return value.append(item.text).append(numbers.data(), numbers.size());
}

bool is_packed(std::string_view value) {
  return value.size() >= 2 * digits &&
         value.find_first_not_of("0123456789abcdef", value.size() - 2 * digits) == std::string_view::npos;
}

StoredItem unpack(std::string_view value) {
  assert(value.size() >= 2 * digits);
  const std::size_t size = value.size() - 2 * digits;
  return {value.substr(0, size), from_hex(value.substr(size, digits)), from_hex(value.substr(size + digits))};
}

std::string text_to_keep(std::string_view written, const boost::json::object& object) {
  const std::string_view text = trimmed(written);
  if (!has_left_out(object)) return std::string(text.substr(0, text.size() - 1));
  std::string kept;
  kept.reserve(text.size());
  kept += '{';
  for_each_member(text, [&](std::string_view name, std::string_view value) {
    if (is_left_out(decoded_name(name))) return;
    if (kept.size() > 1) kept += ',';
    kept.append(name).append(":").append(value);
  });
  return kept;
}

bool is_servers_own(std::string_view name) {
  return std::find(servers_own.begin(), servers_own.end(), name) != servers_own.end();
}

boost::json::object own_properties(const StoredItem& item, const Ttl& ttl) {
  boost::json::object object = parse_json_object(std::string(item.text) + "}");
  if (const auto* seconds = std::get_if<Seconds>(&ttl)) object["ttl"] = seconds->count();
  if (std::holds_alternative<Never>(ttl)) object["ttl"] = -1;
  return object;
}

std::string etag_of(std::uint64_t version) {
  std::string etag = R"("00000000-0000-0000-0000-000000000000")";
  constexpr std::size_t fourth = 20, fifth = 25;  // where the last two groups begin
  write_hex(std::span(etag).subspan(fourth, 4), version >> 48);
  write_hex(std::span(etag).subspan(fifth, 12), version);
  return etag;
}

bool is_met_by(std::string_view condition, std::string_view etag) {
  return condition == "*" || without_quotes(condition) == without_quotes(etag);
}

void append_shown(std::string& out, const StoredItem& item, std::string_view container_link, std::string_view rid,
                  Instant ts, const Ttl& ttl) {
  const std::string etag = etag_of(item.version);
  out.reserve(out.size() + item.text.size() + 256);
  out += item.text;
  if (const auto* seconds = std::get_if<Seconds>(&ttl)) {
    out += ",\"ttl\":";
    append_number(out, seconds->count());
  } else if (std::holds_alternative<Never>(ttl)) {
    out += ",\"ttl\":-1";
  }
  out.append(",\"_rid\":\"").append(rid).append("\",\"_self\":\"").append(container_link).append("docs/").append(rid);
  out.append("/\",\"_etag\":\"\\\"").append(etag, 1, etag.size() - 2);
  out += "\\\"\",\"_attachments\":\"attachments/\",\"_ts\":";
  append_number(out, ts.time_since_epoch().count());
  out += '}';
}

}  // namespace mayfly::serve
