#include "mayfly/model/expectation.hpp"

#include <algorithm>
#include <tuple>

namespace mayfly {

namespace {

using Documents = std::vector<Document>;

bool is_before(const Document* a, const Document* b) {
  return std::tie(a->partition, a->id) < std::tie(b->partition, b->id);
}

std::vector<const Document*> sorted(const Documents& documents) {
  std::vector<const Document*> pointers;
  pointers.reserve(documents.size());
  for (const auto& document : documents) pointers.push_back(&document);
  std::sort(pointers.begin(), pointers.end(), is_before);
  return pointers;
}

// Whether each of the shown documents is in `there`, unchanged, and none is shown twice. Requires that `there` has no
// identity twice.
bool is_part_of(const Documents& there, const Documents& shown) {
  const auto fullest = sorted(there);
  const Document* previous = nullptr;
  for (const Document* document : sorted(shown)) {
    const auto found = std::lower_bound(fullest.begin(), fullest.end(), document, is_before);
    if (found == fullest.end() || **found != *document) return false;
    if (previous && *previous == *document) return false;
    previous = document;
  }
  return true;
}

bool are_same(const Documents& a, const Documents& b) {
  constexpr std::size_t few = 32;  // up to this many, comparing each pair is faster than sorting
  if (a.size() <= few) return std::is_permutation(a.begin(), a.end(), b.begin(), b.end());
  const auto same = [](const Document* x, const Document* y) { return *x == *y; };
  const auto first = sorted(a), second = sorted(b);
  return std::equal(first.begin(), first.end(), second.begin(), second.end(), same);
}

bool allows_documents(const Expectation& expected, const Documents& actual) {
  const Documents& fullest = *expected.answer.documents;
  return expected.may_miss ? is_part_of(fullest, actual) : are_same(fullest, actual);
}

bool allows_purged(const Expectation& expected, const Outcome& actual) {
  const bool is_free = actual.charge.value_or(Charge{0}) == Charge{0};  // P2
  return is_free && *actual.purged <= expected.may_purge.units;
}

bool allows_count(const Expectation& expected, std::uint64_t actual) {
  return expected.may_miss ? actual <= *expected.answer.count : actual == *expected.answer.count;
}

bool allows_held(const Expectation& expected, std::uint64_t actual) {
  return expected.must_hold <= actual && actual <= expected.may_hold;
}

/// Whether both have the field or neither.
template <class Field>
bool have_alike(const std::optional<Field>& a, const std::optional<Field>& b) {
  return a.has_value() == b.has_value();
}

}  // namespace

bool allows(const Expectation& expected, const Outcome& actual) {
  const Outcome& answer = expected.answer;
  if (actual.status != answer.status || actual.document != answer.document || actual.now != answer.now ||
      actual.default_ttl != answer.default_ttl || actual.indexing != answer.indexing ||
      actual.malformed != answer.malformed)
    return false;
  if (!have_alike(actual.documents, answer.documents) || !have_alike(actual.purged, answer.purged) ||
      !have_alike(actual.count, answer.count) || !have_alike(actual.held, answer.held))
    return false;
  return (!answer.documents || allows_documents(expected, *actual.documents)) &&
         (!answer.purged || allows_purged(expected, actual)) &&
         (!answer.count || allows_count(expected, *actual.count)) &&
         (!answer.held || allows_held(expected, *actual.held));
}

Outcome comparable(Outcome outcome) {
  outcome.charge.reset();
  if (outcome.documents)
    std::sort(outcome.documents->begin(), outcome.documents->end(), [](const Document& a, const Document& b) {
      return std::tie(a.partition, a.id, a.ts, a.value) < std::tie(b.partition, b.id, b.ts, b.value);
    });
  return outcome;
}

}  // namespace mayfly
