#include <algorithm>

#include "draft.hpp"

// A crowd: a collection is filled, and then many of its documents are written, expire, are purged or change their
// default together. What matters are sizes, at which pages, buckets and counters are full, and seconds in which many
// documents expire. So a case is a row of such episodes, and few single operations between them.

namespace mayfly {

namespace {

// Powers of two and tens. A crowd has one document more or less than that, or just as many.
constexpr std::array<std::size_t, 18> round_sizes{10,  16,  32,  64,  64,    100,   100,   128,   128,
                                                  256, 256, 512, 512, 1'000, 1'000, 1'024, 1'024, 2'048};

std::vector<std::string> numbered(const std::string& letter) {
  constexpr std::size_t most = 2'049;
  std::vector<std::string> names;
  while (names.size() < most) names.push_back(letter + std::to_string(names.size()));
  return names;
}
const std::vector<std::string> collection_names = numbered("c"), partition_names = numbered("p"),
                               id_names = numbered("d");

class Crowd : public Draft {
 public:
  Crowd(std::uint64_t seed, const World& world) : Draft(seed, world) {
    begin();
    draw_sizes();
    for (std::size_t c = 0; c < collections_; ++c) create_collection(c);
    fill();
    for (auto episodes = 2 + random_.below(8); episodes > 0 && !is_full(); --episodes) draw_episode();
    show_all();
    case_.steps.resize(std::min(case_.steps.size(), world_.longest_case));
  }

 private:
  /// Documents of one collection: every one of `step`, from the first on.
  struct Range {
    std::size_t collection, first, end, step;
  };
  struct Aimed {
    bool exists = false;
    std::int64_t default_ttl = 0;  ///< -1 is never, 0 is off
    std::int64_t written = 0;      ///< when most of it was
    Indexing indexing = Indexing::consistent;
  };
  enum class Write { create, replace, upsert, patch, erase };

  bool is_full() const { return case_.steps.size() >= world_.longest_case; }

  std::size_t near(std::size_t size) { return std::max<std::size_t>(size, 1) + random_.below(3) - 1; }

  void draw_sizes() {
    size_ = std::min(near(random_.pick<std::size_t>(round_sizes)), world_.ids);
    if (random_.one_in(8)) {  // many collections
      constexpr std::array<std::size_t, 5> many{8, 10, 16, 32, 39};
      collections_ = std::min(near(random_.pick<std::size_t>(many)), world_.collections);
      size_ = 1 + random_.below(8);
    }
    constexpr std::size_t all = 4'096;
    constexpr std::array<std::size_t, 8> partitions{1, 1, 1, 1, 2, 3, 10, all};
    partitions_ = std::min(random_.pick<std::size_t>(partitions), size_);
    aimed_.resize(collections_);
  }

  DocumentKey key(std::size_t c, std::size_t document) const {
    return {collection_names[c], partition_names[document % partitions_], id_names[document]};
  }

  static const std::string& name(std::size_t c) { return collection_names[c]; }

  // Collections.

  Definition draw_definition(std::size_t c) {
    Definition definition;
    definition.default_ttl = draw_default([&] { return default_that_ends_now(c); });
    const auto which = random_.below(20);
    definition.indexing = aimed_[c].exists && which >= 4 ? aimed_[c].indexing : indexing_of(which);
    return definition;
  }

  std::int64_t default_that_ends_now(std::size_t c) {
    const auto seconds = now_ - aimed_[c].written - 1 + static_cast<std::int64_t>(random_.below(3));
    return seconds < 1 || seconds > largest_ttl ? draw_seconds() : seconds;
  }

  void create_collection(std::size_t c) {
    Definition definition = draw_definition(c);
    while (!valid_settings(definition)) definition = draw_definition(c);  // nothing else would happen
    aim(c, definition);
    add(CreateCollection{{name(c), definition}});
  }

  void replace_collection(std::size_t c) {
    const Definition definition = draw_definition(c);
    aim(c, definition);
    aim_by_default(c);
    add(ReplaceCollection{{name(c), definition}});
  }

  void aim(std::size_t c, const Definition& definition) {
    const auto settings = valid_settings(definition);
    if (!settings) return;
    aimed_[c] = {true, number_of(settings->default_ttl), aimed_[c].written, settings->indexing};
  }

  void aim_by_default(std::size_t c) {
    if (aimed_[c].default_ttl > 0) aim_at(aimed_[c].written + aimed_[c].default_ttl);
  }

  // Writes.

  void fill() {
    for (std::size_t c = 0; c < collections_; ++c)
      write({c, 0, size_, 1}, random_.one_in(2) ? Write::create : Write::upsert);
  }

  Range draw_range() {
    const std::size_t c = random_.below(collections_);
    const auto part = 1 + random_.below(size_);
    constexpr std::array<std::size_t, 4> steps{2, 3, 10, 64};
    switch (random_.below(6)) {
      case 0:
        return {c, 0, part, 1};
      case 1:
        return {c, size_ - part, size_, 1};
      case 2:
        return {c, 0, size_, random_.pick<std::size_t>(steps)};
      case 3: {  // but for one
        const std::size_t begin = random_.below(2);
        return {c, begin, size_ - random_.below(2), 1};
      }
      default:
        return {c, 0, size_, 1};
    }
  }

  // All with one ttl, by turns with two, each with one more than the last, or all but one.
  enum class Ttls { one, two, rising, odd_one };

  void write(const Range& range, Write kind) {
    const auto ttls = static_cast<Ttls>(random_.one_in(2) ? 0 : random_.below(4));
    const TtlField usual = draw_valid_ttl(), other = draw_valid_ttl();
    const std::size_t odd = random_.below(size_);
    const auto turn = 1 + random_.below(70);
    const bool takes_time = random_.one_in(4);  // seconds pass meanwhile
    const std::string value = draw_value();
    aimed_[range.collection].written = now_;
    aim_by_default(range.collection);
    for (std::size_t i = range.first; i < range.end && !is_full(); i += range.step) {
      if (takes_time && random_.one_in(64)) add(step_of_clock(1));
      const bool is_other = ttls == Ttls::two ? i % 2 == 1 : ttls == Ttls::odd_one && i == odd;
      const auto nth = static_cast<std::int64_t>(1 + i % turn);
      write_one(key(range.collection, i), kind, ttls == Ttls::rising ? TtlField{nth} : is_other ? other : usual, value);
    }
  }

  TtlField draw_valid_ttl() {
    const TtlField ttl = draw_ttl();
    return valid_ttl(ttl) ? ttl : Absent{};
  }

  void write_one(DocumentKey key, Write kind, const TtlField& ttl, const std::string& value) {
    if (const auto valid = valid_ttl(ttl); valid && number_of(*valid) > 0) aim_at(now_ + number_of(*valid));
    if (kind == Write::create) add(Create{{std::move(key), {ttl, value}}});
    if (kind == Write::replace) add(Replace{{std::move(key), {ttl, value}}});
    if (kind == Write::upsert) add(Upsert{{std::move(key), {ttl, value}}});
    if (kind == Write::patch) add(PatchDocument{std::move(key), {value, ttl, false}});
    if (kind == Write::erase) add(Delete{{std::move(key)}});
  }

  Write draw_write() { return static_cast<Write>(random_.below(5)); }

  // Time. What was aimed at lately is what is met.

  void aim_at(std::int64_t deadline) {
    if (!deadlines_.empty() && deadlines_.back() == deadline) return;
    deadlines_.push_back(deadline);
    if (deadlines_.size() > 8) deadlines_.erase(deadlines_.begin());
  }

  /// Through a deadline: the second before, itself, the one after, or only some of these.
  void pass_deadline() {
    std::erase_if(deadlines_, [&](std::int64_t deadline) { return deadline <= now_; });
    if (deadlines_.empty()) return add(step_of_clock(draw_step(random_.below(8))));
    const std::int64_t deadline = deadlines_[random_.below(deadlines_.size())];
    const std::int64_t from = deadline - 1 + static_cast<std::int64_t>(random_.below(3));
    if (from > now_) add(step_of_clock(from - now_));
    for (std::int64_t second = from; second < deadline + 1 && random_.one_in(2); ++second) add(step_of_clock(1));
  }

  // Episodes.

  void draw_episode() {
    switch (random_.below(10)) {
      case 0:
        return write_range();
      case 1:
      case 2:
      case 3:
        return pass_deadline();
      case 4:
      case 5:
        return purge_by_turns();
      case 6:
      case 7:
        replace_collection(random_.below(collections_));
        return random_.one_in(2) ? pass_deadline() : void();
      case 8:
        return write_some();
      default:
        return ask();
    }
  }

  std::uint64_t draw_crowd_budget() {
    const std::array<std::size_t, 12> budgets{
        1,     10,        64,        100, 127,      near(size_ / 2), size_ - std::min<std::size_t>(size_, 1),
        size_, size_ + 1, near(128), 256, 1'000'000};
    return random_.pick<std::size_t>(budgets);
  }

  // A backlog is purged little by little, and what is held is asked for.
  void purge_by_turns() {
    const std::uint64_t budget = draw_crowd_budget();
    for (auto turns = 1 + random_.below(4); turns > 0; --turns) add(Purge{{budget}});
    add(Held{});
    if (random_.one_in(2)) add(Purge{{1'000'000}});
    if (random_.one_in(2)) add(Held{});
  }

  void write_range() {
    const Range range = draw_range();
    write(range, draw_write());
  }

  // The first, the last and some others: single operations in a crowd.
  void write_some() {
    const std::size_t c = random_.below(collections_);
    for (auto times = 1 + random_.below(8); times > 0; --times) {
      const std::size_t some = random_.below(size_), other = random_.below(size_);
      const std::array<std::size_t, 4> places{0, size_ - 1, some, other};
      const std::size_t document = random_.pick<std::size_t>(places);
      if (random_.one_in(3)) add(Read{{key(c, document)}});
      const Write how = draw_write();
      const TtlField ttl = draw_ttl();
      write_one(key(c, document), how, ttl, draw_value());
    }
  }

  void ask() {
    const std::size_t c = random_.below(collections_);
    const std::string& partition = partition_names[random_.below(partitions_)];
    if (aimed_[c].indexing == Indexing::lazy) add(Index{name(c), {draw_crowd_budget()}});
    if (random_.one_in(2)) add(Query{{name(c), {}}});
    if (random_.one_in(2)) add(Query{{name(c), partition}});
    if (random_.one_in(2)) add(Count{{name(c), {}}});
    if (random_.one_in(2)) add(Count{{name(c), partition}});
    for (auto times = random_.below(4); times > 0; --times) add(Read{{key(c, random_.below(size_))}});
    if (collections_ > 1 && random_.one_in(4)) delete_collection(c);
  }

  void delete_collection(std::size_t c) {
    add(DeleteCollection{{name(c)}});
    aimed_[c] = {};
    create_collection(c);
  }

  void show_all() {
    pass_deadline();
    for (std::size_t c = 0; c < collections_; ++c) {
      add(Query{{name(c), {}}});
      if (random_.one_in(2)) add(Count{{name(c), {}}});
    }
    purge_by_turns();
  }

  std::size_t size_ = 1;  ///< documents of each collection
  std::size_t collections_ = 1;
  std::size_t partitions_ = 1;
  std::vector<Aimed> aimed_;
  std::vector<std::int64_t> deadlines_;
};

}  // namespace

Case with_a_crowd(std::uint64_t seed, const World& world) { return Crowd(seed, world).take(); }

}  // namespace mayfly
