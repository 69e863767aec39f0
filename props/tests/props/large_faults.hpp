#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mayfly/model/expiry.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/operation.hpp"
#include "mayfly/sim/random.hpp"

// Stores whose faults only large cases show, and such cases: without the generator, so that each shows one thing.

namespace mayfly::test {

/// Queries show sixteen documents at most.
struct SmallPage : Engine {
  static constexpr std::size_t page = 16;
  Outcome query(Instant now, const std::string& name, const std::optional<std::string>& partition) {
    Outcome outcome = Engine::query(now, name, partition);
    if (outcome.documents && outcome.documents->size() > page) outcome.documents->resize(page);
    return outcome;
  }
};

/// An id is known without the spaces at its end.
struct TrimsIds : Engine {
  static DocumentKey trimmed(DocumentKey key) {
    key.id.erase(key.id.find_last_not_of(' ') + 1);
    return key;
  }
  Outcome create(Instant now, const DocumentKey& key, const Content& content) {
    if (const auto found = names.find(trimmed(key)); found != names.end() && found->second != key.id)
      return {Status::conflict};
    Outcome outcome = Engine::create(now, key, content);
    if (outcome.status == Status::created) names[trimmed(key)] = key.id;
    return outcome;
  }
  std::map<DocumentKey, std::string> names;
};

/// Partition and id are joined by a slash.
struct JoinsNames : Engine {
  Outcome read(Instant now, const DocumentKey& key) {
    known.insert_or_assign(key.partition + "/" + key.id, key);
    return Engine::read(now, key);
  }
  Outcome create(Instant now, const DocumentKey& key, const Content& content) {
    const auto [found, is_new] = known.try_emplace(key.partition + "/" + key.id, key);
    if (!is_new && found->second != key) return {Status::conflict};
    return Engine::create(now, key, content);
  }
  std::map<std::string, DocumentKey> known;
};

/// A document cannot be written more than 300 times.
struct WritesRunOut : Engine {
  static constexpr int most_writes = 300;
  Outcome upsert(Instant now, const DocumentKey& key, const Content& content) {
    if (times[key] >= most_writes) return {Status::bad_request};
    Outcome outcome = Engine::upsert(now, key, content);
    if (outcome.status < Status::bad_request) ++times[key];
    return outcome;
  }
  std::map<DocumentKey, int> times;
};

/// A document cannot be created anew more than 60 times.
struct CreatesRunOut : Engine {
  static constexpr int most_times = 60;
  Outcome create(Instant now, const DocumentKey& key, const Content& content) {
    if (times[key] >= most_times) return {Status::conflict};
    Outcome outcome = Engine::create(now, key, content);
    if (outcome.status == Status::created) ++times[key];
    return outcome;
  }
  std::map<DocumentKey, int> times;
};

/// A collection cannot be changed more than 100 times.
struct SettingsRunOut : Engine {
  static constexpr int most_times = 100;
  Outcome replace_collection(Instant now, const std::string& name, const Definition& definition) {
    if (times[name] >= most_times) return {Status::bad_request};
    Outcome outcome = Engine::replace_collection(now, name, definition);
    if (outcome.status < Status::bad_request) ++times[name];
    return outcome;
  }
  std::map<std::string, int> times;
};

/// There is room for twenty collections.
struct FewCollections : Engine {
  static constexpr std::size_t most = 20;
  Outcome create_collection(Instant now, const std::string& name, const Definition& definition) {
    if (collections.size() == most && !collections.contains(name) && valid_settings(definition))
      return {Status::conflict};
    Outcome outcome = Engine::create_collection(now, name, definition);
    if (outcome.status == Status::created) collections[name] = true;
    return outcome;
  }
  std::map<std::string, bool> collections;
};

/// The length of a value has 16 bits.
struct ShortValues : Engine {
  static constexpr std::size_t longest = 65'535;
  Outcome create(Instant now, const DocumentKey& key, const Content& content) {
    Outcome outcome = Engine::create(now, key, content);
    if (outcome.document && outcome.document->value.size() > longest) outcome.document->value.resize(longest);
    return outcome;
  }
};

/// Operations in turn, with others between them.
class LargeCase {
 public:
  explicit LargeCase(std::uint64_t seed) : random_(seed) {}

  void add(Operation operation) { case_.steps.emplace_back(std::move(operation)); }
  std::uint64_t below(std::uint64_t n) { return random_.below(n); }
  std::size_t size() const { return case_.steps.size(); }

  /// Fills it with requests about documents that are there.
  void fill(std::size_t length, const std::vector<DocumentKey>& keys) {
    while (case_.steps.size() < length) {
      const DocumentKey& key = keys[below(keys.size())];
      const std::uint64_t kind = below(8);
      if (kind == 0)
        add(Advance{Seconds{1}});
      else if (kind == 1)
        add(Query{{key.collection, key.partition}});
      else if (kind == 2)
        add(Count{{key.collection, {}}});
      else if (kind == 3)
        add(ReadCollection{{key.collection}});
      else
        add(Read{{key}});
    }
  }

  Case take() { return std::move(case_); }

 private:
  Random random_;
  Case case_;
};

inline std::string text_of_length(LargeCase& large, std::size_t length) {
  std::string text;
  while (text.size() < length) text += static_cast<char>('!' + large.below(90));
  return text;
}

/// A thousand documents of one partition and one ttl, among 5,000 operations.
inline Case crowd(std::uint64_t seed) {
  LargeCase large(seed);
  large.add(CreateCollection{{"c0", {.default_ttl = std::int64_t{-1}}}});
  std::vector<DocumentKey> keys;
  for (int i = 0; i < 1'024; ++i) keys.push_back({"c0", "p0", "item-" + std::to_string(1'000 + i)});
  for (const auto& key : keys) large.add(Create{{key, {std::int64_t{10'000}, text_of_length(large, 3)}}});
  large.fill(5'000, keys);
  return large.take();
}

/// Thousands of operations on two documents.
inline Case long_history(std::uint64_t seed) {
  LargeCase large(seed);
  large.add(CreateCollection{{"c0", {.default_ttl = std::int64_t{-1}}}});
  while (true) {
    const DocumentKey key{"c0", "p0", "d" + std::to_string(large.below(2))};
    const Content content{large.below(2) == 0 ? TtlField{} : TtlField{static_cast<std::int64_t>(50 + large.below(9))},
                          "v" + std::to_string(large.below(100))};
    const std::uint64_t kind = large.below(8);
    if (kind < 3)
      large.add(Upsert{{key, content}});
    else if (kind == 3)
      large.add(Create{{key, content}});
    else if (kind == 4)
      large.add(Delete{{key}});
    else if (kind == 5)
      large.add(Advance{Seconds{static_cast<std::int64_t>(large.below(3))}});
    else if (kind == 6)
      large.add(Read{{key}});
    else
      large.add(ReplaceCollection{{"c0", {.default_ttl = static_cast<std::int64_t>(100 + large.below(5))}}});
    if (large.size() == 5'000) return large.take();
  }
}

/// Names in many forms, some of which meet.
inline Case many_names(std::uint64_t seed) {
  LargeCase large(seed);
  std::vector<DocumentKey> keys;
  for (int i = 0; i < 30; ++i) {
    const std::string collection = "orders \xC3\xA9" + std::to_string(i);
    large.add(CreateCollection{{collection, {.default_ttl = std::int64_t{-1}}}});
    const std::string name = text_of_length(large, 40), other = text_of_length(large, 20);
    keys.push_back({collection, name, other});
    keys.push_back({collection, name, other + " "});
    keys.push_back({collection, name + "/" + other, "x"});
    keys.push_back({collection, name, other + "/x"});
  }
  for (const auto& key : keys) large.add(Create{{key, {}}});
  large.fill(2'000, keys);
  return large.take();
}

/// Values of many sizes.
inline Case many_values(std::uint64_t seed) {
  LargeCase large(seed);
  large.add(CreateCollection{{"c0", {.default_ttl = std::int64_t{-1}}}});
  std::vector<DocumentKey> keys;
  for (std::size_t i = 0; i < 40; ++i) {
    keys.push_back({"c0", "p0", "d" + std::to_string(i)});
    large.add(Create{{keys.back(), {{}, text_of_length(large, i % 10 == 9 ? 70'000 + large.below(900'000) : i)}}});
  }
  large.fill(500, keys);
  return large.take();
}

}  // namespace mayfly::test
