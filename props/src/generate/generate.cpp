#include "mayfly/props/generate/generate.hpp"

#include <algorithm>
#include <array>

#include <boost/container/static_vector.hpp>
#include <boost/json.hpp>

#include "mayfly/model/expiry.hpp"
#include "mayfly/sim/operation_info.hpp"
#include "mayfly/sim/random.hpp"

namespace mayfly {

namespace {

constexpr std::size_t most_collections = 3;
constexpr std::size_t most_partitions = 2;
constexpr std::size_t most_ids = 3;
constexpr std::size_t most_identities = most_partitions * most_ids;

const std::array<std::string, most_collections> collection_names{"c0", "c1", "c2"};
const std::array<std::string, most_partitions> partition_names{"p0", "p1"};
const std::array<std::string, most_ids> id_names{"d0", "d1", "d2"};

constexpr std::int64_t today = 1'700'000'000;

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

  void settle(std::int64_t now) {
    if (default_ttl == 0) return;
    for (auto& document : documents) {
      const auto ttl = effective_ttl(document);
      document.is_live = document.is_live && (ttl <= 0 || document.ts + ttl > now);
    }
  }
};

class Generator {
 public:
  Generator(std::uint64_t seed, const World& world) : random_(seed), world_(world) {
    const bool is_long = world.longest_case > world.usual_case && random_.one_in(world.one_is_long_in);
    const auto length = is_long ? draw_long() : 1 + random_.below(std::min(world.longest_case, world.usual_case));
    collections_ = draw_few(most_collections);
    partitions_ = draw_few(most_partitions);
    ids_ = draw_few(most_ids);
    draw_weights(is_long);
    case_.start = draw_start();
    now_ = case_.start.time_since_epoch().count();
    case_.steps.reserve(length);
    while (case_.steps.size() < length) case_.steps.push_back(draw());
  }

  Case take() { return std::move(case_); }

 private:
  // Each magnitude is as likely as another.
  std::size_t draw_long() {
    std::size_t most = 2 * world_.usual_case;
    while (most < world_.longest_case && random_.one_in(2)) most *= 2;
    return world_.usual_case + 1 + random_.below(std::min(most, world_.longest_case) - world_.usual_case);
  }

  // One half of the time, else anything up to `most`: the fewer, the more they collide.
  std::size_t draw_few(std::size_t most) {
    const auto few = 1 + random_.below(2 * most);
    return few <= most ? few : 1;
  }

  Instant draw_start() {
    const auto before = static_cast<std::int64_t>(random_.below(12));
    constexpr std::array<std::int64_t, 6> edges{
        0, today, today, std::int64_t{1} << 31, std::int64_t{1} << 32, (std::int64_t{1} << 32) - largest_ttl};
    const auto edge = random_.pick<std::int64_t>(edges);
    return Instant{Seconds{edge == 0 ? before : edge - before}};
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
    if (aimed_[c].exists && partitions_ * ids_ > 2 && random_.one_in(40)) return begin_burst(c);
    return is_worth_it ? draw_kind(detail::operation_kinds[row], c) : create_collection(c);
  }

  // Names and documents.

  std::size_t draw_identity() {
    const auto partition = random_.below(partitions_);
    const auto id = random_.below(ids_);
    return partition * most_ids + id;
  }

  DocumentKey key(std::size_t c, std::size_t identity) const {
    return {collection_names[c], partition_names[identity / most_ids], id_names[identity % most_ids]};
  }

  std::string draw_value() {
    if (random_.one_in(10)) return {};
    if (random_.one_in(200)) return std::string(1'000 + random_.below(2'000), 'x');  // more than a kilobyte costs more
    std::string value = "v";
    value += static_cast<char>('0' + random_.below(10));
    value += static_cast<char>('0' + random_.below(10));
    return value;
  }

  Budget draw_budget() {
    constexpr std::array<std::uint64_t, 6> budgets{0, 1, 2, 3, 1000, 1000};
    return {random_.pick<std::uint64_t>(budgets)};
  }

  // Time to live.

  TtlField draw_invalid() {
    // What a careless reader takes for a ttl: cut to 32 or 64 bits the numbers are valid ones, and the other values are
    // what a language may convert to a number.
    static const std::array<TtlField, 24> invalid{
        std::int64_t{0},
        std::int64_t{-2},
        std::int64_t{-3},
        std::int64_t{-3600},
        -largest_ttl - 1,
        largest_ttl + 1,
        std::int64_t{1} << 32,
        (std::int64_t{1} << 32) - 1,
        (std::int64_t{1} << 32) + 5,
        3 * (std::int64_t{1} << 32) + 1,
        -(std::int64_t{1} << 32) + 5,
        (std::int64_t{1} << 53) + 1,
        std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max(),
        Null{},
        OtherJson{"18446744073709555712"},  // 2^64 + 4096, which a double holds
        OtherJson{"1E300"},
        OtherJson{"1.5E0"},
        OtherJson{"\"5\""},
        OtherJson{"\"\""},
        OtherJson{"true"},
        OtherJson{"false"},
        OtherJson{"[5]"},
        OtherJson{"[]"},
    };
    const auto which = random_.below(invalid.size() + 1);
    return which == invalid.size() ? OtherJson{"{}"} : invalid[which];
  }

  // A number that is whole by its value is one however it is written: 5E0 is 5 (T3).
  TtlField written(std::int64_t number) {
    if (!random_.one_in(24)) return number;
    return OtherJson{boost::json::serialize(boost::json::value(static_cast<double>(number)))};
  }

  std::int64_t draw_seconds() {
    const auto which = random_.below(16);
    if (which < 4) return 1;
    if (which < 7) return within_a_step(2);
    if (which < 13) return within_a_step(static_cast<std::int64_t>(1 + random_.below(10)));
    if (which < 14) return within_a_step(static_cast<std::int64_t>(1 + random_.below(200'000)));
    return which == 14 ? largest_ttl : largest_ttl - static_cast<std::int64_t>(random_.below(12));
  }

  // What the clock cannot reach in a step tells nothing: short ones instead, but for the longest of all.
  std::int64_t within_a_step(std::int64_t seconds) const { return 1 + (seconds - 1) % world_.longest_step; }

  TtlField draw_ttl() {
    const auto which = random_.below(16);
    if (which < 5) return Absent{};
    if (which < 7) return written(-1);
    if (which == 7) return draw_invalid();
    return written(draw_seconds());
  }

  TtlField draw_default(std::size_t c) {
    const auto which = random_.below(16);
    if (which < 3) return Absent{};
    if (which == 3) return Null{};
    if (which < 7) return written(-1);
    if (which == 7) return draw_invalid();
    const bool aims = random_.below(100) < world_.boundary;
    return written(aims ? default_that_ends_now(c) : draw_seconds());
  }

  // A default under which some document of the collection would expire right now, or a second sooner or later.
  std::int64_t default_that_ends_now(std::size_t c) {
    const auto& document = aimed_[c].documents[draw_identity()];
    const auto seconds = now_ - document.ts - 1 + static_cast<std::int64_t>(random_.below(3));
    if (!document.is_live || seconds < 1 || seconds > largest_ttl) return draw_seconds();
    return seconds;
  }

  // What a valid setting means to the generator: 0 is off or inherit, -1 is never.
  template <class Setting>
  static std::int64_t number_of(const Setting& setting) {
    if (const auto* seconds = std::get_if<Seconds>(&setting)) return seconds->count();
    return std::holds_alternative<Never>(setting) ? -1 : 0;
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
  Operation draw(std::type_identity<ReadCollection>, std::size_t c) { return ReadCollection{{collection_names[c]}}; }
  Operation draw(std::type_identity<DeleteCollection>, std::size_t c) { return delete_collection(c); }
  Operation draw(std::type_identity<PatchDocument>, std::size_t c) { return patch(c); }
  Operation draw(std::type_identity<Read>, std::size_t c) { return Read{{key(c, draw_identity())}}; }
  Operation draw(std::type_identity<Delete>, std::size_t c) { return erase(c); }
  Operation draw(std::type_identity<Purge>, std::size_t) { return Purge{draw_budget()}; }
  Operation draw(std::type_identity<Index>, std::size_t c) { return Index{collection_names[c], draw_budget()}; }
  Operation draw(std::type_identity<Held>, std::size_t) { return Held{}; }

  Operation advance() {
    const bool aims = random_.below(100) < world_.boundary;
    const auto which = random_.below(8);
    std::int64_t step = 0;
    if (aims)
      step = step_to_a_deadline();
    else if (which < 3)
      step = 1;
    else if (which < 7)
      step = static_cast<std::int64_t>(random_.below(12));
    else
      step = random_.one_in(4) ? largest_ttl : static_cast<std::int64_t>(random_.below(200'000));
    step = std::min(step, world_.longest_step);
    step = std::min(step, (latest_instant.time_since_epoch() - Seconds{now_}).count());
    now_ += step;
    for (auto& collection : aimed_) collection.settle(now_);
    return Advance{Seconds{step}};
  }

  std::int64_t step_to_a_deadline() {
    boost::container::static_vector<std::int64_t, 2 * most_collections * most_identities> ahead;
    const auto add = [&](std::int64_t deadline) {
      const auto left = deadline - now_;
      if (left > 0 && left <= world_.longest_step) ahead.push_back(left);
    };
    for (std::size_t c = 0; c < collections_; ++c) {
      const auto& collection = aimed_[c];
      for (const auto& document : collection.documents) {
        add(collection.deadline(document));
        add(document.stale);  // of a store that has not noticed
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
    definition.default_ttl = draw_default(c);
    const auto which = random_.below(20);
    if (aimed.exists && which >= 4)
      definition.indexing = aimed.indexing;
    else
      definition.indexing = which % 4 == 0 ? Indexing::lazy : which % 9 == 1 ? Indexing::none : Indexing::consistent;
    return definition;
  }

  void aim(std::size_t c, const Definition& definition) {
    const auto settings = valid_settings(definition);
    if (!settings) return;
    aimed_[c].exists = true;
    for (auto& document : aimed_[c].documents)
      if (document.ttl == 0) document.stale = std::max(document.stale, aimed_[c].deadline(document));
    aimed_[c].default_ttl = number_of(settings->default_ttl);
    aimed_[c].indexing = settings->indexing;
    aimed_[c].settle(now_);
  }

  Operation create_collection(std::size_t c) {
    const Definition definition = draw_definition(c);
    if (!aimed_[c].exists) aim(c, definition);
    return CreateCollection{{collection_names[c], definition}};
  }

  Operation replace_collection(std::size_t c) {
    const Definition definition = draw_definition(c);
    if (aimed_[c].exists) aim(c, definition);
    return ReplaceCollection{{collection_names[c], definition}};
  }

  Operation delete_collection(std::size_t c) {
    aimed_[c] = {};
    return DeleteCollection{{collection_names[c]}};
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
    burst_left_ = partitions_ * ids_;
    burst_collection_ = c;
    burst_ttl_ = draw_ttl();
    return write_of_burst();
  }

  Operation write_of_burst() {
    --burst_left_;
    const std::size_t identity = burst_left_ / ids_ * most_ids + burst_left_ % ids_;
    return write_to<Upsert>(burst_collection_, identity, burst_ttl_);
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
    Search operation{{collection_names[c], {}}};
    const auto partition = random_.below(2 * partitions_);
    if (partition < partitions_) operation.partition = partition_names[partition];
    return operation;
  }

  Random random_;
  const World world_;
  std::size_t collections_ = 1;
  std::size_t partitions_ = 1;
  std::size_t ids_ = 1;
  std::array<std::uint32_t, row_count> weights_{};
  std::uint64_t total_weight_ = 0;
  std::int64_t now_ = 0;
  std::size_t burst_left_ = 0;
  std::size_t burst_collection_ = 0;
  TtlField burst_ttl_;
  std::array<AimedCollection, most_collections> aimed_;
  Case case_;
};

}  // namespace

Case generate(std::uint64_t seed, const World& world) { return Generator(seed, world).take(); }

}  // namespace mayfly
