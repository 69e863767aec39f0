#pragma once

#include <optional>
#include <string>

#include <boost/container/flat_map.hpp>

#include "mayfly/model/reference.hpp"
#include "mayfly/sim/operation_info.hpp"

namespace mayfly {

/// The requests that show everything that can be seen: the settings of every collection that was ever named, and its
/// documents. By a query where there is an index; where it is not consistent also by reads of every identity ever
/// named, because there a query may be incomplete (I3) or rejected (I6), and a read never is (I5). The document that
/// was named last is also read, or its partition queried, by turns: a store may find it in other ways there than by a
/// query of everything.
class FullObservation {
 public:
  struct AtCollection {
    Operation settings;
    Operation documents;
    // A case names few identities, each read after every operation: a sorted array is the fastest to walk.
    boost::container::flat_map<ReferenceStore::Identity, Operation> reads;
  };

  /// Takes in what the operation names.
  void remember(const Operation& operation);

  /// Calls `ask(request)` for one request after the other. It returns what the rules allow as the answer, which decides
  /// what is asked next, or nothing if that is enough.
  template <class Ask>
  void ask_all(Ask ask) const {
    for (const auto& [name, requests] : collections_)
      if (!ask_all(requests, name == touched_.collection ? &touched_ : nullptr, ask)) return;
  }

  const boost::container::flat_map<std::string, AtCollection>& collections() const { return collections_; }

 private:
  /// The document that was named last.
  struct Touched {
    std::string collection;
    Operation read;
    Operation partition;
    bool is_to_be_read = false;
  };

  AtCollection& at(const std::string& name);

  static bool ask_all(const AtCollection& requests, const Touched* touched, auto& ask) {
    const Expectation* settings = ask(requests.settings);
    if (!settings) return false;
    const std::optional<Indexing> indexing = settings->answer.indexing;
    const bool has_index = indexing == Indexing::consistent || indexing == Indexing::lazy;
    if (has_index && !ask(requests.documents)) return false;
    if (has_index && touched && !ask(touched->is_to_be_read ? touched->read : touched->partition)) return false;
    if (indexing == Indexing::consistent) return true;
    for (const auto& [identity, read] : requests.reads)
      if (!ask(read)) return false;
    return true;
  }

  boost::container::flat_map<std::string, AtCollection> collections_;
  Touched touched_;
};

}  // namespace mayfly
