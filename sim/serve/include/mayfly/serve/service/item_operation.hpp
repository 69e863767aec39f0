#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>

#include "mayfly/serve/message/message.hpp"
#include "mayfly/serve/service/account.hpp"

// One operation on one item, in two steps: `plan` computes the effect from the current item, and `carry_out` executes
// it. A transactional batch plans all of its operations, each on the state that the previous ones would produce, and
// executes them only if none fails.

namespace mayfly::serve {

/// The largest item, in bytes of text.
inline constexpr std::size_t most_item_bytes = 2 * 1024 * 1024;

/// An item as a client writes it.
struct NewItem {
  /// Throws Refusal unless the body is an object with a valid id and a valid ttl (T3), and not too long.
  NewItem(std::string_view body, const PartitionKey& key);

  ItemPlace place;
  std::string text;  ///< as the engine stores it
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
  std::optional<NewItem> item;     ///< for create, upsert and replace
  std::optional<ItemPatch> patch;  ///< for patch
  std::string if_match;            ///< none if empty, like the next
  std::string if_none_match;
};

struct ItemPlan {
  enum class Effect { none, put, erase };

  Response response;
  Effect effect = Effect::none;
  Content content;  ///< for put
};

/// The items of a container as an operation finds them: as they are, or as the earlier operations of a batch would
/// leave them.
class ItemView {
 public:
  ItemView(Account& account, const Container& container, Instant now)
      : account_(account), container_(container), now_(now) {}

  Outcome read(const ItemPlace& place) const;

  /// Plans the operation on the current item, if there is one. Throws Refusal if the operation fails.
  ItemPlan plan(const ItemOperation& operation, const std::optional<Document>& current) const;

  /// From now on, items are seen as this plan would leave them. All are of one partition.
  void note(const ItemPlace& place, const ItemPlan& plan);

 private:
  void check_unique(const ItemPlace& place, const Content& content) const;
  bool has_key(const ItemPlace& place, const std::string& unique_key) const;

  Account& account_;
  const Container& container_;
  Instant now_;
  std::map<std::string, std::optional<Document>> changed_;  ///< by id
  std::map<std::string, std::string> holders_;              ///< ids by the texts of unique keys
};

/// Executes the plan and returns the charge. Moves the content out of the plan.
Charge carry_out(Account& account, const Container& container, const ItemPlace& place, ItemPlan& plan, Instant now);

/// Appends an item of the engine as clients see it.
void append_shown(std::string& out, const Container& container, const Document& document);

}  // namespace mayfly::serve
