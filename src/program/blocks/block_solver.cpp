#include "program/blocks/block_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/work_watch.hpp"
#include "nonlinear/damped_newton.hpp"
#include "nonlinear/scatter.hpp"
#include "program/vm/finite.hpp"

namespace saltus::program {
namespace {

const nonlinear::NewtonPolicy kBlockPolicy = {.most_steps = kMaxIterations,
                                              .demand = 0.5,
                                              .smallest_damping = kSmallestDamping,
                                              .noise = kIterationNoise,
                                              .contraction = kFastContraction,
                                              .left_behind = kLeftBehind};

// Measured in sizes (empty: 1): the rounding of an unknown in small units is not that of the others. Scales of columns would not do: a column
// may be rounding itself.
double largest(std::span<const double> values, std::span<const double> sizes) {
  double result = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result = std::max(result, std::abs(values[i]) / (sizes.empty() ? 1.0 : sizes[i]));
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

// Where an iteration begins: at z as it is given, or at the guess, moved. `uneven`: by scattered numbers, so that unknowns with equal
// guesses differ; 1/(a - b) is finite there.
enum class Beginning : std::uint8_t { given, guess, above, below, uneven };

}  // namespace

LinearBlockSolver::LinearBlockSolver(const BlockPattern& pattern, std::span<const double> sizes)
    : pattern_(pattern),
      matrix_(pattern, sizes),
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
  const std::span<const double> sizes = kTransposed ? matrix_.row_scales() : matrix_.sizes();
  if (!(largest(correction_, sizes) <= kSingularCorrection * largest(solution_, sizes))) {
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

void LinearBlockSolver::reserve_rows(std::size_t n_right) {
  kinds_.resize(n_right);
  sizes_.resize(2 * n_right);
  corrections_.resize(static_cast<std::size_t>(pattern_.n) * n_right);
}

// Whether there is one that is not zero.
bool LinearBlockSolver::find_kinds(std::span<const double> b) {
  const std::size_t n = kinds_.size();
  const std::span<double> sums = std::span(sizes_).first(n);
  std::fill(sums.begin(), sums.end(), 0.0);
  for (std::size_t i = 0; i < b.size(); i += n) {
    for (std::size_t k = 0; k < n; ++k) {
      // Not finite where one of them is, and large enough to be seen where one is not zero.
      sums[k] += b[i + k] == 0.0 ? 0.0 : 1.0 + 0.0 * b[i + k];
    }
  }
  bool moves = false;
  for (std::size_t k = 0; k < n; ++k) {
    kinds_[k] = sums[k] == 0.0 ? Kind::zero : std::isfinite(sums[k]) ? Kind::plain : Kind::not_finite;
    moves = moves || kinds_[k] != Kind::zero;
  }
  return moves;
}

BlockStatus LinearBlockSolver::solve_rows(std::span<const double> entries, std::span<const double> b,
                                          std::span<double> z) {
  const std::size_t n = kinds_.size();
  if (!find_kinds(b)) {
    std::fill(z.begin(), z.end(), 0.0);
    return BlockStatus::ok;
  }
  const BlockStatus status = status_of(matrix_.factorize(entries));
  if (status == BlockStatus::ok) {
    std::copy(b.begin(), b.end(), z.begin());
    matrix_.solve_rows(z, n);
    std::copy(b.begin(), b.end(), corrections_.begin());
    for (std::size_t e = 0; e < entries.size(); ++e) {
      double* const to = corrections_.data() + static_cast<std::size_t>(pattern_.entries[e].row) * n;
      const double* const from = z.data() + static_cast<std::size_t>(pattern_.entries[e].column) * n;
      for (std::size_t k = 0; k < n; ++k) {
        to[k] -= entries[e] * from[k];
      }
    }
    matrix_.solve_rows(corrections_, n);
  } else if (status != BlockStatus::not_finite) {
    return status;
  }
  const std::span<double> solutions = std::span(sizes_).first(n);
  const std::span<double> changes = std::span(sizes_).subspan(n);
  std::fill(sizes_.begin(), sizes_.end(), 0.0);
  for (std::size_t i = 0; i < z.size(); i += n) {
    const double size = matrix_.sizes().empty() ? 1.0 : matrix_.sizes()[i / n];
    for (std::size_t k = 0; k < n; ++k) {
      solutions[k] = std::max(solutions[k], std::abs(z[i + k]) / size);
      changes[k] = std::max(changes[k], std::abs(corrections_[i + k]) / size);
      z[i + k] += corrections_[i + k];
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    const bool is_plain = kinds_[k] == Kind::plain && status == BlockStatus::ok;
    if (is_plain && !(changes[k] <= kSingularCorrection * solutions[k])) {
      return BlockStatus::singular;
    }
    const bool is_known = is_plain && std::isfinite(solutions[k]);
    for (std::size_t i = k; i < z.size() && !is_known; i += n) {
      z[i] = kinds_[k] == Kind::zero ? 0.0 : std::numeric_limits<double>::quiet_NaN();
    }
  }
  return BlockStatus::ok;
}

NewtonBlockSolver::NewtonBlockSolver(const BlockPattern& pattern, std::vector<double> guesses,
                                     std::vector<double> nominals)
    : guesses_(std::move(guesses)), nominals_(std::move(nominals)), matrix_(pattern, nominals_) {
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
  for (const Beginning beginning :
       {Beginning::given, Beginning::guess, Beginning::above, Beginning::below, Beginning::uneven}) {
    if (beginning == Beginning::uneven && first != BlockStatus::not_finite) {
      break;
    }
    nonlinear::Scatter scatter;
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double shift = beginning == Beginning::above    ? 1.0
                           : beginning == Beginning::below  ? -1.0
                           : beginning == Beginning::uneven ? scatter.next()
                                                            : 0.0;
      z_[i] = beginning == Beginning::given ? z[i] : guesses_[i] + shift * nominals_[i];
    }
    const BlockStatus status = all_finite(z_) ? iterate(function) : BlockStatus::not_finite;
    if (status == BlockStatus::ok) {
      has_begun_at_guess_ = beginning == Beginning::given;
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
