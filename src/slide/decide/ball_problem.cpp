#include "slide/decide/ball_problem.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace saltus::slide {
namespace {

// ‖Φ‖∞ that counts as zero; what rounding leaves is far below.
constexpr double kNaturalMapSolved = 1e-12;
constexpr int kMostMapSteps = 200;      // of Newton's method or of extragradient rounds; limit of work
constexpr double kShortestPart = 1e-6;  // of a Newton step
constexpr double kLeastMapGain = 1e-4;  // [FP03] 8.3: of what the full step promises
constexpr int kRound = 20;              // extragradient steps between two Newton steps
constexpr double kExtragradient = 0.5;  // below 1/L, L the Lipschitz constant of γF in the norm of γ

double length(std::span<const double> z) {
  double sum = 0.0;
  for (const double value : z) {
    sum += value * value;
  }
  return std::sqrt(sum);
}

// P(z), set by set.
void project(std::span<const BallProblem::Set> sets, std::span<const double> z, std::span<double> result) {
  for (const BallProblem::Set& set : sets) {
    if (set.kind != BallProblem::Kind::ball) {
      result[set.first] = set.kind == BallProblem::Kind::half_line ? std::max(z[set.first], 0.0)
                                                                   : std::clamp(z[set.first], -1.0, 1.0);
      continue;
    }
    const double beyond = std::max(length(z.subspan(set.first, set.size)), 1.0);
    for (std::size_t i = set.first; i < set.first + set.size; ++i) {
      result[i] = z[i] / beyond;
    }
  }
}

double largest(std::span<const double> values) {
  double most = 0.0;
  for (const double value : values) {
    most = std::max(most, std::abs(value));
  }
  return most;
}

}  // namespace

void BallProblem::set_scales(std::span<const double> matrix, std::span<const double> vector,
                             std::span<const Set> sets) {
  const std::size_t n = vector.size();
  scale_.assign(n, 1.0);
  for (const Set& set : sets) {
    double size = 0.0;
    double constant = 0.0;
    for (std::size_t i = set.first; i < set.first + set.size; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < n; ++j) {
        sum += std::abs(matrix[i * n + j]);
      }
      size = std::max(size, sum);
      constant = std::max(constant, std::abs(vector[i]));
    }
    const double measure = size > 0.0 ? size : constant;
    std::fill_n(scale_.begin() + static_cast<std::ptrdiff_t>(set.first), set.size,
                measure > 0.0 ? 1.0 / measure : 1.0);
  }
}

void BallProblem::forces_at(std::span<const double> matrix, std::span<const double> vector,
                            std::span<const double> s) {
  const std::size_t n = s.size();
  forces_.assign(vector.begin(), vector.end());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      forces_[i] += matrix[i * n + j] * s[j];
    }
  }
}

double BallProblem::violation(std::span<const Set> sets, std::span<const double> s,
                              std::span<const double> forces) {
  const std::size_t n = s.size();
  shifted_.resize(n);
  projected_.resize(n);
  residual_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    shifted_[i] = s[i] + scale_[i] * forces[i];
  }
  project(sets, shifted_, projected_);
  for (std::size_t i = 0; i < n; ++i) {
    residual_[i] = s[i] - projected_[i];
  }
  return largest(residual_);
}

// From s, whose residual and shifted point are known. False: no part of the step comes nearer.
bool BallProblem::newton_step(std::span<const double> matrix, std::span<const double> vector,
                              std::span<const Set> sets, std::span<double> s) {
  const std::size_t n = s.size();
  solver_.resize(static_cast<Index>(n), static_cast<Index>(n));
  const std::span<double> jacobian = solver_.matrix();
  const auto inner = [&](std::size_t i, std::size_t j) {  // of s + γF
    return (i == j ? 1.0 : 0.0) + scale_[i] * matrix[i * n + j];
  };
  for (const Set& set : sets) {
    const std::span<const double> z = std::span<const double>(shifted_).subspan(set.first, set.size);
    const double distance = length(z);
    const bool is_inside = set.kind == Kind::half_line ? z[0] >= 0.0 : distance <= 1.0;
    for (std::size_t i = set.first; i < set.first + set.size; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double moved = 0.0;
        if (is_inside) {
          moved = inner(i, j);
        } else if (set.kind == Kind::ball) {
          double along = 0.0;
          for (std::size_t k = 0; k < set.size; ++k) {
            along += z[k] * inner(set.first + k, j);
          }
          moved = (inner(i, j) - shifted_[i] * along / (distance * distance)) / distance;
        }
        jacobian[i * n + j] = (i == j ? 1.0 : 0.0) - moved;
      }
    }
  }
  const double before = largest(residual_);
  step_.resize(n);
  tried_.resize(n);
  std::transform(residual_.begin(), residual_.end(), residual_.begin(), std::negate<>());
  if (!solver_.factorize()) {
    return false;
  }
  solver_.solve(residual_, step_);
  for (double part = 1.0; part >= kShortestPart; part *= 0.5) {
    for (std::size_t i = 0; i < n; ++i) {
      tried_[i] = s[i] + part * step_[i];
    }
    forces_at(matrix, vector, tried_);
    if (violation(sets, tried_, forces_) <= (1.0 - kLeastMapGain * part) * before) {
      std::copy(tried_.begin(), tried_.end(), s.begin());
      return true;
    }
  }
  return false;
}

void BallProblem::extragradient(std::span<const double> matrix, std::span<const double> vector,
                                std::span<const Set> sets, std::span<double> s) {
  const std::size_t n = s.size();
  tried_.resize(n);
  project(sets, s, s);
  for (int turn = 0; turn < kRound; ++turn) {
    forces_at(matrix, vector, s);
    for (std::size_t i = 0; i < n; ++i) {
      shifted_[i] = s[i] + kExtragradient * scale_[i] * forces_[i];
    }
    project(sets, shifted_, tried_);
    forces_at(matrix, vector, tried_);
    for (std::size_t i = 0; i < n; ++i) {
      shifted_[i] = s[i] + kExtragradient * scale_[i] * forces_[i];
    }
    project(sets, shifted_, s);
  }
}

bool BallProblem::solve(std::span<const double> matrix, std::span<const double> vector,
                        std::span<const Set> sets, std::span<double> s) {
  set_scales(matrix, vector, sets);
  for (int step = 0; step < kMostMapSteps; ++step) {
    forces_at(matrix, vector, s);
    if (violation(sets, s, forces_) <= kNaturalMapSolved) {
      project(sets, s, s);
      return true;
    }
    if (!newton_step(matrix, vector, sets, s)) {
      extragradient(matrix, vector, sets, s);
    }
  }
  return false;
}

}  // namespace saltus::slide
