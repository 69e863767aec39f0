#include "mayfly/serve/service/item_feed.hpp"

#include <algorithm>

#include "mayfly/serve/service/change_feed.hpp"
#include "mayfly/serve/service/effective_key.hpp"
#include "mayfly/serve/service/item_operation.hpp"
#include "mayfly/serve/service/paging.hpp"

// All items of a container, or those that a query selects, page by page.
//
// Items are shown in the order of their numbers, which is that of their creation, and a page goes on after a number:
// see ItemQuery::run. An item keeps its number as long as it lives, so expiry, purging, deletion and creation between
// two pages neither hide nor duplicate an item that stays.

namespace mayfly::serve {

namespace {

using engine::Sight;

/// The plan of every query: send it as it is to the one range of partition keys.
constexpr std::string_view query_plan =
    R"({"partitionedQueryExecutionInfoVersion":2,"queryInfo":{"distinctType":"None","aggregates":[]},)"
    R"("queryRanges":[{"min":"","max":"FF","isMinInclusive":true,"isMaxInclusive":false}]})";

Document shown_document(const engine::StoredDocument& stored) {
  const Ttl ttl = stored.ttl == 0 ? Ttl{Inherit{}} : stored.ttl < 0 ? Ttl{Never{}} : Ttl{Seconds{stored.ttl}};
  return {stored.partition, stored.id, stored.value, stored.ts, ttl};
}

/// Items as a query reads them.
class ContainerItems : public QueryItems {
 public:
  ContainerItems(const Call& call, const Container& container, Account::Selection selection)
      : call_(call), container_(container), selection_(std::move(selection)) {}

  void walk(std::uint64_t after, const std::function<bool(const Item&)>& visit) const override {
    Account::Selection selection = selection_;
    selection.after = after;
    call_.account.walk(call_.now, container_, selection, [&](std::uint64_t number, const auto* stored) {
      if (stored) ++read_;
      return visit({number, stored});
    });
  }
  void append_text(std::string& out, const void* place) const override {
    append_shown(out, container_, shown_document(*static_cast<const engine::StoredDocument*>(place)));
  }

  /// How many items the query has read.
  std::size_t read() const { return read_; }

 private:
  const Call& call_;
  const Container& container_;
  const Account::Selection selection_;
  mutable std::size_t read_ = 0;
};

PageRequest page_request(const Call& call, const Container& container) {
  return PageRequest(call.request, call.account.token_start(container));
}

/// The items of the partition or the range of partitions that the request names, or all.
Account::Selection named_selection(const Call& call, const Container& container, Sight sight, std::uint64_t after = 0) {
  return {sight, named_partition(call.request, container.key), after, named_range(call.request, container.key)};
}

/// Whether a query may read more than one partition, or reads one only.
bool has_leave(const Request& request, const Container& container, const ItemQuery& query) {
  if (request.says_true("x-ms-documentdb-query-enablecrosspartition")) return true;
  if (request.field("x-ms-documentdb-partitionkeyrangeid")) return true;
  const auto& paths = container.key.paths();
  return std::all_of(paths.begin(), paths.end(), [&](const auto& path) { return query.fixes(path); });
}

}  // namespace

Response read_items(const Call& call, const Container& container) {
  if (call.request.field("a-im")) return answer_changes(call, container);
  const PageRequest wanted = page_request(call, container);
  Page page(container.rid_text, "Documents", wanted.most_items);
  WorkMeter work;
  double charge = 1;
  std::uint64_t last = wanted.after();
  std::string next;
  const Account::Selection selection = named_selection(call, container, Sight::live, last);
  call.account.walk(call.now, container, selection, [&](std::uint64_t number, const auto* stored) {
    work.take(1);
    if (work.is_half_used() || (stored && !page.has_room())) next = wanted.token(last);
    if (!next.empty()) return false;
    last = number;
    if (!stored) return true;
    append_shown(page.next(), container, shown_document(*stored));
    ++charge;
    return true;
  });
  return page.finish(charge, next);
}

Response query_items(const Call& call, const Container& container) {
  if (call.request.says_true("x-ms-cosmos-is-query-plan-request")) return {.body = std::string(query_plan)};
  if (container.settings.indexing == Indexing::none)  // I6
    throw Refusal(400, "The container's indexing mode is none: it cannot be queried, only read.");
  const Account::Selection selection = named_selection(call, container, Sight::queried);
  const ItemQuery query = query_in(call.request);
  if (!selection.partition && !has_leave(call.request, container, query))
    throw Refusal(400,
                  "Cross partition query is required but disabled. Please set "
                  "x-ms-documentdb-query-enablecrosspartition to true, specify x-ms-documentdb-partitionkey, or revise "
                  "your query to avoid this exception.");
  const PageRequest wanted = page_request(call, container);
  const ContainerItems items(call, container, selection);
  Response response = query_page(call, query, items, Page(container.rid_text, "Documents", wanted.most_items), wanted);
  response.charge += static_cast<double>(items.read());
  return response;
}

}  // namespace mayfly::serve
