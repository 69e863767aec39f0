#include "mayfly/sim/limits.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/sim/utf8.hpp"

namespace mayfly {

namespace {

using Most = std::optional<std::uint64_t>;

bool fits(const std::string& text, const Most& most) { return !most || text.size() <= *most; }

// In UTF-8, the bytes of a character occur in no other, so a search for bytes is enough.
bool is_name_within(const Limits& limits, const std::string& name, const Most& most) {
  if (name.size() < limits.min_bytes || !fits(name, most)) return false;
  const auto characters = characters_of(limits.forbidden);
  return std::none_of(characters.begin(), characters.end(),
                      [&](std::string_view c) { return name.find(c) != std::string::npos; });
}

/// Judges each field of an operation that has a limit, by its name.
bool is_field_within(const Limits& limits, std::string_view field, const std::string& text) {
  if (field == "collection") return is_name_within(limits, text, limits.collection_bytes);
  if (field == "partition") return is_name_within(limits, text, limits.partition_bytes);
  if (field == "id") return is_name_within(limits, text, limits.id_bytes);
  return fits(text, limits.value_bytes);
}
bool is_field_within(const Limits& limits, std::string_view field, const std::optional<std::string>& text) {
  return !text || is_field_within(limits, field, *text);
}
bool is_field_within(const Limits&, std::string_view, const auto&) { return true; }

/// The character as people can read it: an invisible one as in JSON.
std::string shown(std::string_view character) {
  if (character == " ") return "space";
  if (character.size() == 1 && character.front() > ' ' && character.front() <= '~') return std::string(character);
  const std::string text = boost::json::serialize(boost::json::string_view(character));
  return text.substr(1, text.size() - 2);
}

}  // namespace

bool is_within(const Limits& limits, const Operation& operation) {
  bool is = true;
  for_each_field(operation,
                 [&](std::string_view name, const auto& field) { is &= is_field_within(limits, name, field); });
  return is;
}

std::vector<std::string> beyond(const Limits& limits) {
  std::vector<std::string> phrases;
  const auto add = [&](const char* what, const Most& most) {
    if (most) phrases.push_back(fmt::format("{} of more than {} bytes", what, *most));
  };
  add("names of collections", limits.collection_bytes);
  add("names of partitions", limits.partition_bytes);
  add("ids", limits.id_bytes);
  add("values", limits.value_bytes);
  if (limits.min_bytes == 1) phrases.emplace_back("empty names");
  if (limits.min_bytes > 1) phrases.push_back(fmt::format("names of less than {} bytes", limits.min_bytes));
  if (limits.forbidden.empty()) return phrases;
  phrases.emplace_back("names with any of");
  for (const std::string_view character : characters_of(limits.forbidden)) phrases.back() += " " + shown(character);
  return phrases;
}

}  // namespace mayfly
