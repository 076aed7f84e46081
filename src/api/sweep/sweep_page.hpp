/// sweep.html: what came out of a sweep, for people; without network and without scripts.
///
/// Method       maps: the mean of a column over the runs in each cell of two varied names (one cell for each value where there are few, else equal
///              parts of the range), so that a grid of two names has one run in a cell; one varied name: the column over it. Parallel axes: a line for
///              each run through what it was given and what came out. Bundles: trajectories on a common grid of times by straight lines between
///              their rows, quantiles of the runs that have a value there (R. J. Hyndman, Y. Fan, Am. Stat. 50, 1996, type 7).
/// Contract     the page is a function of the table and of the trajectories, whatever the number of threads; it says what it leaves out, and runs
///              that are not ok() are shown as such, never as values
/// Checked by   tests/sweep/page_test.cpp
#pragma once

#include <string>
#include <vector>

#include "saltus/sweep.hpp"

namespace saltus::api {

/// Where run `run` of `n_runs` writes its trajectory, below `folder`.
[[nodiscard]] std::string folder_of_run(const std::string& folder, std::size_t run, std::size_t n_runs);

/// How many there are of each status: "3 runs: 2 success, 1 failed".
[[nodiscard]] std::string runs_in_words(const SweepResult& result);

/// `trajectory_folder`: empty, or that of the trajectories.
[[nodiscard]] std::string sweep_page(const SweepResult& result, const std::string& trajectory_folder);

// Its parts, each some cards of the page:
[[nodiscard]] std::string parameter_maps(const SweepResult& result);
[[nodiscard]] std::string parallel_axes(const SweepResult& result);
[[nodiscard]] std::string curve_bundles(const SweepResult& result, const std::string& trajectory_folder);

/// The quantile of `part` (0 to 1) of numbers in ascending order, at least one.
[[nodiscard]] double quantile(const std::vector<double>& sorted, double part);

/// A colour for 0 to 1: viridis (N. Smith, S. van der Walt, 2015), by straight lines between five of its colours.
[[nodiscard]] std::string colour_of(double part);

/// "<section …><h2>…</h2>…</section>"
[[nodiscard]] std::string page_card(const std::string& title, const std::string& content);
/// "<svg …>…</svg>" of a size in its own units; the page scales it.
[[nodiscard]] std::string page_picture(double width, double height, const std::string& elements);

}  // namespace saltus::api
