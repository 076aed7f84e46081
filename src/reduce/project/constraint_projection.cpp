#include "reduce/project/constraint_projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "reduce/nonlinear/projection_steps.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using system::Evaluation;
using Answer = ProjectionPolicy::Answer;

// Changes of no more than this part of each state are rounding in the constraints: the given point is as good. More would show in
// guards that the constraints hold at zero.
constexpr double kSpacing = 2.0 * std::numeric_limits<double>::epsilon();

// Nominal values, times kLevelScale for every level: a state first occurs in constraints differentiated so often.
std::vector<double> scale_by_level(const system::EquationSet& constraints, std::span<const double> nominal) {
  std::vector<double> scale(nominal.begin(), nominal.end());
  const std::vector<system::RowInfo>& rows = constraints.rows();
  const system::RectangularPattern& pattern = constraints.pattern();
  for (std::size_t j = 0; j < scale.size(); ++j) {
    const bool is_constrained = pattern.column_starts[j] < pattern.column_starts[j + 1];
    int level = is_constrained ? ConstraintProjection::kHighestLevel : 0;
    for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
      const Index row = pattern.rows[static_cast<std::size_t>(e)];
      level = std::min(level, rows[static_cast<std::size_t>(row)].order);
    }
    scale[j] *= std::pow(ConstraintProjection::kLevelScale, level);
  }
  return scale;
}

}  // namespace

ConstraintProjection::ConstraintProjection(std::shared_ptr<const system::EquationSet> constraints,
                                           std::span<const double> nominal, LeastChange::Algebra algebra)
    : constraints_(std::move(constraints)),
      runner_(constraints_->make_runner()),
      nominal_(nominal.begin(), nominal.end()),
      scale_(scale_by_level(*constraints_, nominal)),
      algebra_(constraints_->pattern(), scale_, algebra),
      given_(nominal.size()),
      residual_(static_cast<std::size_t>(constraints_->n_rows())),
      entries_(constraints_->pattern().n_entries()),
      change_(nominal.size()) {
  SALTUS_EXPECT(constraints_->n_slots() == static_cast<Index>(nominal.size()), "one nominal value per state");
  if (algebra_.is_dense()) {
    normal_.emplace(constraints_->pattern(), scale_);
  }
}

void ConstraintProjection::set_configuration(const system::Configuration& configuration) {
  runner_->set_configuration(configuration);
  has_factors_ = false;
  policy_.forget();
}

void ConstraintProjection::set_latched(Index guard, double value) {
  runner_->set_latched(guard, value);
  has_factors_ = false;
}

bool ConstraintProjection::refresh(double t, std::span<const double> x) {
  has_factors_ = runner_->jacobian(t, x, entries_).ok();
  is_regular_ = has_factors_ && normal_ && normal_->factorize(entries_);
  has_factors_ = is_regular_ || (has_factors_ && algebra_.factorize(entries_));
  ++counters_.factorisations;
  policy_.set_fresh();
  return has_factors_;
}

double ConstraintProjection::step(std::span<double> x) {
  if (is_regular_) {
    normal_->solve(residual_, change_);
  } else {
    algebra_.solve(residual_, change_);
  }
  return apply_change(change_, nominal_, x);
}

std::span<const double> ConstraintProjection::row_scale() const {
  return is_regular_ ? normal_->row_scale() : algebra_.row_scale();
}

// Independent rows always can be met.
bool ConstraintProjection::rows_agree() const {
  return is_regular_ || reduce::rows_agree(change_, scale_, residual_, row_scale());
}

bool ConstraintProjection::is_change_rounding() const {
  for (std::size_t i = 0; i < change_.size(); ++i) {
    if (!(std::abs(change_[i]) <= kSpacing * std::abs(given_[i]))) {
      return false;
    }
  }
  return true;
}

Index ConstraintProjection::worst_row() const {
  return reduce::worst_row(residual_, row_scale());
}

Evaluation ConstraintProjection::iterate(double t, std::span<double> x) {
  policy_.begin();
  while (true) {
    if (const Evaluation evaluation = runner_->residual(t, x, residual_); !evaluation.ok()) {
      return {Evaluation::Status::no_projection, evaluation.culprit};
    }
    if (!has_factors_ && !refresh(t, x)) {
      return {Evaluation::Status::no_projection, worst_row()};
    }
    ++counters_.steps;
    switch (policy_.look(step(x))) {
      case Answer::converged:
        return rows_agree() ? Evaluation{} : Evaluation{Evaluation::Status::no_projection, worst_row()};
      case Answer::go_on: break;
      case Answer::refresh: has_factors_ = false; break;
      case Answer::lost: return {Evaluation::Status::no_projection, worst_row()};
    }
  }
}

Evaluation ConstraintProjection::project(double t, std::span<double> x) {
  SALTUS_EXPECT(x.size() == nominal_.size(), "x must have one place per state");
  if (residual_.empty()) {
    return {};
  }
  ++counters_.projections;
  has_factors_ = has_factors_ && (keeps_matrix_ || constraints_->has_constant_jacobian());
  std::copy(x.begin(), x.end(), given_.begin());
  const Evaluation evaluation = iterate(t, x);
  if (!evaluation.ok() || (policy_.n_steps() == 1 && is_change_rounding())) {
    std::copy(given_.begin(), given_.end(), x.begin());
  }
  has_factors_ = has_factors_ && evaluation.ok();
  return evaluation;
}

}  // namespace saltus::reduce
