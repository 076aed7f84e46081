#include "settle/sliding/direction_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reduce/nonlinear/probes.hpp"
#include "settle/state/direction_reach.hpp"

namespace saltus::settle {
namespace {

using system::Evaluation;
using Kind = system::GuardInfo::Kind;
namespace direction_state = system::direction_state;

// B of a direction that is kept, in reaches: v changes it by no more than the problem is solved to.
constexpr double kKept = 1e9;
// Within this part of its reach v has arrived.
constexpr double kArrived = 1e-3;
// Beyond this part of its reach v has a direction of its own.
constexpr double kHasDirection = 0.1;
// A length of w below 1 by less is 1: what the solution of the problem leaves.
constexpr double kOnSphere = 1e-11;
// How far an answer may be from solving the problem where rates are not affine in the weights.
constexpr double kNotSolved = 1e-9;
constexpr int kMostLinearizations = 40;  // limit of work

double length_of(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) {
    sum += value * value;
  }
  return std::sqrt(sum);
}

}  // namespace

bool DirectionControl::concerns(std::span<const Index> guards) const {
  return std::any_of(guards.begin(), guards.end(),
                     [this](Index guard) { return state_.guard(guard).kind == Kind::component; });
}

void DirectionControl::take_weights() {
  slide::SlidingField& field = state_.modes.sliding_in(state_.at.mode());
  const std::vector<Index>& surfaces = state_.at.surfaces();
  kept_.resize(surfaces.size());
  if (!std::equal(surfaces.begin(), surfaces.end(), field.surfaces().begin(), field.surfaces().end()) ||
      !field.weights_at(state_.at.time(), state_.at.x(), kept_).ok()) {
    return;
  }
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    if (state_.guard(surfaces[k]).norm >= 0) {
      state_.at.set_latched(surfaces[k], kept_[k]);
    }
  }
}

// Unknowns begin where they are: at what holds v, at the direction in which it moves, at the sides before.
void DirectionControl::gather(std::span<const Index> zero, std::span<const double> before,
                              std::span<const double> leaving) {
  vectors_.clear();
  guards_.clear();
  before_.clear();
  weights_.clear();
  sets_.clear();
  free_.clear();
  tried_ = state_.at.configuration();
  for (const Index guard : zero) {
    const system::GuardInfo& info = state_.guard(guard);
    const auto is_it = [&info](const Vector& vector) { return vector.norm == info.norm; };
    if (info.kind == Kind::component && std::none_of(vectors_.begin(), vectors_.end(), is_it)) {
      const std::vector<Index>& components = state_.guard(info.norm).components;
      vectors_.push_back({info.norm, guards_.size(), components.size()});
      guards_.insert(guards_.end(), components.begin(), components.end());
    }
  }
  const std::size_t n_elements = guards_.size();
  weights_.resize(n_elements);
  before_.resize(n_elements);
  for (std::size_t k = 0; k < zero.size(); ++k) {
    const system::GuardInfo& info = state_.guard(zero[k]);
    if (info.kind != Kind::component) {
      guards_.push_back(zero[k]);
      before_.push_back(before[k]);
      weights_.push_back(std::clamp(before[k], -1.0, 1.0));
    } else if (!leaving.empty() && leaving[k] != 0.0) {
      std::find_if(vectors_.begin(), vectors_.end(), [&info](const Vector& vector) {
        return vector.norm == info.norm;
      })->is_leaving = true;
    }
  }
  for (const Vector& vector : vectors_) {
    const std::span<double> w = std::span(weights_).subspan(vector.first, vector.size);
    const bool was_held = state_.at.latched(vector.norm) == direction_state::kHeld;
    const std::span<const Index> components =
        std::span<const Index>(guards_).subspan(vector.first, vector.size);
    if (was_held) {
      std::transform(components.begin(), components.end(), w.begin(),
                     [this](Index component) { return state_.at.latched(component); });
    } else if (!state_.at.mode().evaluator->guards(components, state_.at.time(), state_.at.x(), w).ok()) {
      std::fill(w.begin(), w.end(), 0.0);
    }
    const double length = length_of(w);
    if (length > 0.0 && (vector.is_leaving || !was_held)) {
      std::transform(w.begin(), w.end(), w.begin(), [length](double value) { return value / length; });
    }
    tried_.latched[static_cast<std::size_t>(vector.norm)] = direction_state::kHeld;
    if (!vector.is_leaving) {
      sets_.push_back({free_.size(), vector.size, slide::BallProblem::Kind::ball});
      for (std::size_t k = 0; k < vector.size; ++k) {
        free_.push_back(vector.first + k);
      }
    }
  }
  for (std::size_t k = n_elements; k < guards_.size(); ++k) {
    sets_.push_back({free_.size(), 1, slide::BallProblem::Kind::interval});
    free_.push_back(k);
  }
}

// Rates of the free guards at weights_, in the direction of the run.
Evaluation DirectionControl::evaluate(const slide::DecisionPoint& point) {
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  for (std::size_t k = 0; k < guards_.size(); ++k) {
    evaluator.set_latched(guards_[k], weights_[k]);
  }
  xdot_.resize(point.x.size());
  gradient_.resize(point.x.size());
  rates_.resize(free_.size());
  if (const Evaluation evaluation = evaluator.rhs(point.t, point.x, xdot_); !evaluation.ok()) {
    return evaluation;
  }
  for (std::size_t a = 0; a < free_.size(); ++a) {
    double rate = 0.0;
    const Evaluation evaluation =
        evaluator.guard_gradient(guards_[free_[a]], point.t, point.x, gradient_, rate);
    if (!evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t i = 0; i < xdot_.size(); ++i) {
      rate += gradient_[i] * xdot_[i];
    }
    rates_[a] = point.direction * rate;
  }
  return {};
}

// F(s) ≈ M·s + q around weights_.
Evaluation DirectionControl::linearize(const slide::DecisionPoint& point) {
  const std::size_t n = free_.size();
  matrix_.assign(n * n, 0.0);
  if (const Evaluation evaluation = evaluate(point); !evaluation.ok()) {
    return evaluation;
  }
  vector_ = rates_;
  for (std::size_t j = 0; j < n; ++j) {
    double& weight = weights_[free_[j]];
    const double kept = weight;
    const bool is_affine = state_.guard(guards_[free_[j]]).is_affine_in_weight;
    weight += std::copysign(is_affine ? 1.0 : reduce::kWeightDifference, -kept);
    const double step = weight - kept;
    const Evaluation evaluation = evaluate(point);
    weight = kept;
    if (!evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t i = 0; i < n; ++i) {
      matrix_[i * n + j] = (rates_[i] - vector_[i]) / step;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      vector_[i] -= matrix_[i * n + j] * weights_[free_[j]];
    }
  }
  return {};
}

std::optional<Failure> DirectionControl::solve(const slide::DecisionPoint& point) {
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  evaluator.set_configuration(tried_);
  free_weights_.resize(free_.size());
  for (int turn = 0; turn < kMostLinearizations; ++turn) {
    if (const Evaluation evaluation = linearize(point); !evaluation.ok()) {
      return state_.failure_of(evaluator, evaluation);
    }
    for (std::size_t a = 0; a < free_.size(); ++a) {
      free_weights_[a] = weights_[free_[a]];
    }
    if (!problem_.solve(matrix_, vector_, sets_, free_weights_)) {
      break;
    }
    for (std::size_t a = 0; a < free_.size(); ++a) {
      weights_[free_[a]] = free_weights_[a];
    }
    if (const Evaluation evaluation = evaluate(point); !evaluation.ok()) {
      return state_.failure_of(evaluator, evaluation);
    }
    if (problem_.violation(sets_, free_weights_, rates_) <= kNotSolved) {
      return std::nullopt;
    }
  }
  return Failure{
      "no_sliding_solution",
      fmt::format("at t = {:.9g} nothing holds {} at zero, and no direction is found in which it leaves (in "
                  "mode {})",
                  state_.at.time(), state_.guard(vectors_.front().norm).text, state_.at.mode().info->name)};
}

bool DirectionControl::is_held(const Vector& vector) const {
  return !vector.is_leaving &&
         length_of(std::span(weights_).subspan(vector.first, vector.size)) < 1.0 - kOnSphere;
}

std::optional<Failure> DirectionControl::decide(const slide::DecisionPoint& point,
                                                std::span<const Index> zero, std::span<const double> before,
                                                std::span<const double> leaving) {
  // As it moves up to here: what will hold it is not at work yet.
  motion_.resize(point.x.size());
  state_.at.field().set_configuration(state_.at.configuration());
  const bool has_motion = state_.at.field().rhs(point.t, point.x, motion_).ok();
  if (!has_motion) {
    motion_.clear();
  }
  gather(zero, before, leaving);
  if (auto failure = solve(point)) {
    return failure;
  }
  for (const Vector& vector : vectors_) {
    if (const Evaluation evaluation = take_vector(point, vector); !evaluation.ok()) {
      return state_.failure_of(*state_.at.mode().evaluator, evaluation);
    }
  }
  decided_.clear();
  for (std::size_t a = 0; a < free_.size(); ++a) {
    const std::size_t k = free_[a];
    const system::GuardInfo& info = state_.guard(guards_[k]);
    if (info.kind == Kind::component) {
      continue;
    }
    slide::GuardDecision& decided = decided_.emplace_back();
    decided.guard = guards_[k];
    decided.before = before_[k];
    decided.value = weights_[k];
    decided.rate_plus = decided.rate_minus = rates_[a];
    const bool slides = std::abs(weights_[k]) < 1.0;
    if (slides && (!info.can_slide || !point.may_slide)) {
      return Failure{
          "no_sliding_solution",
          fmt::format("at t = {:.9g} neither side of {} holds while {} is zero, and it cannot slide (in "
                      "mode {})",
                      state_.at.time(), info.text, state_.guard(vectors_.front().norm).text,
                      state_.at.mode().info->name)};
    }
    decided.kind = slides ? slide::GuardDecision::Kind::slides : slide::GuardDecision::Kind::side;
  }
  relations_ = {};
  relations_.guards = decided_;
  return std::nullopt;
}

Evaluation DirectionControl::take_vector(const slide::DecisionPoint& point, const Vector& vector) {
  const std::span<const double> w = std::span<const double>(weights_).subspan(vector.first, vector.size);
  bool is_on_its_way = false;
  if (const Evaluation evaluation = find_arrival(point, vector, is_on_its_way); !evaluation.ok()) {
    return evaluation;
  }
  if (is_on_its_way) {
    return {};
  }
  if (!is_held(vector) || !point.may_slide) {
    leave(vector.norm, w);
    return {};
  }
  state_.set_latched(vector.norm, direction_state::kHeld);
  for (std::size_t k = 0; k < vector.size; ++k) {
    const Index component = guards_[vector.first + k];
    state_.at.slide_on(component, SlideKind::by_motion);
    state_.at.set_latched(component, w[k]);
  }
  return {};
}

// A vector that is on its way to zero still keeps its direction until it is there: what holds it, or turns it, does so at zero.
Evaluation DirectionControl::find_arrival(const slide::DecisionPoint& point, const Vector& vector,
                                          bool& is_found) {
  is_found = false;
  const double latched = state_.at.latched(vector.norm);
  if (latched == direction_state::kHeld || latched == direction_state::kArriving) {
    return {};
  }
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  const std::span<const Index> components =
      std::span<const Index>(guards_).subspan(vector.first, vector.size);
  elements_.resize(vector.size);
  if (const Evaluation evaluation = evaluator.guards(components, point.t, point.x, elements_);
      !evaluation.ok()) {
    return evaluation;
  }
  const double distance = length_of(elements_);
  const double reach = direction_reach(state_, vector.norm);
  if (!(distance > kArrived * reach)) {
    return {};
  }
  double approach = 0.0;
  for (std::size_t k = 0; k < vector.size && !motion_.empty(); ++k) {
    double rate = 0.0;
    if (const Evaluation evaluation =
            evaluator.guard_gradient(components[k], point.t, point.x, gradient_, rate);
        !evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t i = 0; i < motion_.size(); ++i) {
      rate += gradient_[i] * motion_[i];
    }
    approach -= point.direction * rate * elements_[k] / distance;
  }
  if (approach > 0.0) {
    is_found = true;
    state_.set_latched(vector.norm, direction_state::kArriving);
    for (std::size_t k = 0; k < vector.size; ++k) {
      state_.at.leave_surface(components[k]);
      state_.at.set_latched(components[k], kKept * reach * elements_[k] / distance);
    }
    std::erase_if(arrivals_, [&](const ArrivalTime& known) { return known.norm == vector.norm; });
    arrivals_.push_back({vector.norm, point.t + point.direction * distance / approach});
  }
  return {};
}

double DirectionControl::arrival_of(Index norm) const {
  const auto found = std::find_if(arrivals_.begin(), arrivals_.end(),
                                  [norm](const ArrivalTime& known) { return known.norm == norm; });
  return found == arrivals_.end() ? state_.at.time() : found->time;
}

void DirectionControl::leave(Index norm, std::span<const double> direction) {
  state_.set_latched(norm, direction_state::kNearZero);
  const double reach = direction_reach(state_, norm);
  double distance = 0.0;
  const bool has_own =
      state_.at.mode().evaluator->guards({&norm, 1}, state_.at.time(), state_.at.x(), {&distance, 1}).ok() &&
      distance > kHasDirection * reach;
  const std::vector<Index>& components = state_.guard(norm).components;
  for (std::size_t k = 0; k < components.size(); ++k) {
    state_.at.leave_surface(components[k]);
    state_.at.set_latched(components[k], has_own ? 0.0 : kKept * reach * direction[k]);
  }
}

void DirectionControl::release(Index norm) {
  const std::vector<Index>& components = state_.guard(norm).components;
  std::vector<double> direction(components.size());
  std::transform(components.begin(), components.end(), direction.begin(),
                 [this](Index component) { return state_.at.latched(component); });
  const double length = length_of(direction);
  if (!(length > 0.0)) {
    direction.assign(components.size(), 0.0);
    direction.front() = 1.0;
  } else {
    std::transform(direction.begin(), direction.end(), direction.begin(),
                   [length](double value) { return value / length; });
  }
  leave(norm, direction);
}

bool DirectionControl::would_hold(const slide::DecisionPoint& point, Index norm) {
  std::vector<Index> zero = state_.guard(norm).components;
  zero.insert(zero.end(), state_.at.surfaces().begin(), state_.at.surfaces().end());
  std::vector<double> before(zero.size());
  std::transform(zero.begin(), zero.end(), before.begin(),
                 [this](Index guard) { return state_.at.latched(guard); });
  gather(zero, before, {});
  const bool holds = !solve(point) && is_held(vectors_.front());
  state_.at.field().set_configuration(state_.at.configuration());
  return holds;
}

void DirectionControl::renew_reaches() {
  for (const Index guard : state_.at.mode().guards) {
    if (state_.guard(guard).kind == Kind::norm) {
      state_.roots.set_reach(guard, direction_reach(state_, guard));
    }
  }
}

}  // namespace saltus::settle
