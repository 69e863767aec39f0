#include "mayfly/props/report/storyteller.hpp"

#include <algorithm>

#include "mayfly/props/property/decisive.hpp"
#include "mayfly/props/report/fold.hpp"
#include "mayfly/props/run/isolate.hpp"

namespace mayfly {

namespace {

constexpr std::size_t steps_kept = 200;
constexpr double most_seconds_of_observing = 2;

// These requests are new to the store and may crash it, so a store of this process is observed in a child first.
std::vector<DocumentDifference> differing_documents(Lockstep& lockstep) {
  const auto observe = [&] {
    lockstep.differing_documents();
    return 0;
  };
  if (!lockstep.subject().remote() && !isolate(observe, most_seconds_of_observing).crash.empty()) return {};
  try {
    return lockstep.differing_documents();
  } catch (const StoreFailure&) {
    return {};
  }
}

/// Whether the answer says that the document was there, or nothing if it does not say.
std::optional<bool> was_there(const Operation& operation, Status status) {
  const bool is_create = std::holds_alternative<Create>(operation);
  if (is_create && status == Status::conflict) return true;
  if ((is_create || std::holds_alternative<Upsert>(operation)) && status == Status::created) return false;
  if (status == Status::not_found) return false;
  if (!is_create && (status == Status::ok || status == Status::no_content)) return true;
  return std::nullopt;
}

std::optional<Ghost::Kind> ghost_kind(bool is_expected, bool is_actual) {
  if (is_expected == is_actual) return std::nullopt;
  return is_actual ? Ghost::Kind::shown : Ghost::Kind::hidden;
}

const Document* find(const std::vector<Document>& documents, const Document& wanted) {
  const auto found = std::find_if(documents.begin(), documents.end(), [&](const Document& document) {
    return document.partition == wanted.partition && document.id == wanted.id;
  });
  return found == documents.end() ? nullptr : &*found;
}

using Ghosts = std::map<DocumentKey, Ghost::Kind>;

void add_of_query(const std::string& collection, const Exchange& exchange, Ghosts& ghosts) {
  const auto& [expectation, actual, is_allowed] = exchange;
  if (!expectation.answer.documents || !actual.documents) return;
  const auto& expected = *expectation.answer.documents;
  for (const auto& document : *actual.documents) {
    const Document* same = find(expected, document);
    if (same && *same == document) continue;
    ghosts.insert({{collection, document.partition, document.id}, same ? Ghost::Kind::altered : Ghost::Kind::shown});
  }
  for (const auto& document : expected)
    if (!expectation.may_miss && !find(*actual.documents, document))
      ghosts.insert({{collection, document.partition, document.id}, Ghost::Kind::hidden});
}

// The answers say more than a later observation: a write may have made the documents of both equal again.
Ghosts ghosts_of(const StoryStep& step, const std::vector<DocumentDifference>& documents) {
  Ghosts ghosts;
  if (!step.crash.empty()) return ghosts;
  const auto& [expected, actual, is_allowed] = step.exchange;
  if (const auto* key = key_of(step.operation)) {
    const auto before = was_there(step.operation, expected.answer.status);
    const auto after = was_there(step.operation, actual.status);
    const auto kind = before && after ? ghost_kind(*before, *after) : std::nullopt;
    if (kind) ghosts.insert({*key, *kind});
    if (expected.answer.document && actual.document && *expected.answer.document != *actual.document)
      ghosts.insert({*key, Ghost::Kind::altered});
  } else if (const auto* query = std::get_if<Query>(&step.operation)) {
    add_of_query(query->collection, step.exchange, ghosts);
  }
  for (const auto& [key, shown, shown_by_store] : documents)
    ghosts.insert({key, ghost_kind(shown.has_value(), shown_by_store.has_value()).value_or(Ghost::Kind::altered)});
  return ghosts;
}

}  // namespace

Storyteller::Storyteller(Instant start, Subject& subject) : lockstep_(start, subject) {
  story_.store = subject.name();
  story_.start = start;
}

const StoryStep& Storyteller::take(const Operation& operation, StoryStep::Kind kind, const std::string& crash) {
  StoryStep step{.kind = kind, .now = lockstep_.now(), .operation = operation, .crash = crash};
  lockstep_.reference().settle(step.now);
  step.rules = decisive_rules(lockstep_.reference(), step.now, operation);
  step.exchange = lockstep_.step(operation);
  lockstep_.reference().settle(lockstep_.now());
  taken_ = std::move(step);
  add(taken_);
  return taken_;
}

// Of a trace of a million steps, only the end is kept.
void Storyteller::add(const StoryStep& step) {
  auto& steps = story_.steps;
  const bool is_part = !steps.empty() && steps.back().times > 1 && goes_on(steps.back(), step);
  lifelines_.note(story_.step_count() - (is_part ? 1 : 0), step, lockstep_.now(), lockstep_.reference());
  if (add_folded(steps, step) > 1) lifelines_.fold(story_.step_count() - 1);
  if (story_.steps.size() < 2 * steps_kept) return;
  story_.steps.erase(story_.steps.begin(), story_.steps.begin() + steps_kept);
  story_.left_out += steps_kept;
}

void Storyteller::compared(const Violation& violation) {
  add({StoryStep::Kind::law, lockstep_.now(), violation.operation, {}, violation.exchange, {}});
}

Story Storyteller::story() {
  const StoryStep& last = story_.steps.back();
  if (last.differs() && last.crash.empty() && last.kind != StoryStep::Kind::law)
    story_.documents = differing_documents(lockstep_);
  if (last.differs())
    for (const auto& [key, kind] : ghosts_of(last, story_.documents))
      lifelines_.document(key).ghosts = {{kind, story_.step_count() - 1}};
  story_.lanes = fold_lanes(lifelines_.lanes());
  return story_;
}

}  // namespace mayfly
