#include "mayfly/serve/service/batch.hpp"

#include <map>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "mayfly/serve/message/json_text.hpp"
#include "mayfly/serve/service/hybrid_row.hpp"
#include "mayfly/serve/service/item_operation.hpp"

// Several operations in one request. In an atomic batch, all are planned, each on the state that the previous ones
// would produce, and only then executed, so a failure leaves nothing to undo. Otherwise each operation is independent
// of the others, and may be in any partition.

namespace mayfly::serve {

namespace json = boost::json;

namespace {

using Kind = ItemOperation::Kind;

constexpr std::size_t most_operations = 100;
constexpr std::size_t most_held_bytes = 2 * 1024 * 1024;

Kind kind_named(std::string_view name) {
  if (name == "Create") return Kind::create;
  if (name == "Upsert") return Kind::upsert;
  if (name == "Replace") return Kind::replace;
  if (name == "Patch") return Kind::patch;
  if (name == "Read") return Kind::read;
  if (name == "Delete") return Kind::erase;
  throw Refusal(400, fmt::format("There is no operation '{}' in a batch.", name));
}

std::string text_of(std::string_view member) {
  const json::value value = parse_json(member);
  return value.is_string() ? std::string(std::string_view(value.get_string())) : json::serialize(value);
}

WrittenOperation read_members(std::string_view element) {
  if (!element.starts_with('{')) throw Refusal(400, "Each operation of a batch must be an object.");
  WrittenOperation written;
  for_each_member(element, [&](std::string_view quoted, std::string_view value) {
    const std::string name = decoded_name(quoted);
    if (name == "resourceBody") written.body = value;
    if (value == "null") return;
    if (name == "operationType") written.kind = text_of(value);
    if (name == "id") written.id = text_of(value);
    if (name == "ifMatch") written.if_match = text_of(value);
    if (name == "ifNoneMatch") written.if_none_match = text_of(value);
    if (name == "partitionKey") written.partition = text_of(value);
  });
  return written;
}

std::vector<WrittenOperation> parse_json_batch(std::string_view text) {
  const json::value body = parse_json(text);
  if (!body.is_array()) throw Refusal(400, "A batch must be a list of operations.");
  if (body.get_array().size() > most_operations)
    throw Refusal(400, fmt::format("A batch may have at most {} operations.", most_operations));
  std::vector<WrittenOperation> operations;
  for_each_element(text, [&](std::string_view element) { operations.push_back(read_members(element)); });
  return operations;
}

ItemOperation parse_operation(const Container& container, const WrittenOperation& written,
                              const std::optional<std::string>& partition) {
  ItemOperation operation;
  operation.kind = kind_named(written.kind);
  operation.if_match = written.if_match;
  operation.if_none_match = written.if_none_match;
  const auto own = written.partition.empty() ? partition : container.key.partition_in(written.partition);
  operation.place = {own.value_or(""), written.id};
  if (operation.kind == Kind::patch) {
    operation.patch.emplace(written.body);
  } else if (operation.kind != Kind::read && operation.kind != Kind::erase) {
    operation.item.emplace(written.body, container.key);
    if (written.id.empty()) operation.place.id = operation.item->place.id;
    if (operation.item->place.id != operation.place.id)
      throw Refusal(400, "The id in the body differs from the operation's id.");
    if (operation.item->place.partition != operation.place.partition)
      throw Refusal(400, "PartitionKey extracted from document doesn't match the one specified in the header",
                    wrong_partition_key);
  }
  return operation;
}

struct TooLarge : Refusal {
  TooLarge()
      : Refusal(413,
                fmt::format("The items that a batch reads or patches may have at most {} bytes.", most_held_bytes)) {}
};

/// Bounds the items that a batch reads and patches, which may be larger than the batch itself: each is counted before
/// the operation, also if that fails then. One item always has room.
class HeldItems {
 public:
  /// Throws TooLarge if there is no room for this item.
  void add(const ItemOperation& operation, const std::optional<Document>& item) {
    if (!item || (operation.kind != Kind::read && operation.kind != Kind::patch)) return;
    if (bytes_ > 0 && bytes_ + item->value.size() > most_held_bytes) throw TooLarge();
    bytes_ += item->value.size();
  }

 private:
  std::size_t bytes_ = 0;
};

void append_result(std::string& out, const Response& response) {
  out += fmt::format("{{\"statusCode\":{},\"requestCharge\":{}", response.status, response.charge);
  if (!response.etag.empty()) out += ",\"eTag\":" + json::serialize(json::string_view(response.etag));
  if (!response.body.empty() && response.status < 300) out += ",\"resourceBody\":" + response.body;
  out += '}';
}

std::string json_text(const std::vector<Response>& results) {
  std::string text = "[";
  for (const Response& result : results) {
    if (text.size() > 1) text += ',';
    append_result(text, result);
  }
  return text + ']';
}

/// A batch that was read, and the results so far.
class Batch {
 public:
  Batch(const Call& call, const Container& container, const std::vector<WrittenOperation>& operations)
      : call_(call),
        container_(container),
        operations_(operations),
        partition_(named_partition(call.request, container.key)) {}

  void perform_atomically();
  void perform_each();
  const std::vector<Response>& results() const { return results_; }

 private:
  void perform(const WrittenOperation& written);
  void fail(const Refusal& refusal);

  const Call& call_;
  const Container& container_;
  const std::vector<WrittenOperation>& operations_;
  std::optional<std::string> partition_;
  HeldItems held_;
  std::vector<Response> results_;
};

void leave_out_item(const WrittenOperation& written, const ItemPlan& planned, Response& response) {
  if (written.is_minimal && planned.effect != ItemPlan::Effect::none) response.body.clear();
}

void Batch::perform_atomically() {
  if (!partition_ && !container_.key.is_absent())
    throw Refusal(400, "PartitionKey value must be supplied for this operation.");
  ItemView view(call_.account, container_, call_.now);
  std::vector<std::pair<ItemPlace, ItemPlan>> plans;
  for (const WrittenOperation& written : operations_) {
    try {
      const ItemOperation operation = parse_operation(container_, written, partition_);
      if (operation.place.partition != partition_.value_or(""))
        throw Refusal(400, "All operations of an atomic batch must be in its partition.");
      const Outcome found = view.read(operation.place);
      held_.add(operation, found.document);
      ItemPlan planned = view.plan(operation, found.document);
      planned.response.charge = found.charge.value_or(Charge{}).units;
      leave_out_item(written, planned, planned.response);
      view.note(operation.place, planned);
      plans.emplace_back(operation.place, std::move(planned));
    } catch (const TooLarge&) {
      throw;
    } catch (const Refusal& refusal) {
      results_.assign(plans.size(), {.status = 424, .charge = 0});
      return fail(refusal);
    }
  }
  for (auto& [place, planned] : plans) {
    if (planned.effect != ItemPlan::Effect::none)
      planned.response.charge = carry_out(call_.account, container_, place, planned, call_.now).units;
    results_.push_back(std::move(planned.response));
  }
}

// Those that follow fail because this one does.
void Batch::fail(const Refusal& refusal) {
  results_.push_back({.status = refusal.status(), .charge = 1, .substatus = refusal.substatus()});
  results_.resize(operations_.size(), {.status = 424, .charge = 0});
}

void Batch::perform_each() {
  const auto goes_on = call_.request.field("x-ms-cosmos-batch-continue-on-error");
  const bool stops = goes_on && !call_.request.says_true("x-ms-cosmos-batch-continue-on-error");
  for (const WrittenOperation& written : operations_) {
    try {
      perform(written);
    } catch (const Refusal& refusal) {
      if (stops) return fail(refusal);
      results_.push_back({.status = refusal.status(), .charge = 1, .substatus = refusal.substatus()});
    }
  }
}

void Batch::perform(const WrittenOperation& written) {
  const ItemOperation operation = parse_operation(container_, written, partition_);
  const ItemView view(call_.account, container_, call_.now);
  const Outcome found = view.read(operation.place);
  held_.add(operation, found.document);
  ItemPlan planned = view.plan(operation, found.document);
  planned.response.charge = found.charge.value_or(Charge{}).units;
  leave_out_item(written, planned, planned.response);
  if (planned.effect != ItemPlan::Effect::none)
    planned.response.charge = carry_out(call_.account, container_, operation.place, planned, call_.now).units;
  results_.push_back(std::move(planned.response));
}

}  // namespace

Response answer_batch(const Call& call, const Container& container) {
  const bool is_binary = is_hybrid_row(call.request.body);
  const auto operations =
      is_binary ? parse_hybrid_row(call.request.body, most_operations) : parse_json_batch(call.request.body);
  if (operations.empty()) throw Refusal(400, "A batch needs an operation.");
  Batch batch(call, container, operations);
  if (call.request.says_true("x-ms-cosmos-batch-atomic"))
    batch.perform_atomically();
  else
    batch.perform_each();
  const auto& results = batch.results();
  Response response{.charge = 0};
  response.body = is_binary ? hybrid_row_text(results) : json_text(results);
  if (is_binary) response.content_type = "application/octet-stream";
  for (const Response& result : results) {
    response.charge += result.charge;
    if (result.status >= 400) response.status = 207;
  }
  return response;
}

}  // namespace mayfly::serve
