#pragma once

#include <boost/intrusive/set.hpp>

#include "key.hpp"

namespace mayfly::bench {

/// boost::intrusive::multiset in the order of the deadlines: a red-black tree with its links in the documents, which
/// allocates nothing.
class IntrusiveMultiset {
  using Hook = boost::intrusive::set_base_hook<boost::intrusive::optimize_size<true>,
                                               boost::intrusive::link_mode<boost::intrusive::normal_link>>;

 public:
  static constexpr std::string_view name = "boost::intrusive::multiset";
  struct Fields : Hook {
    Key key = 0;
    bool operator<(const Fields& other) const { return key < other.key; }
  };

  explicit IntrusiveMultiset(Documents<Fields>& documents) : documents_(documents) {}

  void write(Slot slot, Instant now, TtlNumber ttl) {
    auto& document = documents_[slot];
    if (document.can_expire()) tree_.erase(tree_.iterator_to(document.fields));
    document.write(now, ttl);
    if (document.can_expire()) insert(document, key(documents_.deadline(document), slot));
  }

  void erase(Slot slot) {
    auto& document = documents_[slot];
    if (document.can_expire()) tree_.erase(tree_.iterator_to(document.fields));
    document.stored = false;
  }

  void set_default(Instant, Seconds default_ttl) {
    documents_.default_ttl = default_ttl;
    tree_.clear();
    for (const Key key : sorted_keys(documents_)) insert(documents_[slot_of(key)], key);
  }

  template <class F>
  bool expire(Instant now, Budget budget, F f) {
    const Key end = end_of(now);
    for (; !tree_.empty() && tree_.begin()->key < end; --budget.units) {
      if (budget.units == 0) return false;
      const Slot slot = slot_of(tree_.begin()->key);
      tree_.erase(tree_.begin());
      documents_[slot].stored = false;
      f(slot);
    }
    return true;
  }

  Instant next() const { return tree_.empty() ? never : second_of(tree_.begin()->key); }

 private:
  void insert(Document<Fields>& document, Key key) {
    document.fields.key = key;
    tree_.insert(tree_.end(), document.fields);
  }

  Documents<Fields>& documents_;
  boost::intrusive::multiset<Fields, boost::intrusive::constant_time_size<false>> tree_;
};

}  // namespace mayfly::bench
