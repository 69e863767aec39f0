#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "mayfly/model/expiry.hpp"
#include "mayfly/model/store.hpp"

namespace mayfly::bench {

/// A straightforward engine: hash maps of documents, and a std::set of their deadlines. It follows all rules. A new
/// default files every document again.
///
/// Only an empty engine may be copied, because its sets hold addresses of documents.
class StraightforwardEngine {
 public:
  Outcome create_collection(Instant now, const std::string& name, const Definition& definition);
  Outcome replace_collection(Instant now, const std::string& name, const Definition& definition);
  Outcome read_collection(Instant now, const std::string& name);
  Outcome delete_collection(Instant now, const std::string& name);

  Outcome create(Instant now, const DocumentKey& key, const Content& content) {
    return write(now, key, content, Status::conflict, Status::created);
  }
  Outcome replace(Instant now, const DocumentKey& key, const Content& content) {
    return write(now, key, content, Status::ok, Status::not_found);
  }
  Outcome upsert(Instant now, const DocumentKey& key, const Content& content) {
    return write(now, key, content, Status::ok, Status::created);
  }
  Outcome patch(Instant now, const DocumentKey& key, const Patch& patch);
  Outcome read(Instant now, const DocumentKey& key);
  Outcome erase(Instant now, const DocumentKey& key);
  Outcome query(Instant now, const std::string& name, const std::optional<std::string>& partition);
  Outcome count(Instant now, const std::string& name, const std::optional<std::string>& partition);

  Outcome purge(Instant now, Budget budget);
  Outcome index(Instant now, const std::string& name, Budget budget);
  Outcome held(Instant now);

 private:
  struct Stored {
    mayfly::Document document;
    std::optional<Instant> deadline;
    bool expired = false;
  };
  using Partition = std::unordered_map<std::string, Stored>;

  struct Collection {
    Settings settings;
    std::unordered_map<std::string, Partition> partitions;
    std::set<std::pair<Instant, Stored*>> deadlines;
    std::unordered_set<Stored*> expired;

    void settle(Instant now);
    Stored* find_live(const DocumentKey& key);
    void file(Stored& stored);
    void unfile(Stored& stored);
    void remove(Stored& stored);
    Outcome store(mayfly::Document document, Status status);
  };

  Collection* find(Instant now, const std::string& name);
  Outcome write(Instant now, const DocumentKey& key, const Content& content, Status live, Status none);

  std::unordered_map<std::string, Collection> collections_;
};

static_assert(Store<StraightforwardEngine>);

}  // namespace mayfly::bench
