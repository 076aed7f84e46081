// The values of a round: what bodies say and what the constraints of the mode that follows ask for (docs/semantics.md 5.8).
// Nothing is moved silently.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hybrid/diagnostic_codes.hpp"
#include "hybrid/rounds.hpp"

namespace saltus::hybrid {
namespace {

constexpr int kMostNamed = 8;

// For people: what an iteration left of zero is zero.
double without_rounding(double value) {
  return std::abs(value) < 1e-12 ? 0.0 : value;
}

}  // namespace

bool Rounds::solve_bodies(ModeData& target, const system::RoundInputs& inputs) {
  transfer_.forget();
  const auto end = [this](std::string_view reason, const std::string& message) {
    state_.end(RunOutcome::Status::failed, reason,
               fmt::format("{}, in the round of {}", message, fired_texts()));
    return false;
  };
  if (Transfer::is_needed(target, inputs.x_previous)) {
    return transfer_.solve(target, inputs, target.solution) ||
           end(transfer_.failure().reason, transfer_.failure().message);
  }
  const system::Evaluation evaluation = target.rounds->solve(inputs, target.solution);
  if (evaluation.ok()) {
    return true;
  }
  const std::string message = target.rounds->describe(evaluation, state_.time());
  if (Transfer::can_help(target) && transfer_.solve(target, inputs, target.solution)) {
    return true;
  }
  const bool has_left_over = evaluation.status == system::Evaluation::Status::no_projection;
  return has_left_over ? end(transfer_.failure().reason, transfer_.failure().message)
                       : end(reason_of(evaluation), message);
}

void Rounds::note_transfer(const ModeData& /*target*/) {}

// Without bodies: discrete equations may have changed what the constraints are.
bool Rounds::meet_constraints() {
  if (latest_fired_.empty() && has_discrete_change_) {
    if (!transfer_.onto_constraints(*state_.mode, state_.x)) {
      state_.end(RunOutcome::Status::failed, transfer_.failure().reason, transfer_.failure().message);
      return false;
    }
    has_moved_ = has_moved_ || !transfer_.changes().empty();
  }
  const bool has_reinitialised = std::any_of(transfer_.changes().begin(), transfer_.changes().end(),
                                             [](const StateChange& change) { return !change.by_body; });
  if (has_reinitialised && !has_warned_of_constraints_) {
    warn_of_constraints();
  }
  return true;
}

void Rounds::warn_of_constraints() {
  has_warned_of_constraints_ = true;
  std::string moved;
  int count = 0;
  for (const StateChange& change : transfer_.changes()) {
    if (!change.by_body && ++count <= kMostNamed) {
      moved += fmt::format("{}{} from {:.6g} to {:.6g}", moved.empty() ? "" : ", ",
                           state_.mode->engine->names()[static_cast<std::size_t>(change.state)],
                           without_rounding(change.from), without_rounding(change.to));
    }
  }
  Diagnostic diagnostic;
  diagnostic.code = kJumpMoved.name;
  diagnostic.severity = Severity::warning;
  diagnostic.message = fmt::format(
      "after {} at t = {:.9g} the constraints do not allow the states that are held, they are moved: {}{}",
      fired_texts(), state_.time(), moved,
      count > kMostNamed ? fmt::format(" and {} more", count - kMostNamed) : "");
  diagnostic.hint = "write jump equations that say where these states go; told once in a run";
  state_.observer.warning(std::move(diagnostic));
}

}  // namespace saltus::hybrid
