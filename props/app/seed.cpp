#include "seed.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "mayfly/sim/input_error.hpp"

namespace mayfly::app {

// A text of digits alone is a number, even if it is also the id of a commit.
static bool is_commit_id(std::string_view text) {
  const auto is_hex = [](unsigned char c) { return std::isxdigit(c) != 0; };
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  return text.size() >= 7 && text.size() <= 40 && std::all_of(text.begin(), text.end(), is_hex) &&
         std::any_of(text.begin(), text.end(), is_letter);
}

std::uint64_t parse_seed(const std::string& text) {
  const auto seed = is_commit_id(text) ? parse_number(std::string_view(text).substr(0, 16), 16) : parse_number(text);
  if (seed) return *seed;
  throw InputError(fmt::format(
      "--seed must be a number below 2^64 or a commit id, of 7 to 40 digits and at least one letter, got \"{}\"",
      text));
}

}  // namespace mayfly::app
