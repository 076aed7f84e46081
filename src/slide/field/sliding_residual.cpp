// The residual form that a SlidingField offers to implicit methods.
#include <algorithm>
#include <cmath>
#include <utility>

#include "slide/field/sliding_field.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;

// How far beside the surface sides are asked for values, in nominal values: stages lie as near as tolerances tell.
constexpr double kBeyond = 1e-6;

}  // namespace

void SlidingField::begin_form(const SlidingSet& set) {
  has_form_ = false;
  form_known_ = locked_[0] == nullptr || set.x.size() != n_;
  if (!form_known_) {
    begin_time_ = set.t;
    begin_point_.assign(set.x.begin(), set.x.end());
  }
}

// Where the weights are not unique the equations would be singular. One surface has a weight wherever its two sides differ.
bool SlidingField::weights_are_determined() {
  if (n_surfaces() == 1) {
    return true;
  }
  jacobian_known_ = false;
  return gradients(begin_time_, begin_point_).ok() &&
         evaluate_residual(begin_time_, begin_point_, scratch_).ok() &&
         new_jacobian(begin_time_, begin_point_, scratch_).ok() && std::isfinite(correct()) &&
         solver_.rank() == static_cast<Index>(n_surfaces());
}

// Whether both fields can be evaluated on both sides of the surface.
bool SlidingField::sides_have_values_beyond() {
  double time_derivative = 0.0;
  if (!plus_.guard_gradient(surfaces_[0], begin_time_, begin_point_, column_, time_derivative).ok()) {
    return false;
  }
  double length = 0.0;
  for (std::size_t i = 0; i < n_; ++i) {
    length += column_[i] * column_[i] * metric_[i];
  }
  if (!(length > 0.0)) {
    return false;
  }
  bool has_values = true;
  for (const double direction : {1.0, -1.0}) {
    for (std::size_t i = 0; i < n_; ++i) {
      point_[i] = begin_point_[i] + direction * kBeyond * metric_[i] * column_[i] / std::sqrt(length);
    }
    set_weight(0, 1.0);
    has_values = has_values && inner_rhs(plus_, begin_time_, point_, scratch_).ok();
    set_weight(0, -1.0);
    has_values = has_values && inner_rhs(minus_or_same(), begin_time_, point_, scratch_).ok();
  }
  set_weights();
  return has_values;
}

// Without a runner: there is none.
SlidingField::FormInUse SlidingField::make_form(bool is_blend, std::span<const Index> surfaces,
                                                double level) {
  FormInUse made;
  if (is_blend) {
    made.blend = SlidingForm::make(locked_[0], plus_, surfaces, infos_);
    made.runner = made.blend ? made.blend->make_runner(plus_) : nullptr;
  } else {
    const system::GuardInfo& info = infos_[static_cast<std::size_t>(surfaces[0])];
    made.combination = CombinedForm::make(locked_, plus_, info, surfaces[0], level);
    made.runner = made.combination ? made.combination->make_runner(plus_, minus_or_same()) : nullptr;
  }
  return made;
}

void SlidingField::find_form() {
  form_known_ = true;
  if (!algebraic_known_ || has_algebraic() || constraints_depend_ || plus_.residual_runner() == nullptr ||
      minus_or_same().residual_runner() == nullptr) {
    return;
  }
  const bool is_blend = construction() == SlidingRule::blend && !is_pair();
  const bool is_regular =
      is_blend ? weights_are_determined() : n_surfaces() == 1 && sides_have_values_beyond();
  restore_solutions();
  if (!is_regular) {
    return;
  }
  const auto known = std::find_if(forms_.begin(), forms_.end(), [&](const FormInUse& use) {
    return is_blend ? use.blend && use.blend->is_of(surfaces_)
                    : use.combination && use.combination->is_of(surfaces_[0], level_);
  });
  if (known != forms_.end()) {
    std::rotate(known, known + 1, forms_.end());
    has_form_ = true;
    return;
  }
  FormInUse made = make_form(is_blend, surfaces_, level_);
  if (made.runner == nullptr) {
    return;
  }
  if (forms_.size() == kMostKeptForms) {
    forms_.erase(forms_.begin());
  }
  forms_.push_back(std::move(made));
  has_form_ = true;
}

system::EquationRunner* SlidingField::residual_runner() {
  if (!form_known_) {
    find_form();
  }
  return has_form_ ? forms_.back().runner.get() : nullptr;
}

std::shared_ptr<const system::EquationSet> SlidingField::own_residual_form() {
  if (residual_runner() == nullptr) {
    return nullptr;
  }
  if (forms_.back().blend) {
    return forms_.back().blend;
  }
  return forms_.back().combination;
}

Evaluation SlidingField::residual_point(double t, std::span<const double> x, std::span<double> y,
                                        std::span<double> ydot) {
  if (residual_runner() == nullptr) {
    return {Evaluation::Status::no_convergence, -1};
  }
  if (const Evaluation evaluation = solve(t, x, ydot); !evaluation.ok()) {
    return evaluation;
  }
  std::copy(weights_.begin(), weights_.end(), y.end() - static_cast<std::ptrdiff_t>(n_surfaces()));
  if (forms_.back().blend) {
    set_weights();
    return plus_.residual_point(t, x, y.first(y.size() - n_surfaces()), ydot);
  }
  for (const CombinedForm::Side& side : forms_.back().combination->sides()) {
    set_weight(0, side.side);
    side_point_.resize(side.n_rows());
    system::Evaluator& inner = side.side > 0.0 ? plus_ : minus_or_same();
    if (const Evaluation evaluation =
            inner.residual_point(t, x, side_point_, y.subspan(side.first_slope, n_));
        !evaluation.ok()) {
      return evaluation;
    }
    std::copy(side_point_.begin() + static_cast<std::ptrdiff_t>(n_), side_point_.end(),
              y.begin() + static_cast<std::ptrdiff_t>(side.first_algebraic));
  }
  std::copy(x.begin(), x.end(), y.begin());
  return {};
}

}  // namespace saltus::slide
