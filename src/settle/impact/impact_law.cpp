// What forces of contacts do, and the impulses that follow from it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "nonlinear/box_newton.hpp"
#include "settle/impact/impacts.hpp"

namespace saltus::settle {
namespace {

// The force that the response is asked with moves ẋ by this much more than all else does, so that rounding errors of ẋ are those of B.
constexpr double kStrongForce = 1024.0;
// B twice, relative to its size: differences beyond this are none of rounding. Blocks are solved to much less.
constexpr double kSameResponse = 1e-6;
// A weight that changes B by less than this part of it is rounding.
constexpr double kWeightHasEffect = 1e-10;
// What a force does to the rate of its own gap is below zero if it is so by this many roundings of the rate.
constexpr double kNoisesOfLift = 8.0;
// Rates and values after an impact are met up to this many of their roundings: x⁺ is a sum of terms that may cancel.
constexpr double kNoisesOfForce = 16.0;
// What holds a contact that is thrown nowhere may pull it with as many units of impulses: more than a rate needs, so that the pull is no limit.
constexpr double kUnitsOfHold = 16.0;
const nonlinear::BoxPolicy kImpactPolicy = {
    .most_steps = 60,  // limit of work
    .solved = 1e-11,   // of an impulse, in its unit; the answer of an affine problem is good to 1e-12
    .shortest_share = 1e-3};

// Rates of a mode reduced by ranks are solved for together: what is this part of the largest of them, in nominal values, is rounding. A position
// that moved by it would close the gap that the impact opens.
constexpr double kRoundingsOfResponse = 64.0;

double largest(std::span<const double> values) {
  double most = 0.0;
  for (const double value : values) {
    most = std::max(most, std::abs(value));
  }
  return most;
}

}  // namespace

// B at x, with the weights that the evaluator has.
bool Impacts::respond(std::span<const double> x) {
  system::Evaluator& evaluator = *open_->evaluator;
  still_.resize(x.size());
  responses_.resize(meetings_.size() * x.size());
  system::Evaluation evaluation = evaluator.rhs(state_.at.time(), x, still_);
  for (std::size_t k = 0; evaluation.ok() && k < meetings_.size(); ++k) {
    const std::span<double> b = response(k);
    evaluator.set_latched(meetings_[k].gap, meetings_[k].force);
    evaluation = evaluator.rhs(state_.at.time(), x, b);
    evaluator.set_latched(meetings_[k].gap, 0.0);
    for (std::size_t i = 0; i < b.size(); ++i) {
      b[i] = (b[i] - still_[i]) / meetings_[k].force;
    }
    take_rounding_away(b);
  }
  for (std::size_t i = 0; i < follows_.size(); ++i) {
    still_[i] = follows_[i] != 0 ? 0.0 : still_[i];
  }
  return evaluation.ok() || fail(evaluation);
}

// By ranks algebraic variables are states too; they follow from the others and take no part.
void Impacts::take_rounding_away(std::span<double> response) const {
  if (follows_.empty()) {
    return;
  }
  const std::vector<double>& nominal = open_->engine->nominal();
  double most = 0.0;
  for (std::size_t i = 0; i < response.size(); ++i) {
    response[i] = follows_[i] != 0 ? 0.0 : response[i];
    most = std::max(most, std::abs(response[i]) / nominal[i]);
  }
  const double rounding = kRoundingsOfResponse * std::numeric_limits<double>::epsilon() * most;
  for (std::size_t i = 0; i < response.size(); ++i) {
    response[i] = std::abs(response[i]) <= rounding * nominal[i] ? 0.0 : response[i];
  }
}

// Forces and impulses that fit the model.
bool Impacts::find_units() {
  if (!respond(x_)) {
    return false;
  }
  for (std::size_t k = 0; k < meetings_.size(); ++k) {
    const double size = largest(response(k));
    if (size == 0.0) {
      return fail(fmt::format("the force of {} moves nothing", name_of(meetings_[k])));
    }
    meetings_[k].force =
        std::exp2(std::ceil(std::log2(kStrongForce * std::max(largest(still_) / size, 1.0))));
  }
  work_ = responses_;
  if (!respond(x_)) {
    return false;
  }
  double fastest = 0.0;
  for (std::size_t k = 0; k < meetings_.size(); ++k) {
    const std::span<const double> before = std::span<const double>(work_).subspan(k * x_.size(), x_.size());
    if (differs(before, response(k))) {
      return fail(fmt::format("what the force of {} does is not proportional to it", name_of(meetings_[k])));
    }
    fastest = std::max(fastest, std::abs(meetings_[k].rate));
  }
  const std::vector<double>& nominal = open_->engine->nominal();
  for (std::size_t k = 0; k < meetings_.size(); ++k) {
    const std::span<const double> b = response(k);
    double longest = 0.0;  // an impulse that changes states by their size
    for (std::size_t i = 0; i < b.size(); ++i) {
      longest =
          b[i] == 0.0 ? longest : std::max(longest, std::max(std::abs(x_[i]), nominal[i]) / std::abs(b[i]));
    }
    x_after_ = x_;
    for (std::size_t i = 0; i < b.size(); ++i) {
      x_after_[i] += longest * b[i];
    }
    double rate = 0.0;
    double noise = 0.0;
    if (!rate_of(meetings_[k].gap, x_after_, rate, &noise)) {
      return false;
    }
    meetings_[k].lift = (rate - meetings_[k].rate) / longest;
    meetings_[k].is_pressed = rate - meetings_[k].rate < -kNoisesOfLift * noise;
    meetings_[k].unit = meetings_[k].lift != 0.0 ? fastest / std::abs(meetings_[k].lift) : longest;
  }
  return true;
}

bool Impacts::differs(std::span<const double> a, std::span<const double> b) const {
  const double size = std::max(largest(a), largest(b));
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i] - b[i]) > kSameResponse * size) {
      return true;
    }
  }
  return false;
}

// Conditions and directions that B depends on.
bool Impacts::find_weights() {
  system::Evaluator& evaluator = *open_->evaluator;
  weights_.clear();
  sets_.clear();
  unknowns_.assign(meetings_.size(), 0.0);
  for (std::size_t k = 0; k < meetings_.size(); ++k) {
    sets_.push_back({.first = k, .size = 1, .kind = slide::BallProblem::Kind::half_line});
  }
  std::vector<double> sides;
  const auto has_effect = [&](Index guard, double one, double other) {
    evaluator.set_latched(guard, one);
    if (!respond(x_)) {
      return false;
    }
    sides = responses_;
    evaluator.set_latched(guard, other);
    if (!respond(x_)) {
      return false;
    }
    double change = 0.0;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      change = std::max(change, std::abs(sides[i] - responses_[i]));
    }
    return change > kWeightHasEffect * std::max(largest(sides), largest(responses_));
  };
  for (const Index guard : open_->guards) {
    const system::GuardInfo& info = state_.guard(guard);
    const auto i = static_cast<std::size_t>(guard);
    if (info.kind == system::GuardInfo::Kind::norm) {
      take_direction(guard, has_effect);
    } else if (info.kind == system::GuardInfo::Kind::relation && info.can_slide && state_.jumps(guard)) {
      if (has_effect(guard, 1.0, -1.0)) {
        sets_.push_back({.first = unknowns_.size(), .size = 1});
        weights_.push_back(guard);
        unknowns_.push_back(std::clamp(configuration_.latched[i], -1.0, 1.0));
      } else {
        evaluator.set_configuration(configuration_);
      }
    }
    if (state_.has_ended()) {
      return false;
    }
  }
  return true;
}

template <class HasEffect>
void Impacts::take_direction(Index norm, const HasEffect& has_effect) {
  system::Evaluator& evaluator = *open_->evaluator;
  const std::vector<Index>& components = state_.guard(norm).components;
  evaluator.set_latched(norm, system::direction_state::kHeld);
  for (const Index component : components) {
    evaluator.set_latched(component, 0.0);
  }
  const bool is_needed = std::any_of(components.begin(), components.end(),
                                     [&](Index component) { return has_effect(component, 1.0, 0.0); });
  if (!is_needed) {
    evaluator.set_configuration(configuration_);
    return;
  }
  const bool is_held =
      configuration_.latched[static_cast<std::size_t>(norm)] == system::direction_state::kHeld;
  sets_.push_back(
      {.first = unknowns_.size(), .size = components.size(), .kind = slide::BallProblem::Kind::ball});
  norms_.push_back(norm);
  for (const Index component : components) {
    weights_.push_back(component);
    unknowns_.push_back(is_held ? configuration_.latched[static_cast<std::size_t>(component)] : 0.0);
  }
}

void Impacts::give_weights(std::span<const double> unknowns) {
  for (const Index norm : norms_) {
    open_->evaluator->set_latched(norm, system::direction_state::kHeld);
  }
  for (std::size_t j = 0; j < weights_.size(); ++j) {
    open_->evaluator->set_latched(weights_[j], unknowns[meetings_.size() + j]);
  }
}

// Rates of gaps, then values of conditions and elements of vectors, with their rounding errors.
bool Impacts::evaluate_quantities(std::span<const double> x) {
  values_.resize(n_unknowns());
  noises_.resize(n_unknowns());
  for (std::size_t k = 0; k < meetings_.size(); ++k) {
    if (!rate_of(meetings_[k].gap, x, values_[k], &noises_[k])) {
      return false;
    }
  }
  const system::Evaluation evaluation = open_->evaluator->guards(
      weights_, state_.at.time(), x, std::span<double>(values_).subspan(meetings_.size()));
  for (std::size_t j = 0; j < weights_.size(); ++j) {
    noises_[meetings_.size() + j] = open_->evaluator->guard_noise(weights_[j], state_.at.time(), x);
  }
  return evaluation.ok() || fail(evaluation);
}

// x⁺ and what it asks for.
bool Impacts::evaluate_law(std::span<const double> unknowns) {
  give_weights(unknowns);
  if (!respond(x_)) {
    return false;
  }
  x_after_ = phase_.from;
  for (std::size_t k = 0; k < meetings_.size(); ++k) {
    const double impulse = unknowns[k] * meetings_[k].unit + phase_.given[k];
    const std::span<const double> b = response(k);
    for (std::size_t i = 0; i < b.size(); ++i) {
      x_after_[i] += impulse * b[i];
    }
  }
  forces_.resize(n_unknowns());
  if (!evaluate_quantities(x_after_)) {
    return false;
  }
  for (std::size_t k = 0; k < n_unknowns(); ++k) {
    const bool is_impulse = k < meetings_.size();
    forces_[k] = is_impulse ? -(values_[k] - phase_.rates[k]) : values_[k];
  }
  return true;
}

struct Impacts::Law {
  Impacts& self;

  bool linearize() {
    const std::size_t n = self.n_unknowns();
    self.matrix_.assign(n * n, 0.0);
    if (!self.evaluate_law(self.unknowns_)) {
      return false;
    }
    const std::vector<double> forces = self.forces_;
    const std::vector<double> noises = self.noises_;
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<double> beside = self.unknowns_;
      beside[j] += j >= self.meetings_.size() && beside[j] > 0.0 ? -1.0 : 1.0;
      if (!self.evaluate_law(beside)) {
        return false;
      }
      for (std::size_t i = 0; i < n; ++i) {
        self.matrix_[i * n + j] = (self.forces_[i] - forces[i]) / (beside[j] - self.unknowns_[j]);
      }
    }
    self.forces_ = forces;
    self.noises_ = noises;
    self.vector_ = forces;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        self.vector_[i] -= self.matrix_[i * n + j] * self.unknowns_[j];
      }
    }
    self.problem_.set_scales(self.matrix_, self.vector_, self.sets_);
    return true;
  }
  bool solve_affine() {
    self.start_ = self.unknowns_;
    self.answer_ = self.unknowns_;
    return self.problem_.solve(self.matrix_, self.vector_, self.sets_, self.answer_);
  }
  bool go(double share) {
    for (std::size_t i = 0; i < self.unknowns_.size(); ++i) {
      self.unknowns_[i] =
          share == 1.0 ? self.answer_[i] : self.start_[i] + share * (self.answer_[i] - self.start_[i]);
    }
    return self.evaluate_law(self.unknowns_);
  }
  // What rounding leaves is none.
  [[nodiscard]] double violation() const {
    std::vector<double> beyond = self.forces_;
    for (std::size_t i = 0; i < beyond.size(); ++i) {
      beyond[i] =
          std::copysign(std::max(std::abs(beyond[i]) - kNoisesOfForce * self.noises_[i], 0.0), beyond[i]);
    }
    return self.problem_.violation(self.sets_, self.unknowns_, beyond);
  }
};

// 0, but for contacts that are held.
double Impacts::least_impulse(const Meeting& meeting) const {
  return meeting.is_held ? -kUnitsOfHold * meeting.unit : 0.0;
}

bool Impacts::solve() {
  phase_ = {x_, std::vector<double>(meetings_.size(), 0.0), std::vector<double>(meetings_.size(), 0.0)};
  if (state_.options().restitution == RestitutionLaw::poisson) {
    return solve_phases();
  }
  for (std::size_t k = 0; k < meetings_.size(); ++k) {
    phase_.rates[k] = 0.0 - meetings_[k].restitution * meetings_[k].rate;
    phase_.given[k] = least_impulse(meetings_[k]);
  }
  if (!solve_phase()) {
    return false;
  }
  for (std::size_t k = 0; k < meetings_.size(); ++k) {
    const bool acts = unknowns_[k] > kImpactPolicy.solved;
    meetings_[k].impulse = acts ? unknowns_[k] * meetings_[k].unit + phase_.given[k] : 0.0;
    meetings_[k].rate_after = acts ? phase_.rates[k] : values_[k];
  }
  return true;
}

// Compression takes the velocities of approach away; expansion gives back the part e of its impulses, or more where gaps would close.
bool Impacts::solve_phases() {
  if (!solve_phase()) {
    return false;
  }
  for (std::size_t k = 0; k < meetings_.size(); ++k) {
    meetings_[k].impulse = unknowns_[k] > kImpactPolicy.solved ? unknowns_[k] * meetings_[k].unit : 0.0;
    phase_.given[k] = meetings_[k].restitution * meetings_[k].impulse + least_impulse(meetings_[k]);
    unknowns_[k] = 0.0;
  }
  phase_.from = x_after_;
  if (!solve_phase()) {
    return false;
  }
  for (std::size_t k = 0; k < meetings_.size(); ++k) {
    const bool acts = unknowns_[k] > kImpactPolicy.solved;
    meetings_[k].impulse += (acts ? unknowns_[k] * meetings_[k].unit : 0.0) + phase_.given[k];
    meetings_[k].rate_after = acts ? 0.0 : values_[k];
  }
  return true;
}

bool Impacts::solve_phase() {
  Law law{*this};
  const nonlinear::BoxEnd end = nonlinear::box_newton(law, kImpactPolicy);
  if (end == nonlinear::BoxEnd::failed) {
    return false;
  }
  if (end != nonlinear::BoxEnd::solved) {
    const auto pressed = std::find_if(meetings_.begin(), meetings_.end(),
                                      [](const Meeting& meeting) { return meeting.is_pressed; });
    return pressed == meetings_.end() ? fail(fmt::format("no impulses of {} were found", names()))
                                      : fail_pressed(*pressed);
  }
  return evaluate_law(unknowns_);
}

// What the forces do must not depend on what they change.
bool Impacts::is_independent() {
  const std::vector<double> before = responses_;
  if (!respond(x_after_)) {
    return false;
  }
  for (std::size_t k = 0; k < meetings_.size(); ++k) {
    const std::span<const double> b = std::span<const double>(before).subspan(k * x_.size(), x_.size());
    if (meetings_[k].impulse > 0.0 && differs(b, response(k))) {
      return fail(fmt::format("what the force of {} does depends on velocities that it changes",
                              name_of(meetings_[k])));
    }
  }
  return true;
}

}  // namespace saltus::settle
