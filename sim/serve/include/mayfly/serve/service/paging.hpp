#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "mayfly/serve/message/message.hpp"
#include "mayfly/serve/query/item_query.hpp"
#include "mayfly/serve/service/call.hpp"

namespace mayfly::serve {

/// The part of a feed that a request asks for.
struct PageRequest {
  /// Tokens of this feed begin with `token_start`. Throws Refusal if `x-ms-max-item-count` or `x-ms-continuation` is
  /// invalid.
  explicit PageRequest(const Request& request, std::string token_start = {});

  /// The number after which the page goes on; 0 for the first page. Throws Refusal if the token says no number.
  std::uint64_t after() const;

  /// The token of a page that goes on after this number.
  std::string token(std::uint64_t number) const { return token_start + std::to_string(number); }

  std::size_t most_items = 100;
  std::string from;  ///< the token without its start; empty for the first page
  std::string token_start;
};

/// Builds a page of a feed: JSON text, one element after the other.
class Page {
 public:
  /// `kind` is the name of the list, such as Documents.
  Page(std::string_view rid, std::string_view kind, std::size_t most_items);

  /// Whether there is room for another element. The first element always fits.
  bool has_room() const;

  /// The text to append an element to.
  std::string& next();

  Response finish(double charge, const std::string& continuation);

 private:
  static constexpr std::size_t most_bytes = 4 * 1024 * 1024;

  std::size_t most_items_;
  std::size_t count_ = 0;
  std::string body_;
};

/// A resource in a feed of databases or containers.
struct Listed {
  std::uint64_t number = 1;  ///< at least 1
  boost::json::object resource;
};

/// A page of resources in the order of their numbers, or of those that the request's query selects.
Response list_page(const Call& call, std::string_view rid, std::string_view kind, std::vector<Listed> all);

/// A page of the results of the request's query on these items. Throws Refusal.
Response query_page(const Call& call, const ItemQuery& query, const QueryItems& items, Page page,
                    const PageRequest& wanted);

/// Whether a POST is a query rather than a creation.
bool is_query(const Request& request);

/// The query in a request's body. Throws Refusal.
ItemQuery query_in(const Request& request);

}  // namespace mayfly::serve
