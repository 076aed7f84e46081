// Onto the surfaces of a SlidingField: x ← x - W Gᵀ (G W Gᵀ)⁺ g, repeated with new G, until |g| is rounding; W holds the squares
// of the nominal values. Where it converges it is a smooth map of (t, x) near the surfaces.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/machine.hpp"
#include "nonlinear/kept_newton.hpp"
#include "slide/field/sliding_field.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;

// Convergence is quadratic: from anywhere in a step this many iterations reach rounding or never will.
constexpr int kMostProjections = 12;
// A guard that a further iteration does not bring nearer counts as met within this many eps of its terms.
constexpr double kRestUlps = 32.0;

}  // namespace

// Guards into values_, counted from the level; algebraic ones count as met.
Evaluation SlidingField::distances(double t, std::span<const double> x) {
  std::fill(values_.begin(), values_.end(), 0.0);
  other_values_.resize(std::max(other_values_.size(), held_guards_.size()));
  const std::span<double> values = std::span<double>(other_values_).first(held_guards_.size());
  const Evaluation evaluation = plus_.guards(held_guards_, t, x, values);
  for (std::size_t h = 0; h < values.size(); ++h) {
    values_[held_rows_[h]] = values[h] - (held_rows_[h] == 0 ? level_ : 0.0);
  }
  return evaluation;
}

// Whether all |g| ≤ ν.
bool SlidingField::on_surfaces(double t, std::span<const double> x) {
  return std::all_of(held_rows_.begin(), held_rows_.end(), [&](std::size_t k) {
    const double value = std::abs(values_[k]);
    return value <= kSmallestNormal || value <= plus_.guard_noise(surfaces_[k], t, x);
  });
}

// Σ |∂g/∂xᵢ·xᵢ| of surface k.
double SlidingField::size_of_terms(std::size_t k, double t, std::span<const double> x) const {
  const Row& row = rows_[k];
  double size = std::abs(row.time_derivative * t) + std::abs(level_);
  for (std::size_t i = 0; i < row.states.size(); ++i) {
    size += std::abs(row.coefficients[i] * x[static_cast<std::size_t>(row.states[i])]);
  }
  return size;
}

// The iteration has come to rest: is what is left of every guard no more than rounding in its terms? Where surfaces meet at
// the origin the terms shrink with the guards and are never large against them: what counts there is the size of the terms
// at the point that was to be moved.
Evaluation SlidingField::within_rounding(double t, std::span<const double> x) const {
  for (const std::size_t k : held_rows_) {
    const double size = std::max(size_of_terms(k, t, x), entry_size_[k]);
    const double allowed =
        kRestUlps * std::max(std::numeric_limits<double>::epsilon() * size, kSmallestNormal);
    if (!(std::abs(values_[k]) <= std::max(allowed, kRestUlps * plus_.guard_noise(surfaces_[k], t, x)))) {
      return {Evaluation::Status::no_weights, surfaces_[k]};
    }
  }
  return {};
}

// One Newton step from values_ and rows_.
Evaluation SlidingField::move_to_surfaces(std::span<double> x) {
  const std::size_t k = held_rows_.size();
  const std::span<double> matrix = projector_.matrix();
  for (std::size_t i = 0; i < k; ++i) {
    const Row& row = rows_[held_rows_[i]];
    for (std::size_t e = 0; e < row.states.size(); ++e) {
      const auto state = static_cast<std::size_t>(row.states[e]);
      spread_[state] += metric_[state] * row.coefficients[e];
    }
    for (std::size_t j = 0; j <= i; ++j) {
      const Row& other = rows_[held_rows_[j]];
      double product = 0.0;
      for (std::size_t e = 0; e < other.states.size(); ++e) {
        product += other.coefficients[e] * spread_[static_cast<std::size_t>(other.states[e])];
      }
      matrix[i * k + j] = product;
      matrix[j * k + i] = product;
    }
    for (const Index state : row.states) {
      spread_[static_cast<std::size_t>(state)] = 0.0;
    }
  }
  if (!projector_.factorize() || projector_.rank() == 0) {
    return {Evaluation::Status::no_weights, surfaces_[0]};
  }
  for (std::size_t i = 0; i < k; ++i) {
    residual_[i] = values_[held_rows_[i]];
  }
  projector_.solve(std::span<double>(residual_).first(k), std::span<double>(correction_).first(k));
  for (std::size_t i = 0; i < k; ++i) {
    const Row& row = rows_[held_rows_[i]];
    for (std::size_t e = 0; e < row.states.size(); ++e) {
      const auto state = static_cast<std::size_t>(row.states[e]);
      x[state] -= metric_[state] * row.coefficients[e] * correction_[i];
    }
  }
  note_moves();
  return {};
}

// A state that one surface leaves at rest may be moved to and fro by others that meet it (v1, v2 and v1 - v2), and the solution of all rows
// together has the roundings of the longest move: they are left of every guard.
void SlidingField::note_moves() {
  const auto steepness = [this](std::size_t k) {
    double square = 0.0;
    for (std::size_t e = 0; e < rows_[k].states.size(); ++e) {
      const double c = rows_[k].coefficients[e];
      square += metric_[static_cast<std::size_t>(rows_[k].states[e])] * c * c;
    }
    return std::sqrt(square);
  };
  double longest = 0.0;
  for (std::size_t i = 0; i < held_rows_.size(); ++i) {
    longest += std::abs(correction_[i]) * steepness(held_rows_[i]);
  }
  for (const std::size_t k : held_rows_) {
    entry_size_[k] = std::max(entry_size_[k], steepness(k) * longest);
  }
}

// Constraints of the inner system, and the surfaces within them (sliding_ranks.cpp), until a move onto one does not leave the other.
// Where that cannot be, one and the other in turn.
Evaluation SlidingField::project_in_turn(double t, std::span<double> x) {
  double previous = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostProjections; ++round) {
    if (const Evaluation evaluation = plus_.project(t, x); !evaluation.ok()) {
      return evaluation;
    }
    if (const Evaluation evaluation = distances(t, x); !evaluation.ok()) {
      return evaluation;
    }
    double distance = 0.0;
    for (const std::size_t k : held_rows_) {
      distance = std::max(distance, std::abs(values_[k]));
    }
    if (on_surfaces(t, x) || (round > 1 && !(distance <= 0.5 * previous))) {
      return {};
    }
    previous = distance;
    if (move_within_constraints(t, x)) {
      continue;
    }
    if (const Evaluation evaluation = project_onto_surfaces(t, x); !evaluation.ok()) {
      return evaluation;
    }
  }
  return {};
}

Evaluation SlidingField::project(double t, std::span<double> x) {
  if (!algebraic_known_) {
    find_algebraic(t, x);
  }
  if (active_stack_ != nullptr) {
    return project_stacked(t, x);
  }
  if (follows_weights()) {
    return project_following(t, x);
  }
  return plus_.projection() == system::Projection::none ? project_onto_surfaces(t, x) : project_in_turn(t, x);
}

struct SlidingField::SurfaceIteration {
  SlidingField& self;
  double t;
  std::span<double> x;
  Evaluation evaluation = {};
  bool is_first = true;
  bool is_met = false;

  nonlinear::Rows evaluate() {
    evaluation = self.distances(t, x);
    if (!evaluation.ok()) {
      return nonlinear::Rows::no_value;
    }
    is_met = self.on_surfaces(t, x);
    return is_met ? nonlinear::Rows::met : nonlinear::Rows::open;
  }
  static bool has_matrix() { return false; }
  [[nodiscard]] bool refresh() {
    evaluation = self.gradients(t, x);
    return evaluation.ok();
  }
  // The distance in units of length: a step across surfaces of different steepness still shrinks.
  double correct() {
    double distance = 0.0;
    for (const std::size_t k : self.held_rows_) {
      if (is_first) {
        self.entry_size_[k] = self.size_of_terms(k, t, x);
      }
      double steepness = 0.0;
      for (std::size_t e = 0; e < self.rows_[k].states.size(); ++e) {
        const double c = self.rows_[k].coefficients[e];
        steepness += self.metric_[static_cast<std::size_t>(self.rows_[k].states[e])] * c * c;
      }
      distance = std::max(distance, std::abs(self.values_[k]) / std::sqrt(steepness));
    }
    is_first = false;
    return distance;
  }
  bool move() {
    evaluation = self.move_to_surfaces(x);
    return evaluation.ok();
  }
  static void drop_matrix() {}
};

Evaluation SlidingField::project_onto_surfaces(double t, std::span<double> x) {
  if (held_rows_.empty()) {
    return {};
  }
  SurfaceIteration iteration{*this, t, x};
  nonlinear::HalvingPolicy policy(kMostProjections);
  if (nonlinear::kept_newton(iteration, policy) != nonlinear::KeptEnd::converged) {
    return iteration.evaluation;
  }
  return iteration.is_met ? Evaluation{} : within_rounding(t, x);
}

}  // namespace saltus::slide
