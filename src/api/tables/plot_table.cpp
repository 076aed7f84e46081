// Pictures of columns over time, in SVG.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "api/tables/diagnostic_codes.hpp"
#include "api/tables/table_formats.hpp"
#include "saltus/result_table.hpp"

namespace saltus {
namespace {

// Around the axes, in points: room for numbers and names in letters of 12.
constexpr double kLeft = 72.0;          // numbers of the y axis, and its name
constexpr double kRight = 16.0;         // half of the last number of the x axis
constexpr double kTop = 34.0;           // room for the legend
constexpr double kBottom = 46.0;        // numbers of the x axis, and its name
constexpr int kTicks = 6;               // on an axis, about
constexpr double kLegendWidth = 7.0;    // of a character
constexpr double kRoomOfCurves = 0.04;  // of the range of values, above and below
constexpr std::size_t kBuckets = 1500;  // of a curve: its least and largest value in each are drawn
// Distinct for most eyes with colour deficiencies too (M. Okabe, K. Ito, Color Universal Design, 2008).
constexpr std::array<const char*, 7> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                              "#56b4e9", "#e69f00", "#000000"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return out;
}

// From value to place on the picture.
struct Axis {
  double low = 0.0;
  double high = 1.0;
  double from = 0.0;
  double to = 1.0;

  [[nodiscard]] double place(double value) const { return from + (value - low) / (high - low) * (to - from); }

  // 1, 2 or 5 times a power of ten.
  [[nodiscard]] double tick() const {
    const double raw = (high - low) / kTicks;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    const double digit = raw / power;
    return power * (digit < 1.5 ? 1.0 : digit < 3.5 ? 2.0 : digit < 7.5 ? 5.0 : 10.0);
  }
};

class Picture {
 public:
  Picture(const ResultTable& table, std::vector<std::size_t> columns, const PlotOptions& options)
      : table_(table), columns_(std::move(columns)), options_(options) {
    const auto [first, last] = std::minmax_element(table.times.begin(), table.times.end());
    x_ = {*first, *last > *first ? *last : *first + 1.0, kLeft, options.width - kRight};
    y_ = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
          options.height - kBottom, kTop};
    for (const std::size_t k : columns_) {
      for (const double value : table.columns[k].values) {
        if (std::isfinite(value)) {
          y_.low = std::min(y_.low, value);
          y_.high = std::max(y_.high, value);
        }
      }
    }
    if (!(y_.low <= y_.high)) {
      y_.low = y_.high = 0.0;
    }
    const double range = y_.high - y_.low;
    const double more = range > 0.0 ? kRoomOfCurves * range : std::max(1.0, 0.5 * std::abs(y_.high));
    y_.low -= more;
    y_.high += more;
  }

  std::string draw() {
    svg_ = fmt::format(
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
    return svg_ + "</svg>\n";
  }

 private:
  void line(double x1, double y1, double x2, double y2, std::string_view style) {
    svg_ += fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {}/>\n", x1, y1, x2,
                        y2, style);
  }
  void text(double x, double y, std::string_view words, std::string_view style) {
    svg_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" {}>{}</text>\n", x, y, style, escaped(words));
  }

  static std::string tick_text(double value, double step) {
    return fmt::format("{:.10g}", std::abs(value) < 1e-9 * step ? 0.0 : value);
  }

  void draw_axes() {
    for (double value = std::ceil(x_.low / x_.tick()) * x_.tick(); value <= x_.high + 1e-9 * x_.tick();
         value += x_.tick()) {
      line(x_.place(value), y_.from, x_.place(value), y_.to, "stroke=\"#ddd\"");
      text(x_.place(value), y_.from + 16.0, tick_text(value, x_.tick()), "text-anchor=\"middle\"");
    }
    for (double value = std::ceil(y_.low / y_.tick()) * y_.tick(); value <= y_.high + 1e-9 * y_.tick();
         value += y_.tick()) {
      line(x_.from, y_.place(value), x_.to, y_.place(value), "stroke=\"#ddd\"");
      text(x_.from - 6.0, y_.place(value) + 4.0, tick_text(value, y_.tick()), "text-anchor=\"end\"");
    }
    svg_ += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"none\" "
        "stroke=\"#000\"/>\n",
        x_.from, y_.to, x_.to - x_.from, y_.from - y_.to);
    text(0.5 * (x_.from + x_.to), options_.height - 10.0, table_.abscissa, "text-anchor=\"middle\"");
    text(0.5 * (x_.from + x_.to), 14.0, options_.title, "text-anchor=\"middle\" font-weight=\"bold\"");
  }

  // Times with several rows.
  void draw_events() {
    double last = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 1; i < table_.times.size(); ++i) {
      const double t = table_.times[i];
      if (t == table_.times[i - 1] && t != last) {
        last = t;
        line(x_.place(t), y_.from, x_.place(t), y_.to,
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
        svg_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"1.5\" fill=\"{}\"/>\n", points.substr(0, comma),
                            points.substr(comma + 1), colour);
      } else if (n_points > 1) {
        svg_ += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" points=\"{}\"/>\n",
                            colour, points);
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
        line(x_.place(table_.times[end]), y_.place(values[end - 1]), x_.place(table_.times[end]),
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
      line(x, kTop - 10.0, x + 18.0, kTop - 10.0,
           fmt::format("stroke=\"{}\" stroke-width=\"2\"", kColours[i % kColours.size()]));
      text(x + 22.0, kTop - 6.0, words, "");
      x += 34.0 + kLegendWidth * static_cast<double>(words.size());
    }
  }

  const ResultTable& table_;
  std::vector<std::size_t> columns_;
  const PlotOptions& options_;
  Axis x_;
  Axis y_;
  std::string svg_;
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
