// An instant at which the structure of the equations changes (docs/semantics.md 4.6).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hybrid/run_loop.hpp"
#include "reduce/ranks/characteristic_values.hpp"
#include "settle/enter/mode_entry.hpp"
#include "settle/enter/rank_entry.hpp"
#include "settle/enter/transfer.hpp"
#include "settle/state/diagnostic_codes.hpp"

namespace saltus::hybrid {

// The part of the step before the change: its polynomial in the local time of the shorter step. Its end is the point at which the
// new structure was found, as it is: moved onto the constraints of before it might be on the other side again.
bool RunLoop::keep_step_to_change(const RankChange& change) {
  const trajectory::SegmentView& whole = change.segment;
  step_into(whole, change.theta);
  has_told_values_ = false;
  note_departures(change.theta);
  return state_.go_on(state_.observer().step(whole.shortened(change.theta, state_.at.time(), coefficients_),
                                             {state_.at.time(), state_.at.x()}));
}

// Onto the constraints of the present equations. False: the run ended.
bool RunLoop::project() {
  probe_.assign(state_.at.x().begin(), state_.at.x().end());
  if (const system::Evaluation evaluation = state_.at.field().project(state_.at.time(), probe_);
      !evaluation.ok()) {
    state_.fail(state_.at.field(), evaluation);
    return false;
  }
  state_.at.move({settle::Factor::Kind::projection}, probe_);
  return true;
}

// The equations are analysed anew at the first point of the new structure; states move onto its constraints by the least change. What
// has jumped then changes sides and fires clauses as after any jump.
bool RunLoop::change_ranks(const RankChange& change) {
  if (!keep_step_to_change(change)) {
    return false;
  }
  begin_event();
  has_told_values_ = true;
  if (!record_.begin()) {
    return false;
  }
  state_.at.mode().by_ranks->analyse_again();
  has_new_ranks_ = true;
  if (!project()) {
    return false;
  }
  if (state_.at.mode().by_ranks->values()->text() == change.before) {
    state_.end(RunOutcome::Status::failed, "structure_not_decided",
               fmt::format("the structure of the equations changes from {} to {} at t = {:.9g}, but at the "
                           "values that it asks for it is that of before",
                           change.before, change.after, state_.at.time()));
    return false;
  }
  return report_structure(change.before, change.after) && restart() && begin_stretch();
}

// The new structure is an event; conditions and clauses follow it. False: the run ended.
bool RunLoop::report_structure(std::string_view before, std::string_view after) {
  if (!state_.evaluate_outputs()) {
    return false;
  }
  record_.open_segment(false);
  log_.structure(before, after);
  record_.row();
  if (!settle_anew({})) {
    return false;
  }
  note_switches();
  return !state_.has_ended();
}

// No step can be made in a mode that is reduced by structure. If the numbers of the equations have another structure just ahead,
// the run goes on by ranks; if not, it has failed for other reasons. True: it goes on, or has ended on the way.
bool RunLoop::fall_back_to_ranks(const system::Evaluation& why) {
  if (why.ok() || state_.at.mode().structure.number < 0 || state_.at.mode().by_ranks != nullptr ||
      state_.at.is_sliding() || state_.at.partner() != nullptr || state_.at.rest() != nullptr ||
      state_.system().variables().size() > reduce::kMostUnknownsForRanks) {
    return false;
  }
  const auto target = state_.modes.mode(settle::by_ranks(state_.at.mode().structure));
  if (!target || (*target)->by_ranks == nullptr ||
      !state_.at.field().outputs(state_.at.time(), state_.at.x(), state_.values).ok()) {
    return false;
  }
  const std::string reason = state_.at.field().describe(why, state_.at.time());
  const settle::Position::Trial trial = state_.at.begin_trial();
  settle::ModeEntry(state_).states_for(**target, probe_);
  state_.at.enter(**target, probe_, {settle::Factor::Kind::ranks});
  gradient_.resize(probe_.size());
  std::optional<RankChange> change;
  if (state_.at.field().project(state_.at.time(), probe_).ok() &&
      state_.at.field().rhs(state_.at.time(), probe_, gradient_).ok()) {
    state_.at.move({settle::Factor::Kind::projection}, probe_);
    change = ranks_.look_along(gradient_);
  }
  if (!change) {
    state_.at.take_back(trial);
    return false;
  }
  state_.modes.use_ranks(trial.before.mode->structure);
  state_.warn(settle::kGoesOnByRanks,
              fmt::format("at t = {:.9g} the structure of the equations does not show their "
                          "index any more: {}; the run goes on "
                          "with numerical ranks",
                          state_.at.time(), reason));
  // What is left up to the change belongs to the states of the new mode.
  (void)(begin_stretch() && change_ranks(*change));
  return true;
}

// The numbers that the instant leaves make a matrix of the same structure singular: the states move onto the constraints that ranks
// find, with what follows from that, before the next step. Where ranks do not help the run ends with what the structure said.
bool RunLoop::restart_by_ranks(const system::Evaluation& why) {
  const bool is_free =
      !state_.at.is_sliding() && state_.at.partner() == nullptr && state_.at.rest() == nullptr;
  settle::RankEntry entry(state_);
  settle::ModeData* const other = is_free && why.status == system::Evaluation::Status::singular_block
                                      ? entry.by_ranks_instead(state_.at.mode())
                                      : nullptr;
  entry.set_why(state_.at.field().describe(why, state_.at.time()));
  settle::Transfer transfer(state_);
  if (other != nullptr) {
    settle::ModeEntry states(state_);
    states.states_for(*other, probe_);
    transfer.set_rates(states.rates());
  }
  if (other == nullptr || !transfer.onto_constraints(*other, state_.at.configuration(), probe_)) {
    state_.fail(state_.at.field(), why);
    return false;
  }
  entry.take(state_.at.mode());
  state_.at.enter(*other, probe_, {settle::Factor::Kind::ranks});
  sliding_.forget_derivative();
  if (!project()) {
    return false;
  }
  if (!report_structure("", other->by_ranks->values() != nullptr ? other->by_ranks->values()->text() : "")) {
    return false;
  }
  // Sides that were only tried may have had another structure.
  other->by_ranks->analyse_again();
  return restart();
}

}  // namespace saltus::hybrid
