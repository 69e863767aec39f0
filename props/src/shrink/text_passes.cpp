#include <algorithm>
#include <map>
#include <set>

#include "mayfly/props/shrink/texts.hpp"
#include "mayfly/sim/utf8.hpp"
#include "pass_list.hpp"

namespace mayfly {

namespace {

// If there are more names, only the first and the last are merged; if there are more texts, only the first are made
// simpler.
constexpr std::size_t many_names = 12;
constexpr std::size_t many_texts = 8;
// In longer texts, single characters are not removed.
constexpr std::size_t many_characters = 16;
constexpr std::size_t most_runs_of_names = 32;
constexpr std::size_t most_distinct = 24;

/// The text of a name or value; nothing if the field is absent or no text.
template <class Field>
auto* text_in(Field& field) {
  using Text = std::conditional_t<std::is_const_v<Field>, const std::string, std::string>;
  Text* text = nullptr;
  if constexpr (std::is_same_v<std::remove_const_t<Field>, std::string>) text = &field;
  if constexpr (std::is_same_v<std::remove_const_t<Field>, std::optional<std::string>>)
    text = field ? &*field : nullptr;
  return text;
}

template <class AnyCase, class F>
void for_each_text(AnyCase& test_case, F f) {
  for (auto& step : test_case.steps)
    for_each_field(step.operation, [&](std::string_view name, auto& field) {
      if (auto* text = text_in(field)) f(letter_of(name), *text);
    });
}

using Texts = std::vector<std::string>;

/// The texts of a kind by first use, the empty value left out.
Texts texts_of(const Case& test_case, char wanted) {
  Texts texts;
  std::set<std::string_view> known;
  for_each_text(test_case, [&](char letter, const std::string& text) {
    if (letter == wanted && !(letter == 'v' && text.empty()) && known.insert(text).second) texts.push_back(text);
  });
  return texts;
}

Texts unusual_texts_of(const Case& test_case, char letter) {
  Texts texts = texts_of(test_case, letter);
  std::erase_if(texts, [&](const std::string& text) { return is_usual(letter, text); });
  return texts;
}

using NewTexts = std::map<std::string, std::string>;

void rename(Case& test_case, char wanted, const NewTexts& names) {
  for_each_text(test_case, [&](char letter, std::string& text) {
    const auto found = names.find(text);
    if (letter == wanted && found != names.end()) text = found->second;
  });
}

void rename_by_first_use(Case& test_case, char letter) {
  NewTexts names;
  for (auto& text : texts_of(test_case, letter)) names.emplace(std::move(text), usual_name(letter, names.size()));
  rename(test_case, letter, names);
}

/// Gives some of the unusual texts the first usual names that are free.
void make_usual(Case& test_case, char letter, Range some) {
  const Texts texts = texts_of(test_case, letter), unusual = unusual_texts_of(test_case, letter);
  const std::set<std::string> taken(texts.begin(), texts.end());
  NewTexts names;
  std::uint64_t number = 0;
  for (std::size_t i = some.begin; i < some.end; ++i) {
    while (taken.contains(usual_name(letter, number))) ++number;
    names.emplace(unusual[i], usual_name(letter, number++));
  }
  rename(test_case, letter, names);
}

std::string replaced(std::string text, std::string_view part, std::string_view by) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + by.size()))
    text.replace(at, part.size(), by);
  return text;
}

// "ab" and "ab " that must differ in the space alone become d0 and "d0 ".
void make_usual_within(Case& test_case, char letter, std::size_t which) {
  const Texts texts = texts_of(test_case, letter);
  const std::string part = unusual_texts_of(test_case, letter).at(which);
  std::uint64_t number = 0;
  while (std::find(texts.begin(), texts.end(), usual_name(letter, number)) != texts.end()) ++number;
  NewTexts names;
  for (const auto& text : texts) names.emplace(text, replaced(text, part, usual_name(letter, number)));
  rename(test_case, letter, names);
}

void make_names_usual(const Case& test_case, char letter, Changes& changes) {
  const Texts unusual = unusual_texts_of(test_case, letter);
  if (unusual.empty()) return;
  changes.push_back([letter](Case& c) { rename_by_first_use(c, letter); });
  for (const Range some : runs_of(unusual.size(), most_runs_of_names))
    changes.push_back([=](Case& c) { make_usual(c, letter, some); });
  for (std::size_t i = 0; i < std::min(unusual.size(), many_texts); ++i)
    if (!unusual[i].empty()) changes.push_back([=](Case& c) { make_usual_within(c, letter, i); });
}

/// The characters of unusual names: those that meet are made simpler together.
std::vector<std::string> characters_in_names(const Case& test_case) {
  std::set<std::string> characters;
  for (const char letter : {'c', 'p', 'd'})
    for (const auto& text : unusual_texts_of(test_case, letter))
      for (const std::string_view character : characters_of(text)) characters.emplace(character);
  return {characters.begin(), characters.end()};
}

void replace_in_unusual_names(Case& test_case, std::string_view character, std::string_view by) {
  for_each_text(test_case, [&](char letter, std::string& text) {
    if (letter != 'v' && !is_usual(letter, text)) text = replaced(std::move(text), character, by);
  });
}

void simplify_characters(const Case& test_case, Changes& changes) {
  const auto characters = characters_in_names(test_case);
  if (characters.size() > most_distinct) return;
  const auto replace = [&](const std::string& character, std::string_view by) {
    changes.push_back([=](Case& c) { replace_in_unusual_names(c, character, by); });
  };
  for (const auto& character : characters) replace(character, "");
  for (const auto& character : characters)
    for (const std::string_view simpler : simpler_characters(character)) replace(character, simpler);
}

/// Replaces each character of a part of a text by `by`, or removes them if `by` is empty.
struct Edit {
  char letter;
  std::size_t which;  ///< of the unusual texts
  Range part;         ///< in characters
  std::string_view by;
};

void edit(Case& test_case, const Edit& edit) {
  const std::string text = unusual_texts_of(test_case, edit.letter).at(edit.which);
  const auto characters = characters_of(text);
  std::string edited;
  for (std::size_t i = 0; i < characters.size(); ++i)
    edited += i >= edit.part.begin && i < edit.part.end ? edit.by : characters[i];
  rename(test_case, edit.letter, {{text, edited}});
}

/// From the first to the last character that is not the simplest.
Range not_simplest(const std::vector<std::string_view>& characters) {
  const auto is_not = [](std::string_view character) { return character != "a"; };
  const auto first = std::find_if(characters.begin(), characters.end(), is_not);
  const auto last = std::find_if(characters.rbegin(), characters.rend(), is_not);
  return {static_cast<std::size_t>(first - characters.begin()), static_cast<std::size_t>(characters.rend() - last)};
}

void simplify_text(char letter, std::size_t which, const std::string& text, Changes& changes) {
  const auto characters = characters_of(text);
  const auto add = [&](Range part, std::string_view by) {
    changes.push_back([=](Case& c) { edit(c, {letter, which, part, by}); });
  };
  const Range unlike = not_simplest(characters);
  const bool is_uniform = unlike.begin >= unlike.end;
  if (!is_uniform)
    for (const auto& [begin, end] : parts_of(unlike.end - unlike.begin))
      add({unlike.begin + begin, unlike.begin + end}, "a");
  for (const Range part : parts_of(characters.size()))
    if (!is_uniform || part.end == characters.size()) add(part, "");
  if (is_uniform || characters.size() > many_characters) return;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    add({i, i + 1}, "");
    for (const std::string_view simpler : simpler_characters(characters[i])) add({i, i + 1}, simpler);
  }
}

/// The first and the last of many texts.
Texts at_the_ends(Texts texts) {
  if (texts.size() > many_names)
    texts.erase(texts.begin() + many_names / 2, texts.end() - static_cast<std::ptrdiff_t>(many_names / 2));
  return texts;
}

}  // namespace

Changes rename_by_first_use(const Case&) {
  return {[](Case& test_case) {
    for (const char letter : {'c', 'p', 'd', 'v'}) rename_by_first_use(test_case, letter);
  }};
}

// All documents in one partition, numbered by first use.
Changes gather_documents(const Case&) {
  return {[](Case& test_case) {
    std::map<std::pair<std::string, std::string>, std::string> ids;
    for (auto& step : test_case.steps)
      std::visit(
          [&](auto& o) {
            if constexpr (requires { o.key; }) {
              const std::string next = usual_name('d', ids.size());
              o.key.id = ids.try_emplace({o.key.partition, o.key.id}, next).first->second;
              o.key.partition = usual_name('p', 0);
            }
          },
          step.operation);
  }};
}

Changes merge_names(const Case& test_case) {
  Changes changes;
  for (const char letter : {'c', 'p', 'd', 'v'}) {
    const auto texts = at_the_ends(texts_of(test_case, letter));
    for (std::size_t later = texts.size(); later-- > 1;)
      for (std::size_t earlier = 0; earlier < later; ++earlier)
        changes.push_back([letter, from = texts[later], to = texts[earlier]](Case& c) {
          rename(c, letter, {{from, to}});
        });
  }
  return changes;
}

Changes simplify_texts(const Case& test_case) {
  Changes changes;
  for (const char letter : {'c', 'p', 'd', 'v'}) make_names_usual(test_case, letter, changes);
  simplify_characters(test_case, changes);
  for (const char letter : {'c', 'p', 'd', 'v'}) {
    const Texts unusual = unusual_texts_of(test_case, letter);
    for (std::size_t i = 0; i < std::min(unusual.size(), many_texts); ++i)
      simplify_text(letter, i, unusual[i], changes);
  }
  return changes;
}

}  // namespace mayfly
