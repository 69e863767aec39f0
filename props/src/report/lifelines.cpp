#include <algorithm>

#include <fmt/format.h>

#include "mayfly/model/expiry.hpp"
#include "mayfly/props/report/fold.hpp"
#include "mayfly/props/report/storyteller.hpp"

namespace mayfly {

namespace {

template <class... Kinds>
bool is_any(const Operation& operation) {
  return (std::holds_alternative<Kinds>(operation) || ...);
}

std::string text_of_default(const DefaultTtl& default_ttl) {
  if (const auto* seconds = std::get_if<Seconds>(&default_ttl)) return std::to_string(seconds->count());
  return std::holds_alternative<Off>(default_ttl) ? "off" : "never";
}

std::string text_of_settings(const Settings& settings, std::string_view unit = "") {
  constexpr std::string_view indexing[] = {"", ", lazy", ", no index"};
  const bool has_unit = std::holds_alternative<Seconds>(settings.default_ttl);
  return fmt::format("{}{}{}", text_of_default(settings.default_ttl), has_unit ? unit : "",
                     indexing[static_cast<int>(settings.indexing)]);
}

std::string text_of_ttl(const Ttl& ttl) {
  if (const auto* seconds = std::get_if<Seconds>(&ttl)) return fmt::format("ttl {} s", seconds->count());
  return std::holds_alternative<Never>(ttl) ? "ttl never" : "no ttl";
}

bool is_open(const Lane& lane) { return !lane.lives.empty() && lane.lives.back().ended == Life::Ending::open; }

void end(Life& life, Life::Ending how, Instant when, std::size_t step) {
  life.ended = how;
  life.until = when;
  life.until_step = step;
}

void add_mark(Lane& lane, Mark mark) {
  if (lane.marks.empty() || lane.marks.back() != mark) lane.marks.push_back(std::move(mark));
}

/// Moves all that happened at later steps to this one.
void fold_lane(Lane& lane, std::size_t number) {
  auto mark = lane.marks.end();
  while (mark != lane.marks.begin() && std::prev(mark)->step >= number) (--mark)->step = number;
  lane.marks.erase(std::unique(mark, lane.marks.end()), lane.marks.end());
  auto life = lane.lives.end();
  while (life != lane.lives.begin() && std::max(std::prev(life)->from_step, std::prev(life)->until_step) >= number) {
    --life;
    life->from_step = std::min(life->from_step, number);
    life->until_step = std::min(life->until_step, number);
  }
  const auto is_passing = [&](const Life& passing) {
    return passing.from_step == number && passing.ended == Life::Ending::overwritten;
  };
  lane.lives.erase(std::remove_if(life, lane.lives.end(), is_passing), lane.lives.end());
}

}  // namespace

struct Lifelines::Moment {
  std::size_t number;
  const StoryStep& step;
  Instant after;
  const ReferenceStore& reference;

  const Operation& operation() const { return step.operation; }
  bool is_refused() const { return step.exchange.expected.answer.status >= Status::bad_request; }
  Mark mark(std::string text = {}) const { return {info_of(operation()).mark, number, is_refused(), std::move(text)}; }

  const ReferenceStore::Collection* find(const std::string& name) const {
    const auto found = reference.collections().find(name);
    return found == reference.collections().end() ? nullptr : &found->second;
  }
  const ReferenceStore::StoredDocument* find_live(const DocumentKey& key) const {
    const auto* collection = find(key.collection);
    if (!collection) return nullptr;
    const auto found = collection->documents.find({key.partition, key.id});
    return found != collection->documents.end() && !found->second.expired ? &found->second : nullptr;
  }
};

void Lifelines::note(std::size_t number, const StoryStep& step, Instant after, const ReferenceStore& reference) {
  const Moment moment{number, step, after, reference};
  if (const auto* name = collection_of(step.operation)) collection(*name);
  if (const auto* key = key_of(step.operation))
    add_mark(document(*key), moment.mark(std::string(keywords[step.operation.index()])));
  if (step.kind == StoryStep::Kind::law) return;  // the reference does not run it
  note_clock(moment);
  if (const auto* key = key_of(step.operation)) return note_document(moment, *key, document(*key));
  for (const auto& name : order_) note_collection(moment, name);
  if (is_read_only(step.operation)) return;
  for (auto& [key, lane] : documents_) note_document(moment, key, lane);
}

void Lifelines::fold(std::size_t number) {
  for (Lane* lane : {&clock_, &purging_}) fold_lane(*lane, number);
  for (auto& [name, lane] : collections_) fold_lane(lane, number);
  for (auto& [key, lane] : documents_) fold_lane(lane, number);
}

void Lifelines::note_clock(const Moment& moment) {
  if (const auto* advance = std::get_if<Advance>(&moment.operation()))
    clock_.marks.push_back(moment.mark(fmt::format("+{}", advance->seconds.count())));
  if (is_any<Purge, Held>(moment.operation()))
    add_mark(purging_, moment.mark(std::string(keywords[moment.operation().index()])));
}

void Lifelines::note_collection(const Moment& moment, const std::string& name) {
  const auto* named = key_of(moment.operation()) ? nullptr : collection_of(moment.operation());
  if (!named || *named != name) return;
  Lane& lane = collections_.at(name);
  const auto* stored = moment.find(name);
  const bool is_set = info_of(moment.operation()).mark == Mark::Kind::setting && !moment.is_refused();
  add_mark(lane, moment.mark(is_set ? text_of_settings(stored->settings) : ""));
  if (is_open(lane) && is_set && lane.lives.back().from_step == moment.number) lane.lives.pop_back();
  if (is_open(lane) && (is_set || !stored))
    end(lane.lives.back(), stored ? Life::Ending::overwritten : Life::Ending::deleted, moment.step.now, moment.number);
  if (is_set)
    lane.lives.push_back({.from = moment.step.now,
                          .from_step = moment.number,
                          .text = "default " + text_of_settings(stored->settings, " s")});
}

void Lifelines::note_document(const Moment& moment, const DocumentKey& key, Lane& lane) {
  const auto* named = key_of(moment.operation());
  const bool is_written =
      named && *named == key && info_of(moment.operation()).mark == Mark::Kind::write && !moment.is_refused();
  const auto* stored = moment.find_live(key);
  const auto due =
      stored ? deadline(stored->ts, stored->ttl, moment.find(key.collection)->settings.default_ttl) : std::nullopt;
  // Of writes that are folded into one step, the last one counts.
  if (is_open(lane) && is_written && lane.lives.back().from_step == moment.number) lane.lives.pop_back();
  if (is_open(lane) && is_written)
    end(lane.lives.back(), Life::Ending::overwritten, moment.step.now, moment.number);
  else if (is_open(lane))
    go_on(moment, lane.lives.back(), stored != nullptr, due);
  if (is_written)
    lane.lives.push_back(
        {.from = moment.step.now, .from_step = moment.number, .until = due, .text = text_of_ttl(stored->ttl)});
}

void Lifelines::go_on(const Moment& moment, Life& life, bool is_live, std::optional<Instant> due) {
  const bool is_new_default = is_any<ReplaceCollection>(moment.operation());
  if (is_new_default && life.until && due != life.until) life.once_due.push_back(*life.until);
  if (is_live)
    life.until = due;
  else if (is_new_default)
    end(life, Life::Ending::default_changed, moment.step.now, moment.number);
  else if (is_any<Advance>(moment.operation()))
    end(life, Life::Ending::expired, life.until.value_or(moment.after), moment.number);
  else
    end(life, Life::Ending::deleted, moment.step.now, moment.number);
}

Lane& Lifelines::collection(const std::string& name) {
  const auto [found, is_new] = collections_.try_emplace(name);
  if (is_new) {
    found->second.kind = Lane::Kind::collection;
    found->second.key.collection = name;
    order_.push_back(name);
  }
  return found->second;
}

Lane& Lifelines::document(const DocumentKey& key) {
  collection(key.collection);
  const auto [found, is_new] = documents_.try_emplace(key);
  if (is_new) found->second.key = key;
  return found->second;
}

std::vector<Lane> Lifelines::lanes() const {
  std::vector<std::pair<DocumentKey, const Lane*>> documents;
  for (const auto& [key, lane] : documents_) documents.emplace_back(key, &lane);
  std::sort(documents.begin(), documents.end(),
            [](const auto& a, const auto& b) { return comes_before(a.first, b.first); });
  std::vector<Lane> all;
  for (const Lane* lane : {&clock_, &purging_})
    if (!lane->marks.empty()) all.push_back(*lane);
  for (const auto& name : order_) {
    all.push_back(collections_.at(name));
    for (const auto& [key, lane] : documents)
      if (key.collection == name) all.push_back(*lane);
  }
  return all;
}

}  // namespace mayfly
