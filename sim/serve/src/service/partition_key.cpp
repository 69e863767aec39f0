#include "mayfly/serve/service/partition_key.hpp"

#include <algorithm>
#include <cmath>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "mayfly/serve/message/json_text.hpp"
#include "mayfly/serve/message/message.hpp"

namespace mayfly::serve {

namespace json = boost::json;

namespace {

constexpr std::string_view path_of_none = "/_partitionKey";
constexpr std::size_t most_paths = 3;
constexpr std::size_t most_value_bytes = 2048;

/// Whether the text needs no escapes in JSON.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

/// The unique text of a double. As long as doubles can represent every whole number, whole ones are written as
/// integers.
std::string number_text(double number) {
  constexpr double counts_in_ones = 0x1p53;
  if (std::trunc(number) == number && std::abs(number) < counts_in_ones)
    return std::to_string(static_cast<std::int64_t>(number));
  return json::serialize(json::value(number));
}

/// Whether the header is a list of one text, as most are, in the form of `component_text`: then it need not be parsed.
bool is_list_of_plain_text(std::string_view header) {
  return header.size() >= 4 && header.starts_with("[\"") && header.ends_with("\"]") &&
         is_plain(header.substr(2, header.size() - 4));
}

/// Nothing if the header is not JSON.
std::optional<json::value> parsed_header(std::string_view header) {
  try {
    return parse_json(header);
  } catch (const Refusal&) {
    return std::nullopt;
  }
}

}  // namespace

PropertyPath parse_property_path(std::string_view path) {
  PropertyPath names;
  while (path.size() > 1 && path.front() == '/') {
    path.remove_prefix(1);
    const bool is_quoted = path.front() == '"';
    const auto end = is_quoted ? path.find('"', 1) : std::min(path.find('/'), path.size());
    if (end == std::string_view::npos || end == 0) break;
    names.emplace_back(is_quoted ? path.substr(1, end - 1) : path.substr(0, end));
    path.remove_prefix(is_quoted ? end + 1 : end);
  }
  if (!path.empty() || names.empty()) throw Refusal(400, "A path must be like /name or /name/inner.");
  return names;
}

std::string component_text(const json::value* value) {
  if (!value || value->is_structured()) return {};
  if (const json::string* text = value->if_string(); text && is_plain(*text))
    return std::string("\"").append(*text).append("\"");
  return value->is_number() ? number_text(value->to_number<double>()) : json::serialize(*value);
}

const json::value* value_at(const json::object& item, const PropertyPath& path) {
  const json::value* value = nullptr;
  const json::object* object = &item;
  for (const auto& name : path) {
    value = object ? object->if_contains(name) : nullptr;
    object = value ? value->if_object() : nullptr;
  }
  return value;
}

PartitionKey::PartitionKey(const json::value* definition) {
  if (!definition) {
    is_absent_ = true;
    paths_.push_back(parse_property_path(path_of_none));
    return;
  }
  const json::object* object = definition->if_object();
  const json::value* paths = object ? object->if_contains("paths") : nullptr;
  const json::array* list = paths ? paths->if_array() : nullptr;
  if (!list || list->empty() || list->size() > most_paths)
    throw Refusal(400, "A container's partitionKey must be an object with one to three paths.");
  for (const json::value& path : *list) {
    if (!path.is_string()) throw Refusal(400, "A partition key path must be text.");
    paths_.push_back(parse_property_path(path.get_string()));
  }
  const json::value* version = object->if_contains("version");
  has_effective_keys_ = version && *version == 2;
  is_absent_ = list->size() == 1 && list->front() == path_of_none.data();
}

void PartitionKey::check(const json::object& item) const {
  for (const auto& path : paths_) {
    const json::value* value = value_at(item, path);
    const json::string* text = value ? value->if_string() : nullptr;
    if (text && text->size() > most_value_bytes)
      throw Refusal(400, fmt::format("The value of the partition key has {} bytes; at most {} are allowed.",
                                     text->size(), most_value_bytes));
  }
}

std::string PartitionKey::partition_of(const json::object& item) const {
  std::string partition;
  for (const auto& path : paths_) {
    if (&path != &paths_.front()) partition += ',';
    partition += component_text(value_at(item, path));
  }
  return partition;
}

std::optional<std::string> PartitionKey::partition_in(std::string_view header) const {
  if (paths_.size() == 1 && is_list_of_plain_text(header)) return std::string(header.substr(1, header.size() - 2));
  const auto value = parsed_header(header);
  const json::array* list = value ? value->if_array() : nullptr;
  if (list && list->empty()) return std::nullopt;
  if (!list || list->size() != paths_.size())
    throw Refusal(400, "x-ms-documentdb-partitionkey must be a JSON list with a value for each partition key path.",
                  wrong_partition_key);
  std::string partition;
  for (const json::value& component : *list) {
    if (&component != list->data()) partition += ',';
    partition += component_text(&component);
  }
  return partition;
}

}  // namespace mayfly::serve
