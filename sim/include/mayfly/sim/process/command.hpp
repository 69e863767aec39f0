#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mayfly {

/// The words of a command, as a shell splits them: blanks separate, quotes and backslashes keep together. Nothing else
/// of a shell: it would stand between us and the program, hide how it ended, and outlive it. Throws InputError.
std::vector<std::string> command_words(std::string_view command);

}  // namespace mayfly
