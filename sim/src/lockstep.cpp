#include "mayfly/sim/lockstep.hpp"

#include <map>

namespace mayfly {

Lockstep::Lockstep(Instant start, Subject& subject) : subject_(subject), judge_(start) { subject_.reset(start); }

Exchange Lockstep::step(const Step& step) {
  looks_.remember(step.operation);
  return ask(step);
}

std::optional<Difference> Lockstep::observe() {
  std::optional<Difference> difference;
  Exchange exchange;
  looks_.take([&](const Operation& look) -> const Expectation* {
    exchange = ask(look);
    if (exchange.is_allowed) return &exchange.expected;
    difference = {look, std::move(exchange)};
    return nullptr;
  });
  return difference;
}

std::vector<DocumentDifference> Lockstep::differing_documents() {
  std::vector<DocumentDifference> all;
  for (const auto& [name, looks] : looks_.collections()) add_differing(name, looks, all);
  return all;
}

void Lockstep::add_differing(const std::string& collection, const Looks::AtCollection& looks,
                             std::vector<DocumentDifference>& all) {
  std::map<ReferenceStore::Identity, DocumentDifference> seen;
  const auto note = [&](const Outcome& answer, std::optional<Document> DocumentDifference::*side) {
    for (const auto& document : answer.documents.value_or(std::vector<Document>{}))
      seen[{document.partition, document.id}].*side = document;
  };
  const Exchange query = ask(looks.documents);
  if (!query.expected.may_miss) {
    note(query.expected.answer, &DocumentDifference::expected);
    note(query.actual, &DocumentDifference::actual);
  }
  for (const auto& [identity, read] : looks.reads) {
    Exchange exchange = ask(read);
    if (exchange.expected.answer.document != exchange.actual.document)
      seen[identity] = {{}, std::move(exchange.expected.answer.document), std::move(exchange.actual.document)};
  }
  for (auto& [identity, difference] : seen) {
    difference.key = {collection, identity.first, identity.second};
    if (difference.expected != difference.actual) all.push_back(std::move(difference));
  }
}

Exchange Lockstep::ask(const Step& step) { return {judge_.expect(step.operation), subject_.apply(step)}; }

}  // namespace mayfly
