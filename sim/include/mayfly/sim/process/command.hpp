#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mayfly {

/// Splits a command into words as a shell does: blanks separate words, quotes and backslashes keep blanks together. No
/// other feature of a shell is supported: a shell would stand between the harness and the program, hide how the program
/// ended, and outlive it. Throws InputError.
std::vector<std::string> command_words(std::string_view command);

}  // namespace mayfly
