#pragma once

#include <string>
#include <vector>

#include "results.hpp"

namespace mayfly::bench {

/// Throws InputError if there is no gnuplot.
void ensure_gnuplot();

/// The contestants of all workloads. Each has the same colour and mark in every chart.
std::vector<std::string_view> contestants(const Results& results);

/// How gnuplot writes the colour of a contestant, or of the grid. The page gives it the one to be seen.
std::string written_colour(std::size_t contestant);
inline constexpr std::size_t grid_colour = 255;

/// A chart for each workload of more than one size, time against number of documents, as an SVG element to be put into
/// a page; empty where there is none.
std::vector<std::string> charts(const Results& results);

}  // namespace mayfly::bench
