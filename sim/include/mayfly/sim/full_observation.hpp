#pragma once

#include <cstddef>
#include <iterator>
#include <map>
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
///
/// Of a crowd, which is any larger number of documents, everything is observed only after an operation that may change
/// many of them at once, and of its reads each time some others are asked: otherwise a case would take as long as its
/// crowd is large, once for each of its operations.
class FullObservation {
 public:
  struct AtCollection {
    Operation settings;
    Operation documents;
    std::map<ReferenceStore::Identity, Operation> reads;
  };

  /// Takes in what the operation names.
  void remember(const Operation& operation);

  /// Whether everything is to be observed after the operation, which is not remembered yet. After the last of a case
  /// it always is.
  bool is_due(const Operation& operation) const;

  /// Calls `ask(request)` for one request after the other. It returns what the rules allow as the answer, which decides
  /// what is asked next, or nothing if that is enough.
  template <class Ask>
  void ask_all(Ask ask) const {
    for (const auto& [name, requests] : collections_)
      if (!ask_all(requests, name == touched_.collection ? &touched_ : nullptr, turn_, ask)) return;
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

  static bool ask_all(const AtCollection& requests, const Touched* touched, std::size_t turn, auto& ask) {
    const Expectation* settings = ask(requests.settings);
    if (!settings) return false;
    const std::optional<Indexing> indexing = settings->answer.indexing;
    const bool has_index = indexing == Indexing::consistent || indexing == Indexing::lazy;
    if (has_index && !ask(requests.documents)) return false;
    if (has_index && touched && !ask(touched->is_to_be_read ? touched->read : touched->partition)) return false;
    if (indexing == Indexing::consistent) return true;
    const auto& reads = requests.reads;
    const std::size_t first = reads.size() > crowd ? turn * crowd % reads.size() : 0;
    auto read = std::next(reads.begin(), static_cast<std::ptrdiff_t>(first));
    for (std::size_t asked = 0; asked < crowd && read != reads.end(); ++asked, ++read)
      if (!ask(read->second)) return false;
    return true;
  }

  static constexpr std::size_t crowd = 64;  ///< documents: more of them are one

  boost::container::flat_map<std::string, AtCollection> collections_;
  std::size_t documents_ = 0;  ///< that were ever named
  std::size_t turn_ = 0;
  Touched touched_;
};

}  // namespace mayfly
