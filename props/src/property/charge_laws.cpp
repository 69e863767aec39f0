#include "charge_laws.hpp"

#include <map>

#include "law.hpp"
#include "mayfly/model/expiry.hpp"

namespace mayfly::law {

namespace {

/// The ttl field of a write; null for other operations, and for a patch that removes the ttl.
TtlField* ttl_of(Operation& operation) {
  return std::visit(
      [](auto& o) -> TtlField* {
        if constexpr (requires { o.content; }) return &o.content.ttl;
        if constexpr (requires { o.patch; }) return o.patch.remove_ttl ? nullptr : &o.patch.ttl;
        return nullptr;
      },
      operation);
}

bool names_valid_ttl(Operation operation) {
  const TtlField* ttl = ttl_of(operation);
  return ttl && *ttl != TtlField{Absent{}} && valid_ttl(*ttl);
}

/// The write with its own ttl, with every other kind of ttl, and without one; a patch that would then change nothing is
/// left out.
std::vector<Operation> with_every_ttl(Operation write) {
  const TtlField kinds[] = {Absent{}, *ttl_of(write), std::int64_t{-1}, std::int64_t{3}, largest_ttl};
  std::vector<Operation> writes;
  for (const TtlField& ttl : kinds) {
    *ttl_of(write) = ttl;
    const auto* patch = std::get_if<PatchDocument>(&write);
    if (!patch || is_valid(patch->patch)) writes.push_back(write);
  }
  return writes;
}

Outcome price_of(const Outcome& answer) { return {.status = answer.status, .charge = answer.charge}; }

/// A document that expires: the operation that wrote it last, and the one after which it is expired.
struct Expiry {
  DocumentKey key;
  std::size_t written = 0;
  std::size_t expired = 0;
};

/// Requires that settings never change, so that documents expire only when the clock advances.
std::vector<Expiry> expiries_in(const Case& test_case) {
  ReferenceStore reference;
  Clock clock{test_case.start};
  std::map<DocumentKey, std::size_t> written;
  std::vector<Expiry> expiries;
  for (std::size_t i = 0; i < test_case.steps.size(); ++i) {
    const Operation& operation = test_case.steps[i].operation;
    const Outcome answer = apply(reference, clock, operation);
    if (answer.document && !is<Read>(operation)) written[*key_of(operation)] = i;
    if (!is<Advance>(operation)) continue;
    reference.settle(clock.now());
    for (const auto& [name, collection] : reference.collections())
      for (const auto& [identity, document] : collection.documents) {
        const DocumentKey key{name, identity.first, identity.second};
        const auto writer = document.expired ? written.extract(key) : decltype(written)::node_type{};
        if (writer) expiries.push_back({key, writer.mapped(), i});
      }
  }
  return expiries;
}

// A write whose ttl is replaced here is not compared, because its answer shows the ttl.
Variant with_deletes_for_expiries(const Case& base, const Outcomes&) {
  std::vector<std::vector<Operation>> deletes(base.steps.size());
  std::vector<bool> lives_on(base.steps.size());
  for (const auto& [key, written, expired] : expiries_in(base)) {
    deletes[expired].push_back(Delete{{key}});
    lives_on[written] = true;
  }
  Variant variant{{base.start, {}}, {}};
  for (std::size_t i = 0; i < base.steps.size(); ++i) {
    Operation operation = base.steps[i].operation;
    if (lives_on[i]) *ttl_of(operation) = std::int64_t{-1};
    variant.add(std::move(operation), lives_on[i] ? Variant::added : i);
    for (auto& instead : deletes[i]) variant.add(std::move(instead));
  }
  return variant;
}

constexpr Comparison expiry_costs_nothing{with_fixed_settings, with_deletes_for_expiries, but_for_ttl};

}  // namespace

Case up_to_a_write_with_ttl(const Case& test_case) {
  Case base = test_case;
  while (!base.steps.empty() && !names_valid_ttl(base.steps.back().operation)) base.steps.pop_back();
  return base;
}

std::optional<Violation> check_ttl_costs_nothing(const Case& test_case, Subject& subject) {
  Case base = up_to_a_write_with_ttl(test_case);
  if (base.steps.empty()) return std::nullopt;
  std::optional<Outcome> expected;
  for (const Operation& write : with_every_ttl(base.steps.back().operation)) {
    base.steps.back().operation = write;
    const Outcome actual = price_of(run(base, subject).back());
    if (!expected) expected = actual;
    if (actual != *expected) return Violation{last_step(test_case), write, {{*expected}, actual, false}};
  }
  return std::nullopt;
}

Case with_fixed_settings(const Case& test_case) {
  return without<PatchDocument>(without<ReplaceCollection>(with_exact_queries(test_case)));
}

std::optional<Violation> check_expiry_costs_nothing(const Case& test_case, Subject& subject) {
  return check_law<expiry_costs_nothing>(test_case, subject);
}

}  // namespace mayfly::law
