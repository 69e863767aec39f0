#include "mayfly/props/report/story.hpp"

#include <algorithm>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/report/storyteller.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/props/shrink/alike.hpp"
#include "mayfly/sim/json.hpp"

namespace mayfly {

namespace {

constexpr std::size_t longest_detail = 40;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Story story_of_crash(const Failure& failure, const std::string& store, const std::string& crash) {
  InProcess<ReferenceStore> reference("reference");  // in place of the store, which would crash again
  Storyteller teller(failure.test_case.start, reference);
  const auto& steps = failure.test_case.steps;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) teller.take(steps[i].operation);
  teller.take(steps.empty() ? failure.violation.operation : steps.back().operation, StoryStep::Kind::request, crash);
  Story story = teller.story();
  story.store = store;
  return story;
}

Story story_of_answers(const Failure& failure, Subject& subject) {
  Storyteller teller(failure.test_case.start, subject);
  const bool is_watched = failure.property->watch() == Watch::everything;
  for (const auto& step : failure.test_case.steps) {
    if (teller.take(step.operation).differs()) return teller.story();
    if (&step == &failure.test_case.steps.back()) teller.lockstep().end();
    const auto difference = is_watched ? teller.lockstep().observe() : std::nullopt;
    if (difference && teller.take(difference->operation, StoryStep::Kind::observation).differs()) return teller.story();
  }
  teller.compared(failure.violation);
  return teller.story();
}

std::string how_it_ended(const Life* life) {
  if (!life) return "which by the rules was never there";
  constexpr std::string_view words[] = {"lives", "expired", "was deleted", "was overwritten", "expired"};
  return fmt::format("which by the rules {} at second {}", words[static_cast<int>(life->ended)],
                     second_of(life->until.value_or(life->from)));
}

std::string how_long_it_lives(const Life* life) {
  if (!life || life->ended != Life::Ending::open || !life->until) return "which by the rules is there";
  return fmt::format("which by the rules lives until second {}", second_of(*life->until));
}

/// "_ts 0 instead of 5".
std::string differing_fields(const Document& expected, const Document& actual) {
  const auto fields_of = [](const Document& d) { return to_json(Outcome{.document = d}).at("document").as_object(); };
  const auto wanted = fields_of(expected), given = fields_of(actual);
  boost::json::object either = wanted;
  either.insert(given.begin(), given.end());
  std::string text;
  for (const auto& field : either) {
    const std::string_view name = field.key();
    const auto* is = given.if_contains(name);
    const auto* should_be = wanted.if_contains(name);
    if (is && should_be && *is == *should_be) continue;
    text += fmt::format("{}{} {} instead of {}", text.empty() ? "" : ", ", name,
                        is ? shown_value(*is, longest_detail) : "absent",
                        should_be ? shown_value(*should_be, longest_detail) : "absent");
  }
  return text;
}

/// How the store shows it otherwise, as far as that is known.
std::string how_it_differs(const Story& story, const DocumentKey& key) {
  const auto& exchange = story.steps.back().exchange;
  const auto* asked = key_of(story.steps.back().operation);
  if (asked && *asked == key && exchange.expected.answer.document && exchange.actual.document)
    return differing_fields(*exchange.expected.answer.document, *exchange.actual.document);
  for (const auto& [other, expected, actual] : story.documents)
    if (other == key && expected && actual) return differing_fields(*expected, *actual);
  return "another content";
}

std::string gist_of_ghost(const Story& story, const Lane& lane) {
  const auto& [kind, step] = lane.ghosts.front();
  const std::string beginning = fmt::format("At second {} the {}", second_of(story.steps.back().now), story.store);
  const std::string label = label_of(lane.key);
  const Life* ended = ended_life(lane, step);
  if (kind == Ghost::Kind::shown)
    return fmt::format("{} {} {}, {}", beginning, ended ? "still shows" : "shows", label, how_it_ended(ended));
  const Life* last = lane.lives.empty() ? nullptr : &lane.lives.back();
  if (kind == Ghost::Kind::hidden)
    return fmt::format("{} does not show {}, {}", beginning, label, how_long_it_lives(last));
  return fmt::format("{} shows {} with {}", beginning, label, how_it_differs(story, lane.key));
}

/// "d0 ... d16 (17)", or the first alone.
std::string range_text(const std::string& first, const std::string& last, std::size_t count) {
  return count == 1 ? first : fmt::format("{} ... {} ({})", first, last, with_commas(count));
}

std::string name_of_last(const DocumentKey& first, const DocumentKey& last) {
  const bool is_of_partition = first.collection == last.collection && first.partition == last.partition;
  return is_of_partition ? shown_name(last.id) : label_of(last);
}

std::string spaced(std::string_view keyword) {
  std::string words(keyword);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

/// " partition p0".
std::string scope_of(const Operation& operation) {
  const auto* search = search_of(operation);
  return search && search->partition ? fmt::format(" partition {}", shown_name(*search->partition)) : "";
}

/// " ... d16 (17 documents)", or how often it was asked.
std::string repetition_of(const StoryStep& step) {
  if (step.times == 1) return {};
  const auto *first = key_of(step.operation), *last = key_of(step.last);
  if (first && *first != *last)
    return fmt::format(" ... {} ({})", name_of_last(*first, *last), counted(step.times, "document"));
  if (!first && step.operation != step.last)
    return fmt::format(" ... {}{} ({})", shown_name(*collection_of(step.last)), scope_of(step.last),
                       counted(step.times, "collection"));
  return fmt::format(" ({})", counted(step.times, "time"));
}

/// ", ttl 5".
std::string details_of(const Operation& operation) {
  std::string text;
  for (const auto& [key, value] : to_json(operation)) {
    if (key == "op" || is_name(key) || (value.is_string() && value.get_string().empty())) continue;
    text += key == "remove_ttl" ? ", removing the ttl"
                                : fmt::format(", {} {}", spaced(key), shown_value(value, longest_detail));
  }
  return text;
}

std::string status_in(const Outcome& answer) {
  const auto fields = to_json(answer);
  const auto* status = fields.if_contains("status");
  return status ? shown_value(*status) : "no status";
}

std::string gist_of_answer(const Story& story, const StoryStep& last) {
  const std::string expected = status_in(last.exchange.expected.answer), actual = status_in(last.exchange.actual);
  const std::string asked = fmt::format("At second {}, asked to {}, the {} answers", second_of(last.now),
                                        in_words(last.operation), story.store);
  if (expected == actual) return fmt::format("{} otherwise than the rules allow.", asked);
  return fmt::format("{} {} where the rules demand {}.", asked, actual, expected);
}

}  // namespace

std::string label_of(const DocumentKey& key) {
  return fmt::format("{}/{}/{}", shown_name(key.collection), shown_name(key.partition), shown_name(key.id));
}

std::string label_of(const DocumentKey& first, const DocumentKey& last, std::size_t count) {
  return range_text(label_of(first), name_of_last(first, last), count);
}

std::string label_of(const Lane& lane) {
  switch (lane.kind) {
    case Lane::Kind::clock:
      return "clock";
    case Lane::Kind::purging:
      return "purging";
    case Lane::Kind::collection:
      return range_text(shown_name(lane.key.collection), shown_name(lane.last.collection), lane.times);
    default:
      return label_of(lane.key, lane.last, lane.times);
  }
}

const Life* ended_life(const Lane& lane, std::size_t step) {
  const auto found = std::find_if(lane.lives.rbegin(), lane.lives.rend(), [&](const Life& life) {
    const bool is_over = life.ended != Life::Ending::open && life.ended != Life::Ending::overwritten;
    return is_over && life.until_step <= step;
  });
  return found == lane.lives.rend() ? nullptr : &*found;
}

std::string in_words(const Operation& operation) {
  const std::string words = spaced(keywords[operation.index()]);
  if (const auto* key = key_of(operation)) return fmt::format("{} {}", words, label_of(*key));
  const auto* collection = collection_of(operation);
  return collection ? fmt::format("{} {}", words, shown_name(*collection)) : words;
}

std::string in_words(const StoryStep& step) {
  if (const auto* advance = std::get_if<Advance>(&step.operation))
    return fmt::format("the clock moves by {} s", advance->seconds.count());
  return in_words(step.operation) + scope_of(step.operation) + repetition_of(step) + details_of(step.operation);
}

Story tell_story(const Failure& failure, Subject& subject) {
  if (!failure.violation.crash.empty()) return story_of_crash(failure, subject.name(), failure.violation.crash);
  try {
    return story_of_answers(failure, subject);
  } catch (const StoreFailure& crash) {  // it did not do so before
    return story_of_crash(failure, subject.name(), crash.what());
  }
}

Story with_foremost_lanes(Story story, std::size_t most_documents) {
  const auto weight = [](const Lane& lane) {
    return std::pair(!lane.ghosts.empty(), lane.marks.empty() ? std::size_t{0} : lane.marks.back().step);
  };
  std::vector<Lane> documents;
  for (const auto& lane : story.lanes)
    if (lane.kind == Lane::Kind::document) documents.push_back(lane);
  if (documents.size() <= most_documents) return story;
  std::stable_sort(documents.begin(), documents.end(),
                   [&](const Lane& a, const Lane& b) { return weight(a) > weight(b); });
  documents.resize(most_documents);
  const auto is_kept = [&](const Lane& lane) {
    if (lane.kind != Lane::Kind::collection && lane.kind != Lane::Kind::document) return true;
    return std::any_of(documents.begin(), documents.end(), [&](const Lane& kept) {
      return lane.kind == Lane::Kind::document ? kept.key == lane.key : kept.key.collection == lane.key.collection;
    });
  };
  story.lanes_left_out += std::erase_if(story.lanes, [&](const Lane& lane) { return !is_kept(lane); });
  return story;
}

std::string gist(const Story& story) {
  const StoryStep& last = story.steps.back();
  if (!last.crash.empty())
    return fmt::format("At second {}, asked to {}, the {} {}.", second_of(last.now), in_words(last.operation),
                       story.store, first_line(last.crash));
  if (last.kind == StoryStep::Kind::law)
    return fmt::format("Each answer of the {} is allowed, but the one to {} breaks a law.", story.store,
                       in_words(last.operation));
  const auto has_ghost = [](const Lane& lane) { return !lane.ghosts.empty(); };
  std::size_t count = 0;
  for (const auto& lane : story.lanes) count += has_ghost(lane) ? lane.times : 0;
  if (count == 0) return gist_of_answer(story, last);
  const std::string first = gist_of_ghost(story, *std::find_if(story.lanes.begin(), story.lanes.end(), has_ghost));
  return first + (count == 1 ? "." : fmt::format("; so with {}.", counted(count - 1, "other document")));
}

}  // namespace mayfly
