// The values of a round: what bodies say and what the constraints of the mode that follows ask for (docs/semantics.md 5.8).
// Nothing is moved silently.
#include <fmt/format.h>

#include <string>

#include "hybrid/diagnostic_codes.hpp"
#include "hybrid/rounds.hpp"

namespace saltus::hybrid {
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

// Without bodies: discrete equations may have changed what the constraints are.
bool Rounds::meet_constraints() {
  if (latest_fired_.empty() && has_discrete_change_) {
    if (!transfer_.onto_constraints(*state_.mode, state_.x)) {
      state_.end(RunOutcome::Status::failed, transfer_.failure().reason, transfer_.failure().message);
      return false;
    }
    if (!transfer_.changes().empty()) {
      has_moved_ = true;
      report_.look(*state_.mode, state_.x, transfer_);
    }
  }
  if (!has_warned_of_constraints_ && report_.is_reinitialised()) {
    warn_of_constraints();
  }
  return true;
}

void Rounds::warn_of_constraints() {
  has_warned_of_constraints_ = true;
  Diagnostic diagnostic;
  diagnostic.code = kJumpMoved.name;
  diagnostic.severity = Severity::warning;
  diagnostic.message =
      fmt::format("after {} at t = {:.9g} the equations do not allow the values that are held: {}",
                  fired_texts(), state_.time(), report_.reinitialised_text());
  diagnostic.hint = "write jump equations that say where these variables go; told once in a run";
  state_.observer.warning(std::move(diagnostic));
}

}  // namespace saltus::hybrid
