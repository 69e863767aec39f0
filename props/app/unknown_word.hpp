#pragma once

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mayfly/sim/input_error.hpp"

namespace mayfly::app {

inline bool is_same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// How many letters have to be added, removed or replaced to turn one word into the other, in any case.
inline std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);  // the distances of the letters of `from` so far to each start of `to`
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j)
      diagonal = std::exchange(
          row[j + 1], std::min({row[j] + 1, row[j + 1] + 1, diagonal + (is_same_letter(from[i], to[j]) ? 0 : 1)}));
  }
  return row.back();
}

/// The error for a word that is none of the known ones: names the nearest, or else where all of them are listed.
inline InputError unknown_word(std::string_view kind, const std::string& word, const std::vector<std::string>& known,
                               std::string_view listing) {
  const auto distance = [&](const std::string& other) { return edit_distance(word, other); };
  const auto nearest = std::min_element(known.begin(), known.end(),
                                        [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  const bool is_near =
      nearest != known.end() && distance(*nearest) <= std::max<std::size_t>(word.size() < 5 ? 1 : 2, word.size() / 3);
  return InputError(fmt::format("unknown {} {}; {}", kind, word,
                                is_near ? fmt::format("did you mean {}?", *nearest) : std::string(listing)));
}

/// The known word that this is in another case. Throws `unknown_word` if there is none.
inline std::string known_word(std::string_view kind, const std::string& word, const std::vector<std::string>& known,
                              std::string_view listing) {
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const std::string& other) { return edit_distance(word, other) == 0; });
  if (found == known.end()) throw unknown_word(kind, word, known, listing);
  return *found;
}

}  // namespace mayfly::app
