/// Problem      boxes that contain x(θ) and ẋ(θ) of a segment for θ in [a, b]; the piece of a curve for what is enclosed along it
/// Method       powers of θ - m about the middle m; x in d₀ ± Σ |d_k| rᵏ, r = (b - a)/2. The error of the box falls with r².
/// Notation     around: by how much states may lie beside the segment: roundings, the difference of the extensions, projections
/// Contract     rounding errors are covered. No allocation after construction.
/// Cost         (degree + 1)²/2 operations for each state
/// Checked by   tests/unit/locate/step_enclosure_test.cpp
#pragma once

#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "base/interval.hpp"
#include "integrate/step/error_norm.hpp"
#include "system/guards.hpp"
#include "trajectory/segment.hpp"

namespace saltus::locate {

class StepEnclosure {
 public:
  explicit StepEnclosure(Index n_states);

  void enclose(const trajectory::SegmentView& segment, double a, double b);
  /// Widens the boxes of a whole step on the free extension so that they hold those of the full one.
  void widen(const trajectory::SegmentView& segment, const integrate::Tolerances& tolerances,
             std::span<const double> x_start);

  /// … so that they hold states that are moved by as much as `by`.
  void widen(const trajectory::SegmentView& segment, std::span<const double> by);

  [[nodiscard]] const Interval& time() const { return time_; }
  [[nodiscard]] std::span<const Interval> x() const { return x_; }
  [[nodiscard]] std::span<const Interval> xdot() const { return xdot_; }
  /// What was enclosed last, as a piece of a curve; valid until the next call.
  [[nodiscard]] system::CurvePiece piece(const trajectory::SegmentView& segment);

  void fields(Archive& a) {
    a(start_, middle_, time_, x_, xdot_, around_, rates_around_, start_state_, powers_);
  }

 private:
  void widen(std::size_t state, double by, double per_time);

  double start_ = 0.0;   // θ at the start of the piece …
  double middle_ = 0.0;  // … and in its middle
  Interval time_;
  std::vector<Interval> x_;
  std::vector<Interval> xdot_;
  std::vector<Interval> around_;
  std::vector<Interval> rates_around_;
  std::vector<double> start_state_;
  std::vector<double> powers_;
};

}  // namespace saltus::locate
