#include "mayfly/sim/lockstep.hpp"

#include <map>

namespace mayfly {

Lockstep::Lockstep(Instant start, Subject& subject) : subject_(subject), clock_(start) { subject_.reset(start); }

Exchange Lockstep::step(const Operation& operation) {
  remember(operation);
  return ask(operation);
}

std::optional<Difference> Lockstep::observe() {
  for (const auto& [name, looks] : looks_)
    if (auto difference = look(looks)) return difference;
  return std::nullopt;
}

std::vector<DocumentDifference> Lockstep::differing_documents() {
  std::vector<DocumentDifference> all;
  for (const auto& [name, looks] : looks_) add_differing(name, looks, all);
  return all;
}

void Lockstep::add_differing(const std::string& collection, const Looks& looks, std::vector<DocumentDifference>& all) {
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

Exchange Lockstep::ask(const Operation& operation) {
  return {apply(reference_, clock_, operation), subject_.apply(operation)};
}

std::optional<Difference> Lockstep::look(const Looks& looks) {
  Exchange settings = ask(looks.settings);
  if (!settings.is_allowed) return Difference{looks.settings, std::move(settings)};
  const auto indexing = settings.expected.answer.indexing;
  if (indexing == Indexing::consistent || indexing == Indexing::lazy) {
    Exchange documents = ask(looks.documents);
    if (!documents.is_allowed) return Difference{looks.documents, std::move(documents)};
  }
  if (indexing == Indexing::consistent) return std::nullopt;
  for (const auto& [identity, read] : looks.reads) {
    Exchange document = ask(read);
    if (!document.is_allowed) return Difference{read, std::move(document)};
  }
  return std::nullopt;
}

void Lockstep::remember(const Operation& operation) {
  const auto looks_at = [&](const std::string& name) -> Looks& {
    const auto found = looks_.find(name);
    if (found != looks_.end()) return found->second;
    return looks_.emplace(name, Looks{ReadCollection{{name}}, Query{name, {}}, {}}).first->second;
  };
  std::visit(
      [&](const auto& o) {
        if constexpr (requires { o.key; }) {
          auto& reads = looks_at(o.key.collection).reads;
          ReferenceStore::Identity identity{o.key.partition, o.key.id};
          if (!reads.contains(identity)) reads.emplace(std::move(identity), Read{{o.key}});
        } else if constexpr (requires { o.collection; }) {
          looks_at(o.collection);
        }
      },
      operation);
}

}  // namespace mayfly
