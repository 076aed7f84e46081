// Trajectories of all runs over each other, with quantiles.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "api/sweep/sweep_page.hpp"
#include "api/tables/linear_value.hpp"
#include "record/svg_drawing.hpp"
#include "saltus/result_table.hpp"

namespace saltus::api {
namespace {

// Files that are read for one page; of more runs, every k-th. The page says so.
constexpr std::size_t kMostRead = 1000;
constexpr std::size_t kMostCurves = 60;     // drawn one by one, of those
constexpr std::size_t kMostVariables = 12;  // of a page
constexpr std::size_t kInstants = 301;      // of the common grid of times
// Least, quarters, largest without the outermost twentieths.
constexpr std::array<double, 5> kQuantiles{0.05, 0.25, 0.5, 0.75, 0.95};

// In units of the picture.
constexpr double kBundleWidth = 900.0;
constexpr double kBundleHeight = 320.0;
constexpr double kBundleLeft = 72.0;
constexpr double kBundleBottom = 40.0;

struct Curves {
  std::vector<std::string> names;
  std::vector<double> times;                             // the common grid
  std::vector<std::vector<std::vector<double>>> values;  // [variable][run][time]; NaN: none
  std::size_t n_unread = 0;
};

// On the common grid; before its begin and behind its end a run has no values.
std::vector<double> sampled(const ResultTable& table, const std::vector<double>& values,
                            const std::vector<double>& grid) {
  const double sign = table.times.back() < table.times.front() ? -1.0 : 1.0;
  std::vector<double> times;
  for (const double t : table.times) {
    times.push_back(sign * t);
  }
  std::vector<double> found;
  for (const double t : grid) {
    const bool is_within = sign * t >= times.front() && sign * t <= times.back();
    found.push_back(is_within ? linear_value(times, values, sign * t) : std::nan(""));
  }
  return found;
}

// From the start of the runs, which is the same for all, to where the last of them ended.
std::vector<double> common_times(const SweepResult& result, double start) {
  double end = start;
  for (const SweepRun& run : result.runs) {
    end = std::abs(run.end - start) > std::abs(end - start) ? run.end : end;
  }
  std::vector<double> times;
  for (std::size_t i = 0; i < kInstants; ++i) {
    times.push_back(std::lerp(std::min(start, end), std::max(start, end),
                              static_cast<double>(i) / static_cast<double>(kInstants - 1)));
  }
  return times;
}

void take_table(const ResultTable& table, Curves& curves) {
  for (const ResultTable::Column& column : table.columns) {
    const auto found = std::find(curves.names.begin(), curves.names.end(), column.name);
    const auto place = static_cast<std::size_t>(found - curves.names.begin());
    if (found == curves.names.end()) {
      curves.names.push_back(column.name);
    }
    if (place < kMostVariables) {
      curves.values.resize(std::max(curves.values.size(), place + 1));
      curves.values[place].push_back(sampled(table, column.values, curves.times));
    }
  }
}

// One file after the other: all rows of all runs may be more than fits into memory.
Curves curves_of(const SweepResult& result, const std::string& folder) {
  Curves curves;
  const std::size_t step = (result.runs.size() - 1) / kMostRead + 1;
  for (std::size_t k = 0; k < result.runs.size(); k += step) {
    if (result.runs[k].status == SweepStatus::refused) {
      continue;
    }
    const Result<ResultTable> table = read_result_table(folder_of_run(folder, k, result.runs.size()));
    if (!table || table->times.empty()) {
      ++curves.n_unread;
      continue;
    }
    if (curves.times.empty()) {
      curves.times = common_times(result, table->times.front());
    }
    take_table(*table, curves);
  }
  return curves;
}

// Through what is finite; gaps stay gaps.
std::string path_of(const record::Axis& x, const record::Axis& y, const std::vector<double>& times,
                    const std::vector<double>& values) {
  std::string path;
  bool is_drawn = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) {
      path += fmt::format("{}{:.2f} {:.2f}", is_drawn ? "L" : "M", x.place(times[i]), y.place(values[i]));
    }
    is_drawn = std::isfinite(values[i]);
  }
  return path;
}

// Between two curves, where both have values: a closed line for each stretch.
std::string band_of(const record::Axis& x, const record::Axis& y, const std::vector<double>& times,
                    const std::vector<double>& low, const std::vector<double>& high) {
  std::string path;
  for (std::size_t begin = 0; begin < times.size();) {
    std::size_t end = begin;
    while (end < times.size() && std::isfinite(low[end]) && std::isfinite(high[end])) {
      path +=
          fmt::format("{}{:.2f} {:.2f}", end == begin ? "M" : "L", x.place(times[end]), y.place(low[end]));
      ++end;
    }
    for (std::size_t i = end; i > begin; --i) {
      path += fmt::format("L{:.2f} {:.2f}", x.place(times[i - 1]), y.place(high[i - 1]));
    }
    path += end > begin ? "Z" : "";
    begin = end + 1;
  }
  return path;
}

std::string bundle(const std::vector<double>& times, const std::vector<std::vector<double>>& runs) {
  std::array<std::vector<double>, kQuantiles.size()> quantiles;
  std::vector<double> all;
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::vector<double> here;
    for (const std::vector<double>& run : runs) {
      if (std::isfinite(run[i])) {
        here.push_back(run[i]);
      }
    }
    std::sort(here.begin(), here.end());
    all.insert(all.end(), here.begin(), here.end());
    for (std::size_t q = 0; q < kQuantiles.size(); ++q) {
      quantiles[q].push_back(here.empty() ? std::nan("") : quantile(here, kQuantiles[q]));
    }
  }
  const record::Axis x{times.front(), times.back() > times.front() ? times.back() : times.front() + 1.0,
                       kBundleLeft, kBundleWidth - 16.0};
  const record::Axis y = record::axis_around(all, kBundleHeight - kBundleBottom, 10.0);
  record::SvgDrawing svg;
  svg.axes(x, y);
  svg.text(0.5 * (x.from + x.to), kBundleHeight - 6.0, "time", "text-anchor=\"middle\"");
  const std::size_t step = (std::max<std::size_t>(runs.size(), 1) - 1) / kMostCurves + 1;
  for (std::size_t k = 0; k < runs.size(); k += step) {
    svg.add(fmt::format("<path class=\"c\" d=\"{}\"/>\n", path_of(x, y, times, runs[k])));
  }
  for (const std::size_t q : {std::size_t{0}, std::size_t{1}}) {
    svg.add(fmt::format("<path class=\"q\" d=\"{}\"/>\n",
                        band_of(x, y, times, quantiles[q], quantiles[kQuantiles.size() - 1 - q])));
  }
  svg.add(fmt::format("<path class=\"m\" d=\"{}\"/>\n", path_of(x, y, times, quantiles[2])));
  return page_picture(kBundleWidth, kBundleHeight, svg.elements());
}

}  // namespace

std::string curve_bundles(const SweepResult& result, const std::string& trajectory_folder) {
  const Curves curves = curves_of(result, trajectory_folder);
  std::string cards;
  for (std::size_t i = 0; i < curves.values.size(); ++i) {
    const std::size_t n = curves.values[i].size();
    std::string words = fmt::format(
        "{} of {} runs; median, half of them and nine tenths of those that have a value at a time; {} curves",
        n, result.runs.size(), std::min(n, kMostCurves));
    cards += page_card(curves.names[i] + " over time",
                       bundle(curves.times, curves.values[i]) + "<p class=\"about\">" + words + "</p>\n");
  }
  if (curves.names.size() > kMostVariables) {
    cards += fmt::format("<p class=\"about\">{} of {} variables are shown</p>\n", kMostVariables,
                         curves.names.size());
  }
  if (curves.n_unread > 0) {
    cards += fmt::format("<p class=\"message\">{} trajectories cannot be read</p>\n", curves.n_unread);
  }
  return cards;
}

}  // namespace saltus::api
