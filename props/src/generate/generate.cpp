#include "mayfly/props/generate/generate.hpp"

#include <algorithm>
#include <array>

#include <boost/container/static_vector.hpp>

#include "draft.hpp"
#include "mayfly/sim/operation_info.hpp"

namespace mayfly {

namespace {

constexpr std::size_t most_collections = 4;
constexpr std::size_t most_identities = 16;  // of a collection

// Small ones stay as they are: cases are known by their seed.
const Names plain_names{{"c0", "c1", "c2", "c3"}, {"p0", "p1", "p2", "p3"}, {"d0", "d1", "d2", "d3"}};

/// What the generator believes of a document. It need not be right: it only aims.
struct Aim {
  bool is_live = false;
  std::int64_t ts = 0;
  std::int64_t ttl = 0;    // 0 inherits
  std::int64_t stale = 0;  // a deadline that it had before a write, a delete or a new default, or 0
};

struct AimedCollection {
  bool exists = false;
  std::int64_t default_ttl = 0;  // 0 is off
  Indexing indexing = Indexing::consistent;
  std::array<Aim, most_identities> documents;

  /// What the document counts by, or 0; also while TTL is off if it has its own: the deadline passes all the same (F3).
  std::int64_t effective_ttl(const Aim& document) const { return document.ttl != 0 ? document.ttl : default_ttl; }

  /// The second in which the document expires, or 0.
  std::int64_t deadline(const Aim& document) const {
    const auto ttl = effective_ttl(document);
    return document.is_live && ttl > 0 ? document.ts + ttl : 0;
  }

  void settle(std::int64_t now, std::size_t identities) {
    if (default_ttl == 0) return;
    for (std::size_t i = 0; i < identities; ++i) {
      Aim& document = documents[i];
      const auto ttl = effective_ttl(document);
      document.is_live = document.is_live && (ttl <= 0 || document.ts + ttl > now);
    }
  }
};

// Each operation by itself, by the weights of their kinds.
class AnyOrder : public Draft {
 public:
  AnyOrder(std::uint64_t seed, const World& world) : Draft(seed, world) {
    const bool is_long = world.longest_case > world.usual_case && random_.one_in(world.one_is_long_in);
    const auto length = is_long ? draw_long() : 1 + random_.below(std::min(world.longest_case, world.usual_case));
    collections_ = draw_few(world.collections);
    partitions_ = draw_few(world.partitions);
    ids_ = draw_few(world.ids);
    draw_weights(is_long);
    begin();
    draw_words();
    const std::size_t most = std::min(length, longest_with_values(value_size_));
    case_.steps.reserve(most);
    while (case_.steps.size() < most) add(draw());
  }

 private:
  // Each magnitude is as likely as another.
  std::size_t draw_long() {
    std::size_t most = 2 * world_.usual_case;
    while (most < world_.longest_case && random_.one_in(2)) most *= 2;
    return world_.usual_case + 1 + random_.below(std::min(most, world_.longest_case) - world_.usual_case);
  }

  void draw_words() {
    if (world_.names == World::Words::twisted) {
      twisted_ = twisted_names(random_, world_.collections, world_.partitions, world_.ids);
      names_ = &twisted_;
      collections_ = twisted_.collections.size();
      partitions_ = twisted_.partitions.size();
      ids_ = twisted_.ids.size();
    }
    if (world_.values == World::Words::twisted) {
      const auto which = random_.below(64);
      value_size_ = which == 0 ? Size::mebibyte : which < 8 ? Size::block : Size::line;
    }
  }

  // Every observation shows all values.
  static std::size_t longest_with_values(Size size) {
    return size == Size::mebibyte ? 6 : size == Size::block ? 20 : std::numeric_limits<std::size_t>::max();
  }

  // One half of the time, else anything up to `most`: the fewer, the more they collide.
  std::size_t draw_few(std::size_t most) {
    const auto few = 1 + random_.below(2 * most);
    return few <= most ? few : 1;
  }

  static constexpr std::size_t row_count = detail::operation_rows.size();
  static constexpr std::size_t essential_rows = 3;  // the first ones; without them nothing ever happens

  // In some cases some kinds of operation are left out, so that others come in longer runs. Most long cases
  // mostly write: to documents that are there, and in collections that stay.
  void draw_weights(bool is_long) {
    const bool swarm = random_.below(100) < world_.swarm;
    const bool mostly_writes = is_long && !random_.one_in(3);
    for (std::size_t row = 0; row < row_count; ++row) {
      const OperationInfo& info = detail::operation_rows[row];
      const bool left_out = swarm && random_.one_in(3) && row >= essential_rows;
      weights_[row] = left_out ? 0 : mostly_writes ? info.long_weight : info.weight;
      total_weight_ += weights_[row];
    }
  }

  Operation draw() {
    if (burst_left_ > 0) return write_of_burst();
    auto ticket = random_.below(total_weight_);
    std::size_t row = 0;
    while (ticket >= weights_[row]) ticket -= weights_[row++];
    const std::size_t c = random_.below(collections_);
    const bool is_worth_it = aimed_[c].exists || random_.one_in(8);  // little can be learnt without a collection
    if (aimed_[c].exists && identities() > 2 && random_.one_in(40)) return begin_burst(c);
    return is_worth_it ? draw_kind(detail::operation_kinds[row], c) : create_collection(c);
  }

  // Names and documents.

  std::size_t identities() const { return partitions_ * ids_; }

  std::size_t draw_identity() {
    const auto partition = random_.below(partitions_);
    const auto id = random_.below(ids_);
    return partition * ids_ + id;
  }

  const std::string& collection_name(std::size_t c) const { return names_->collections[c]; }

  DocumentKey key(std::size_t c, std::size_t identity) const {
    return {collection_name(c), names_->partitions[identity / ids_], names_->ids[identity % ids_]};
  }

  // A default under which some document of the collection would expire right now, or a second sooner or later.
  std::int64_t default_that_ends_now(std::size_t c) {
    const auto& document = aimed_[c].documents[draw_identity()];
    const auto seconds = now_ - document.ts - 1 + static_cast<std::int64_t>(random_.below(3));
    if (!document.is_live || seconds < 1 || seconds > largest_ttl) return draw_seconds();
    return seconds;
  }

  // Operations.

  /// An operation of the kind that has this place in the variant, on a collection.
  template <std::size_t Kind = 0>
  Operation draw_kind(std::size_t kind, std::size_t c) {
    if constexpr (Kind + 1 < std::variant_size_v<Operation>)
      if (kind != Kind) return draw_kind<Kind + 1>(kind, c);
    return draw(std::type_identity<std::variant_alternative_t<Kind, Operation>>(), c);
  }

  template <std::derived_from<WritesDocument> Write>
  Operation draw(std::type_identity<Write>, std::size_t c) {
    return write<Write>(c);
  }
  template <std::derived_from<FindsDocuments> Search>
  Operation draw(std::type_identity<Search>, std::size_t c) {
    return search<Search>(c);
  }
  Operation draw(std::type_identity<Advance>, std::size_t) { return advance(); }
  Operation draw(std::type_identity<CreateCollection>, std::size_t c) { return create_collection(c); }
  Operation draw(std::type_identity<ReplaceCollection>, std::size_t c) { return replace_collection(c); }
  Operation draw(std::type_identity<ReadCollection>, std::size_t c) { return ReadCollection{{collection_name(c)}}; }
  Operation draw(std::type_identity<DeleteCollection>, std::size_t c) { return delete_collection(c); }
  Operation draw(std::type_identity<PatchDocument>, std::size_t c) { return patch(c); }
  Operation draw(std::type_identity<Read>, std::size_t c) { return Read{{key(c, draw_identity())}}; }
  Operation draw(std::type_identity<Delete>, std::size_t c) { return erase(c); }
  Operation draw(std::type_identity<Purge>, std::size_t) { return Purge{draw_budget()}; }
  Operation draw(std::type_identity<Index>, std::size_t c) { return Index{collection_name(c), draw_budget()}; }
  Operation draw(std::type_identity<Held>, std::size_t) { return Held{}; }

  Operation advance() {
    const bool aims = random_.below(100) < world_.boundary;
    const auto which = random_.below(8);
    const std::int64_t step = aims ? step_to_a_deadline() : draw_step(which);
    const Advance advance = step_of_clock(step);
    for (std::size_t c = 0; c < collections_; ++c) aimed_[c].settle(now_, identities());
    return advance;
  }

  std::int64_t step_to_a_deadline() {
    boost::container::static_vector<std::int64_t, 2 * most_collections * most_identities> ahead;
    const auto add_left = [&](std::int64_t deadline) {
      const auto left = deadline - now_;
      if (left > 0 && left <= world_.longest_step) ahead.push_back(left);
    };
    for (std::size_t c = 0; c < collections_; ++c) {
      const auto& collection = aimed_[c];
      for (std::size_t i = 0; i < identities(); ++i) {
        add_left(collection.deadline(collection.documents[i]));
        add_left(collection.documents[i].stale);  // of a store that has not noticed
      }
    }
    if (ahead.empty()) return 1;
    const auto steps = ahead[random_.below(ahead.size())];
    const auto aside = static_cast<std::int64_t>(random_.below(4)) - 1;  // one before, on (twice), or one after
    return steps + (aside == 2 ? 0 : aside);
  }

  Definition draw_definition(std::size_t c) {
    const auto& aimed = aimed_[c];
    Definition definition;
    definition.default_ttl = draw_default([&] { return default_that_ends_now(c); });
    const auto which = random_.below(20);
    definition.indexing = aimed.exists && which >= 4 ? aimed.indexing : indexing_of(which);
    return definition;
  }

  void aim(std::size_t c, const Definition& definition) {
    const auto settings = valid_settings(definition);
    if (!settings) return;
    aimed_[c].exists = true;
    for (std::size_t i = 0; i < identities(); ++i) {
      Aim& document = aimed_[c].documents[i];
      if (document.ttl == 0) document.stale = std::max(document.stale, aimed_[c].deadline(document));
    }
    aimed_[c].default_ttl = number_of(settings->default_ttl);
    aimed_[c].indexing = settings->indexing;
    aimed_[c].settle(now_, identities());
  }

  Operation create_collection(std::size_t c) {
    const Definition definition = draw_definition(c);
    if (!aimed_[c].exists) aim(c, definition);
    return CreateCollection{{collection_name(c), definition}};
  }

  Operation replace_collection(std::size_t c) {
    const Definition definition = draw_definition(c);
    if (aimed_[c].exists) aim(c, definition);
    return ReplaceCollection{{collection_name(c), definition}};
  }

  Operation delete_collection(std::size_t c) {
    aimed_[c] = {};
    return DeleteCollection{{collection_name(c)}};
  }

  template <class Write>
  Operation write(std::size_t c) {
    const std::size_t identity = draw_identity();
    return write_to<Write>(c, identity, draw_ttl());
  }

  template <class Write>
  Operation write_to(std::size_t c, std::size_t identity, const TtlField& ttl) {
    auto& document = aimed_[c].documents[identity];
    const bool takes_place = !std::is_same_v<Write, Create> && document.is_live;
    const bool takes_free = !std::is_same_v<Write, Replace> && !document.is_live;
    const auto valid = valid_ttl(ttl);
    if (valid && aimed_[c].exists && (takes_place || takes_free))
      document = {true, now_, number_of(*valid), aimed_[c].deadline(document)};
    return Write{{key(c, identity), {ttl, draw_value()}}};
  }

  // A burst writes every identity of a collection in one second and with one ttl, so that they all expire in one
  // second.
  Operation begin_burst(std::size_t c) {
    burst_left_ = identities();
    burst_collection_ = c;
    burst_ttl_ = draw_ttl();
    return write_of_burst();
  }

  Operation write_of_burst() {
    --burst_left_;
    return write_to<Upsert>(burst_collection_, burst_left_, burst_ttl_);
  }

  Operation patch(std::size_t c) {
    const std::size_t identity = draw_identity();
    PatchDocument operation{key(c, identity), {}};
    auto& document = aimed_[c].documents[identity];
    const auto about_ttl = random_.below(16);  // nothing, set, remove, or by mistake both
    const bool sets_ttl = about_ttl >= 9 && about_ttl < 13;
    const bool removes_ttl = about_ttl >= 12;
    const bool names_value = about_ttl < 9 ? !random_.one_in(16) : random_.one_in(3);
    if (names_value) operation.patch.value = draw_value();
    if (sets_ttl) operation.patch.ttl = draw_ttl();
    operation.patch.remove_ttl = removes_ttl;
    if (document.is_live && is_valid(operation.patch)) {
      document.stale = aimed_[c].deadline(document);
      document.ts = now_;
      if (sets_ttl || removes_ttl) document.ttl = number_of(*valid_ttl(operation.patch.ttl));
    }
    return operation;
  }

  Operation erase(std::size_t c) {
    const std::size_t identity = draw_identity();
    auto& document = aimed_[c].documents[identity];
    document = {.stale = aimed_[c].deadline(document)};
    return Delete{{key(c, identity)}};
  }

  template <class Search>
  Operation search(std::size_t c) {
    Search operation{{collection_name(c), {}}};
    const auto partition = random_.below(2 * partitions_);
    if (partition < partitions_) operation.partition = names_->partitions[partition];
    return operation;
  }

  const Names* names_ = &plain_names;
  Names twisted_;
  std::size_t collections_ = 1;
  std::size_t partitions_ = 1;
  std::size_t ids_ = 1;
  std::array<std::uint32_t, row_count> weights_{};
  std::uint64_t total_weight_ = 0;
  std::size_t burst_left_ = 0;
  std::size_t burst_collection_ = 0;
  TtlField burst_ttl_;
  std::array<AimedCollection, most_collections> aimed_;
};

}  // namespace

Case in_any_order(std::uint64_t seed, const World& world) { return AnyOrder(seed, world).take(); }

Case generate(std::uint64_t seed, const World& world) {
  switch (world.plot) {
    case World::Plot::crowd:
      return with_a_crowd(seed, world);
    case World::Plot::history:
      return with_a_history(seed, world);
    case World::Plot::any_order:
      break;
  }
  return in_any_order(seed, world);
}

}  // namespace mayfly
