#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <string>

#include "mayfly/model/reference.hpp"
#include "mayfly/sim/operation_info.hpp"

namespace mayfly {

/// The requests that observe everything: the settings and the documents of every collection that was ever named. If the
/// collection has an index, a query shows its documents. If the index is not consistent, every identity ever named is
/// also read, because a query may be incomplete (I3) or rejected (I6) there, and a read never is (I5). The document
/// that was named last is also read, or its partition queried, by turns: a store may find it there in other ways than
/// in a query of everything.
///
/// After an operation only what it may have changed by the rules is observed, and after one on a document the query of
/// everything takes turns with the two others. A store that changes something else shows it in the observation after a
/// later operation: after a step of the clock all documents are observed, and after the last operation everything.
///
/// With more than `crowd` documents, everything is observed only after an operation that may change many of them at
/// once, and only `crowd` of the reads are sent, the next ones each time. Otherwise the cost of every operation would
/// grow with the number of documents.
class FullObservation {
 public:
  using Reads = ReferenceStore::MapByIdentity<Step>;
  struct AtCollection {
    Step settings;
    Step documents;
    Reads reads;
  };
  using Collections = std::map<std::string, AtCollection>;

  FullObservation() = default;
  FullObservation(const FullObservation&) = delete;
  FullObservation& operator=(const FullObservation&) = delete;

  /// Takes in what the operation names, and what it may have changed if this is the answer to it.
  void remember(const Operation& operation, Status answer);

  /// The operation was the last of its case: everything is to be observed.
  void end() { extent_ = Extent::everything; }

  /// Calls `ask(request)` for one request after the other, until it returns false. Requires that the reference has
  /// taken the operation that was remembered last.
  template <class Ask>
  void ask_all(const ReferenceStore& reference, Ask ask) const {
    if (extent_ == Extent::document || extent_ == Extent::collection) {
      ask_at(*named_, reference, ask);
    } else if (extent_ != Extent::nothing) {
      for (const auto& entry : collections_)
        if (!ask_at(entry, reference, ask)) return;
    }
  }

  /// Whether these requests show something of the collection of this name, and what has become of a document in it.
  /// It is null if it does not exist.
  bool shows(const std::string& collection) const;
  bool shows(const ReferenceStore::Identity& identity, const ReferenceStore::Collection* collection) const;

  const Collections& collections() const { return collections_; }

 private:
  /// What is observed.
  enum class Extent {
    nothing,
    document,    ///< the document that was named last, or what a query shows with it
    collection,  ///< the settings and documents of the collection that was named last
    documents,   ///< those of all collections
    everything,
  };

  Extent extent_of(const Operation& operation, Status answer) const;
  Collections::value_type& at(const std::string& name);

  bool ask_at(const Collections::value_type& entry, const ReferenceStore& reference, auto& ask) const {
    const auto& [name, requests] = entry;
    const bool are_settings_asked = extent_ == Extent::collection || extent_ == Extent::everything;
    if (are_settings_asked && !ask(requests.settings)) return false;
    const auto found = reference.collections().find(name);
    const bool exists = found != reference.collections().end();
    if (!exists && !are_settings_asked) return true;
    const Indexing indexing = exists ? found->second.settings.indexing : Indexing::none;
    const bool is_one = extent_ == Extent::document;
    const bool is_by_turns = is_one && indexing == Indexing::consistent;
    if (indexing != Indexing::none && (!is_by_turns || turn_ % 3 == 0) && !ask(requests.documents)) return false;
    if (indexing != Indexing::none && &entry == touched_in_ && !ask_touched(name, indexing, ask)) return false;
    if (indexing == Indexing::consistent) return true;
    return is_one ? ask(touched_->second) : ask_reads(requests.reads, ask);
  }

  // The document's partition or the document. Where the index is not consistent, all are read anyway.
  bool ask_touched(const std::string& collection, Indexing indexing, auto& ask) const {
    if (turn_ % 3 == 1) return ask(Step(Query{{collection, touched_->first.first}}));
    return turn_ % 3 != 2 || indexing != Indexing::consistent || ask(touched_->second);
  }

  bool ask_reads(const Reads& reads, auto& ask) const {
    const std::size_t first = reads.size() > crowd ? turn_ * crowd % reads.size() : 0;
    auto read = std::next(reads.begin(), static_cast<std::ptrdiff_t>(first));
    for (std::size_t asked = 0; asked < crowd && read != reads.end(); ++asked, ++read)
      if (!ask(read->second)) return false;
    return true;
  }

  static constexpr std::size_t crowd = 64;  ///< documents

  Collections collections_;
  std::size_t documents_ = 0;  ///< that were ever named
  std::size_t turn_ = 0;
  Extent extent_ = Extent::nothing;
  Collections::value_type* named_ = nullptr;    ///< the collection that was named last
  const Reads::value_type* touched_ = nullptr;  ///< the document that was named last
  const Collections::value_type* touched_in_ = nullptr;
};

}  // namespace mayfly
