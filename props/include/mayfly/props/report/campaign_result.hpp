#pragma once

#include "mayfly/props/report/result.hpp"

// The result of a campaign, or of its shards together.

namespace mayfly {

/// Why a campaign without violations is inconclusive; empty if it is not. If shards are missing, only reasons that
/// further shards cannot remove.
std::vector<std::string> doubts_about(const Result& result);

/// Fills in what follows from the findings and the campaign: the rules, how it ended, and its texts.
void conclude_campaign(Result& result);

/// Adds the result of another shard. Throws InputError if it is not one of the same campaign, or is in it already.
void merge(Result& into, const Result& other);

}  // namespace mayfly
