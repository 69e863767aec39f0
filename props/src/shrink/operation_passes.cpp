#include <algorithm>
#include <map>
#include <set>

#include "mayfly/sim/operation_info.hpp"
#include "pass_list.hpp"

namespace mayfly {

namespace {

// The small world has no more, and most of its cases are no longer: those are made shorter by removing operations.
constexpr std::size_t few_documents = 20;

// Passes over pairs of operations are for cases that the others have made short.
constexpr std::size_t short_enough = 32;
constexpr std::size_t most_observations = 256;
constexpr std::size_t few_groups = 8;

auto position(Case& test_case, std::size_t at) { return test_case.steps.begin() + static_cast<std::ptrdiff_t>(at); }

void remove(Case& test_case, std::size_t at, std::size_t count = 1) {
  test_case.steps.erase(position(test_case, at), position(test_case, at + count));
}

/// The documents by first use, with the operations about each.
std::vector<Spot> documents_of(const Case& test_case) {
  std::map<DocumentKey, std::size_t> places;
  std::vector<Spot> documents;
  for (std::size_t at = 0; at < test_case.steps.size(); ++at) {
    const auto* key = key_of(test_case.steps[at].operation);
    if (!key) continue;
    const auto [found, is_new] = places.try_emplace(*key, documents.size());
    if (is_new) documents.emplace_back();
    documents[found->second].push_back(at);
  }
  return documents;
}

void remove(Case& test_case, const Spot& spot) {
  std::vector<bool> is_removed(test_case.steps.size());
  for (const std::size_t removed : spot) is_removed[removed] = true;
  std::size_t at = 0;
  std::erase_if(test_case.steps, [&](const Step&) { return is_removed[at++]; });
}

/// One operation of every block.
void remove_from_blocks(Case& test_case, const Group& group, std::size_t within) {
  Spot spot;
  for (std::size_t at = group.begin + within; at < group.end(); at += group.period) spot.push_back(at);
  remove(test_case, spot);
}

void add_removals(const Group& group, Changes& changes) {
  if (group.times == 1) return;
  for (const auto& [begin, end] : parts_of(group.times))
    changes.push_back([at = group.begin + begin * group.period, count = (end - begin) * group.period](Case& c) {
      remove(c, at, count);
    });
  for (std::size_t within = 0; group.period > 1 && within < group.period; ++within)
    changes.push_back([=](Case& c) { remove_from_blocks(c, group, within); });
}

Changes remove_groups(const Case& test_case, std::size_t most) {
  Changes changes;
  const auto groups = groups_of(test_case.steps);
  for (const auto& [begin, end] : runs_of(groups.size(), most))
    changes.push_back([at = groups[begin].begin, count = groups[end - 1].end() - groups[begin].begin](Case& c) {
      remove(c, at, count);
    });
  for (const Group& group : groups) add_removals(group, changes);
  return changes;
}

/// The same request as an operation of another kind, where there is one.
std::vector<Operation> of_simpler_kind(const Operation& operation) {
  if (const auto* o = std::get_if<Upsert>(&operation)) return {Create{*o}};
  if (const auto* o = std::get_if<Replace>(&operation)) return {Create{*o}, Upsert{*o}};
  if (const auto* o = std::get_if<PatchDocument>(&operation)) {
    const WritesDocument write{o->key, {o->patch.ttl, o->patch.value.value_or("")}};
    return {Create{write}, Upsert{write}, Replace{write}, PatchDocument{o->key, {.value = ""}}};
  }
  if (const auto* o = std::get_if<ReplaceCollection>(&operation))
    return {CreateCollection{*o}, ReplaceCollection{{o->collection, {.default_ttl = std::int64_t{-1}}}}};
  if (const auto* o = std::get_if<CreateCollection>(&operation))
    return {CreateCollection{{o->collection, {.default_ttl = std::int64_t{-1}}}}};
  if (const auto* o = std::get_if<DeleteCollection>(&operation)) return {Query{{o->collection, {}}}};
  if (const auto* o = std::get_if<Count>(&operation)) return {Query{*o}};
  if (const auto* o = std::get_if<Index>(&operation)) return {Query{{o->collection, {}}}};
  return {};
}

std::vector<Operation> simpler_kinds(const Operation& operation) {
  std::vector<Operation> simpler = of_simpler_kind(operation);
  if (const auto* key = key_of(operation)) simpler.insert(simpler.begin(), Read{{*key}});
  return simpler;
}

/// Puts the content of two writes into one.
using Fold = void (*)(Operation& to, const Operation& from);

Fold fold_of_collections(const Operation& earlier, const Operation& later) {
  if (!std::holds_alternative<CreateCollection>(earlier) || !std::holds_alternative<ReplaceCollection>(later))
    return nullptr;
  return [](Operation& to, const Operation& from) {
    std::get<CreateCollection>(to).definition = std::get<ReplaceCollection>(from).definition;
  };
}

Fold fold_of_documents(const Operation& earlier, const Operation& later) {
  if (!key_of(earlier) || !key_of(later) || *key_of(earlier) != *key_of(later)) return nullptr;
  return std::visit(
      [](const auto& to, const auto& from) -> Fold {
        using To = std::decay_t<decltype(to)>;
        using From = std::decay_t<decltype(from)>;
        if constexpr (requires {
                        to.content;
                        from.content;
                      })
          return [](Operation& a, const Operation& b) { std::get<To>(a).content = std::get<From>(b).content; };
        else if constexpr (requires {
                             to.content;
                             from.patch;
                           })
          return [](Operation& a, const Operation& b) { std::get<To>(a).content.ttl = std::get<From>(b).patch.ttl; };
        else
          return nullptr;
      },
      earlier, later);
}

/// The requests that show the documents and collections of the case.
std::vector<Operation> observations_of(const Case& test_case) {
  std::vector<Operation> observations;
  const auto add_new = [&](Operation observation) {
    if (std::find(observations.begin(), observations.end(), observation) == observations.end())
      observations.push_back(std::move(observation));
  };
  for (const std::size_t at : representative_steps(test_case)) {
    const auto& operation = test_case.steps[at].operation;
    if (const auto* key = key_of(operation)) add_new(Read{{*key}});
    if (const auto* collection = collection_of(operation)) {
      add_new(Query{{*collection, {}}});
      add_new(ReadCollection{{*collection}});
    }
  }
  return observations;
}

void put(Case& test_case, std::size_t at, const Operation& operation) { test_case.steps[at].operation = operation; }

void add_simpler_kinds(const Case& test_case, const Spot& spot, Changes& changes) {
  const std::size_t choices = simpler_kinds(test_case.steps[spot.front()].operation).size();
  for (std::size_t choice = 0; choice < choices; ++choice)
    changes.push_back([spot, choice](Case& c) {
      for (const std::size_t at : spot) put(c, at, simpler_kinds(c.steps[at].operation).at(choice));
    });
}

void swap_groups(Case& test_case, const Group& first, const Group& second) {
  std::rotate(position(test_case, first.begin), position(test_case, second.begin), position(test_case, second.end()));
}

void sort_steps(Case& test_case, std::size_t begin, std::size_t end) {
  std::stable_sort(position(test_case, begin), position(test_case, end),
                   [](const Step& a, const Step& b) { return are_inverted(b.operation, a.operation); });
}

/// Between any two steps of the clock.
void sort_every_second(Case& test_case) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= test_case.steps.size(); ++at) {
    if (at < test_case.steps.size() && !std::holds_alternative<Advance>(test_case.steps[at].operation)) continue;
    sort_steps(test_case, begin, at);
    begin = at + 1;
  }
}

}  // namespace

Changes remove_documents(const Case& test_case) {
  Changes changes;
  const auto documents = documents_of(test_case);
  if (documents.size() <= few_documents && test_case.steps.size() <= few_operations) return changes;
  for (const auto& [begin, end] : runs_of(documents.size(), most_groups)) {
    Spot all;
    for (std::size_t document = begin; document < end; ++document)
      all.insert(all.end(), documents[document].begin(), documents[document].end());
    changes.push_back([all = std::move(all)](Case& c) { remove(c, all); });
  }
  return changes;
}

Changes remove_kinds(const Case& test_case) {
  Changes changes;
  for (Spot& spot : wide_spots_of(test_case)) changes.push_back([spot = std::move(spot)](Case& c) { remove(c, spot); });
  return changes;
}

Changes remove_runs(const Case& test_case) { return remove_groups(test_case, most_groups); }

// Single operations of a case that has more groups than the other passes treat.
Changes remove_each(const Case& test_case) {
  const auto groups = groups_of(test_case.steps);
  return groups.size() <= most_groups ? Changes{} : remove_groups(test_case, groups.size());
}

// Two operations that are only of use together, such as off and on again.
Changes remove_pairs(const Case& test_case) {
  Changes changes;
  const auto representatives = representative_steps(test_case);
  if (representatives.size() > 8) return changes;
  for (std::size_t second = representatives.size(); second-- > 1;)
    for (std::size_t first = second; first-- > 0;)
      changes.push_back([later = representatives[second], earlier = representatives[first]](Case& c) {
        remove(c, later);
        remove(c, earlier);
      });
  return changes;
}

// Instead of being created and then replaced, a collection or a document is created as it is in the end.
Changes fold_writes(const Case& test_case) {
  Changes changes;
  const auto representatives = representative_steps(test_case);
  if (representatives.size() > short_enough) return changes;
  for (std::size_t later = representatives.size(); later-- > 1;)
    for (std::size_t earlier = later; earlier-- > 0;)
      for (const auto fold_of : {fold_of_collections, fold_of_documents})
        if (const Fold fold = fold_of(test_case.steps[representatives[earlier]].operation,
                                      test_case.steps[representatives[later]].operation))
          changes.push_back([fold, to = representatives[earlier], from = representatives[later]](Case& c) {
            fold(c.steps[to].operation, c.steps[from].operation);
            remove(c, from);
          });
  return changes;
}

Changes simplify_all_of_a_kind(const Case& test_case) {
  Changes changes;
  for (const Spot& spot : wide_spots_of(test_case)) add_simpler_kinds(test_case, spot, changes);
  return changes;
}

Changes simplify_kinds(const Case& test_case) {
  Changes changes;
  const auto spots = spots_of(test_case);
  for (auto spot = spots.rbegin(); spot != spots.rend(); ++spot) add_simpler_kinds(test_case, *spot, changes);
  // The simplest operation to end with is a read of one of the documents.
  std::set<DocumentKey> keys;
  for (const std::size_t at : representative_steps(test_case)) {
    const auto* key = key_of(test_case.steps[at].operation);
    if (key && at + 1 < test_case.steps.size() && keys.insert(*key).second)
      changes.push_back([key = *key](Case& c) { put(c, c.steps.size() - 1, Read{{key}}); });
  }
  return changes;
}

// An observation may show the failure earlier than the last operation does.
Changes end_with_an_observation(const Case& test_case) {
  Changes changes;
  const auto groups = groups_of(test_case.steps);
  const auto observations = observations_of(test_case);
  if (groups.size() * observations.size() > most_observations) return changes;
  for (const Group& group : groups)
    for (const auto& observation : observations)
      if (group.end() < test_case.steps.size())
        changes.push_back([=, length = group.end()](Case& c) {
          c.steps.resize(length);
          c.steps.push_back(observation);
        });
  return changes;
}

Changes put_in_order(const Case& test_case) {
  Changes changes;
  const auto groups = groups_of(test_case.steps);
  if (groups.size() > few_groups) changes.push_back(sort_every_second);
  for (const Group& group : groups)
    if (group.period > 1) changes.push_back([=](Case& c) { sort_steps(c, group.begin, group.end()); });
  for (std::size_t at = 0; at + 1 < groups.size() && groups.size() <= most_groups; ++at)
    if (!are_inverted(test_case.steps[groups[at + 1].begin].operation,
                      test_case.steps[groups[at].end() - 1].operation))  // equal ones too, for their names
      changes.push_back([first = groups[at], second = groups[at + 1]](Case& c) { swap_groups(c, first, second); });
  return changes;
}

}  // namespace mayfly
