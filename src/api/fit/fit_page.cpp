#include "api/fit/fit_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "record/report_page.hpp"
#include "record/svg_drawing.hpp"

namespace saltus::api {
namespace {

// Of a drawing in the units of its view box; the page scales it to the window.
constexpr double kPageWidth = 900.0;
// Enough to see noise beside the solution.
constexpr double kPlotHeight = 300.0;
// Residuals have no shape that would need more.
constexpr double kResidualHeight = 130.0;
// Room for numbers at the side …
constexpr double kLeftRoom = 70.0;
// … and below.
constexpr double kBottomRoom = 24.0;
constexpr double kFreeEdge = 0.04;        // of the range, on either side
constexpr std::size_t kMostMarks = 5000;  // of data in one drawing; of more, every k-th

using record::html_text;

struct Point {
  double t = 0.0;
  double y = 0.0;
};

class Extent {
 public:
  void take(double value) {
    if (std::isfinite(value)) {
      low_ = std::min(low_, value);
      high_ = std::max(high_, value);
    }
  }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }
  // 0 to 1 with the margin.
  [[nodiscard]] double part(double value) const {
    const double width = high_ - low_;
    return width > 0.0 ? kFreeEdge + (1.0 - 2.0 * kFreeEdge) * (value - low_) / width : 0.5;
  }

 private:
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

std::string drawing(const std::vector<Point>& marks, const std::vector<Point>& line, double height,
                    bool has_zero, Extent times) {
  Extent values;
  for (const std::vector<Point>* points : {&marks, &line}) {
    for (const Point& point : *points) {
      values.take(point.y);
      times.take(point.t);
    }
  }
  if (has_zero) {
    values.take(0.0);
  }
  const auto x = [&](double t) { return kLeftRoom + (kPageWidth - kLeftRoom) * times.part(t); };
  const auto y = [&](double value) { return (height - kBottomRoom) * (1.0 - values.part(value)); };
  std::string out = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">", kPageWidth, height);
  for (const double value : {values.low(), values.high()}) {
    out += fmt::format("<line class=\"g\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>", kLeftRoom,
                       kPageWidth, y(value));
    out += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.4g}</text>", kLeftRoom - 6.0,
                       y(value) + 4.0, value);
  }
  for (const double t : {times.low(), times.high()}) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.4g}</text>", x(t), height - 6.0,
                       t);
  }
  if (has_zero) {
    out += fmt::format("<line class=\"z\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>", kLeftRoom,
                       kPageWidth, y(0.0));
  }
  bool is_drawn = false;
  out += line.empty() ? "" : "<path class=\"m\" d=\"";
  for (const Point& point : line) {
    is_drawn = is_drawn && std::isfinite(point.y);
    if (std::isfinite(point.y)) {
      out += fmt::format("{}{:.1f} {:.1f}", is_drawn ? "L" : "M", x(point.t), y(point.y));
      is_drawn = true;
    }
  }
  out += line.empty() ? "" : "\"/>";
  const std::size_t step = marks.size() / kMostMarks + 1;
  for (std::size_t k = 0; k < marks.size(); k += step) {
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"/>", x(marks[k].t), y(marks[k].y));
  }
  return out + "</svg>\n";
}

std::string drawings_of(const FitResult& result, std::size_t experiment, std::size_t column) {
  std::vector<Point> data;
  std::vector<Point> residuals;
  for (const FitRow& row : result.rows) {
    if (row.experiment == experiment && row.column == column) {
      data.push_back({row.time, row.data});
      residuals.push_back({row.time, row.residual});
    }
  }
  if (data.empty()) {
    return "";
  }
  std::vector<Point> line;
  Extent times;
  if (experiment < result.solutions.size()) {
    const Trajectory& solution = result.solutions[experiment];
    const std::ptrdiff_t place = solution.n_rows() > 0 ? solution.index(result.columns[column]) : -1;
    for (std::size_t row = 0; place >= 0 && row < solution.n_rows(); ++row) {
      line.push_back({solution.times()[row], solution.row(row)[static_cast<std::size_t>(place)]});
      times.take(line.back().t);
    }
  }
  return fmt::format("<section class=\"card\"><h2>{}{}</h2>\n", html_text(result.columns[column]),
                     result.experiments.size() > 1 ? ", " + html_text(result.experiments[experiment]) : "") +
         drawing(data, line, kPlotHeight, false, times) + "<p class=\"about\">residuals</p>" +
         drawing(residuals, {}, kResidualHeight, true, times) + "</section>\n";
}

}  // namespace

std::string fit_page(const FitResult& result) {
  std::string out = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                    html_text(result.model) + ": fit</title>\n<style>" + std::string(record::report_style()) +
                    R"css(
section { margin-bottom: 14px; } svg { width: 100%; height: auto; display: block; } svg text { fill: var(--soft); font-size: 12px; }
.g { stroke: var(--grid); } .z { stroke: var(--soft); stroke-dasharray: 4 3; } .m { fill: none; stroke: var(--accent); stroke-width: 1.5; }
circle { fill: var(--bad); fill-opacity: 0.7; } pre { overflow-x: auto; margin: 0; }
</style></head><body><main>
)css";
  out +=
      fmt::format("<header><h1>{}</h1><span class=\"pill {}\">{}</span></header>\n", html_text(result.model),
                  result.ok()                          ? "success"
                  : result.status == FitStatus::failed ? "failed"
                                                       : "stopped",
                  to_string(result.status));
  out += "<section class=\"card\"><pre>" + html_text(render_text(result)) + "</pre></section>\n";
  for (std::size_t e = 0; e < result.experiments.size(); ++e) {
    for (std::size_t c = 0; c < result.columns.size(); ++c) {
      out += drawings_of(result, e, c);
    }
  }
  return out + "</main></body></html>\n";
}

}  // namespace saltus::api
