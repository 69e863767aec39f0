#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mayfly/sim/trace.hpp"

// A corpus: a folder of traces, each of a violation that an earlier run found, in canonical form.

namespace mayfly {

/// Creates the folder if it does not exist, but not its parent. Throws InputError, naming the option, if it cannot be
/// used.
void ensure_corpus(std::string_view option, const std::string& folder);

/// A case of a trace in the folder.
struct CorpusCase {
  std::string name;  ///< the name of the file, with the number of the case if there are several
  std::string file;
  TraceCase trace;
};

/// The cases of every trace in the folder, by file name. Throws InputError.
std::vector<CorpusCase> read_corpus(const std::string& folder);

/// The path under which a trace is saved. It depends on the text alone, so that the same trace is kept once.
std::string path_in_corpus(const std::string& folder, std::string_view trace);

}  // namespace mayfly
