#include "mayfly/model/expectation.hpp"

#include <algorithm>
#include <tuple>

namespace mayfly {

namespace {

bool by_identity(const Document* a, const Document* b) {
  return std::tie(a->partition, a->id) < std::tie(b->partition, b->id);
}

std::vector<const Document*> sorted(const std::vector<Document>& documents) {
  std::vector<const Document*> pointers;
  pointers.reserve(documents.size());
  for (const auto& document : documents) pointers.push_back(&document);
  std::sort(pointers.begin(), pointers.end(), by_identity);
  return pointers;
}

// Walks both lists by identity; every actual document has to be met, unchanged, among the expected ones.
bool is_subset(const std::vector<Document>& actual, const std::vector<Document>& expected) {
  const auto there = sorted(expected);
  auto next = there.begin();
  for (const Document* document : sorted(actual)) {
    next = std::find_if(next, there.end(), [&](const Document* other) { return *other == *document; });
    if (next == there.end()) return false;
    ++next;
  }
  return true;
}

bool allows_documents(const Expectation& expected, const std::vector<Document>& actual) {
  const auto& fullest = *expected.answer.documents;
  if (actual == fullest) return true;
  if (!expected.may_miss && actual.size() != fullest.size()) return false;
  return is_subset(actual, fullest);
}

}  // namespace

bool allows(const Expectation& expected, const Outcome& actual) {
  const Outcome& answer = expected.answer;
  if (actual.status != answer.status || actual.document != answer.document || actual.now != answer.now ||
      actual.default_ttl != answer.default_ttl || actual.indexing != answer.indexing)
    return false;
  if (actual.documents.has_value() != answer.documents.has_value()) return false;
  if (answer.documents && !allows_documents(expected, *actual.documents)) return false;
  if (actual.purged.has_value() != answer.purged.has_value()) return false;
  return !answer.purged || *actual.purged <= expected.may_purge.units;
}

}  // namespace mayfly
