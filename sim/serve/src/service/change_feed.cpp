#include "mayfly/serve/service/change_feed.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "mayfly/rest/http_date.hpp"
#include "mayfly/rest/lower_case.hpp"
#include "mayfly/serve/service/effective_key.hpp"
#include "mayfly/serve/service/item_operation.hpp"
#include "mayfly/serve/service/item_text.hpp"
#include "mayfly/serve/service/paging.hpp"

// The change feed, as the service's "latest version" mode. A client goes on with the etag of the answer before, which
// has the version of the last write that it was shown. An item that was written again moves to its new place in the
// order, and one that was deleted or has expired is no longer in it: nothing tells a client of either.

namespace mayfly::serve {

namespace {

/// Where a feed begins: after a write, and at a second.
struct Beginning {
  std::uint64_t after = 0;
  Instant since{Seconds{std::numeric_limits<std::int64_t>::min()}};
};

std::uint64_t version_in(std::string_view etag, const std::string& start) {
  std::string_view text = etag;
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  std::uint64_t version = 0;
  const bool is_of_this = text.starts_with(start);
  const char* digits = text.data() + (is_of_this ? start.size() : 0);
  const auto [end, problem] = std::from_chars(digits, text.data() + text.size(), version);
  if (!is_of_this || problem != std::errc() || end != text.data() + text.size())
    throw Refusal(400,
                  "The header if-none-match is not an etag of this container's change feed: the container or the "
                  "server is another one now. Read from the beginning.");
  return version;
}

Beginning beginning_of(const Call& call, const Container& container) {
  const auto etag = call.request.field("if-none-match");
  if (etag == "*") return {.after = call.account.last_number()};
  if (etag && !etag->empty()) return {.after = version_in(*etag, call.account.feed_start(container))};
  const auto date = call.request.field("if-modified-since");
  if (!date || date->empty()) return {};
  const auto since = rest::parse_http_date(*date);
  if (!since) throw Refusal(400, "The header if-modified-since is not a date such as Tue, 14 Nov 2023 22:13:20 GMT.");
  return {.since = *since};
}

void check_mode(std::string_view mode) {
  constexpr std::string_view latest = "incremental feed";
  if (!std::equal(mode.begin(), mode.end(), latest.begin(), latest.end(),
                  [](char sent, char known) { return rest::lower_case(sent) == known; }))
    throw Refusal(
        400, fmt::format("The change feed supports the mode 'Incremental Feed' (latest version), not '{}'.", mode));
}

void append_change(std::string& out, const Container& container, const Document& item) {
  append_shown(out, container, item);
  out.pop_back();  // the brace
  out += fmt::format(",\"_lsn\":{}}}", unpack(item.value).version);
}

}  // namespace

Response answer_changes(const Call& call, const Container& container) {
  check_mode(call.request.field("a-im").value_or(""));
  const auto partition = named_partition(call.request, container.key);
  const auto range = named_range(call.request, container.key);
  const Beginning beginning = beginning_of(call, container);
  Page page(container.rid_text, "Documents", PageRequest(call.request).most_items);
  double charge = 1;
  const auto mark = call.account.walk_writes(call.now, container, beginning.after, [&](const Document& item) {
    if (item.ts < beginning.since || (partition && item.partition != *partition)) return true;
    if (range && !range->has(item.partition)) return true;
    append_change(page.next(), container, item);
    ++charge;
    return page.has_room();
  });
  Response response = page.finish(charge, "");
  response.etag = fmt::format("\"{}{}\"", call.account.feed_start(container), mark.version);
  if (response.item_count == 0 && mark.is_last) {
    response.status = 304;
    response.body.clear();
  }
  return response;
}

}  // namespace mayfly::serve
