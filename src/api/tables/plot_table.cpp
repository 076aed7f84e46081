// Pictures of columns over time, in SVG.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "api/tables/diagnostic_codes.hpp"
#include "api/tables/table_formats.hpp"
#include "record/svg_drawing.hpp"
#include "saltus/result_table.hpp"

namespace saltus {
namespace {

// Around the axes, in points: room for numbers and names in letters of 12.
constexpr double kLeft = 72.0;          // numbers of the y axis, and its name
constexpr double kRight = 16.0;         // half of the last number of the x axis
constexpr double kTop = 34.0;           // room for the legend
constexpr double kBottom = 46.0;        // numbers of the x axis, and its name
constexpr double kLegendWidth = 7.0;    // of a character
constexpr std::size_t kBuckets = 1500;  // of a curve: its least and largest value in each are drawn
// Distinct for most eyes with colour deficiencies too (M. Okabe, K. Ito, Color Universal Design, 2008).
constexpr std::array<const char*, 7> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                              "#56b4e9", "#e69f00", "#000000"};

class Picture {
 public:
  Picture(const ResultTable& table, std::vector<std::size_t> columns, const PlotOptions& options)
      : table_(table), columns_(std::move(columns)), options_(options) {
    const auto [first, last] = std::minmax_element(table.times.begin(), table.times.end());
    x_ = {*first, *last > *first ? *last : *first + 1.0, kLeft, options.width - kRight};
    std::vector<double> values;
    for (const std::size_t k : columns_) {
      values.insert(values.end(), table.columns[k].values.begin(), table.columns[k].values.end());
    }
    y_ = record::axis_around(values, options.height - kBottom, kTop);
  }

  std::string draw() {
    const std::string head = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
        options_.width, options_.height);
    draw_axes();
    if (options_.events) {
      draw_events();
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      draw_curve(table_.columns[columns_[i]].values, kColours[i % kColours.size()]);
    }
    draw_legend();
    return head + svg_.elements() + "</svg>\n";
  }

 private:
  void draw_axes() {
    svg_.axes(x_, y_);
    svg_.text(0.5 * (x_.from + x_.to), options_.height - 10.0, table_.abscissa, "text-anchor=\"middle\"");
    svg_.text(0.5 * (x_.from + x_.to), 14.0, options_.title, "text-anchor=\"middle\" font-weight=\"bold\"");
  }

  // Times with several rows.
  void draw_events() {
    double last = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 1; i < table_.times.size(); ++i) {
      const double t = table_.times[i];
      if (t == table_.times[i - 1] && t != last) {
        last = t;
        svg_.line(x_.place(t), y_.from, x_.place(t), y_.to,
                  "class=\"event\" stroke=\"#888\" stroke-width=\"0.7\" stroke-dasharray=\"3,3\"");
      }
    }
  }

  void draw_curve(const std::vector<double>& values, const char* colour) {
    std::string points;
    std::size_t n_points = 0;
    const auto end_line = [&] {
      if (n_points == 1) {
        const std::size_t comma = points.find(',');
        svg_.add(fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"1.5\" fill=\"{}\"/>\n", points.substr(0, comma),
                             points.substr(comma + 1), colour));
      } else if (n_points > 1) {
        svg_.add(fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" points=\"{}\"/>\n",
                             colour, points));
      }
      points.clear();
      n_points = 0;
    };
    const auto add = [&](std::size_t i) {
      points += fmt::format("{}{:.2f},{:.2f}", n_points == 0 ? "" : " ", x_.place(table_.times[i]),
                            y_.place(values[i]));
      ++n_points;
    };
    // Rows between two events, or two rows without a value, are one line.
    for (std::size_t begin = 0; begin < values.size();) {
      std::size_t end = begin + 1;
      while (end < values.size() && table_.times[end] != table_.times[end - 1] &&
             std::isfinite(values[end]) && std::isfinite(values[end - 1])) {
        ++end;
      }
      if (std::isfinite(values[begin])) {
        for (const std::size_t i : thinned(values, begin, end)) {
          add(i);
        }
      }
      end_line();
      if (end < values.size() && std::isfinite(values[end]) && std::isfinite(values[end - 1]) &&
          values[end] != values[end - 1]) {
        svg_.line(x_.place(table_.times[end]), y_.place(values[end - 1]), x_.place(table_.times[end]),
                  y_.place(values[end]),
                  fmt::format("class=\"jump\" stroke=\"{}\" stroke-dasharray=\"1,3\"", colour));
      }
      begin = end;
    }
  }

  // Of many rows, the ends, least and largest of each bucket: no peak is lost.
  static std::vector<std::size_t> thinned(const std::vector<double>& values, std::size_t begin,
                                          std::size_t end) {
    std::vector<std::size_t> kept;
    const std::size_t size = std::max<std::size_t>(1, (end - begin) / kBuckets);
    for (std::size_t at = begin; at < end; at += size) {
      const std::size_t stop = std::min(end, at + size);
      const auto first = values.begin();
      const auto [least, largest] = std::minmax_element(first + static_cast<std::ptrdiff_t>(at),
                                                        first + static_cast<std::ptrdiff_t>(stop));
      std::array<std::size_t, 4> places{at, static_cast<std::size_t>(least - first),
                                        static_cast<std::size_t>(largest - first), stop - 1};
      std::sort(places.begin(), places.end());
      for (const std::size_t place : places) {
        if (kept.empty() || kept.back() != place) {
          kept.push_back(place);
        }
      }
    }
    return kept;
  }

  void draw_legend() {
    double x = x_.from;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const ResultTable::Column& column = table_.columns[columns_[i]];
      const std::string words =
          column.unit.empty() ? column.name : fmt::format("{} [{}]", column.name, column.unit);
      svg_.line(x, kTop - 10.0, x + 18.0, kTop - 10.0,
                fmt::format("stroke=\"{}\" stroke-width=\"2\"", kColours[i % kColours.size()]));
      svg_.text(x + 22.0, kTop - 6.0, words, "");
      x += 34.0 + kLegendWidth * static_cast<double>(words.size());
    }
  }

  const ResultTable& table_;
  std::vector<std::size_t> columns_;
  const PlotOptions& options_;
  record::Axis x_;
  record::Axis y_;
  record::SvgDrawing svg_;
};

}  // namespace

Result<std::string> plot_svg(const ResultTable& table, const PlotOptions& options) {
  Diagnostics problems;
  std::vector<std::size_t> columns = api::columns_meant(table, options.columns, problems);
  if (table.times.empty()) {
    problems.error(api::kWrongResultFile, fmt::format("{}: there are no rows", table.source));
  }
  if (options.columns.empty()) {
    problems.error(api::kUnknownResultColumn, "no columns are named", std::nullopt,
                   "name at least one, or '*' for all");
  }
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  return Picture(table, std::move(columns), options).draw();
}

}  // namespace saltus
