#include "reduce/frozen_control.hpp"

#include <utility>

namespace saltus::reduce {

using system::Evaluation;

std::unique_ptr<system::Evaluator> FrozenControl::make(std::unique_ptr<system::Evaluator> inner,
                                                       const system::LockedDae& locked,
                                                       std::vector<Index> multipliers) {
  std::vector<MotionEquations::Entry> beside;
  for (std::size_t i = 0; i < multipliers.size(); ++i) {
    beside.push_back({.row = static_cast<Index>(i), .state = -1, .variable = multipliers[i]});
  }
  auto motion = MotionEquations::make(locked, std::ssize(multipliers), beside);
  return std::unique_ptr<system::Evaluator>(
      new FrozenControl(std::move(inner), std::move(motion), std::move(multipliers), locked.states().size()));
}

FrozenControl::FrozenControl(std::unique_ptr<system::Evaluator> inner,
                             std::unique_ptr<MotionEquations> motion, std::vector<Index> multipliers,
                             std::size_t n_states)
    : ForwardingEvaluator(std::move(inner)),
      motion_(std::move(motion)),
      multipliers_(std::move(multipliers)),
      ones_(multipliers_.size(), 1.0),
      given_(multipliers_.size()),
      answer_(n_states) {}

void FrozenControl::set_configuration(const system::Configuration& configuration) {
  ForwardingEvaluator::set_configuration(configuration);
  if (motion_ != nullptr) {
    motion_->set_configuration(configuration);
  }
}

void FrozenControl::set_latched(Index guard, double value) {
  ForwardingEvaluator::set_latched(guard, value);
  if (motion_ != nullptr) {
    motion_->set_latched(guard, value);
  }
}

bool FrozenControl::take_candidate(double t, std::span<const double> x) {
  if (motion_ == nullptr || !motion_->factorize(t, x, inner(), ones_)) {
    return false;
  }
  candidate_.time = t;
  candidate_.values.resize(multipliers_.size());
  for (std::size_t i = 0; i < multipliers_.size(); ++i) {
    candidate_.values[i] = motion_->value_of(multipliers_[i]);
  }
  return true;
}

Evaluation FrozenControl::project(double t, std::span<double> x) {
  const Evaluation evaluation = inner().project(t, x);
  if (evaluation.ok() && !take_candidate(t, x)) {
    return {Evaluation::Status::no_projection, 0};
  }
  return evaluation;
}

// A method begins here: nothing else asks for it.
Evaluation FrozenControl::project_instant(double t, std::span<double> x) {
  const Evaluation evaluation = inner().project_instant(t, x);
  if (evaluation.ok() && !take_candidate(t, x)) {
    return {Evaluation::Status::no_projection, 0};
  }
  if (evaluation.ok()) {
    now_ = candidate_;
  }
  return evaluation;
}

Evaluation FrozenControl::rhs(double t, std::span<const double> x, std::span<double> xdot) {
  if (const Evaluation evaluation = inner().rhs(t, x, xdot); !evaluation.ok()) {
    return evaluation;
  }
  if (!candidate_.values.empty() && candidate_.time == t) {
    now_ = candidate_;
  }
  const Control& control = now_.time == t ? now_ : kept_;
  if (control.values.empty()) {
    return {};  // nothing is frozen yet
  }
  if (!motion_->factorize(t, x, inner(), ones_)) {
    return {Evaluation::Status::no_convergence, -1};
  }
  for (std::size_t i = 0; i < multipliers_.size(); ++i) {
    given_[i] = control.values[i] - motion_->value_of(multipliers_[i]);
  }
  motion_->solve(given_, answer_);
  for (std::size_t i = 0; i < xdot.size(); ++i) {
    xdot[i] += answer_[i];
  }
  return {};
}

void FrozenControl::keep_solutions() {
  ForwardingEvaluator::keep_solutions();
  kept_ = now_;
  candidate_.values.clear();
}

void FrozenControl::restore_solutions() {
  ForwardingEvaluator::restore_solutions();
  now_ = kept_;
  candidate_.values.clear();
}

}  // namespace saltus::reduce
