#include "mayfly/serve/query/patch.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace mayfly::serve {

namespace {

namespace json = boost::json;

constexpr std::size_t longest_path = 128;  // steps; no item nests deeper
constexpr std::array<std::string_view, 6> not_ours_to_patch{"id", "_rid", "_self", "_etag", "_ts", "_attachments"};

// The caller adds the operation's number to the message.
[[noreturn]] void reject(const std::string& why) { throw PatchError(why); }

std::string unescaped(std::string_view step) {
  std::string name;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] != '~') {
      name += step[i];
    } else if (++i < step.size() && (step[i] == '0' || step[i] == '1')) {
      name += step[i] == '0' ? '~' : '/';
    } else {
      reject("in a path, ~ is followed by 0 or 1");
    }
  }
  return name;
}

std::vector<std::string> steps_of(std::string_view path) {
  std::vector<std::string> steps;
  if (!path.starts_with('/') || path.size() == 1) reject("a path starts with / and names a property");
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    steps.push_back(unescaped(path.substr(0, end)));
    path.remove_prefix(end);
    if (steps.size() > longest_path) reject(fmt::format("a path has more than {} steps", longest_path));
  }
  if (std::find(not_ours_to_patch.begin(), not_ours_to_patch.end(), steps.front()) != not_ours_to_patch.end())
    reject(fmt::format("\"{}\" cannot be patched", steps.front()));
  return steps;
}

// An index in a list: at most `end`, which `-` stands for.
std::size_t place_in_list(const std::string& step, std::size_t end) {
  if (step == "-") return end;
  std::size_t place = 0;
  const auto [rest, error] = std::from_chars(step.data(), step.data() + step.size(), place);
  const bool is_number = error == std::errc() && rest == step.data() + step.size() && (step[0] != '0' || place == 0);
  if (!is_number) reject(fmt::format("\"{}\" is not an index in a list", step));
  if (place > end) reject(fmt::format("the list ends before {}", step));
  return place;
}

/// The target of a path: a property of an object or an index in a list, existing or not.
class Target {
 public:
  Target(json::object& item, const std::vector<std::string>& steps) : last_(steps.back()) {
    json::value* at = nullptr;
    object_ = &item;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      at = find(steps[i]);
      if (!at) reject(fmt::format("\"{}\" does not exist", steps[i]));
      object_ = at->if_object();
      list_ = at->if_array();
      if (!object_ && !list_) reject(fmt::format("\"{}\" is neither an object nor a list", steps[i]));
    }
    if (list_) place_ = place_in_list(last_, list_->size());
  }

  json::value* existing() { return find(last_); }

  json::value& needed() {
    json::value* found = existing();
    if (!found) reject(fmt::format("\"{}\" does not exist", last_));
    return *found;
  }

  void insert(const json::value& value) {
    if (list_)
      list_->insert(list_->begin() + static_cast<std::ptrdiff_t>(place_), value);
    else
      (*object_)[last_] = value;
  }

  void remove() {
    needed();
    if (list_)
      list_->erase(list_->begin() + static_cast<std::ptrdiff_t>(place_));
    else
      object_->stable_erase(last_);
  }

 private:
  json::value* find(const std::string& step) {
    if (object_) return object_->if_contains(step);
    const std::size_t place = place_in_list(step, list_->size());
    return place < list_->size() ? &(*list_)[place] : nullptr;
  }

  const std::string& last_;
  json::object* object_ = nullptr;
  json::array* list_ = nullptr;
  std::size_t place_ = 0;
};

// The sum of two whole numbers is whole if it fits 64 bits.
json::value sum(const json::value& left, const json::value& right) {
  if (left.is_int64() && right.is_int64()) {
    std::int64_t whole = 0;
    if (!__builtin_add_overflow(left.get_int64(), right.get_int64(), &whole)) return whole;
  }
  const double total = left.to_number<double>() + right.to_number<double>();
  if (total - total != 0) reject("the sum is too large");
  return total;
}

void increment(Target& target, const json::value& by) {
  if (!by.is_number()) reject("\"value\" must be a number");
  json::value* number = target.existing();
  if (!number) return target.insert(by);
  if (!number->is_number()) reject("only numbers can be incremented");
  *number = sum(*number, by);
}

std::string_view text_of(const json::object& operation, std::string_view field) {
  const json::value* found = operation.if_contains(field);
  if (!found || !found->is_string()) reject(fmt::format("\"{}\" must be a string", field));
  return found->get_string();
}

const json::value& value_of(const json::object& operation) {
  const json::value* value = operation.if_contains("value");
  if (!value) reject("\"value\" is missing");
  return *value;
}

// The value is removed before its new place is looked up, as in JSON Patch: both may be in one list.
void move_value(json::object& item, const std::vector<std::string>& from, const std::vector<std::string>& to) {
  if (from.size() < to.size() && std::equal(from.begin(), from.end(), to.begin()))
    reject("a value cannot be moved into itself");
  Target source(item, from);
  const json::value value = source.needed();
  source.remove();
  Target(item, to).insert(value);
}

void apply(json::object& item, const json::object& operation) {
  const std::string_view kind = text_of(operation, "op");
  const auto steps = steps_of(text_of(operation, "path"));
  if (kind == "move") return move_value(item, steps_of(text_of(operation, "from")), steps);
  Target target(item, steps);
  if (kind == "remove") return target.remove();
  const bool is_known = kind == "add" || kind == "set" || kind == "replace" || kind == "incr" || kind == "increment";
  if (!is_known) reject(fmt::format("the operation {} is not supported", json::serialize(json::string_view(kind))));
  const json::value& value = value_of(operation);
  if (kind == "add") return target.insert(value);
  if (kind == "incr" || kind == "increment") return increment(target, value);
  json::value* existing = kind == "replace" ? &target.needed() : target.existing();
  if (existing)
    *existing = value;
  else
    target.insert(value);
}

}  // namespace

json::object patched(json::object item, const json::array& operations) {
  if (operations.empty()) throw PatchError("a patch needs an operation");
  if (operations.size() > most_patch_operations)
    throw PatchError(
        fmt::format("a patch has at most {} operations, and this one {}", most_patch_operations, operations.size()));
  for (std::size_t i = 0; i < operations.size(); ++i) {
    try {
      if (!operations[i].is_object()) reject("an operation is an object");
      apply(item, operations[i].get_object());
    } catch (const PatchError& error) {
      throw PatchError(fmt::format("patch operation {}: {}", i + 1, error.what()));
    }
  }
  return item;
}

}  // namespace mayfly::serve
