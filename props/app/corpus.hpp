#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mayfly/sim/trace.hpp"

// A corpus: a folder of traces, each a violation that was found once, in canonical form.

namespace mayfly::app {

/// Makes the folder if it is not there, but not the one that it is in. Throws InputError if it cannot be used.
void ensure_corpus(const std::string& folder);

/// A case of a trace in the folder.
struct CorpusCase {
  std::string name;  ///< that of the file, and which it is of several
  std::string file;
  TraceCase trace;
};

/// The cases of every trace in the folder, by file name. Throws InputError.
std::vector<CorpusCase> read_corpus(const std::string& folder);

/// Where this trace goes: the name depends on its text alone, so that the same trace is kept once.
std::string path_in_corpus(const std::string& folder, std::string_view trace);

}  // namespace mayfly::app
