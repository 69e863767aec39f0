#include "mayfly/props/report/story_json.hpp"

#include <algorithm>
#include <array>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/props/report/axis.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/json.hpp"

namespace mayfly {

namespace {

namespace json = boost::json;

constexpr std::size_t most_steps = 60;
constexpr std::size_t most_lanes = 30;
constexpr std::size_t longest_text = 800;

constexpr std::array step_kinds{"request", "observation", "law"};
constexpr std::array lane_kinds{"clock", "purging", "collection", "document"};
constexpr std::array mark_kinds{"clock", "setting", "write", "read", "delete", "query", "purge", "index"};
constexpr std::array ghost_kinds{"shown", "hidden", "altered"};
constexpr std::array endings{"", "expired", "deleted", "overwritten", "default changed"};

constexpr auto name_in(const auto& names, auto kind) { return names.at(static_cast<std::size_t>(kind)); }

std::string cut(std::string text) {
  if (text.size() <= longest_text) return text;
  std::size_t end = longest_text;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not within a character
  const std::size_t rest = text.size() - end;
  text.resize(end);
  return fmt::format("{} ... and {} bytes more", text, rest);
}

/// The last steps alone.
Story shortened_to(Story story, std::size_t most) {
  if (story.steps.size() <= most) return story;
  const std::size_t too_many = story.steps.size() - most;
  story.steps.erase(story.steps.begin(), story.steps.begin() + static_cast<std::ptrdiff_t>(too_many));
  story.left_out += too_many;
  return story;
}

json::object sentences_json(const Story& story) {
  RuleSet named;
  for (const auto& step : story.steps) named |= step.rules;
  json::object sentences;
  for (const auto& rule : all_rules())
    if (named.contains(rule.rule)) sentences[rule.id] = rule.sentence;
  return sentences;
}

json::object step_json(const StoryStep& step) {
  const auto [expected, allowance, actual] = answers_of(step);
  json::object object{{"now", second_of(step.now)},
                      {"kind", name_in(step_kinds, step.kind)},
                      {"words", in_words(step)},
                      {"request", shown_value(to_json(step.operation))},
                      {"rules", ids_json(step.rules)}};
  if (step.crash.empty()) object["answer"] = cut(actual);
  if (step.times > 1) object["times"] = step.times;
  if (!step.differs()) return object;
  object["differs"] = true;
  object["expected"] = cut(expected);
  if (!allowance.empty()) object["allowance"] = allowance;
  if (!step.crash.empty()) object["crash"] = cut(step.crash);
  return object;
}

json::array columns_json(const Story& story, const Axis& axis) {
  json::array columns;
  for (const auto& [at, step] : axis.columns()) {
    json::object column{{"at", second_of(at)}};
    if (step) column["step"] = *step - story.left_out;
    columns.push_back(std::move(column));
  }
  return columns;
}

json::object life_json(const Life& life, const Axis& axis) {
  const auto [from, until] = axis.of(life);
  json::object object{{"from", from}, {"text", life.text}, {"since", second_of(life.from)}};
  if (life.until) object["until"] = until;
  if (life.until) object["due"] = second_of(*life.until);
  if (life.ended != Life::Ending::open) object["ended"] = name_in(endings, life.ended);
  json::array once_due;
  for (const Instant instant : life.once_due) once_due.push_back(axis.of(instant));
  object["once_due"] = std::move(once_due);
  return object;
}

json::object lane_json(const Story& story, const Lane& lane, const Axis& axis) {
  json::array lives, ghosts, marks;
  for (const auto& life : lane.lives) {
    const auto [from, until] = axis.of(life);
    if (until > from) lives.push_back(life_json(life, axis));
  }
  for (const auto& ghost : lane.ghosts) {
    const auto [from, until] = axis.of(lane, ghost);
    ghosts.push_back({{"from", from}, {"until", until}, {"kind", name_in(ghost_kinds, ghost.kind)}});
  }
  for (const auto& mark : lane.marks) {
    if (mark.step < story.left_out) continue;
    json::object object{{"at", axis.of_step(mark.step)}, {"kind", name_in(mark_kinds, mark.kind)}, {"text", mark.text}};
    if (mark.is_refused) object["refused"] = true;
    marks.push_back(std::move(object));
  }
  return {{"kind", name_in(lane_kinds, lane.kind)},
          {"label", cut(label_of(lane))},
          {"lives", std::move(lives)},
          {"ghosts", std::move(ghosts)},
          {"marks", std::move(marks)}};
}

}  // namespace

json::array ids_json(RuleSet rules) {
  json::array ids;
  for (const auto& rule : all_rules())
    if (rules.contains(rule.rule)) ids.emplace_back(rule.id);
  return ids;
}

json::object story_json(const Story& whole) {
  const Story story = shortened_to(with_foremost_lanes(whole, most_lanes), most_steps);
  const Axis axis(story);
  json::array steps, lanes;
  for (const auto& step : story.steps) steps.push_back(step_json(step));
  for (const auto& lane : story.lanes) lanes.push_back(lane_json(story, lane, axis));
  return {{"store", story.store},
          {"gist", cut(gist(whole))},
          {"left_out", story.left_out},
          {"lanes_left_out", story.lanes_left_out},
          {"columns", columns_json(story, axis)},
          {"steps", std::move(steps)},
          {"rules", sentences_json(story)},
          {"lanes", std::move(lanes)}};
}

}  // namespace mayfly
