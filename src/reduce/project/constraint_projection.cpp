#include "reduce/project/constraint_projection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "nonlinear/kept_newton.hpp"
#include "reduce/nonlinear/constraint_grades.hpp"
#include "reduce/nonlinear/projection_steps.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using system::Evaluation;

// Changes of no more than this part of each state are rounding in the constraints: the given point is as good. More would show in
// guards that the constraints hold at zero.
constexpr double kSpacing = 2.0 * std::numeric_limits<double>::epsilon();

}  // namespace

ConstraintProjection::ConstraintProjection(std::shared_ptr<const system::EquationSet> constraints,
                                           std::span<const double> nominal, LeastChange::Algebra algebra,
                                           Matrices matrices)
    : constraints_(std::move(constraints)),
      runner_(constraints_->make_runner()),
      nominal_(nominal.begin(), nominal.end()),
      scale_(scales_by_grade(std::array{ConstraintBlock{constraints_.get()}}, nominal)),
      matrices_(matrices),
      algebra_(constraints_->pattern(), scale_, algebra),
      asked_(nominal.size()),
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
  is_asked_ = false;
  policy_.forget();
}

void ConstraintProjection::set_latched(Index guard, double value) {
  runner_->set_latched(guard, value);
  has_factors_ = false;
  is_asked_ = false;
}

bool ConstraintProjection::refresh(double t, std::span<const double> x) {
  is_asked_ = false;
  has_factors_ = runner_->jacobian(t, x, entries_).ok();
  is_regular_ = has_factors_ && normal_ && normal_->factorize(entries_);
  has_factors_ = is_regular_ || (has_factors_ && algebra_.factorize(entries_));
  ++counters_.factorisations;
  return has_factors_;
}

void ConstraintProjection::solve() {
  if (is_regular_) {
    normal_->solve(residual_, change_);
  } else {
    algebra_.solve(residual_, change_);
  }
}

double ConstraintProjection::step(std::span<double> x) {
  solve();
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

struct ConstraintProjection::Iteration {
  ConstraintProjection& self;
  double t;
  std::span<double> x;
  Index culprit = -1;

  nonlinear::Rows evaluate() {
    const Evaluation evaluation = self.runner_->residual(t, x, self.residual_);
    culprit = evaluation.culprit;
    return evaluation.ok() ? nonlinear::Rows::open : nonlinear::Rows::no_value;
  }
  [[nodiscard]] bool has_matrix() const { return self.has_factors_; }
  [[nodiscard]] bool refresh() { return self.refresh(t, x); }
  double correct() {
    ++self.counters_.steps;
    return self.step(x);
  }
  static bool move() { return true; }
  void drop_matrix() { self.has_factors_ = false; }
};

Evaluation ConstraintProjection::iterate(double t, std::span<double> x) {
  Iteration iteration{*this, t, x};
  const nonlinear::KeptEnd end = nonlinear::kept_newton(iteration, policy_);
  if (end == nonlinear::KeptEnd::converged && rows_agree()) {
    return {};
  }
  return {Evaluation::Status::no_projection,
          end == nonlinear::KeptEnd::no_value ? iteration.culprit : worst_row()};
}

Evaluation ConstraintProjection::project(double t, std::span<double> x) {
  SALTUS_EXPECT(x.size() == nominal_.size(), "x must have one place per state");
  if (residual_.empty()) {
    return {};
  }
  ++counters_.projections;
  has_factors_ = has_factors_ &&
                 (keeps_matrix_ || matrices_ == Matrices::of_steps || constraints_->has_constant_jacobian());
  std::copy(x.begin(), x.end(), given_.begin());
  const Evaluation evaluation = iterate(t, x);
  if (!evaluation.ok() || (policy_.n_steps() == 1 && is_change_rounding())) {
    std::copy(given_.begin(), given_.end(), x.begin());
  }
  has_factors_ = has_factors_ && evaluation.ok();
  return evaluation;
}

void ConstraintProjection::keep_along(double t, std::span<const double> x, std::span<double> gradient) {
  const bool is_known = is_asked_ && asked_time_ == t && std::equal(x.begin(), x.end(), asked_.begin());
  if (residual_.empty() || (!is_known && !refresh(t, x))) {
    return;
  }
  is_asked_ = true;
  asked_time_ = t;
  std::copy(x.begin(), x.end(), asked_.begin());
  weigh_rows(constraints_->pattern(), entries_, scale_, gradient, residual_);
  solve();
  add_weighed(change_, scale_, gradient);
  // The next point has a matrix of its own, as if nobody had asked.
  has_factors_ = keeps_matrix_ || constraints_->has_constant_jacobian();
}

}  // namespace saltus::reduce
