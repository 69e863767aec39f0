#include "mayfly/serve/service/call.hpp"

#include <fmt/format.h>

#include "mayfly/serve/service/item_text.hpp"

namespace mayfly::serve {

std::optional<std::string> named_partition(const Request& request, const PartitionKey& key) {
  const auto header = request.field("x-ms-documentdb-partitionkey");
  if (!header || header->empty()) return std::nullopt;
  return key.partition_in(*header);
}

Container& owner(const Call& call) {
  try {
    return call.account.container(call.account.database(call.address[1]), call.address[3]);
  } catch (const Refusal& refusal) {
    throw Refusal(refusal.status(), refusal.what(), no_owner);
  }
}

void refuse_verb(const Call& call) {
  const auto verb = name_of(call.request.verb);
  throw Refusal(405, fmt::format("This resource does not support {}.", verb.empty() ? "this method" : verb));
}

void check_if_match(const Request& request, std::uint64_t version) {
  const auto condition = request.field("if-match");
  if (condition && !is_met_by(*condition, etag_of(version)))
    throw Refusal(412, "The resource has changed: its etag is not the one in if-match.");
}

Response unless_known(const Request& request, Response response) {
  const auto condition = request.field("if-none-match");
  if (!condition || !is_met_by(*condition, response.etag)) return response;
  return {.status = 304, .etag = std::move(response.etag)};
}

}  // namespace mayfly::serve
