#include "mayfly/cosmos/cosmos_store.hpp"

#include <cstdio>
#include <random>
#include <unistd.h>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/preview.hpp"

namespace mayfly::cosmos {

namespace {

std::string random_prefix() {
  std::random_device random;
  return fmt::format("mayfly-{:08x}{:08x}-", random(), random());
}

void delete_databases(const Endpoint& endpoint, const std::string& key, const std::string& prefix, double seconds) {
  try {
    AccountClient account(endpoint, key);
    for (const auto& name : account.databases({.seconds = seconds}))
      if (name.starts_with(prefix)) account.ask({"DELETE", "/dbs/" + name, {}, {}}, {.seconds = seconds});
  } catch (const std::exception& error) {
    fmt::print(stderr, "mayfly: the databases {}* could not be deleted: {} {}\n", prefix, endpoint.url(), error.what());
  }
}

}  // namespace

CosmosStore::CosmosStore(const Endpoint& endpoint, const std::string& key, double seconds)
    : endpoint_(endpoint),
      key_((rest::Signer(key), key)),
      prefix_(random_prefix()),
      sweeper_([&] { delete_databases(endpoint_, key_, prefix_, seconds); }) {}

void CosmosStore::set_timeout(double seconds, Limit limit) {
  deadline_ = {.seconds = seconds};
  limit_ = limit;
}

// An inherited connection is not closed: closing it here would disturb the process that opened it.
void CosmosStore::ensure_mine() {
  if (user_ == ::getpid()) return;
  user_ = ::getpid();
  [[maybe_unused]] const auto* inherited = account_.release();
  account_ = std::make_unique<AccountClient>(endpoint_, key_);
  place_ = {prefix_ + std::to_string(user_), 0};
  forget_everything();
}

void CosmosStore::ensure_database() {
  ensure_mine();
  if (has_database_) return;
  sweeper_.note_work();
  const auto body = boost::json::serialize(boost::json::object{{"id", place_.database}});
  const HttpAnswer answer = send({"POST", "/dbs", {{"content-type", "application/json"}}, body});
  if (answer.status != 201)
    throw StoreFailure(fmt::format("does not create a database ({}): {}", answer.status, preview(answer.body)));
  has_database_ = true;
}

HttpAnswer CosmosStore::send(HttpRequest request) {
  const Deadline deadline = limit_ == Limit::all ? deadline_ : Deadline{.seconds = deadline_.seconds};
  HttpAnswer answer = account_->ask(std::move(request), deadline);
  ++answered_;
  return answer;
}

HttpAnswer CosmosStore::ask_account(HttpRequest request) {
  ensure_mine();
  return send(std::move(request));
}

void CosmosStore::forget_everything() {
  collections_.clear();
  has_database_ = has_probe_ = false;
}

void CosmosStore::clear() {
  ensure_database();
  for (const auto& collection : std::set(std::exchange(collections_, {})))
    send(request_for(DeleteCollection{{collection}}, place_));
  ++place_.number;
}

Outcome CosmosStore::ask(const Operation& operation) {
  ensure_database();
  try {
    Outcome outcome = send_all_pages(operation);
    remember(operation, outcome);
    return outcome;
  } catch (const InputError& error) {
    throw StoreFailure(error.what());
  }
}

Outcome CosmosStore::send_all_pages(const Operation& operation) {
  const HttpRequest first = request_for(operation, place_);
  HttpAnswer answer = send(first);
  Outcome outcome = outcome_of(operation, answer);
  const bool is_found = outcome.documents || outcome.count;
  for (std::string more; is_found && !(more = answer.field("x-ms-continuation")).empty();) {
    HttpRequest next = first;
    next.fields.emplace_back("x-ms-continuation", more);
    answer = send(std::move(next));
    const Outcome page = outcome_of(operation, answer);
    const bool is_alike = outcome.documents ? page.documents.has_value() : page.count.has_value();
    if (!is_alike) return page;
    if (outcome.count) *outcome.count += *page.count;
    if (outcome.documents)
      outcome.documents->insert(outcome.documents->end(), page.documents->begin(), page.documents->end());
    if (outcome.charge && page.charge) outcome.charge->units += page.charge->units;
  }
  return outcome;
}

void CosmosStore::remember(const Operation& operation, const Outcome& outcome) {
  const auto* create = std::get_if<CreateCollection>(&operation);
  const auto* erase = std::get_if<DeleteCollection>(&operation);
  if (create && outcome.status == Status::created) collections_.insert(create->collection);
  if (erase && outcome.status == Status::no_content) collections_.erase(erase->collection);
}

// The probe's container has a number that no case has.
Instant CosmosStore::write_probe() {
  ensure_database();
  const CasePlace apart = probe_place();
  if (!std::exchange(has_probe_, true)) send(request_for(CreateCollection{{"probe", {}}}, apart));
  const Operation write = Upsert{{{"probe", "probe", "probe"}, {}}};
  const HttpAnswer answer = send(request_for(write, apart));
  try {
    const Outcome outcome = outcome_of(write, answer);
    if (outcome.document && outcome.document->malformed.empty()) return outcome.document->ts;
  } catch (const InputError& error) {
    throw StoreFailure(error.what());
  }
  throw StoreFailure(fmt::format("answers {} to a write: {}", answer.status, preview(answer.body)));
}

bool CosmosStore::can_count() {
  write_probe();
  const Operation count = Count{{"probe", {}}};
  try {
    return outcome_of(count, send(request_for(count, probe_place()))).count == 1U;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace mayfly::cosmos
