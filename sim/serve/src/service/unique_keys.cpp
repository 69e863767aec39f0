#include "mayfly/serve/service/unique_keys.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "mayfly/serve/message/message.hpp"
#include "mayfly/serve/service/item_text.hpp"

namespace mayfly::serve {

namespace json = boost::json;

namespace {

constexpr std::size_t most_keys = 10;
constexpr std::size_t most_key_paths = 16;

/// The list under this name. Throws Refusal if there is none, or one with too many elements.
const json::array& list_in(const json::value& of, std::string_view name, std::size_t most) {
  const json::object* object = of.if_object();
  const json::value* value = object ? object->if_contains(name) : nullptr;
  const json::array* list = value ? value->if_array() : nullptr;
  if (!list || list->size() > most)
    throw Refusal(400,
                  fmt::format("A uniqueKeyPolicy must be like {{\"uniqueKeys\":[{{\"paths\":[\"/name\"]}}]}}, with at "
                              "most {} {}.",
                              most, name));
  return *list;
}

}  // namespace

UniqueKeys::UniqueKeys(const json::value* given) {
  if (!given || given->is_null()) return;
  for (const json::value& key : list_in(*given, "uniqueKeys", most_keys)) {
    auto& paths = keys_.emplace_back();
    for (const json::value& path : list_in(key, "paths", most_key_paths)) {
      if (!path.is_string()) throw Refusal(400, "The path of a unique key must be text.");
      paths.push_back(parse_property_path(path.get_string()));
      if (is_servers_own(paths.back().front()) || paths.back().front() == "ttl")
        throw Refusal(400, fmt::format("A unique key cannot have the path {}.", json::serialize(path)));
    }
    if (paths.empty()) throw Refusal(400, "A unique key needs a path.");
  }
}

std::vector<std::string> UniqueKeys::texts_of(std::string_view partition, const json::object& item) const {
  std::vector<std::string> texts;
  for (const auto& paths : keys_) {
    std::string& text = texts.emplace_back(fmt::format("{} {}", texts.size(), partition));
    for (const PropertyPath& path : paths) {
      const json::value* value = value_at(item, path);
      text += '\0';
      text += value ? (value->is_structured() ? json::serialize(*value) : component_text(value)) : "null";
    }
  }
  return texts;
}

}  // namespace mayfly::serve
