#pragma once

#include <cstddef>
#include <vector>

#include "mayfly/props/shrink/alike.hpp"
#include "mayfly/props/shrink/passes.hpp"

// The passes, by what they change. Each makes at most some changes for each group of operations and for each name, so
// that a case of thousands of operations does not have millions of candidates.

namespace mayfly {

using Changes = std::vector<Change>;

/// If there are more groups, documents or clock steps, single ones are changed only when nothing else helps.
constexpr std::size_t most_groups = 64;

struct Range {
  std::size_t begin;
  std::size_t end;
};

/// Runs of things that differ from each other: all of them, halves, and so on to single ones, each time from the end.
/// Lengths of which there are more than `most` runs are left out.
std::vector<Range> runs_of(std::size_t count, std::size_t most);

/// Parts of things that are alike: all of them, then halves and so on to a single one, at either end and in the middle.
std::vector<Range> parts_of(std::size_t count);

/// The steps that represent all: of each group the first block and the last, because the others are like them.
std::vector<std::size_t> representative_steps(const Case& test_case);

/// Operations of one kind that are changed together, by their places.
using Spot = std::vector<std::size_t>;

/// Each operation, and of a group the operations of its parts together. Empty if there are more than `most_groups`.
std::vector<Spot> spots_of(const Case& test_case);

/// In a long case all operations of each kind, either half and each quarter of them.
std::vector<Spot> wide_spots_of(const Case& test_case);

// Operations.
Changes remove_documents(const Case& test_case);
Changes remove_kinds(const Case& test_case);
Changes remove_runs(const Case& test_case);
Changes remove_each(const Case& test_case);
Changes remove_pairs(const Case& test_case);
Changes fold_writes(const Case& test_case);
Changes simplify_all_of_a_kind(const Case& test_case);
Changes simplify_kinds(const Case& test_case);
Changes end_with_an_observation(const Case& test_case);
Changes put_in_order(const Case& test_case);

// Names and texts.
Changes rename_by_first_use(const Case& test_case);
Changes gather_documents(const Case& test_case);
Changes merge_names(const Case& test_case);
Changes simplify_texts(const Case& test_case);

// Values and times.
Changes inherit_instead(const Case& test_case);
Changes simplify_all_values(const Case& test_case);
Changes simplify_values(const Case& test_case);
Changes set_defaults_sooner(const Case& test_case);
Changes lower_linked(const Case& test_case);
Changes merge_steps(const Case& test_case);
Changes start_later(const Case& test_case);
Changes start_earlier(const Case& test_case);

}  // namespace mayfly
