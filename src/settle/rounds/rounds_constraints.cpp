// The values of a round: what bodies say and what the constraints of the mode that follows ask for (docs/semantics.md 5.8).
// Nothing is moved silently.
#include <fmt/format.h>

#include <string>

#include "settle/rounds/rounds.hpp"
#include "settle/state/diagnostic_codes.hpp"
#include "settle/state/idle_round.hpp"

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
  if (is_solved) {
    return &target;
  }
  ModeData* const opened = unsolved_.reason == Transfer::kContradiction ? enter_opened(inputs) : nullptr;
  if (opened == nullptr && !state_.has_ended()) {
    end_unsolved();
  }
  return opened;
}

// What bodies say and contacts that are closed do not allow (a body that rests is thrown up): with these contacts open. Where a gap closes after it,
// an impact follows. Null: that is no solution either.
ModeData* Rounds::enter_opened(system::RoundInputs& inputs) {
  const std::vector<double> latched = state_.at.configuration().latched;
  const Failure said = unsolved_;
  for (const system::GuardInfo& guard : state_.guards()) {
    if (guard.kind == system::GuardInfo::Kind::gap && state_.at.mode().locked->watches(guard.closing)) {
      state_.set_latched(guard.closing, guard.open_side);
    }
  }
  if (latched != state_.at.configuration().latched) {
    const auto found = state_.modes.mode(state_.system().structure_of(state_.at.configuration()));
    if (found && solve_bodies(**found, inputs)) {
      return *found;
    }
  }
  for (std::size_t i = 0; i < latched.size(); ++i) {
    state_.at.set_latched(static_cast<Index>(i), latched[i]);
  }
  unsolved_ = said;
  return nullptr;
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
  const system::Evaluation evaluation = settle::solve_round(target, inputs, target.solution);
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

// Gaps that bodies have made close: velocities jump again before sides are decided (7.11). False: the run ended.
bool Rounds::meet_gaps() {
  return !has_jumped_ || impacts_.meet([] { return true; }, [this] { sliding_.stop_sliding(); },
                                       [this] {
                                         impacts_.log(log_);
                                         structures_.note_change();
                                         return state_.evaluate_outputs();
                                       }) != Impacts::Answer::ended;
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
