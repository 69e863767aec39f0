#include "mayfly/model/expectation.hpp"

#include <algorithm>

namespace mayfly {

namespace {

using Documents = std::vector<Document>;

// Every one of the shown documents is there, unchanged, and none is shown twice.
bool is_part_of(const Documents& there, const Documents& shown) {
  return std::all_of(shown.begin(), shown.end(), [&](const Document& document) {
    return std::count(shown.begin(), shown.end(), document) == 1 &&
           std::find(there.begin(), there.end(), document) != there.end();
  });
}

bool allows_documents(const Expectation& expected, const Documents& actual) {
  const Documents& fullest = *expected.answer.documents;
  if (expected.may_miss) return is_part_of(fullest, actual);
  return std::is_permutation(fullest.begin(), fullest.end(), actual.begin(), actual.end());
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
  if (!answer.purged) return true;
  const bool is_free = actual.charge.value_or(Charge{0}) == Charge{0};  // P2
  return is_free && *actual.purged <= expected.may_purge.units;
}

}  // namespace mayfly
