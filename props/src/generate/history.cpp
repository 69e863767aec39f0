#include <algorithm>

#include "draft.hpp"

// A long history of few documents: one is written hundreds of times, created and deleted again and again, and settings
// change a hundred times. A case is a row of such runs.

namespace mayfly {

namespace {

// A run is as long as counters, queues and logs of that length need to be full, or one step more or less.
constexpr std::array<std::size_t, 12> round_lengths{3, 10, 32, 64, 100, 100, 128, 128, 256, 256, 512, 1'000};

// What a run may add after its last repetition, and in that.
constexpr std::size_t longest_end = 16;

class History : public Draft {
 public:
  History(std::uint64_t seed, const World& world) : Draft(seed, world) {
    begin();
    collections_ = 1 + random_.below(world.collections);
    partitions_ = 1 + random_.below(world.partitions);
    const std::size_t usual = std::min(world.usual_case, world.longest_case);
    length_ = usual;
    while (length_ < world.longest_case && random_.one_in(2)) length_ *= 2;
    length_ = std::min(length_, world.longest_case);
    for (std::size_t c = 0; c < collections_; ++c) create_collection(name(c));
    while (has_room()) draw_run();
  }

 private:
  /// Whether a run can go on: its end needs some steps, too.
  bool has_room() const { return case_.steps.size() + longest_end < length_; }

  static std::string name(std::size_t c) { return "c" + std::to_string(c); }

  DocumentKey draw_key() {
    const std::size_t c = random_.below(collections_);
    return {name(c), "p" + std::to_string(random_.below(partitions_)), "d0"};
  }

  Definition draw_definition() {
    Definition definition;
    definition.default_ttl = draw_default([&] { return draw_seconds(); });
    definition.indexing = indexing_of(4 + random_.below(16));
    return definition;
  }

  void create_collection(const std::string& collection) {
    Definition definition = draw_definition();
    while (!valid_settings(definition)) definition = draw_definition();  // nothing else would happen
    add(CreateCollection{{collection, definition}});
  }

  // A run repeats one thing with one document, and now and then looks at what came of it.
  void draw_run() {
    const auto run = random_.below(7);
    const DocumentKey key = draw_key();
    const TtlField ttl = draw_mostly_seconds(), other = draw_mostly_seconds();
    const bool takes_time = random_.one_in(2);
    const auto beat = static_cast<std::int64_t>(1 + random_.below(5));
    const std::size_t length = round_lengths[random_.below(round_lengths.size())];
    for (auto times = length - 1 + random_.below(3); times > 0 && has_room(); --times) {
      if (run == 0) write(key, times % 2 == 0 ? ttl : other);
      if (run == 1 || run == 2) keep_alive(key, beat);
      if (run == 3) write_and_delete(key, ttl);
      if (run == 4) live_and_expire(key);
      if (run == 5) change_settings(key);
      if (run == 6) write_any();
      if (takes_time && random_.one_in(8)) add(step_of_clock(1 + static_cast<std::int64_t>(random_.below(2))));
      if (random_.one_in(32)) look_at(key);
    }
    pass_deadline(key, ttl);
    if (!random_.one_in(32)) return;
    add(DeleteCollection{{key.collection}});
    create_collection(key.collection);
  }

  TtlField draw_mostly_seconds() { return random_.one_in(2) ? draw_ttl() : TtlField{draw_seconds()}; }

  // Each write comes in the last second of the life that the one before gave.
  void keep_alive(const DocumentKey& key, std::int64_t beat) {
    renew(key, beat + 1);
    add(step_of_clock(beat));
  }

  void change_settings(const DocumentKey& key) {
    if (random_.one_in(4)) add(Upsert{{key, {Absent{}, draw_value()}}});
    add(ReplaceCollection{{key.collection, draw_definition()}});
    if (random_.one_in(4)) add(step_of_clock(draw_step(3)));
    if (random_.one_in(4)) add(Read{{key}});
  }

  /// Of a last write with this ttl.
  void pass_deadline(const DocumentKey& key, const TtlField& ttl) {
    const auto valid = valid_ttl(ttl);
    const std::int64_t seconds = valid && number_of(*valid) > 0 ? number_of(*valid) : draw_step(random_.below(8));
    add(Upsert{{key, {ttl, draw_value()}}});
    if (seconds > 1) add(step_of_clock(seconds - 1));
    for (int second = 0; second < 3; ++second) {  // the last of its life, its deadline, and the one after
      add(Read{{key}});
      add(step_of_clock(1));
    }
    look_at(key);
  }

  void write_any() {
    const DocumentKey key = draw_key();
    write(key, draw_ttl());
  }

  void write(const DocumentKey& key, const TtlField& ttl) {
    if (random_.one_in(8)) return add(Create{{key, {ttl, draw_value()}}});
    renew(key, ttl);
  }

  /// Succeeds if the document is live.
  void renew(const DocumentKey& key, const TtlField& ttl) {
    const auto which = random_.below(8);
    if (which == 0) return add(PatchDocument{key, {draw_value(), {}, false}});
    if (which < 3) return add(Replace{{key, {ttl, draw_value()}}});
    add(Upsert{{key, {ttl, draw_value()}}});
  }

  void write_and_delete(const DocumentKey& key, const TtlField& ttl) {
    add(Create{{key, {ttl, draw_value()}}});
    add(Delete{{key}});
  }

  void live_and_expire(const DocumentKey& key) {
    const auto seconds = static_cast<std::int64_t>(1 + random_.below(3));
    add(Upsert{{key, {seconds, draw_value()}}});
    add(step_of_clock(seconds - (random_.one_in(4) ? 1 : 0)));
    if (random_.one_in(4)) add(Purge{draw_budget()});
  }

  void look_at(const DocumentKey& key) {
    const auto which = random_.below(5);
    if (which == 0) return add(Query{{key.collection, {}}});
    if (which == 1) return add(Purge{{1'000}});
    if (which == 2) return add(Held{});
    if (which == 3) return add(Count{{key.collection, {}}});
    add(Read{{key}});
  }

  std::size_t collections_ = 1;
  std::size_t partitions_ = 1;
  std::size_t length_ = 0;
};

}  // namespace

Case with_a_history(std::uint64_t seed, const World& world) { return History(seed, world).take(); }

}  // namespace mayfly
