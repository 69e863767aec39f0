#include "mayfly/sim/lockstep.hpp"

#include <map>

namespace mayfly {

Lockstep::Lockstep(Instant start, Subject& subject) : subject_(subject), judge_(start) { subject_.reset(start); }

Exchange Lockstep::step(const Step& step) {
  Exchange exchange = ask(step);
  observation_.remember(step.operation, exchange.expected.answer.status);
  return exchange;
}

std::optional<Difference> Lockstep::observe() {
  std::optional<Difference> difference;
  observation_.ask_all(reference(), [&](const Step& request) {
    Exchange exchange = ask(request);
    const bool is_allowed = exchange.is_allowed;
    if (!is_allowed) difference = {request.operation, std::move(exchange)};
    return is_allowed;
  });
  return difference;
}

std::vector<DocumentDifference> Lockstep::differing_documents() {
  std::vector<DocumentDifference> all;
  for (const auto& [name, requests] : observation_.collections()) add_differing(name, requests, all);
  return all;
}

void Lockstep::add_differing(const std::string& collection, const FullObservation::AtCollection& requests,
                             std::vector<DocumentDifference>& all) {
  std::map<ReferenceStore::Identity, DocumentDifference> seen;
  const auto note = [&](const Outcome& answer, std::optional<Document> DocumentDifference::*side) {
    for (const auto& document : answer.documents.value_or(std::vector<Document>{}))
      seen[{document.partition, document.id}].*side = document;
  };
  const Exchange query = ask(requests.documents);
  if (!query.expected.may_miss) {
    note(query.expected.answer, &DocumentDifference::expected);
    note(query.actual, &DocumentDifference::actual);
  }
  for (const auto& [identity, read] : requests.reads) {
    Exchange exchange = ask(read);
    if (exchange.expected.answer.document != exchange.actual.document)
      seen[identity] = {{}, std::move(exchange.expected.answer.document), std::move(exchange.actual.document)};
  }
  for (auto& [identity, difference] : seen) {
    difference.key = {collection, identity.first, identity.second};
    if (difference.expected != difference.actual) all.push_back(std::move(difference));
  }
}

}  // namespace mayfly
