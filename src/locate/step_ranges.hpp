/// Problem      for the states that occur in guards, ranges over a step that hold on the free extension and on the full one
/// Method       the stepper's ranges, from the ends of the step and their rates (Stepper::enclose_step), widened by e
/// Notation     e_i = κ (atol_i + rtol |x_i|) bounds |x_i(θ) of the free extension - x_i(θ) of the full one|
/// Contract     a step needs no extension to be bounded. Ranges hold in real arithmetic; rounding errors are covered.
/// Choices      κ = kExtensionError·max(√n, 2): the error test bounds a mean square, of which one of n states may have all. Where the error test is off there is no tolerance: a tenth of the state's range stands
///              in for it.
/// Cost         about 50 operations for each state that occurs
/// Checked by   tests/unit/locate/step_ranges_test.cpp
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "base/interval.hpp"
#include "integrate/step/error_norm.hpp"
#include "integrate/step/open_step.hpp"

namespace saltus::locate {

/// How many times the error that a method estimates, or that the error test allows, a state may be off: estimates speak of the end of one
/// step.
inline constexpr double kBeyondEstimate = 2.0;

/// How many tolerances the free extension may be away from the full one, in the norm of the error test, in a step that
/// passed it. Largest ratio observed: docs/math/event_location.md.
inline constexpr double kExtensionError = 16.0;
/// κ of a system with this many states.
[[nodiscard]] inline double extension_kappa(std::size_t n_states) {
  return kExtensionError * std::max(std::sqrt(static_cast<double>(n_states)), 2.0);
}

/// Roundings in the coefficients of θ, θ², … of the full extension: combinations of the stages whose factors are up to about 20.
inline constexpr double kCoefficientRoundings = 32.0;

/// e for one state of size |x| ≤ magnitude and range 2·radius over the step.
struct ExtensionError {
  double kappa;
  double rtol;
  double floor;            ///< max(‖x‖∞, 1) in the norm of [Com01], which knows no atol; else 0
  double share_of_radius;  ///< where there is no error test

  ExtensionError(const integrate::Tolerances& tolerances, std::span<const double> x_start);
  [[nodiscard]] double operator()(double atol, double magnitude, double radius) const {
    const double size = magnitude > floor ? magnitude : floor;
    return kappa * ((floor > 0.0 ? 0.0 : atol) + rtol * size) + share_of_radius * radius;
  }
};

/// Σ |slope_i| e_i, e_i being what the error test of a step allows state i to be off: of n errors with a mean square of 1 one may be √n.
/// `x`, `end`: the states at both ends of the step.
[[nodiscard]] double allowed_error(const integrate::Tolerances& tolerances, std::span<const double> slopes,
                                   std::span<const double> x, std::span<const double> end);

/// Ranges of a step that a box of states must reach beyond it: one that the next step leaves is not worth its enclosure.
inline constexpr double kLeastGrowth = 1.0;
/// The range with as much more on both sides.
[[nodiscard]] inline Interval enlarged(const Interval& range, double growth) {
  const double by = growth * (range.upper - range.lower);
  return {range.lower - by, range.upper + by};
}

class StepRanges {
 public:
  using Slot = std::uint32_t;

  explicit StepRanges(Index n_states);

  void clear();
  /// The place of a state among those that are bounded; it joins them if it is new.
  Slot slot(Index state);
  [[nodiscard]] std::size_t size() const { return states_.size(); }
  [[nodiscard]] Index state(Slot slot) const { return states_[slot]; }

  /// Ranges over the open step.
  void bound(const integrate::OpenStep& step);
  /// Widened by e.
  [[nodiscard]] const Interval& range(Slot slot) const { return ranges_[slot]; }
  [[nodiscard]] std::span<const Interval> ranges() const { return ranges_; }
  /// e
  [[nodiscard]] double error(Slot slot) const { return errors_[slot]; }
  [[nodiscard]] const Interval& time() const { return time_; }

  void fields(Archive& a) {
    a.list(states_);
    a(slots_);
    a.list(ranges_);
    a.list(errors_);
    a(time_);
    const auto n = static_cast<Index>(slots_.size());
    const bool fits =
        ranges_.size() == states_.size() && errors_.size() == states_.size() &&
        std::all_of(states_.begin(), states_.end(), [n](Index state) { return state >= 0 && state < n; }) &&
        std::all_of(slots_.begin(), slots_.end(),
                    [this](std::int32_t slot) { return slot >= -1 && slot < std::ssize(states_); });
    if (a.is_loading() && !fits) {
      a.refuse("ranges of a step do not fit");
    }
  }

 private:
  std::vector<Index> states_;        // by slot
  std::vector<std::int32_t> slots_;  // by state; -1: does not occur
  std::vector<Interval> ranges_;     // by slot
  std::vector<double> errors_;       // by slot
  Interval time_;
};

}  // namespace saltus::locate
