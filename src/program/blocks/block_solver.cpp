#include "program/blocks/block_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/work_watch.hpp"
#include "nonlinear/damped_newton.hpp"
#include "program/vm/finite.hpp"

namespace saltus::program {
namespace {

const nonlinear::NewtonPolicy kBlockPolicy = {.most_steps = kMaxIterations,
                                              .demand = 0.5,
                                              .smallest_damping = kSmallestDamping,
                                              .noise = kIterationNoise,
                                              .contraction = kFastContraction,
                                              .left_behind = kLeftBehind};

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

template <bool kTransposed>
BlockStatus LinearBlockSolver::solve_one(std::span<const double> entries, std::span<const double> right_side,
                                         std::span<double> z) {
  const auto divide = [this](std::span<double> values) {
    kTransposed ? matrix_.solve_transposed(values) : matrix_.solve(values);
  };
  if (!all_finite(right_side)) {
    return BlockStatus::not_finite;
  }
  if (const BlockStatus status = status_of(matrix_.factorize(entries)); status != BlockStatus::ok) {
    return status;
  }
  std::copy(right_side.begin(), right_side.end(), solution_.begin());
  divide(solution_);
  // d = A⁻¹(b - A·z)
  std::copy(right_side.begin(), right_side.end(), correction_.begin());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const BlockPattern::Entry& entry = pattern_.entries[k];
    correction_[static_cast<std::size_t>(kTransposed ? entry.column : entry.row)] -=
        entries[k] * solution_[static_cast<std::size_t>(kTransposed ? entry.row : entry.column)];
  }
  divide(correction_);
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

BlockStatus LinearBlockSolver::solve(std::span<const double> entries, std::span<const double> right_side,
                                     std::span<double> z) {
  return solve_one<false>(entries, right_side, z);
}

BlockStatus LinearBlockSolver::solve_transposed(std::span<const double> entries,
                                                std::span<const double> right_side, std::span<double> w) {
  return solve_one<true>(entries, right_side, w);
}

NewtonBlockSolver::NewtonBlockSolver(const BlockPattern& pattern, std::vector<double> guesses,
                                     std::vector<double> nominals)
    : guesses_(std::move(guesses)), nominals_(std::move(nominals)), matrix_(pattern) {
  const auto n = static_cast<std::size_t>(pattern.n);
  for (std::vector<double>* vector : {&z_, &trial_, &kept_, &residual_, &direction_, &simplified_}) {
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
      has_begun_at_guess_ = std::isnan(shift);
      std::copy(z_.begin(), z_.end(), z.begin());
      return status;
    }
    first = first == BlockStatus::ok ? status : first;
  }
  return first;
}

BlockStatus NewtonBlockSolver::solve_from(ResidualFunction& function, std::span<double> z) {
  std::copy(z.begin(), z.end(), z_.begin());
  const BlockStatus status = all_finite(z_) ? iterate(function) : BlockStatus::not_finite;
  if (status == BlockStatus::ok) {
    std::copy(z_.begin(), z_.end(), z.begin());
  }
  return status;
}

// r and J stand at z_ when a correction is asked for: damped steps leave them there.
struct NewtonBlockSolver::Iteration {
  NewtonBlockSolver& self;
  ResidualFunction& function;
  BlockStatus status = BlockStatus::ok;

  bool correct(nonlinear::CorrectionSize& size) {
    count_work(kWorkOfAnUnknown * static_cast<std::int64_t>(self.z_.size()));
    if (!all_finite(self.residual_)) {
      status = BlockStatus::not_finite;
      return false;
    }
    status = status_of(self.matrix_.factorize(self.entries_));
    if (status != BlockStatus::ok) {
      return false;
    }
    for (std::size_t i = 0; i < self.z_.size(); ++i) {
      self.direction_[i] = -self.residual_[i];
    }
    self.matrix_.solve(self.direction_);
    if (!all_finite(self.direction_)) {
      status = BlockStatus::singular;
      return false;
    }
    size.part = size.length = self.scaled_norm(self.direction_);
    return true;
  }
  std::optional<double> try_step(double damping) {
    for (std::size_t i = 0; i < self.z_.size(); ++i) {
      self.trial_[i] = self.z_[i] + damping * self.direction_[i];
    }
    function.evaluate(self.trial_, self.residual_, self.entries_);
    if (!all_finite(self.residual_) || !all_finite(self.entries_)) {
      return std::nullopt;
    }
    std::copy(self.residual_.begin(), self.residual_.end(), self.simplified_.begin());
    self.matrix_.solve(self.simplified_);
    return self.scaled_norm(self.simplified_);
  }
  double take_trial(double /*damping*/, double /*length*/, double /*next*/) {
    self.z_.swap(self.trial_);
    return 1.0;
  }
  void keep() { std::copy(self.z_.begin(), self.z_.end(), self.kept_.begin()); }
  void return_to_kept() { std::copy(self.kept_.begin(), self.kept_.end(), self.z_.begin()); }
  void take_correction() {
    for (std::size_t i = 0; i < self.z_.size(); ++i) {
      self.z_[i] += self.direction_[i];
    }
  }
  void take_simplified() {
    for (std::size_t i = 0; i < self.z_.size(); ++i) {
      self.z_[i] -= self.simplified_[i];
    }
  }
};

BlockStatus NewtonBlockSolver::iterate(ResidualFunction& function) {
  function.evaluate(z_, residual_, entries_);
  Iteration iteration{*this, function};
  switch (nonlinear::damped_newton(iteration, kBlockPolicy).end) {
    case nonlinear::NewtonEnd::arrived: return all_finite(z_) ? BlockStatus::ok : BlockStatus::not_finite;
    case nonlinear::NewtonEnd::failed: return iteration.status;
    default: return BlockStatus::no_convergence;
  }
}

}  // namespace saltus::program
