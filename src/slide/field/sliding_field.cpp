#include "slide/field/sliding_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/contract.hpp"
#include "slide/field/own_side.hpp"

namespace saltus::slide {

using system::Evaluation;

SlidingField::SlidingField(system::Evaluator& inner, Index n_states,
                           std::span<const system::GuardInfo> guards, std::span<const double> nominal)
    : plus_(inner),
      n_(static_cast<std::size_t>(n_states)),
      infos_(guards),
      metric_(n_, 1.0),
      all_states_(n_) {
  SALTUS_EXPECT(nominal.empty() || nominal.size() == n_, "one nominal value per state");
  for (std::size_t i = 0; i < nominal.size(); ++i) {
    metric_[i] = nominal[i] * nominal[i];
  }
  std::iota(all_states_.begin(), all_states_.end(), Index{0});
  for (std::vector<double>* vector :
       {&field_plus_, &field_minus_, &point_, &scratch_, &spread_, &column_, &from_, &along_, &moved_,
        &following_rate_, &probe_, &ahead_, &behind_}) {
    vector->assign(n_, 0.0);
  }
  known_states_.resize(kRemembered * n_);
  is_dependent_.resize(guards.size());
}

SlidingField::SlidingField(system::Evaluator& plus, system::Evaluator& minus, Index n_states,
                           std::span<const system::GuardInfo> guards, std::span<const double> nominal)
    : SlidingField(plus, n_states, guards, nominal) {
  minus_ = &minus;
}

// Room for the surfaces there are; smaller sets later keep it.
void SlidingField::reserve() {
  const std::size_t k = n_surfaces();
  for (std::vector<double>* vector :
       {&weights_, &kept_weights_, &values_, &residual_, &residual_scale_, &correction_, &entry_size_,
        &weights_before_, &weights_here_, &force_plus_, &force_minus_, &noise_plus_, &noise_minus_}) {
    vector->resize(k);
  }
  jacobian_.resize(k * k);
  kept_jacobian_.resize(k * k);
  known_weights_.resize(kRemembered * k);
  rows_.resize(k);
  is_algebraic_.resize(k);
  gradients_.resize(k * n_);
  const auto order = static_cast<Index>(k);
  solver_.resize(order, order);
}

// Gradients of affine guards are known for as long as the configuration holds.
void SlidingField::find_rows() {
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    const system::GuardShape shape = plus_.guard_shape(surfaces_[k]);
    Row& row = rows_[k];
    row.is_affine = shape.kind == system::GuardShape::Kind::polynomial && shape.degree <= 1;
    if (row.is_affine) {
      const system::AffineGuard guard = plus_.affine_guard(surfaces_[k]);
      row.states = guard.states;
      row.coefficients = guard.coefficients;
      row.time_derivative = guard.time_coefficient;
    } else {
      row.states = all_states_;
      row.coefficients = std::span<const double>(gradients_).subspan(k * n_, n_);
    }
  }
}

void SlidingField::begin(const SlidingSet& set) {
  begin(set, *set.configuration);
}

bool SlidingField::holds_vectors() const {
  return std::any_of(surfaces_.begin(), surfaces_.end(),
                     [this](Index surface) { return infos_[static_cast<std::size_t>(surface)].norm >= 0; });
}

void SlidingField::begin(const SlidingSet& set, const system::Configuration& minus) {
  SALTUS_EXPECT(!set.surfaces.empty(), "sliding needs a surface");
  SALTUS_EXPECT(set.weights.empty() || set.weights.size() == set.surfaces.size(), "one weight per surface");
  SALTUS_EXPECT(set.level == 0.0 || (is_pair() && set.surfaces.size() == 1), "a level is that of two modes");
  surfaces_.assign(set.surfaces.begin(), set.surfaces.end());
  level_ = set.level;
  reserve();
  std::fill(weights_.begin(), weights_.end(), 0.0);
  std::copy(set.weights.begin(), set.weights.end(), weights_.begin());
  rule_ = set.rule;
  combines_sides_ = n_surfaces() == 1 ? is_pair() || rule_ != SlidingRule::blend || all_affine()
                                      : !is_pair() && rule_ != SlidingRule::blend && !all_affine() &&
                                            !holds_vectors() && find_surfaces_of_parts();
  plus_.set_configuration(*set.configuration);
  if (is_pair()) {
    minus_->set_configuration(minus);
  }
  set_weights();
  find_rows();
  algebraic_known_ = false;
  followers_known_ = false;
  if (set.x.size() == n_) {
    find_algebraic(set.t, set.x);
  }
  begin_constraints(set, minus);
  begin_form(set);
  jacobian_known_ = false;
  factorized_ = false;
  n_known_ = 0;
  next_known_ = 0;
  find_dependents(set);
  keep_solutions();
}

void SlidingField::set_configuration(const system::Configuration& configuration) {
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    correction_[k] = configuration.latched[static_cast<std::size_t>(surfaces_[k])];
  }
  plus_.set_configuration(configuration);
  if (is_pair()) {
    minus_->set_configuration(configuration);
  }
  std::copy(correction_.begin(), correction_.end(), weights_.begin());
  set_weights();
  find_rows();
  algebraic_known_ = false;
  configure_stack(configuration, configuration);
  jacobian_known_ = false;
  factorized_ = false;
  n_known_ = 0;
}

void SlidingField::set_latched(Index guard, double value) {
  n_known_ = 0;
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    if (surfaces_[k] == guard) {
      weights_[k] = value;
      return;
    }
  }
  plus_.set_latched(guard, value);
  if (is_pair()) {
    minus_->set_latched(guard, value);
  }
  for (std::size_t block = 0; active_stack_ != nullptr && block < active_stack_->n_blocks(); ++block) {
    active_stack_->set_latched(block, guard, value);
  }
}

bool SlidingField::all_affine() const {
  return std::all_of(surfaces_.begin(), surfaces_.end(), [this](Index surface) {
    return infos_[static_cast<std::size_t>(surface)].is_affine_in_weight;
  });
}

bool SlidingField::find_surfaces_of_parts() {
  if (parts_ == nullptr) {
    return false;
  }
  surface_of_part_.assign(static_cast<std::size_t>(parts_->n_parts), -1);
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    const Index part = parts_->of_guard[static_cast<std::size_t>(surfaces_[k])];
    Index& place = surface_of_part_[static_cast<std::size_t>(part)];
    if (place >= 0) {
      return false;
    }
    place = static_cast<Index>(k);
  }
  return true;
}

// What is in a part without a surface is the same on all sides.
std::size_t SlidingField::surface_of_variable(std::size_t column) const {
  if (n_surfaces() == 1) {
    return 0;
  }
  const Index place = surface_of_part_[static_cast<std::size_t>(parts_->of_variable[column])];
  return place < 0 ? 0 : static_cast<std::size_t>(place);
}

SlidingRule SlidingField::construction() const {
  const bool is_blend = !combines_sides_ || (!is_pair() && all_affine());
  return is_blend ? SlidingRule::blend : SlidingRule::convex;
}

// Of two modes each is locked on its own side of their surface; the weight is in field().
void SlidingField::set_weight(std::size_t surface, double weight) {
  if (level_ != 0.0) {
    return;
  }
  if (is_pair()) {
    plus_.set_latched(surfaces_[surface], surface == 0 ? 1.0 : weight);
    minus_->set_latched(surfaces_[surface], surface == 0 ? -1.0 : weight);
  } else {
    plus_.set_latched(surfaces_[surface], weight);
  }
}

void SlidingField::set_weights() {
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    set_weight(k, weights_[k]);
  }
}

Evaluation SlidingField::inner_rhs(system::Evaluator& inner, double t, std::span<const double> x,
                                   std::span<double> xdot) {
  ++inner_evaluations_;
  return inner.rhs(t, x, xdot);
}

// ẋ at weights_, which the inner evaluators already have.
Evaluation SlidingField::field(double t, std::span<const double> x, std::span<double> xdot) {
  if (const Evaluation evaluation = inner_rhs(plus_, t, x, xdot); !evaluation.ok() || !is_pair()) {
    return evaluation;
  }
  if (const Evaluation evaluation = inner_rhs(*minus_, t, x, field_minus_); !evaluation.ok()) {
    return evaluation;
  }
  const double share = 0.5 * (1.0 + weights_[0]);
  for (std::size_t i = 0; i < n_; ++i) {
    xdot[i] = share * xdot[i] + (1.0 - share) * field_minus_[i];
  }
  return {};
}

Evaluation SlidingField::rhs(double t, std::span<const double> x, std::span<double> xdot) {
  const Evaluation evaluation = solve(t, x, xdot);
  return evaluation.ok() && follows_weights() ? add_rates_of_weights(t, x, xdot) : evaluation;
}

// As side_field(), at point_.
Evaluation SlidingField::side_outputs(double side, double t, std::span<double> values) {
  for (std::size_t k = 0; k < n_surfaces(); ++k) {
    set_weight(k, side);
  }
  system::Evaluator& inner = side < 0.0 && is_pair() ? *minus_ : plus_;
  if (is_pair() && inner.projection() != system::Projection::none) {
    // Each mode has its own values of what is a state only because ranks take every unknown for one.
    std::copy(point_.begin(), point_.end(), moved_.begin());
    if (inner.project(t, moved_).ok()) {
      return inner.outputs(t, moved_, values);
    }
  }
  const Evaluation evaluation = inner.outputs(t, point_, values);
  if (evaluation.status != Evaluation::Status::not_finite || level_ != 0.0) {
    return evaluation;
  }
  std::copy(point_.begin(), point_.end(), moved_.begin());
  const bool is_moved = std::all_of(surfaces_.begin(), surfaces_.end(), [&](Index surface) {
    return move_to_side(inner, surface, side, t, moved_, from_);
  });
  return is_moved ? inner.outputs(t, moved_, values) : evaluation;
}

Evaluation SlidingField::outputs(double t, std::span<const double> x, std::span<double> values) {
  // Rows are not work of the integration: the same run with other rows has the same count.
  const std::int64_t counted = inner_evaluations_;
  const Evaluation weights = solve_projected(t, x);
  inner_evaluations_ = counted;
  if (!weights.ok()) {
    return weights;
  }
  if (construction() == SlidingRule::blend) {
    set_weights();
    return plus_.outputs(t, point_, values);
  }
  // Every variable is combined as ẋ is.
  other_values_.resize(values.size());
  if (const Evaluation evaluation = side_outputs(1.0, t, values); !evaluation.ok()) {
    return evaluation;
  }
  if (const Evaluation evaluation = side_outputs(-1.0, t, other_values_); !evaluation.ok()) {
    return evaluation;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != other_values_[i]) {
      const double share = 0.5 * (1.0 + weights_[surface_of_variable(i)]);
      values[i] = share * values[i] + (1.0 - share) * other_values_[i];
    }
  }
  return {};
}

// Each point has its own weights: one after the other.
Evaluation SlidingField::outputs_block(std::span<const double> t, std::span<const double> x,
                                       std::span<double> values) {
  const std::size_t width = t.size();
  const std::size_t n_values = values.size() / width;
  block_values_.resize(n_values);
  for (std::size_t point = 0; point < width; ++point) {
    for (std::size_t i = 0; i < n_; ++i) {
      column_[i] = x[i * width + point];
    }
    if (const Evaluation evaluation = outputs(t[point], column_, block_values_); !evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t i = 0; i < n_values; ++i) {
      values[i * width + point] = block_values_[i];
    }
  }
  return {};
}

void SlidingField::keep_solutions() {
  if (active_stack_ != nullptr) {
    active_stack_->keep_matrix();
  }
  plus_.keep_solutions();
  if (is_pair()) {
    minus_->keep_solutions();
  }
  std::copy(weights_.begin(), weights_.end(), kept_weights_.begin());
  if (jacobian_known_) {
    std::copy(jacobian_.begin(), jacobian_.end(), kept_jacobian_.begin());
  }
  kept_jacobian_known_ = jacobian_known_;
}

bool SlidingField::has_unwatched_kinks() const {
  return plus_.has_unwatched_kinks() || (is_pair() && minus_->has_unwatched_kinks());
}

void SlidingField::restore_solutions() {
  plus_.restore_solutions();
  if (is_pair()) {
    minus_->restore_solutions();
  }
  std::copy(kept_weights_.begin(), kept_weights_.end(), weights_.begin());
  if (kept_jacobian_known_) {
    std::copy(kept_jacobian_.begin(), kept_jacobian_.end(), jacobian_.begin());
  }
  jacobian_known_ = kept_jacobian_known_;
  factorized_ = false;
}

std::string SlidingField::describe(const Evaluation& evaluation, double t) const {
  if (evaluation.status == Evaluation::Status::no_projection && active_stack_ != nullptr) {
    const std::string row = active_stack_->row_text(evaluation.culprit);
    return fmt::format(
        "no state near the solution lies on the surface {} = 0 and satisfies the constraints at time {}{}",
        infos_[static_cast<std::size_t>(surfaces_[0])].text, t,
        row.empty() ? "" : ": " + row + " cannot be met");
  }
  if (evaluation.status != Evaluation::Status::no_weights) {
    return plus_.describe(evaluation, t);
  }
  std::string names;
  for (const Index surface : surfaces_) {
    names += (names.empty() ? "" : ", ") + infos_[static_cast<std::size_t>(surface)].text;
  }
  return fmt::format("no weights keep the state on the surface{} {} = 0 at t = {}",
                     n_surfaces() == 1 ? "" : "s", names, t);
}

}  // namespace saltus::slide
