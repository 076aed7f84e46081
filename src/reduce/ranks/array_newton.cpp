#include "reduce/ranks/array_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/machine.hpp"
#include "linalg/dense_matrix.hpp"
#include "linalg/equilibration.hpp"
#include "linalg/rank_decision.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using system::Evaluation;

constexpr int kMostArrayIterations = 40;  // limit of work
// Ten halvings: [Deu04] 4.4 suggests a least damping factor of 1e-4 to 1e-3 for mildly nonlinear problems.
constexpr double kLeastDamping = 1e-3;
// A row that misses zero by no more than this of its terms is met as far as numbers can tell.
constexpr double kRoundingOfRows = 1e-13;

std::vector<Index> sizes_of(const std::vector<ArrayGroup>& groups) {
  std::vector<Index> sizes;
  for (const ArrayGroup& group : groups) {
    sizes.push_back(static_cast<Index>(group.slots.size()));
  }
  return sizes;
}

}  // namespace

ArrayNewton::ArrayNewton(std::shared_ptr<const system::EquationSet> equations, std::vector<ArrayGroup> groups,
                         std::vector<double> nominal)
    : equations_(std::move(equations)),
      runner_(equations_->make_runner()),
      groups_(std::move(groups)),
      nominal_(std::move(nominal)),
      solver_(equations_->n_rows(), sizes_of(groups_)),
      scale_(nominal_),
      row_scale_(at_index(equations_->n_rows()), 1.0),
      entries_(equations_->pattern().n_entries()),
      values_(at_index(equations_->n_rows())),
      right_(values_.size()),
      terms_(values_.size()),
      misses_(values_.size(), 0.0) {
  for (const ArrayGroup& group : groups_) {
    column_slot_.insert(column_slot_.end(), group.slots.begin(), group.slots.end());
    group_sizes_.push_back(static_cast<Index>(group.slots.size()));
    least_value_.push_back(group.least_value ? 1 : 0);
    from_anchor_.push_back(group.least_value || group.is_anchored ? 1 : 0);
  }
  for (std::vector<double>* list : {&correction_, &next_correction_, &trial_}) {
    list->resize(at_index(equations_->n_slots()));
  }
  unknowns_.resize(column_slot_.size());
  anchor_.resize(column_slot_.size());
}

void ArrayNewton::drop_anchor(std::span<const double> z) {
  std::size_t column = 0;
  for (const ArrayGroup& group : groups_) {
    for (const Index slot : group.slots) {
      anchor_[column++] = group.is_anchored ? z[at_index(slot)] : 0.0;
    }
  }
}

void ArrayNewton::set_configuration(const system::Configuration& configuration) {
  runner_->set_configuration(configuration);
  policy_.forget();
}

void ArrayNewton::set_latched(Index guard, double value) {
  runner_->set_latched(guard, value);
  policy_.forget();
}

void ArrayNewton::clear_ranks() {
  ranks_.clear();
  policy_.forget();
}

double ArrayNewton::condition() const {
  // Rows and columns are scaled to entries near 1.
  return 1.0 / std::min(1.0, solver_.smallest_pivot());
}

Evaluation ArrayNewton::evaluate_matrix(double t, std::span<const double> z) {
  ++n_matrices_;
  return runner_->jacobian(t, z, entries_);
}

// Rows to entries of at most 1, then into the solver; columns as in column_slot_.
void ArrayNewton::scale_matrix() {
  const system::RectangularPattern& pattern = equations_->pattern();
  std::fill(row_scale_.begin(), row_scale_.end(), 0.0);
  for (const Index slot : column_slot_) {
    for (Index e = pattern.column_starts[at_index(slot)]; e < pattern.column_starts[at_index(slot) + 1];
         ++e) {
      double& largest = row_scale_[at_index(pattern.rows[at_index(e)])];
      largest = std::max(largest, std::abs(entries_[at_index(e)]) * scale_[at_index(slot)]);
    }
  }
  for (double& scale : row_scale_) {
    scale = scale > 0.0 ? 1.0 / scale : 1.0;
  }
  const std::span<double> matrix = solver_.matrix();
  std::fill(matrix.begin(), matrix.end(), 0.0);
  for (std::size_t column = 0; column < column_slot_.size(); ++column) {
    const Index slot = column_slot_[column];
    for (Index e = pattern.column_starts[at_index(slot)]; e < pattern.column_starts[at_index(slot) + 1];
         ++e) {
      const Index row = pattern.rows[at_index(e)];
      matrix[column * row_scale_.size() + at_index(row)] =
          entries_[at_index(e)] * scale_[at_index(slot)] * row_scale_[at_index(row)];
    }
  }
}

Evaluation ArrayNewton::make_matrix(double t, std::span<const double> z) {
  if (const Evaluation evaluation = evaluate_matrix(t, z); !evaluation.ok()) {
    return evaluation;
  }
  scale_matrix();
  policy_.forget();
  return {};
}

// One step from beside a solution: z* + e goes to z* + L(-J·e, e), with L the linear map of the solver, and stays there.
void ArrayNewton::respond(Index slot, std::span<double> change) {
  const system::RectangularPattern& pattern = equations_->pattern();
  std::fill(right_.begin(), right_.end(), 0.0);
  for (Index e = pattern.column_starts[at_index(slot)]; e < pattern.column_starts[at_index(slot) + 1]; ++e) {
    const auto row = at_index(pattern.rows[at_index(e)]);
    right_[row] = -entries_[at_index(e)] * row_scale_[row];
  }
  for (std::size_t j = 0; j < column_slot_.size(); ++j) {
    unknowns_[j] = column_slot_[j] == slot ? 1.0 / scale_[at_index(slot)] : 0.0;
  }
  solver_.solve(right_, unknowns_, least_value_);
  std::fill(change.begin(), change.end(), 0.0);
  for (std::size_t j = 0; j < column_slot_.size(); ++j) {
    const auto s = at_index(column_slot_[j]);
    change[s] = unknowns_[j] * scale_[s];
  }
}

Evaluation ArrayNewton::refresh(double t, std::span<const double> z) {
  if (const Evaluation evaluation = evaluate_matrix(t, z); !evaluation.ok()) {
    return evaluation;
  }
  scale_matrix();
  const bool is_finite =
      ranks_.empty() ? solver_.factorize(linalg::kRankTolerance) : solver_.factorize(ranks_);
  if (!is_finite) {
    return {Evaluation::Status::not_finite, 0};
  }
  policy_.made();
  return {};
}

Evaluation ArrayNewton::decide_ranks(double t, std::span<const double> z) {
  if (const Evaluation evaluation = evaluate_matrix(t, z); !evaluation.ok()) {
    return evaluation;
  }
  const system::RectangularPattern& pattern = equations_->pattern();
  const auto n_columns = static_cast<Index>(column_slot_.size());
  linalg::DenseMatrix matrix(equations_->n_rows(), n_columns);
  // All groups but the last have one factor each beside their nominal values, the slots of the last their own.
  std::vector<Index> label(column_slot_.size());
  auto next = static_cast<Index>(groups_.size());
  Index column = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const Index slot : groups_[g].slots) {
      label[at_index(column)] = g + 1 < groups_.size() ? static_cast<Index>(g) : next++;
      for (Index e = pattern.column_starts[at_index(slot)]; e < pattern.column_starts[at_index(slot) + 1];
           ++e) {
        matrix(pattern.rows[at_index(e)], column) = entries_[at_index(e)] * nominal_[at_index(slot)];
      }
      ++column;
    }
  }
  if (!matrix.is_finite()) {
    return {Evaluation::Status::not_finite, 0};
  }
  const linalg::Equilibration equilibration = linalg::equilibrate(matrix, {&label, 1});
  const double unit = equilibration.column_scale.empty() ? 1.0 : equilibration.column_scale[0];
  for (std::size_t j = 0; j < column_slot_.size(); ++j) {
    const auto slot = at_index(column_slot_[j]);
    scale_[slot] = nominal_[slot] * equilibration.column_scale[j] / unit;
  }
  scale_matrix();
  if (!solver_.factorize(linalg::kRankTolerance)) {
    return {Evaluation::Status::not_finite, 0};
  }
  ranks_.resize(groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    ranks_[g] = solver_.rank(static_cast<Index>(g));
  }
  policy_.made();
  return {};
}

Evaluation ArrayNewton::compare_ranks(double t, std::span<const double> z, bool& is_same) {
  if (const Evaluation evaluation = evaluate_matrix(t, z); !evaluation.ok()) {
    return evaluation;
  }
  scale_matrix();
  policy_.forget();
  if (!solver_.factorize(linalg::kRankTolerance)) {
    return {Evaluation::Status::not_finite, 0};
  }
  is_same = true;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    is_same = is_same && ranks_[g] == solver_.rank(static_cast<Index>(g));
  }
  if (is_same) {
    policy_.made();
  }
  return {};
}

// J⁺F(z), with the parts that are brought to their least value.
Evaluation ArrayNewton::correction_at(double t, std::span<const double> z, std::span<double> correction) {
  ++n_iterations_;
  if (const Evaluation evaluation = runner_->residual(t, z, values_); !evaluation.ok()) {
    return evaluation;
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    right_[i] = -values_[i] * row_scale_[i];
  }
  for (std::size_t j = 0; j < column_slot_.size(); ++j) {
    const auto slot = at_index(column_slot_[j]);
    unknowns_[j] = (z[slot] - anchor_[j]) / scale_[slot];
  }
  solver_.solve(right_, unknowns_, from_anchor_);
  std::fill(correction.begin(), correction.end(), 0.0);
  for (std::size_t j = 0; j < column_slot_.size(); ++j) {
    const auto slot = at_index(column_slot_[j]);
    correction[slot] = unknowns_[j] * scale_[slot] - (z[slot] - anchor_[j]);
  }
  return {};
}

double ArrayNewton::length(std::span<const double> z, std::span<const double> correction) const {
  double largest = 0.0;
  for (const Index slot : column_slot_) {
    const auto s = at_index(slot);
    const double size = std::abs(correction[s]) / (std::abs(z[s]) + scale_[s]);
    largest = size > largest || std::isnan(size) ? size : largest;
  }
  return largest;
}

void ArrayNewton::find_miss(std::span<const double> z) {
  const system::RectangularPattern& pattern = equations_->pattern();
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    terms_[i] = 1.0 / row_scale_[i];
  }
  for (Index j = 0; j < pattern.n_columns; ++j) {
    for (Index e = pattern.column_starts[at_index(j)]; e < pattern.column_starts[at_index(j) + 1]; ++e) {
      terms_[at_index(pattern.rows[at_index(e)])] += std::abs(entries_[at_index(e)] * z[at_index(j)]);
    }
  }
  miss_ = {};
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const double relative = std::abs(values_[i]) / terms_[i];
    misses_[i] = relative;
    if (relative > miss_.relative || miss_.row < 0) {
      miss_ = {static_cast<Index>(i), values_[i], relative};
    }
  }
}

// Derivatives of fast unknowns are products of their rates: the k-th one of x' = -λ(x - g) has an error of λᵏ roundings of x, and corrections
// of it shrink no further although all rows are met. The states do not take part in that: what they are moved by must be little.
bool ArrayNewton::is_met_to_rounding(std::span<const double> z) {
  std::size_t first_of_last = column_slot_.size();
  for (std::size_t g = groups_.size(); g-- > 0 && first_of_last == column_slot_.size();) {
    first_of_last -= groups_[g].slots.size();
  }
  for (std::size_t j = 0; j < first_of_last; ++j) {
    const auto slot = at_index(column_slot_[j]);
    if (!(std::abs(next_correction_[slot]) <= kLooseCorrection * (std::abs(z[slot]) + scale_[slot]))) {
      return false;
    }
  }
  find_miss(z);
  return miss_.relative <= kRoundingOfRows;
}

Evaluation ArrayNewton::finish(double t, std::span<double> z) {
  if (const Evaluation evaluation = runner_->residual(t, z, values_); !evaluation.ok()) {
    return evaluation;
  }
  find_miss(z);
  return {};
}

Evaluation ArrayNewton::solve(double t, std::span<double> z) {
  SALTUS_EXPECT(static_cast<Index>(z.size()) == equations_->n_slots(), "a value for every slot");
  policy_.moved();
  drop_anchor(z);
  miss_ = {};
  if (equations_->is_linear()) {
    if (!policy_.has_matrix() || !equations_->has_constant_jacobian()) {
      if (const Evaluation evaluation = refresh(t, z); !evaluation.ok()) {
        return evaluation;
      }
    }
    if (const Evaluation evaluation = correction_at(t, z, correction_); !evaluation.ok()) {
      return evaluation;
    }
    std::transform(z.begin(), z.end(), correction_.begin(), z.begin(), std::plus<>());
    return finish(t, z);
  }
  Evaluation evaluation = iterate(t, z);
  if (evaluation.ok() && finish(t, z).ok() && miss_.is_contradiction()) {
    // With a matrix of another point the iteration ends where that one sees nothing any more of the rows: a new one may.
    policy_.forget();
    evaluation = iterate(t, z);
  }
  if (!evaluation.ok()) {
    policy_.forget();
    if (evaluation.status == Evaluation::Status::no_convergence) {
      (void)finish(t, z);
      return {evaluation.status, miss_.row};
    }
    return evaluation;
  }
  return finish(t, z);
}

// A matrix of the present iterate, and the correction with it.
Evaluation ArrayNewton::restart(double t, std::span<const double> z) {
  if (const Evaluation evaluation = refresh(t, z); !evaluation.ok()) {
    return evaluation;
  }
  return correction_at(t, z, correction_);
}

Evaluation ArrayNewton::iterate(double t, std::span<double> z) {
  if (const Evaluation evaluation = policy_.has_matrix() ? correction_at(t, z, correction_) : restart(t, z);
      !evaluation.ok()) {
    return evaluation;
  }
  double size = length(z, correction_);
  double damping = 1.0;
  for (int iteration = 0; iteration < kMostArrayIterations; ++iteration) {
    for (std::size_t s = 0; s < trial_.size(); ++s) {
      trial_[s] = z[s] + damping * correction_[s];
    }
    if (size <= kTightCorrection) {
      std::copy(trial_.begin(), trial_.end(), z.begin());
      return {};
    }
    const Evaluation evaluation = correction_at(t, trial_, next_correction_);
    // Both corrections are measured by the same sizes of the slots.
    const double next =
        evaluation.ok() ? length(z, next_correction_) : std::numeric_limits<double>::infinity();
    if (damping == 1.0 && !(next < 0.5 * size) &&
        (size <= kLooseCorrection || (evaluation.ok() && is_met_to_rounding(trial_)))) {
      // Also where rounding is all that is left in the slots, the rows are met better there.
      if (evaluation.ok()) {
        std::copy(trial_.begin(), trial_.end(), z.begin());
      }
      return {};
    }
    const bool is_nearer = next <= (1.0 - 0.25 * damping) * size;
    bool needs_matrix = policy_.after_failure() == ArrayRefreshPolicy::Advice::refresh;
    if (is_nearer) {
      std::copy(trial_.begin(), trial_.end(), z.begin());
      policy_.moved();
      needs_matrix =
          damping < 1.0 || policy_.after_iteration(next / size) == ArrayRefreshPolicy::Advice::refresh;
      damping = std::min(1.0, 2.0 * damping);
      std::swap(correction_, next_correction_);
      size = next;
    } else if (!needs_matrix) {
      damping *= 0.5;
      if (damping < kLeastDamping) {
        return evaluation.ok() ? Evaluation{Evaluation::Status::no_convergence, -1} : evaluation;
      }
      continue;
    }
    if (needs_matrix) {
      if (const Evaluation again = restart(t, z); !again.ok()) {
        return again;
      }
      size = length(z, correction_);
    }
  }
  return {Evaluation::Status::no_convergence, -1};
}

}  // namespace saltus::reduce
