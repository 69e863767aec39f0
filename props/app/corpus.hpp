#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mayfly/props/conformance.hpp"

// A corpus: a folder of traces, each a violation that was found once, in canonical form.

namespace mayfly::app {

/// Makes the folder if it is not there. Throws InputError if it cannot be used.
void ensure_corpus(const std::string& folder);

/// The cases of every trace in the folder, by file name; a file with several has them numbered. Throws InputError.
std::vector<NamedCase> read_corpus(const std::string& folder);

/// Where this trace goes: the name depends on its text alone, so that the same trace is kept once.
std::string path_in_corpus(const std::string& folder, std::string_view trace);

}  // namespace mayfly::app
