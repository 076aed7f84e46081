// After a round: the state of a mode with constraints lies on them (docs/semantics.md 4). A body says what some states become; the
// others follow by the least change, and nothing is moved silently.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hybrid/diagnostic_codes.hpp"
#include "hybrid/rounds.hpp"

namespace saltus::hybrid {
namespace {

// As for values at the start (reduce/consistent_values.hpp): less is rounding.
constexpr double kMoved = 1e-9;
constexpr int kMostNamed = 8;

}  // namespace

bool Rounds::meet_constraints() {
  const bool may_violate = has_jumped_ || transition_ >= 0;
  if (!may_violate || state_.evaluator->projection() != system::Projection::results) {
    return true;
  }
  x_entry_.assign(state_.x.begin(), state_.x.end());
  if (const system::Evaluation evaluation = state_.evaluator->project(state_.time(), state_.x);
      !evaluation.ok()) {
    state_.fail(*state_.evaluator, evaluation);
    return false;
  }
  has_moved_ = has_moved_ || state_.x != x_entry_;
  if (has_moved_ && !has_warned_of_constraints_) {
    warn_of_constraints();
  }
  return true;
}

void Rounds::warn_of_constraints() {
  const Engine& engine = *state_.mode->engine;
  std::string moved;
  int count = 0;
  for (std::size_t i = 0; i < state_.x.size(); ++i) {
    const double size = std::max(std::abs(x_entry_[i]), engine.nominal()[i]);
    if (std::abs(state_.x[i] - x_entry_[i]) > kMoved * size && ++count <= kMostNamed) {
      moved += fmt::format("{}{} from {:.6g} to {:.6g}", moved.empty() ? "" : ", ", engine.names()[i],
                           x_entry_[i], state_.x[i]);
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
