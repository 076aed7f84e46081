// States that follow the weights of a SlidingField: in a mode reduced by ranks algebraic unknowns are states too, and a friction
// force 0.4·s is one of them. Its value belongs to the weights of the point, and its rate to theirs, which no equation has.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reduce/nonlinear/probes.hpp"
#include "slide/field/sliding_field.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;

// Weights follow from states that do not depend on them: the second pass has them, further ones are for those that do a little.
constexpr int kMostRankPasses = 6;
// Weights that a further pass moves by less are those of the point.
constexpr double kSettled = 1e-13;
// How far weights are moved to see which states follow them.
constexpr double kWeightShift = 0.125;
// A state that moves by more than this part of its nominal value then follows them.
constexpr double kFollows = 1e-10;
// Of the nominal values: the direction within the constraints is a difference of projections.
constexpr double kTangentDifference = 1e-6;
constexpr double kTangentNoise = 1e-5;  // what its errors may pretend to be information

}  // namespace

bool SlidingField::follows_weights() const {
  return !is_pair() && active_stack_ == nullptr && plus_.projection() != system::Projection::none &&
         !(followers_known_ && followers_.empty());
}

// Onto constraints and surfaces with the weights that belong to the point.
Evaluation SlidingField::project_following(double t, std::span<double> x) {
  for (int pass = 0; pass < kMostRankPasses; ++pass) {
    set_weights();
    if (const Evaluation evaluation = project_in_turn(t, x); !evaluation.ok()) {
      return evaluation;
    }
    std::copy(weights_.begin(), weights_.end(), weights_before_.begin());
    if (const Evaluation evaluation = solve(t, x, following_rate_); !evaluation.ok()) {
      return evaluation;
    }
    double change = 0.0;
    for (std::size_t k = 0; k < n_surfaces(); ++k) {
      change = std::max(change, std::abs(weights_[k] - weights_before_[k]));
    }
    if (change <= kSettled) {
      break;
    }
  }
  return {};
}

// One step of Newton's method onto the surfaces within the constraints, on which x lies, from values_: along ∂P/∂x·W·∇g, P the
// projection onto the constraints, so that these are left in second order only. False: the surfaces cannot be reached so.
bool SlidingField::move_within_constraints(double t, std::span<double> x) {
  const std::size_t k = held_rows_.size();
  tangents_.resize(std::max(tangents_.size(), k * n_));
  if (!gradients(t, x).ok()) {
    return false;
  }
  for (std::size_t j = 0; j < k; ++j) {
    const Row& row = rows_[held_rows_[j]];
    double steepness = 0.0;
    for (std::size_t e = 0; e < row.states.size(); ++e) {
      steepness +=
          metric_[static_cast<std::size_t>(row.states[e])] * row.coefficients[e] * row.coefficients[e];
    }
    steepness = std::sqrt(steepness);
    std::copy(x.begin(), x.end(), probe_.begin());
    for (std::size_t e = 0; e < row.states.size(); ++e) {
      const auto state = static_cast<std::size_t>(row.states[e]);
      probe_[state] += kTangentDifference * metric_[state] * row.coefficients[e] / steepness;
    }
    if (!(steepness > 0.0) || !plus_.project(t, probe_).ok()) {
      return false;
    }
    for (std::size_t i = 0; i < n_; ++i) {
      tangents_[j * n_ + i] = (probe_[i] - x[i]) / kTangentDifference;
    }
  }
  const std::span<double> matrix = projector_.matrix();
  for (std::size_t i = 0; i < k; ++i) {
    const Row& row = rows_[held_rows_[i]];
    residual_[i] = values_[held_rows_[i]];
    for (std::size_t j = 0; j < k; ++j) {
      double product = 0.0;
      for (std::size_t e = 0; e < row.states.size(); ++e) {
        product += row.coefficients[e] * tangents_[j * n_ + static_cast<std::size_t>(row.states[e])];
      }
      matrix[i * k + j] = product;
    }
  }
  if (!projector_.factorize(kTangentNoise) || projector_.rank() == 0) {
    return false;
  }
  projector_.solve(std::span<double>(residual_).first(k), std::span<double>(correction_).first(k));
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t i = 0; i < n_; ++i) {
      x[i] -= tangents_[j * n_ + i] * correction_[j];
    }
  }
  return true;
}

// Which states other weights would move, at a point with its weights.
Evaluation SlidingField::find_followers(double t, std::span<const double> x) {
  followers_.clear();
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    for (const double shift : {0.0, kWeightShift}) {
      set_weights();
      set_weight(k, weights_[k] - std::copysign(shift, weights_[k]));
      std::vector<double>& point = shift == 0.0 ? behind_ : ahead_;
      std::copy(x.begin(), x.end(), point.begin());
      if (const Evaluation evaluation = plus_.project(t, point); !evaluation.ok()) {
        return evaluation;
      }
    }
    for (std::size_t i = 0; i < n_; ++i) {
      if (std::abs(ahead_[i] - behind_[i]) > kFollows * std::sqrt(metric_[i])) {
        followers_.push_back(i);
      }
    }
  }
  std::sort(followers_.begin(), followers_.end());
  followers_.erase(std::unique(followers_.begin(), followers_.end()), followers_.end());
  followers_known_ = true;
  set_weights();
  return {};
}

// The rates of states that follow the weights, by a difference along the motion.
Evaluation SlidingField::add_rates_of_weights(double t, std::span<const double> x, std::span<double> xdot) {
  if (!followers_known_) {
    if (const Evaluation evaluation = find_followers(t, x); !evaluation.ok()) {
      return evaluation;
    }
  }
  if (followers_.empty()) {
    return {};
  }
  double speed = 1.0 / std::max(std::abs(t), 1.0);
  for (std::size_t i = 0; i < n_; ++i) {
    speed = std::max(speed, std::abs(xdot[i]) / std::max(std::abs(x[i]), std::sqrt(metric_[i])));
  }
  const double step = reduce::kTimeDifference / speed;
  std::copy(weights_.begin(), weights_.end(), weights_here_.begin());
  for (const double side : {-1.0, 1.0}) {
    std::vector<double>& point = side < 0.0 ? behind_ : ahead_;
    for (std::size_t i = 0; i < n_; ++i) {
      point[i] = x[i] + side * step * xdot[i];
    }
    if (const Evaluation evaluation = project_following(t + side * step, point); !evaluation.ok()) {
      return evaluation;
    }
  }
  for (const std::size_t i : followers_) {
    xdot[i] = (ahead_[i] - behind_[i]) / (2.0 * step);
  }
  std::copy(weights_here_.begin(), weights_here_.end(), weights_.begin());
  set_weights();
  return {};
}

}  // namespace saltus::slide
