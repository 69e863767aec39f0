#include "query_place.hpp"

#include <charconv>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "mayfly/serve/message/json_text.hpp"
#include "mayfly/serve/message/message.hpp"
#include "mayfly/serve/query/item_query.hpp"

namespace mayfly::serve {

namespace {

namespace json = boost::json;

constexpr std::size_t longest_text = 2048;  // of JSON: in a header it has twice the bytes

const json::value* at(const std::optional<json::value>& value) { return value ? &*value : nullptr; }

std::string hex(std::string_view text) {
  std::string digits;
  for (const char c : text) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return digits;
}

std::optional<std::string> from_hex(std::string_view digits) {
  std::string text;
  if (digits.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    unsigned char byte = 0;
    const auto [end, problem] = std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    if (problem != std::errc() || end != digits.data() + i + 2) return std::nullopt;
    text += static_cast<char>(byte);
  }
  return text;
}

json::value json_of(const QueryPlace& place) {
  json::array key;
  for (const auto& value : place.key) key.push_back(value ? json::array({*value}) : json::array());
  return {{"number", place.number}, {"key", key}, {"offset", place.offset}, {"limit", place.limit}};
}

void read_place(QueryPlace& place, const QueryPlan& plan, const json::value& text) {
  place.number = text.at("number").to_number<std::uint64_t>();
  place.offset = text.at("offset").to_number<std::uint64_t>();
  place.limit = text.at("limit").to_number<std::uint64_t>();
  for (const json::value& value : text.at("key").as_array()) {
    const json::array& list = value.as_array();
    place.key.push_back(list.empty() ? std::nullopt : std::optional(list.at(0)));
  }
  if (place.key.size() != plan.order.size()) throw std::runtime_error("another query's");
}

}  // namespace

std::weak_ordering compare_keys(const QueryPlan& plan, const SortKey& left, const SortKey& right) {
  for (std::size_t i = 0; i < plan.order.size(); ++i)
    if (const auto order = sorted_as(at(left[i]), at(right[i])); order != 0)
      return plan.order[i].is_descending ? 0 <=> order : order;
  return std::weak_ordering::equivalent;
}

QueryPlace::QueryPlace(const QueryPlan& plan, std::string_view text) : QueryPlace(plan) {
  is_first = false;
  try {
    read_place(*this, plan, parse_json(from_hex(text).value()));
  } catch (const std::exception&) {
    throw Refusal(400, "The header x-ms-continuation is not valid: it is not of this query.");
  }
}

std::string QueryPlace::to_text() const {
  const std::string text = json::serialize(json_of(*this));
  if (text.size() > longest_text)
    throw QueryError(
        fmt::format("the results cannot be continued after an ORDER BY value as long as this one, which "
                    "has more than {} bytes: ask for all of them in one page",
                    longest_text / 2));
  return hex(text);
}

bool QueryPlace::is_before(const QueryPlan& plan, const SortKey& other_key, std::uint64_t other_number) const {
  if (is_first) return true;
  const auto order = compare_keys(plan, key, other_key);
  return order < 0 || (order == 0 && number < other_number);
}

}  // namespace mayfly::serve
