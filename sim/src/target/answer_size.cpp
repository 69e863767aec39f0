#include "mayfly/sim/target/answer_size.hpp"

namespace mayfly {

namespace {

// A status, a charge, and an error in a sentence or two; the names of a document's fields, their numbers, and spaces.
constexpr std::size_t most_around = 256;

constexpr std::size_t most_for_a_byte = 6;  // "\u0000"

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
  const auto found = documents_.find(key);
  if (!value) return found == documents_.end() ? 0 : found->second;
  const std::size_t bytes = most_around + most_for_a_byte * (key.partition.size() + key.id.size() + value->size());
  std::size_t& longest = found == documents_.end() ? documents_[key] : found->second;
  if (bytes > longest) all_ += bytes - std::exchange(longest, bytes);
  return longest;
}

}  // namespace mayfly
