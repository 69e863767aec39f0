#include "mayfly/serve/service/paging.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "mayfly/serve/message/json_text.hpp"

namespace mayfly::serve {

namespace json = boost::json;

namespace {

template <class Number>
Number number_in(std::string_view name, std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size())
    throw Refusal(400, fmt::format("The header {} is not valid.", name));
  return number;
}

}  // namespace

PageRequest::PageRequest(const Request& request, std::string start) : token_start(std::move(start)) {
  if (const auto most = request.field("x-ms-max-item-count"); most && !most->empty()) {
    const auto number = number_in<std::int64_t>("x-ms-max-item-count", *most);
    if (number < -1 || number == 0) throw Refusal(400, "The header x-ms-max-item-count is not valid.");
    // -1 leaves the number to the server.
    most_items = number < 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(number);
  }
  if (const auto token = request.field("x-ms-continuation"); token && !token->empty()) {
    if (!token->starts_with(token_start))
      throw Refusal(
          400,
          "The header x-ms-continuation is not valid: it belongs to another container, or is older than the last "
          "start, reset or failed write of the server. Read from the first page.");
    from = token->substr(token_start.size());
    if (from.empty()) throw Refusal(400, "The header x-ms-continuation is not valid.");
  }
}

std::uint64_t PageRequest::after() const {
  return from.empty() ? 0 : number_in<std::uint64_t>("x-ms-continuation", from);
}

Page::Page(std::string_view rid, std::string_view kind, std::size_t most_items) : most_items_(most_items) {
  body_ = fmt::format("{{\"_rid\":\"{}\",\"{}\":[", rid, kind);
}

bool Page::has_room() const { return count_ == 0 || (count_ < most_items_ && body_.size() < most_bytes); }

std::string& Page::next() {
  if (count_++ > 0) body_ += ',';
  return body_;
}

Response Page::finish(double charge, const std::string& continuation) {
  body_ += fmt::format("],\"_count\":{}}}", count_);
  return {.body = std::move(body_), .charge = charge, .continuation = continuation, .item_count = count_};
}

// The old client for .NET says of reading a feed that it is a query, too.
bool is_query(const Request& request) {
  return request.verb == Verb::post &&
         (request.says_true("x-ms-documentdb-isquery") ||
          request.field("content-type").value_or("").starts_with("application/query+json"));
}

ItemQuery query_in(const Request& request) {
  const json::object body = parse_json_object(request.body);
  const json::value* text = body.if_contains("query");
  const json::value* parameters = body.if_contains("parameters");
  if (!text || !text->is_string()) throw Refusal(400, "A query needs its text in \"query\".");
  if (parameters && !parameters->is_array() && !parameters->is_null())
    throw Refusal(400, "The parameters of a query must be a list.");
  const json::array* list = parameters ? parameters->if_array() : nullptr;
  try {
    return ItemQuery::parse(text->get_string(), list ? *list : json::array());
  } catch (const QueryError& problem) {
    throw Refusal(400, problem.what());
  }
}

Response query_page(const Call& call, const ItemQuery& query, const QueryItems& items, Page page,
                    const PageRequest& wanted) {
  constexpr double charge = 2;
  WorkMeter work;
  const auto show = [&](std::string_view row) {
    page.next() += row;
    return page.has_room();
  };
  try {
    const std::string next = query.run(items, call.now, {wanted.from, wanted.most_items, show}, work);
    return page.finish(charge, next.empty() ? next : wanted.token_start + next);
  } catch (const QueryError& problem) {
    throw Refusal(400, problem.what());
  }
}

namespace {

/// Requires that the resources are sorted by their numbers.
class ListedItems : public QueryItems {
 public:
  explicit ListedItems(const std::vector<Listed>& all) : all_(all) {}

  void walk(std::uint64_t after, const std::function<bool(const Item&)>& visit) const override {
    for (const Listed& each : all_)
      if (each.number > after && !visit({each.number, &each})) return;
  }
  void append_text(std::string& out, const void* place) const override {
    out += json::serialize(static_cast<const Listed*>(place)->resource);
  }

 private:
  const std::vector<Listed>& all_;
};

}  // namespace

Response list_page(const Call& call, std::string_view rid, std::string_view kind, std::vector<Listed> all) {
  const PageRequest wanted(call.request);
  std::sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) { return a.number < b.number; });
  Page page(rid, kind, wanted.most_items);
  if (is_query(call.request))
    return query_page(call, query_in(call.request), ListedItems(all), std::move(page), wanted);
  const std::uint64_t after = wanted.after();
  std::uint64_t last = after;
  for (const Listed& each : all) {
    if (each.number <= after) continue;
    if (!page.has_room()) return page.finish(1, wanted.token(last));
    page.next() += json::serialize(each.resource);
    last = each.number;
  }
  return page.finish(1, "");
}

}  // namespace mayfly::serve
