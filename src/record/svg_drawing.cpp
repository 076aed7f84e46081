#include "record/svg_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/visible_text.hpp"

namespace saltus::record {
namespace {

constexpr int kTicks = 6;              // on an axis, about
constexpr double kRoomAround = 0.04;   // of the range of values, on either side
constexpr double kSameTick = 1e-9;     // of the distance of ticks: rounding of their sums
constexpr double kBelowNumber = 16.0;  // from an axis to the base line of its numbers
constexpr double kBesideNumber = 6.0;
constexpr double kHalfLetter = 4.0;

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : visible_text(text)) {
    out += c == '<'   ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '&' ? "&amp;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  }
  return out;
}

double Axis::tick() const {
  const double raw = (high - low) / kTicks;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double digit = raw / power;
  return power * (digit < 1.5 ? 1.0 : digit < 3.5 ? 2.0 : digit < 7.5 ? 5.0 : 10.0);
}

std::vector<double> Axis::ticks() const {
  std::vector<double> all;
  const double step = tick();
  const double first = std::ceil(low / step);
  const double last = std::floor(high / step + kSameTick);
  // Where the axis is so short that its ticks are rounding there are no ticks.
  for (double k = first; k <= last && std::isfinite(step) && last - first <= 4.0 * kTicks; k += 1.0) {
    all.push_back(k * step);
  }
  return all;
}

std::string Axis::text_of(double tick_value) const {
  return fmt::format("{:.10g}", std::abs(tick_value) < kSameTick * tick() ? 0.0 : tick_value);
}

Axis axis_around(const std::vector<double>& values, double from, double to) {
  Axis axis{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), from, to};
  for (const double value : values) {
    if (std::isfinite(value)) {
      axis.low = std::min(axis.low, value);
      axis.high = std::max(axis.high, value);
    }
  }
  if (!(axis.low <= axis.high)) {
    axis.low = axis.high = 0.0;
  }
  const double range = axis.high - axis.low;
  const double more = !std::isfinite(range) ? 0.0
                      : range > 0.0         ? kRoomAround * range
                                            : std::max(1.0, 0.5 * std::abs(axis.high));
  axis.low -= more;
  axis.high += more;
  return axis;
}

void SvgDrawing::line(double x1, double y1, double x2, double y2, std::string_view style) {
  svg_ += fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {}/>\n", x1, y1, x2, y2,
                      style);
}

void SvgDrawing::text(double x, double y, std::string_view words, std::string_view style) {
  svg_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" {}>{}</text>\n", x, y, style, html_text(words));
}

void SvgDrawing::box(double x, double y, double width, double height, std::string_view style,
                     std::string_view words) {
  svg_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" {}", x, y, width,
                      height, style);
  svg_ += words.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", html_text(words));
}

void SvgDrawing::axes(const Axis& x, const Axis& y) {
  for (const double value : x.ticks()) {
    line(x.place(value), y.from, x.place(value), y.to, "stroke=\"#ddd\"");
    text(x.place(value), y.from + kBelowNumber, x.text_of(value), "text-anchor=\"middle\"");
  }
  for (const double value : y.ticks()) {
    line(x.from, y.place(value), x.to, y.place(value), "stroke=\"#ddd\"");
    text(x.from - kBesideNumber, y.place(value) + kHalfLetter, y.text_of(value), "text-anchor=\"end\"");
  }
  box(x.from, y.to, x.to - x.from, y.from - y.to, "fill=\"none\" stroke=\"#000\"");
}

}  // namespace saltus::record
