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
  settler_.step_kept();
  note_departures(change.theta);
  const integrate::Method& method = state_.at.mode().engine->method();
  return state_.go_on(state_.observer().step(
      whole.shortened(change.theta, state_.at.time(), coefficients_),
      {state_.at.time(), state_.at.x(), {}, method.is_implicit(), method.is_multistep()}));
}

bool RunLoop::change_ranks(const RankChange& change) {
  has_new_ranks_ = true;
  return keep_step_to_change(change) && settler_.settle_ranks(change.before, change.after) && restart() &&
         begin_stretch();
}

// No step can be made in a mode that is reduced by structure. If the numbers of the equations have another structure just ahead,
// the run goes on by ranks; if not, it has failed for other reasons. True: it goes on, or has ended on the way.
bool RunLoop::fall_back_to_ranks(const system::Evaluation& why) {
  if (why.ok() || state_.at.mode().structure.number < 0 || state_.at.mode().by_ranks != nullptr ||
      state_.at.is_sliding() || state_.at.partner() != nullptr || state_.at.is_at_rest() ||
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

}  // namespace saltus::hybrid
