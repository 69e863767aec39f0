#pragma once

#include <variant>

#include "mayfly/model/store.hpp"
#include "mayfly/sim/clock.hpp"
#include "mayfly/sim/operation.hpp"

namespace mayfly {

namespace detail {

template <Store S>
class Call {
 public:
  using Answer = decltype(std::declval<S&>().read({}, {}));

  Call(S& store, Clock& clock) : store_(store), clock_(clock), now_(clock.now()) {}

  Answer operator()(const Advance& o) const { return Answer{clock_.advance(o.seconds)}; }
  Answer operator()(const CreateCollection& o) const {
    return store_.create_collection(now_, o.collection, o.definition);
  }
  Answer operator()(const ReplaceCollection& o) const {
    return store_.replace_collection(now_, o.collection, o.definition);
  }
  Answer operator()(const ReadCollection& o) const { return store_.read_collection(now_, o.collection); }
  Answer operator()(const DeleteCollection& o) const { return store_.delete_collection(now_, o.collection); }
  Answer operator()(const Create& o) const { return store_.create(now_, o.key, o.content); }
  Answer operator()(const Replace& o) const { return store_.replace(now_, o.key, o.content); }
  Answer operator()(const Upsert& o) const { return store_.upsert(now_, o.key, o.content); }
  Answer operator()(const PatchDocument& o) const { return store_.patch(now_, o.key, o.patch); }
  Answer operator()(const Read& o) const { return store_.read(now_, o.key); }
  Answer operator()(const Delete& o) const { return store_.erase(now_, o.key); }
  Answer operator()(const Query& o) const { return store_.query(now_, o.collection, o.partition); }
  Answer operator()(const Count& o) const { return store_.count(now_, o.collection, o.partition); }
  Answer operator()(const Purge& o) const { return store_.purge(now_, o.budget); }
  Answer operator()(const Index& o) const { return store_.index(now_, o.collection, o.budget); }
  Answer operator()(const Held&) const { return store_.held(now_); }

 private:
  S& store_;
  Clock& clock_;
  Instant now_;
};

}  // namespace detail

/// Turns an operation into a call of the store or the clock. The only place where operations and stores meet; every
/// driver is a loop over it.
template <Store S>
auto apply(S& store, Clock& clock, const Operation& operation) {
  return std::visit(detail::Call<S>{store, clock}, operation);
}

}  // namespace mayfly
