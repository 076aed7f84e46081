// Dense output of the open step of Radau5.
#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/radau5.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

using radau5::kStages;

// A slope at the start that misses that of q by this many tolerances over the step bends the polynomial of degree 5 by one.
constexpr double kTransientSlope = 25.0;
// Roundings of sums that bound the states, in units of the state and of the stages with their largest factor.
constexpr double kEndRounding = 4.0 * std::numeric_limits<double>::epsilon();
constexpr double kStageRounding = 128.0 * std::numeric_limits<double>::epsilon();

}  // namespace

std::span<double> Radau5::dense_row(Index power) {
  return std::span<double>(dense_).subspan(static_cast<std::size_t>(power * n_states_),
                                           static_cast<std::size_t>(n_states_));
}

// The Bernstein coefficients of q: x₀, x₀ + p₁/3, x₀ + (2p₁ + p₂)/3, x₁.
void Radau5::enclose_step(std::span<const Index> states, std::span<Interval> ranges) const {
  SALTUS_EXPECT(open_, "dense output belongs to a good attempt");
  const auto& powers = radau5::kPowers;
  for (std::size_t slot = 0; slot < states.size(); ++slot) {
    const auto i = static_cast<std::size_t>(states[slot]);
    const double x0 = y_start_[i];
    const double x1 = y_end_[i];
    const double z0 = z_[0][i];
    const double z1 = z_[1][i];
    const double z2 = x1 - x0;
    const double p1 = powers[0][0] * z0 + powers[0][1] * z1 + powers[0][2] * z2;
    const double p2 = powers[1][0] * z0 + powers[1][1] * z1 + powers[1][2] * z2;
    const double b1 = x0 + p1 / 3.0;
    const double b2 = x0 + (2.0 * p1 + p2) / 3.0;
    const double slack = kEndRounding * (std::abs(x0) + std::abs(x1)) +
                         kStageRounding * (std::abs(z0) + std::abs(z1) + std::abs(z2));
    ranges[slot] = {std::min(std::min(x0, b1), std::min(b2, x1)) - slack,
                    std::max(std::max(x0, b1), std::max(b2, x1)) + slack};
  }
}

// q with its end at the result, which may have been projected.
void Radau5::fill_collocation() {
  for (std::size_t p = 0; p < kStages; ++p) {
    const auto& row = radau5::kPowers[p];
    const std::span<double> target = dense_row(static_cast<Index>(p) + 1);
    for (std::size_t i = 0; i < target.size(); ++i) {
      target[i] = row[0] * z_[0][i] + row[1] * z_[1][i] + row[2] * (y_end_[i] - y_start_[i]);
    }
  }
}

// Values and slopes at θ = 0, ½, 1; with u = x(½) - x₀, v = x₁ - x₀ and slopes times h.
void Radau5::fill_hermite() {
  for (std::size_t i = 0; i < ydot_start_.size(); ++i) {
    const double u = y_middle_[i] - y_start_[i];
    const double v = y_end_[i] - y_start_[i];
    const double d0 = h_ * ydot_start_[i];
    const double dm = h_ * ydot_middle_[i];
    const double d1 = h_ * ydot_end_[i];
    dense_row(1)[i] = d0;
    dense_row(2)[i] = 16.0 * u + 7.0 * v - 6.0 * d0 - 8.0 * dm - d1;
    dense_row(3)[i] = -32.0 * u - 34.0 * v + 13.0 * d0 + 32.0 * dm + 5.0 * d1;
    dense_row(4)[i] = 16.0 * u + 52.0 * v - 12.0 * d0 - 40.0 * dm - 8.0 * d1;
    dense_row(5)[i] = -24.0 * v + 4.0 * d0 + 16.0 * dm + 4.0 * d1;
  }
}

void Radau5::fill_without_start_slope() {
  for (std::size_t i = 0; i < ydot_start_.size(); ++i) {
    const double u = y_middle_[i] - y_start_[i];
    const double v = y_end_[i] - y_start_[i];
    const double dm = h_ * ydot_middle_[i];
    const double d1 = h_ * ydot_end_[i];
    dense_row(1)[i] = 6.0 * v - 4.0 * dm - d1;
    dense_row(2)[i] = 16.0 * u - 29.0 * v + 16.0 * dm + 5.0 * d1;
    dense_row(3)[i] = -32.0 * u + 44.0 * v - 20.0 * dm - 8.0 * d1;
    dense_row(4)[i] = 16.0 * u - 20.0 * v + 8.0 * dm + 4.0 * d1;
  }
}

bool Radau5::starts_in_transient() const {
  if (!tolerances_.test_error) {
    return false;
  }
  const auto& slope = radau5::kPowers[0];
  double largest = 0.0;
  for (std::size_t i = 0; i < ydot_start_.size(); ++i) {
    const double missed =
        h_ * ydot_start_[i] - (slope[0] * z_[0][i] + slope[1] * z_[1][i] + slope[2] * z_[2][i]);
    largest = std::max(largest, std::abs(missed) / scale_[i]);
  }
  return largest > kTransientSlope;
}

// A step of size h/2 from the start. False: it cannot be found (its iteration does not converge, or an evaluation fails).
bool Radau5::find_middle(system::Evaluation& evaluation) {
  if (has_middle_) {
    return true;
  }
  const double half = 0.5 * h_;
  const Radau5Stages::Times times = stage_times(half, start_.value() + (start_.low() + half));
  for (std::size_t s = 0; s < kStages; ++s) {
    const double theta = 0.5 * radau5::kC[s];
    for (std::size_t i = 0; i < y_start_.size(); ++i) {
      double sum = 0.0;
      for (std::size_t p = kStages; p-- > 0;) {
        const auto& row = radau5::kPowers[p];
        sum = theta * (sum + row[0] * z_[0][i] + row[1] * z_[1][i] + row[2] * z_[2][i]);
      }
      z_middle_[s][i] = sum;
    }
  }
  // The factorisation of the next step is made anew: it had h.
  policy_.factorization_failed();
  if (!stages_.factorize(half).ok()) {
    return false;
  }
  NewtonConvergence convergence = convergence_;
  convergence.forget();
  const std::int64_t residuals = statistics_.rhs.stages;
  const Radau5Stages::Outcome outcome = stages_.solve(times, half, y_start_, scale_, convergence, z_middle_);
  statistics_.rhs.dense_output += statistics_.rhs.stages - residuals;
  statistics_.rhs.stages = residuals;
  if (outcome == Radau5Stages::Outcome::evaluation_failed) {
    evaluation = stages_.evaluation();
  }
  if (outcome != Radau5Stages::Outcome::converged) {
    return false;
  }
  take_end(z_middle_, half, y_middle_, ydot_middle_);
  if (system_.projects()) {
    const std::span<double> x = y_middle_.first(static_cast<std::size_t>(n_states_));
    evaluation = system_.project(times[2], x);
    if (evaluation.ok() && !system_.has_form()) {
      ++statistics_.rhs.dense_output;
      evaluation = system_.evaluator().rhs(times[2], x, ydot_middle_);
    }
  }
  has_middle_ = evaluation.ok();
  return has_middle_;
}

system::Evaluation Radau5::dense_output(DenseOutput which, trajectory::SegmentView& segment) {
  SALTUS_EXPECT(open_, "dense output belongs to a good attempt");
  const std::span<const double> x0 = step_start_state();
  std::copy(x0.begin(), x0.end(), dense_.begin());
  Index degree = 3;
  system::Evaluation evaluation;
  if (which == DenseOutput::full && find_middle(evaluation)) {
    const bool is_transient = starts_in_transient();
    degree = is_transient ? 4 : 5;
    is_transient ? fill_without_start_slope() : fill_hermite();
  } else if (evaluation.ok()) {
    fill_collocation();
  } else {
    return evaluation;
  }
  const auto count = static_cast<std::size_t>((degree + 1) * n_states_);
  segment = {start_, h_, end_.value(), n_states_, degree, std::span<const double>(dense_).first(count)};
  return {};
}

}  // namespace saltus::integrate
