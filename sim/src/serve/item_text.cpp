#include "mayfly/sim/serve/item_text.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>

#include "mayfly/sim/serve/json_text.hpp"

namespace mayfly::serve {

namespace {

constexpr std::size_t digits = 16;
constexpr std::array<std::string_view, 6> left_out{"\"_rid\"", "\"_self\"",        "\"_etag\"",
                                                   "\"_ts\"",  "\"_attachments\"", "\"ttl\""};

bool is_left_out(std::string_view name) { return std::find(left_out.begin(), left_out.end(), name) != left_out.end(); }

bool may_have_left_out(std::string_view object) {
  return std::any_of(left_out.begin(), left_out.end(),
                     [&](std::string_view name) { return object.find(name) != std::string_view::npos; });
}

void append_hex(std::string& out, std::uint64_t number) {
  constexpr std::string_view hex = "0123456789abcdef";
  for (unsigned shift = 64; shift > 0; shift -= 4) out += hex[number >> (shift - 4) & 15];
}

std::uint64_t from_hex(std::string_view text) {
  std::uint64_t number = 0;
  [[maybe_unused]] const auto result = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  assert(result.ec == std::errc());
  return number;
}

void append_number(std::string& out, std::int64_t number) {
  std::array<char, 24> text{};
  out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr);
}

}  // namespace

std::string pack(const StoredItem& item) {
  std::string value;
  value.reserve(item.text.size() + 2 * digits);
  value += item.text;
  append_hex(value, item.number);
  append_hex(value, item.version);
  return value;
}

StoredItem unpack(std::string_view value) {
  assert(value.size() >= 2 * digits);
  const std::size_t size = value.size() - 2 * digits;
  return {value.substr(0, size), from_hex(value.substr(size, digits)), from_hex(value.substr(size + digits))};
}

std::string text_to_keep(std::string_view object) {
  const std::string_view text = trimmed(object);
  if (!may_have_left_out(text)) return std::string(text.substr(0, text.size() - 1));
  std::string kept = "{";
  for_each_member(text, [&](std::string_view name, std::string_view value) {
    if (is_left_out(name)) return;
    if (kept.size() > 1) kept += ',';
    kept.append(name).append(":").append(value);
  });
  return kept;
}

std::string etag_of(std::uint64_t version) {
  std::string hex;
  append_hex(hex, version);
  return "\"00000000-0000-0000-" + hex.substr(0, 4) + "-" + hex.substr(4) + "\"";
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
