// The residual form that a SlidingField offers to implicit methods.
#include <algorithm>
#include <cmath>
#include <utility>

#include "reduce/sliding_field.hpp"

namespace saltus::reduce {

using system::Evaluation;

void SlidingField::begin_form(const SlidingSet& set) {
  has_form_ = false;
  form_known_ = locked_ == nullptr || is_pair() || set.x.size() != n_;
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

void SlidingField::find_form() {
  form_known_ = true;
  if (construction() != SlidingRule::blend || !algebraic_known_ || has_algebraic() || constraints_depend_ ||
      plus_.residual_runner() == nullptr || !weights_are_determined()) {
    return;
  }
  const auto known = std::find_if(forms_.begin(), forms_.end(),
                                  [this](const FormInUse& use) { return use.form->is_of(surfaces_); });
  if (known != forms_.end()) {
    std::rotate(known, known + 1, forms_.end());
    has_form_ = true;
    return;
  }
  std::shared_ptr<const SlidingForm> form = SlidingForm::make(locked_, plus_, surfaces_, infos_);
  if (form == nullptr) {
    return;
  }
  if (forms_.size() == kMostForms) {
    forms_.erase(forms_.begin());
  }
  std::unique_ptr<system::EquationRunner> runner = form->make_runner(plus_);
  forms_.push_back({std::move(form), std::move(runner)});
  has_form_ = true;
}

system::EquationRunner* SlidingField::residual_runner() {
  if (!form_known_) {
    find_form();
  }
  return has_form_ ? forms_.back().runner.get() : nullptr;
}

std::shared_ptr<const system::EquationSet> SlidingField::own_residual_form() {
  return residual_runner() != nullptr ? forms_.back().form : nullptr;
}

Evaluation SlidingField::residual_point(double t, std::span<const double> x, std::span<double> y,
                                        std::span<double> ydot) {
  if (residual_runner() == nullptr) {
    return {Evaluation::Status::no_convergence, -1};
  }
  if (const Evaluation evaluation = solve(t, x, ydot); !evaluation.ok()) {
    return evaluation;
  }
  set_weights();
  const std::size_t n_inner = forms_.back().form->n_inner();
  std::copy(weights_.begin(), weights_.end(), y.begin() + static_cast<std::ptrdiff_t>(n_inner));
  return plus_.residual_point(t, x, y.first(n_inner), ydot);
}

}  // namespace saltus::reduce
