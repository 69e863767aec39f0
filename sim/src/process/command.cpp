#include "mayfly/sim/process/command.hpp"

#include <utility>

#include <fmt/format.h>

#include "mayfly/sim/input_error.hpp"

namespace mayfly {

std::vector<std::string> command_words(std::string_view command) {
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const bool is_blank = c == ' ' || c == '\t' || c == '\n';
    if (is_blank && quote == 0) {
      is_in_word = false;
      continue;
    }
    if (!std::exchange(is_in_word, true)) words.emplace_back();
    if (c == quote)
      quote = 0;
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < command.size())
      words.back() += command[++i];
    else
      words.back() += c;
  }
  if (quote != 0) throw InputError(fmt::format("a quote is not closed in {}", command));
  if (words.empty()) throw InputError("the command is empty");
  return words;
}

}  // namespace mayfly
