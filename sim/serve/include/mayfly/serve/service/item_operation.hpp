#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>

#include "mayfly/serve/service/account.hpp"
#include "mayfly/serve/service/message.hpp"

// One operation on one item, in two steps: what it would do is planned from the item as it is, and then done. A
// transactional batch plans all of its operations, each on what the ones before would leave behind, and does them only
// if none fails.

namespace mayfly::serve {

/// The largest item, in bytes of text.
inline constexpr std::size_t most_item_bytes = 2 * 1024 * 1024;

/// An item as a client writes it.
struct NewItem {
  /// Throws Refusal: it must be an object with a valid id, a valid ttl (T3), and not too long.
  NewItem(std::string_view body, const PartitionKey& key);

  ItemPlace place;
  std::string text;  ///< to be kept
  TtlField ttl;
};

struct ItemPatch {
  /// From a list of operations, or an object with `operations` and `condition`. Throws Refusal.
  explicit ItemPatch(std::string_view body);

  boost::json::array operations;
  std::string condition;
};

struct ItemOperation {
  enum class Kind { create, upsert, replace, patch, read, erase };

  Kind kind = Kind::read;
  ItemPlace place;
  std::optional<NewItem> item;     ///< to create, upsert and replace with
  std::optional<ItemPatch> patch;  ///< to patch with
  std::string if_match;            ///< none if empty, as the next one
  std::string if_none_match;
};

struct ItemPlan {
  enum class Effect { none, put, erase };

  Response response;
  Effect effect = Effect::none;
  Content content;  ///< to put
};

/// What comes of the operation on the item that is there, if any. Throws Refusal if it must fail.
ItemPlan plan(Account& account, const Container& container, const ItemOperation& operation,
              const std::optional<Document>& current, Instant now);

/// Does it, and says what it cost. The content is then no longer the plan's.
Charge carry_out(Account& account, const Container& container, const ItemPlace& place, ItemPlan& plan, Instant now);

/// Appends an item of the engine as clients see it.
void append_shown(std::string& out, const Container& container, const Document& document);

}  // namespace mayfly::serve
