#include "locate/step_enclosure.hpp"

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"
#include "locate/guard_curve.hpp"
#include "locate/step_ranges.hpp"

namespace saltus::locate {
namespace {

// Roundings on the way from the segment's coefficients to an end of a box.
constexpr double kEndRoundings = 16.0;
// |d/dθ| of a difference that is at most 1 and vanishes like θ²(1 - θ)² at the ends is at most 16·max|2θ(1-θ)(1-2θ)| = 3.1.
constexpr double kSlopeOfDifference = 3.1;

}  // namespace

StepEnclosure::StepEnclosure(Index n_states)
    : x_(static_cast<std::size_t>(n_states)),
      xdot_(static_cast<std::size_t>(n_states)),
      around_(static_cast<std::size_t>(n_states)),
      rates_around_(static_cast<std::size_t>(n_states)),
      start_state_(static_cast<std::size_t>(n_states)),
      powers_(static_cast<std::size_t>(n_states * (trajectory::kMaxSegmentDegree + 1))) {}

void StepEnclosure::enclose(const trajectory::SegmentView& segment, double a, double b) {
  const auto n = static_cast<std::size_t>(segment.n_states());
  const auto degree = static_cast<std::size_t>(segment.degree());
  const double middle = 0.5 * (a + b);
  start_ = a;
  middle_ = middle;
  const double r = std::max(b - middle, middle - a) * (1.0 + kEpsilon);
  std::copy(segment.coefficients().begin(), segment.coefficients().end(), powers_.begin());
  // Taylor shift by repeated synthetic division, all states side by side.
  for (std::size_t k = 0; k < degree; ++k) {
    for (std::size_t p = degree; p > k; --p) {
      double* const low = powers_.data() + (p - 1) * n;
      const double* const high = powers_.data() + p * n;
      for (std::size_t i = 0; i < n; ++i) {
        low[i] += middle * high[i];
      }
    }
  }
  const double h = segment.step();
  for (std::size_t i = 0; i < n; ++i) {
    double radius = 0.0;
    double slope_radius = 0.0;
    double magnitude = 0.0;
    for (std::size_t p = degree; p >= 1; --p) {
      const double d = std::abs(powers_[p * n + i]);
      radius = (radius + d) * r;
      slope_radius = p >= 2 ? (slope_radius + static_cast<double>(p) * d) * r : slope_radius;
      magnitude += std::abs(segment.coefficients()[p * n + i]);
    }
    const double centre = powers_[i];
    const double slope = degree >= 1 ? powers_[n + i] / h : 0.0;
    magnitude += std::abs(segment.coefficients()[i]);
    const double rounding = kEndRoundings * kEpsilon * magnitude;
    radius += rounding;
    const double slope_rounding = static_cast<double>(degree) * rounding / std::abs(h);
    slope_radius = slope_radius / std::abs(h) + slope_rounding;
    x_[i] = {centre - radius, centre + radius};
    xdot_[i] = {slope - slope_radius, slope + slope_radius};
    around_[i] = {-rounding, rounding};
    rates_around_[i] = {-slope_rounding, slope_rounding};
  }
  const double first = time_at(segment, a);
  const double last = time_at(segment, b);
  time_ = {std::min(first, last) * (1.0 - kEpsilon), std::max(first, last) * (1.0 + kEpsilon)};
  if (time_.lower < 0.0) {
    time_.lower = std::min(first, last) * (1.0 + kEpsilon);
  }
  if (time_.upper < 0.0) {
    time_.upper = std::max(first, last) * (1.0 - kEpsilon);
  }
}

void StepEnclosure::widen(const trajectory::SegmentView& segment, const integrate::Tolerances& tolerances,
                          std::span<const double> x_start) {
  const ExtensionError extension_error(tolerances, x_start);
  const double per_time = kSlopeOfDifference / std::abs(segment.step());
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double magnitude = std::max(std::abs(x_[i].lower), std::abs(x_[i].upper));
    const double error = extension_error(tolerances.atol[i], magnitude, 0.5 * (x_[i].upper - x_[i].lower));
    widen(i, error, error * per_time);
  }
}

void StepEnclosure::widen(const trajectory::SegmentView& segment, std::span<const double> by) {
  const double per_time = kSlopeOfDifference / std::abs(segment.step());
  for (std::size_t i = 0; i < x_.size(); ++i) {
    widen(i, by[i], by[i] * per_time);
  }
}

void StepEnclosure::widen(std::size_t state, double by, double per_time) {
  const auto wider = [](const Interval& interval, double radius) {
    return Interval{interval.lower - radius, interval.upper + radius};
  };
  x_[state] = wider(x_[state], by);
  around_[state] = wider(around_[state], by);
  xdot_[state] = wider(xdot_[state], per_time);
  rates_around_[state] = wider(rates_around_[state], per_time);
}

system::CurvePiece StepEnclosure::piece(const trajectory::SegmentView& segment) {
  segment.evaluate(start_, start_state_);
  return {.time = time_,
          .at = time_at(segment, middle_),
          .x = std::span<const double>(powers_).first(x_.size()),
          .box = x_,
          .xdot = xdot_,
          .around = around_,
          .powers = std::span<const double>(powers_).first(segment.coefficients().size()),
          .step = segment.step(),
          .rates_around = rates_around_,
          .is_box = false,
          .start_time = time_at(segment, start_),
          .start = start_state_};
}

}  // namespace saltus::locate
