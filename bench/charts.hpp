#pragma once

#include <string>
#include <vector>

#include "results.hpp"

namespace mayfly::bench {

/// Throws InputError if there is no gnuplot.
void ensure_gnuplot();

/// The contestants of all workloads. A contestant has the same colour and mark in every chart.
std::vector<std::string_view> contestants(const Results& results);

/// The placeholder that stands in a chart for the colour of a contestant or of the grid. The page's style replaces it.
std::string written_colour(std::size_t contestant);
inline constexpr std::size_t grid_colour = 255;

/// For each workload an SVG element, time against number of documents; empty for a workload of one size.
std::vector<std::string> charts(const Results& results);

}  // namespace mayfly::bench
