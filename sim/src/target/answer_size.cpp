#include "mayfly/sim/target/answer_size.hpp"

#include <functional>
#include <utility>

namespace mayfly {

namespace {

// A status, a charge, and an error in a sentence or two; the names of a document's fields, their numbers, and spaces.
constexpr std::size_t most_around = 256;

constexpr std::size_t most_for_a_byte = 6;  // "\u0000"

std::uint64_t hash_of(const DocumentKey& key) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = 0;
  for (const std::string* name : {&key.collection, &key.partition, &key.id})
    hash = (hash ^ std::hash<std::string>{}(*name)) * odd;
  return hash;
}

}  // namespace

std::size_t AnswerSize::of(const Request& request) {
  if (const auto* step = std::get_if<Step>(&request)) return of_operation(step->operation);
  documents_.clear();
  all_ = 0;
  return most_around;
}

std::size_t AnswerSize::of_operation(const Operation& operation) {
  if (std::holds_alternative<Query>(operation)) return most_around + all_;
  const DocumentKey* key = key_of(operation);
  if (!key) return most_around;
  const std::string* value = std::visit(
      [](const auto& o) -> const std::string* {
        if constexpr (requires { o.content; }) return &o.content.value;
        if constexpr (requires { o.patch; }) return o.patch.value ? &*o.patch.value : nullptr;
        return nullptr;
      },
      operation);
  return most_around + of_document(*key, value);
}

std::size_t AnswerSize::of_document(const DocumentKey& key, const std::string* value) {
  const std::uint64_t hash = hash_of(key);
  const auto found = documents_.find(hash);
  if (!value) return found == documents_.end() ? 0 : found->second;
  const std::size_t bytes = most_around + most_for_a_byte * (key.partition.size() + key.id.size() + value->size());
  std::size_t& longest = found == documents_.end() ? documents_[hash] : found->second;
  if (bytes > longest) all_ += bytes - std::exchange(longest, bytes);
  return longest;
}

}  // namespace mayfly
