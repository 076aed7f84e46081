// The values of a round: what bodies say and what the constraints of the mode that follows ask for (docs/semantics.md 5.8).
// Nothing is moved silently.
#include <fmt/format.h>

#include <string>

#include "settle/rounds/rounds.hpp"
#include "settle/state/diagnostic_codes.hpp"

namespace saltus::settle {
namespace {

const std::string_view kSingularBlock = reason_of({system::Evaluation::Status::singular_block, -1});

}  // namespace

bool Rounds::end_unsolved() {
  state_.end(RunOutcome::Status::failed, unsolved_.reason,
             fmt::format("{}, in the round of {}", unsolved_.message, fired_texts()));
  return false;
}

// The round in a structure that may turn out to be singular there: then by ranks. The one that it was solved in; null: the run ended.
ModeData* Rounds::enter(ModeData& target, system::RoundInputs& inputs) {
  const bool is_solved = solve_bodies(target, inputs);
  const bool is_entered = &target != &state_.at.mode();
  if (is_solved && !is_entered) {
    return &target;
  }
  configuration_made_ = state_.at.configuration();
  if (is_solved) {
    configuration_made_.discrete = target.solution.discrete;
  }
  const bool is_known = !is_solved && unsolved_.reason == kSingularBlock;
  if (is_known) {
    rank_entry_.set_why(unsolved_.message);
  }
  if (is_known ||
      rank_entry_.is_singular(target, configuration_made_,
                              is_solved ? std::span<const double>(target.solution.x) : x_entry_)) {
    const Failure said = unsolved_;
    ModeData* const other = rank_entry_.by_ranks_instead(target);
    if (other != nullptr && solve_bodies(*other, inputs)) {
      rank_entry_.take(target);
      return other;
    }
    unsolved_ = said;
    // What was solved stands: the mode may be left again before its rates are asked for.
    if (is_solved && other != nullptr && solve_bodies(target, inputs)) {
      return &target;
    }
  }
  if (!is_solved) {
    end_unsolved();
    return nullptr;
  }
  return &target;
}

bool Rounds::solve_bodies(ModeData& target, system::RoundInputs& inputs) {
  entry_.states_for(target, x_entry_);
  transfer_.set_rates(entry_.rates());
  inputs.x_previous = x_entry_;
  transfer_.forget();
  if (transfer_.is_needed(target, inputs.x_previous)) {
    unsolved_ = {};
    if (transfer_.solve(target, inputs, target.solution)) {
      return true;
    }
    unsolved_ = transfer_.failure();
    return false;
  }
  const system::Evaluation evaluation = target.rounds->solve(inputs, target.solution);
  if (evaluation.ok()) {
    return true;
  }
  unsolved_ = {reason_of(evaluation), target.rounds->describe(evaluation, state_.at.time())};
  if (Transfer::can_help(target) && transfer_.solve(target, inputs, target.solution)) {
    return true;
  }
  if (evaluation.status == system::Evaluation::Status::no_projection) {
    unsolved_ = transfer_.failure();
  }
  return false;
}

// Without bodies: discrete equations may have changed what the constraints are.
bool Rounds::meet_constraints() {
  if (latest_fired_.empty() && has_discrete_change_) {
    x_entry_ = state_.at.x();
    if (!transfer_.onto_constraints(state_.at.mode(), state_.at.configuration(), x_entry_)) {
      state_.fail(transfer_.failure());
      return false;
    }
    state_.at.move({Factor::Kind::least_change}, x_entry_);
    if (!transfer_.changes().empty()) {
      has_moved_ = true;
      report_.look(state_.at.mode(), state_.at.x(), transfer_);
    }
  }
  if (report_.is_reinitialised() && !report_.follows_law()) {
    state_.warn_of_jump(
        fmt::format("after {} at t = {:.9g} the equations do not allow the values that are held: {}",
                    fired_texts(), state_.at.time(), report_.reinitialised_text()),
        "write jump equations that say where these variables go");
  }
  return true;
}

}  // namespace saltus::settle
