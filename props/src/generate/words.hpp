#pragma once

#include <span>
#include <string>
#include <vector>

#include "mayfly/sim/random.hpp"

// What collections, partitions and documents are called, and the text that documents hold.

namespace mayfly {

/// The names of one case: those that it may use, the first of them most.
struct Names {
  std::vector<std::string> collections, partitions, ids;
};

/// Names that meet: each is what a careless store takes for another of them, alone or joined with the next.
Names twisted_names(Random& random, std::size_t collections, std::size_t partitions, std::size_t ids);

/// How large the values of a case may get. Where they are large the case is short.
enum class Size { line, block, mebibyte };

/// A value that a careless store cuts, trims, reads or writes otherwise.
std::string twisted_value(Random& random, Size size);

}  // namespace mayfly
