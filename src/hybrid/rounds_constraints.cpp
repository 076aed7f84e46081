// After a round: the state of a mode with constraints lies on them (docs/semantics.md 5.8). A body says what some states become; the
// others follow by the least change, and nothing is moved silently.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "hybrid/diagnostic_codes.hpp"
#include "hybrid/rounds.hpp"
#include "reduce/consistency.hpp"
#include "reduce/consistent_values.hpp"

namespace saltus::hybrid {
namespace {

constexpr int kMostNamed = 8;

// For people: what an iteration left of zero is zero.
double without_rounding(double value) {
  return std::abs(value) < 1e-12 ? 0.0 : value;
}

}  // namespace

bool Rounds::meet_constraints() {
  const bool may_violate = has_jumped_ || transition_ >= 0;
  if (!may_violate || state_.evaluator->projection() != system::Projection::results) {
    return true;
  }
  x_jumped_.assign(state_.x.begin(), state_.x.end());
  const system::Evaluation evaluation = state_.evaluator->project(state_.time(), state_.x);
  if (evaluation.ok() && state_.x == x_jumped_) {
    return true;
  }
  if (!move_what_jumped() && !evaluation.ok()) {
    state_.fail(*state_.evaluator, evaluation);
    return false;
  }
  has_moved_ = true;
  if (!has_warned_of_constraints_) {
    warn_of_constraints();
  }
  return true;
}

// States that the body did not set stay where they are, if those that it set can make up for it: a velocity does not move the
// position. False: nothing was found, x is as it was.
bool Rounds::move_what_jumped() {
  const std::shared_ptr<const system::EquationSet> constraints = state_.mode->locked->constraints();
  if (constraints == nullptr || x_entry_.size() != x_jumped_.size()) {
    return false;
  }
  system::InitialProblem problem;
  problem.equations = constraints;
  problem.configuration = state_.configuration;
  problem.guess = x_jumped_;
  problem.is_state.assign(x_jumped_.size(), 1);
  for (std::size_t i = 0; i < x_jumped_.size(); ++i) {
    const bool is_set = x_jumped_[i] != x_entry_[i];
    problem.tier.push_back(is_set ? system::StartTier::other : system::StartTier::differential);
  }
  const Result<reduce::ConsistentValues> found = reduce::find_consistent_values(problem, state_.time());
  if (!found) {
    return false;
  }
  std::copy(found->slots.begin(), found->slots.end(), state_.x.begin());
  return true;
}

void Rounds::warn_of_constraints() {
  const Engine& engine = *state_.mode->engine;
  std::string moved;
  int count = 0;
  for (std::size_t i = 0; i < state_.x.size(); ++i) {
    const double size = std::max(std::abs(x_jumped_[i]), engine.nominal()[i]);
    if (std::abs(state_.x[i] - x_jumped_[i]) > reduce::kMoved * size && ++count <= kMostNamed) {
      moved += fmt::format("{}{} from {:.6g} to {:.6g}", moved.empty() ? "" : ", ", engine.names()[i],
                           without_rounding(x_jumped_[i]), without_rounding(state_.x[i]));
    }
  }
  if (count == 0) {
    return;
  }
  has_warned_of_constraints_ = true;
  Diagnostic diagnostic;
  diagnostic.code = kJumpMoved.name;
  diagnostic.severity = Severity::warning;
  diagnostic.message = fmt::format(
      "after {} at t = {:.9g} the states do not satisfy the constraints, they are moved: {}{}", fired_texts(),
      state_.time(), moved, count > kMostNamed ? fmt::format(" and {} more", count - kMostNamed) : "");
  diagnostic.hint = "give all states that jump values that satisfy the constraints; told once in a run";
  state_.observer.warning(std::move(diagnostic));
}

}  // namespace saltus::hybrid
