#include "program/blocks/block_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/work_watch.hpp"
#include "program/vm/finite.hpp"

namespace saltus::program {
namespace {

// Of an iteration, for each unknown, in units of base/work_watch.hpp.
constexpr std::int64_t kWorkOfAnUnknown = 100;

double largest(std::span<const double> values) {
  double result = 0.0;
  for (const double value : values) {
    result = std::max(result, std::abs(value));
  }
  return result;
}

BlockStatus status_of(const linalg::FactorStatus& status) {
  switch (status.kind) {
    case linalg::FactorStatus::Kind::ok: return BlockStatus::ok;
    case linalg::FactorStatus::Kind::singular: return BlockStatus::singular;
    default: return BlockStatus::not_finite;
  }
}

}  // namespace

LinearBlockSolver::LinearBlockSolver(const BlockPattern& pattern)
    : pattern_(pattern),
      matrix_(pattern),
      solution_(static_cast<std::size_t>(pattern.n)),
      correction_(static_cast<std::size_t>(pattern.n)) {}

BlockStatus LinearBlockSolver::solve(std::span<const double> entries, std::span<const double> right_side,
                                     std::span<double> z) {
  if (!all_finite(right_side)) {
    return BlockStatus::not_finite;
  }
  if (const BlockStatus status = status_of(matrix_.factorize(entries)); status != BlockStatus::ok) {
    return status;
  }
  std::copy(right_side.begin(), right_side.end(), solution_.begin());
  matrix_.solve(solution_);
  // d = A⁻¹(b - A·z)
  std::copy(right_side.begin(), right_side.end(), correction_.begin());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const BlockPattern::Entry& entry = pattern_.entries[k];
    correction_[static_cast<std::size_t>(entry.row)] -=
        entries[k] * solution_[static_cast<std::size_t>(entry.column)];
  }
  matrix_.solve(correction_);
  if (!(largest(correction_) <= kSingularCorrection * largest(solution_))) {
    return BlockStatus::singular;
  }
  for (std::size_t i = 0; i < z.size(); ++i) {
    solution_[i] += correction_[i];
  }
  if (!all_finite(solution_)) {
    return BlockStatus::not_finite;
  }
  std::copy(solution_.begin(), solution_.end(), z.begin());
  return BlockStatus::ok;
}

NewtonBlockSolver::NewtonBlockSolver(const BlockPattern& pattern, std::vector<double> guesses,
                                     std::vector<double> nominals)
    : guesses_(std::move(guesses)), nominals_(std::move(nominals)), matrix_(pattern) {
  const auto n = static_cast<std::size_t>(pattern.n);
  for (std::vector<double>* vector : {&z_, &trial_, &residual_, &direction_, &simplified_}) {
    vector->resize(n);
  }
  entries_.resize(pattern.entries.size());
}

double NewtonBlockSolver::scaled_norm(std::span<const double> correction) const {
  double norm = 0.0;
  for (std::size_t i = 0; i < correction.size(); ++i) {
    norm = std::max(norm, std::abs(correction[i]) / std::max(std::abs(z_[i]), nominals_[i]));
  }
  return norm;
}

BlockStatus NewtonBlockSolver::solve(ResidualFunction& function, std::span<double> z) {
  BlockStatus first = BlockStatus::ok;
  for (const double shift : {std::numeric_limits<double>::quiet_NaN(), 0.0, 1.0, -1.0}) {
    for (std::size_t i = 0; i < z.size(); ++i) {
      z_[i] = std::isnan(shift) ? z[i] : guesses_[i] + shift * nominals_[i];
    }
    const BlockStatus status = all_finite(z_) ? iterate(function) : BlockStatus::not_finite;
    if (status == BlockStatus::ok) {
      std::copy(z_.begin(), z_.end(), z.begin());
      return status;
    }
    first = first == BlockStatus::ok ? status : first;
  }
  return first;
}

BlockStatus NewtonBlockSolver::iterate(ResidualFunction& function) {
  function.evaluate(z_, residual_, entries_);
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    count_work(kWorkOfAnUnknown * static_cast<std::int64_t>(z_.size()));
    if (!all_finite(residual_)) {
      return BlockStatus::not_finite;
    }
    if (const BlockStatus status = status_of(matrix_.factorize(entries_)); status != BlockStatus::ok) {
      return status;
    }
    for (std::size_t i = 0; i < z_.size(); ++i) {
      direction_[i] = -residual_[i];
    }
    matrix_.solve(direction_);
    if (!all_finite(direction_)) {
      return BlockStatus::singular;
    }
    const double norm = scaled_norm(direction_);
    const bool fast = norm <= kLastCorrection && norm <= kFastContraction * previous;
    const bool exact = norm <= 2.0 * std::numeric_limits<double>::epsilon();
    const bool noise = norm <= kNoiseLevel && norm > 0.5 * previous;
    if (fast || exact || noise) {
      for (std::size_t i = 0; i < z_.size(); ++i) {
        z_[i] += direction_[i];
      }
      return all_finite(z_) ? BlockStatus::ok : BlockStatus::not_finite;
    }
    double next = 0.0;
    if (const BlockStatus status = damped_step(function, norm, next); status != BlockStatus::ok) {
      return status;
    }
    // After it the simplified corrections go on shrinking by next/norm, twice that where J changes along the step.
    if (2.0 * next * next <= kLeftBehind * norm) {
      for (std::size_t i = 0; i < z_.size(); ++i) {
        z_[i] -= simplified_[i];
      }
      return all_finite(z_) ? BlockStatus::ok : BlockStatus::not_finite;
    }
    previous = norm;
  }
  return BlockStatus::no_convergence;
}

// Takes the longest step λ·d, λ = 1, 1/2, 1/4, …, that passes the natural monotonicity test; leaves r and J there, J⁻¹r with the J
// before it in simplified_, and its norm in `next`.
BlockStatus NewtonBlockSolver::damped_step(ResidualFunction& function, double norm, double& next) {
  for (double damping = 1.0; damping >= kSmallestDamping; damping *= 0.5) {
    for (std::size_t i = 0; i < z_.size(); ++i) {
      trial_[i] = z_[i] + damping * direction_[i];
    }
    function.evaluate(trial_, residual_, entries_);
    if (!all_finite(residual_) || !all_finite(entries_)) {
      continue;
    }
    std::copy(residual_.begin(), residual_.end(), simplified_.begin());
    matrix_.solve(simplified_);
    next = scaled_norm(simplified_);
    // Where only rounding is left the test has nothing to compare.
    if (next <= (1.0 - 0.5 * damping) * norm || norm <= kNoiseLevel) {
      z_.swap(trial_);
      return BlockStatus::ok;
    }
  }
  return BlockStatus::no_convergence;
}

}  // namespace saltus::program
