// What every run was given and what came out, as one line through parallel axes (A. Inselberg, The Visual Computer 1, 1985).

#include <fmt/format.h>

#include <cmath>

#include "api/sweep/sweep_page.hpp"
#include "record/svg_drawing.hpp"

namespace saltus::api {
namespace {

// More stand too close for their names; the page says how many are left out.
constexpr std::size_t kMostAxes = 14;
constexpr std::size_t kMostLines = 600;  // of more runs, every k-th

// In units of the picture.
constexpr double kAxesWidth = 1200.0;
constexpr double kAxesHeight = 360.0;
constexpr double kSide = 60.0;
constexpr double kAbove = 40.0;
constexpr double kBelow = 24.0;

struct NamedAxis {
  std::string name;
  std::vector<double> values;  // by run
  record::Axis axis;
};

std::vector<NamedAxis> axes_of(const SweepResult& result) {
  std::vector<NamedAxis> all;
  for (const auto& [names, table] :
       {std::pair(&result.names, &result.given), std::pair(&result.columns, &result.values)}) {
    for (std::size_t i = 0; i < names->size() && all.size() < kMostAxes; ++i) {
      NamedAxis& made = all.emplace_back();
      made.name = (*names)[i];
      for (std::size_t at = i; at < table->size(); at += names->size()) {
        made.values.push_back((*table)[at]);
      }
      made.axis = record::axis_around(made.values, kAxesHeight - kBelow, kAbove);
    }
  }
  return all;
}

}  // namespace

std::string parallel_axes(const SweepResult& result) {
  const std::vector<NamedAxis> axes = axes_of(result);
  if (axes.size() < 2) {
    return "";
  }
  const auto x = [&](std::size_t i) {
    return kSide + (kAxesWidth - 2.0 * kSide) * static_cast<double>(i) / static_cast<double>(axes.size() - 1);
  };
  // Lines have the colour of the first result.
  const NamedAxis& coloured = axes[std::min(result.names.size(), axes.size() - 1)];
  record::SvgDrawing svg;
  const std::size_t step = (result.runs.size() - 1) / kMostLines + 1;
  for (std::size_t k = 0; k < result.runs.size(); k += step) {
    std::string path;
    bool is_drawn = false;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const double value = axes[i].values[k];
      if (std::isfinite(value)) {
        path += fmt::format("{}{:.2f} {:.2f}", is_drawn ? "L" : "M", x(i), axes[i].axis.place(value));
      }
      is_drawn = std::isfinite(value);
    }
    const bool is_ok = result.runs[k].ok();
    const double part = (coloured.values[k] - coloured.axis.low) / (coloured.axis.high - coloured.axis.low);
    const std::string style = !is_ok ? std::string("class=\"r b\"")
                              : std::isfinite(part)
                                  ? fmt::format("class=\"r\" stroke=\"{}\"", colour_of(part))
                                  : std::string("class=\"r\" stroke=\"#888\"");
    svg.add(fmt::format("<path {} d=\"{}\"><title>run {}{}</title></path>\n", style, path, k + 1,
                        is_ok ? "" : ": not ok"));
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const record::Axis& axis = axes[i].axis;
    svg.line(x(i), axis.from, x(i), axis.to, "stroke=\"#888\"");
    svg.text(x(i), kAbove - 22.0, axes[i].name, "text-anchor=\"middle\"");
    for (const double value : axis.ticks()) {
      svg.text(x(i) - 4.0, axis.place(value) + 4.0, axis.text_of(value), "text-anchor=\"end\"");
    }
  }
  const std::size_t n_all = result.names.size() + result.columns.size();
  std::string words = fmt::format(
      "a line for each run, with the colour of '{}'; red: did not come to its end", coloured.name);
  words +=
      step > 1 ? fmt::format("; {} of {} runs", (result.runs.size() - 1) / step + 1, result.runs.size()) : "";
  words += n_all > kMostAxes ? fmt::format("; {} of {} columns", kMostAxes, n_all) : "";
  return page_card("Parallel axes", page_picture(kAxesWidth, kAxesHeight, svg.elements()) +
                                        "<p class=\"about\">" + record::html_text(words) + "</p>\n");
}

}  // namespace saltus::api
