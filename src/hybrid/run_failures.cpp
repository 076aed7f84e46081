// Steps that cannot be made or kept, and what the run does about it (docs/semantics.md 2.2, 10).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/time_tolerance.hpp"
#include "hybrid/run_loop.hpp"

namespace saltus::hybrid {

// No step can be made from here: another method, another structure or a surface may be the way on. False: the run ended.
bool RunLoop::leave_failed_step(const integrate::AdvanceOutcome& outcome) {
  if (outcome.reason == integrate::EndReason::step_size_too_small && leave_too_small_steps()) {
    return true;
  }
  if (singular_.has_arrived()) {
    end_at_singular(SingularWatch::Verdict::singular);
    return false;
  }
  if (const auto change = ranks_.look_ahead()) {
    return change_ranks(*change);
  }
  if (fall_back_to_ranks(outcome.evaluation)) {
    return !state_.has_ended();
  }
  if (!outcome.evaluation.ok() && arrive_one_sided()) {
    return settle(arrivals_, nullptr, false);
  }
  end_of_steps(outcome);
  return false;
}

// Steps that become too small may be a matter of stability before the test of stiffness has seen enough of them.
bool RunLoop::leave_too_small_steps() {
  return state_.at.mode().engine->can_change_method() && !state_.at.is_sliding() &&
         state_.at.mode().locked->residual_form() != nullptr &&
         change_method(MethodChange::Reason::small_steps, 0.0);
}

// Undecidable: drop the step, take a smaller one.
bool RunLoop::drop_step(double factor, double step, const system::Evaluation& why) {
  const double smallest = time_tolerance(state_.at.time(), 0.0);
  if (state_.options().steps.fixed_step > 0.0 || std::abs(step) <= smallest) {
    if (!why.ok() && singular_.lies_on_singular_point()) {
      end_at_singular(SingularWatch::Verdict::fold);
    } else if (values_.jumping() >= 0) {
      const auto variable = static_cast<std::size_t>(values_.jumping());
      state_.end(
          RunOutcome::Status::failed, "impasse",
          fmt::format("the solution for {} cannot be followed beyond t = {:.9g}: its equations lead over to "
                      "another one (in mode {})",
                      state_.system().variables()[variable].name, state_.at.time(),
                      state_.at.mode().info->name));
    } else if (!why.ok()) {
      state_.fail(state_.at.field(), why);
    } else {
      state_.end(RunOutcome::Status::failed, "event_not_decided",
                 fmt::format("whether a guard of mode {} changes its sign near t = {:.9g} cannot be decided",
                             state_.at.mode().info->name, state_.at.time()));
    }
    return false;
  }
  retract(factor * std::abs(step));
  return true;
}

// The step is dropped; the next one has this size, and all guards are watched on it.
void RunLoop::retract(double next_step) {
  state_.at.mode().engine->advance().retract(next_step);
  if (has_muted_) {
    arm();
  }
}

// A variable that must not be negative is: the step is repeated with half its size, or the run ends. False: it may be kept.
bool RunLoop::refuse_by_bounds(BoundWatch::Verdict verdict, double step) {
  if (state_.options().steps.fixed_step > 0.0 ||
      std::abs(step) <= integrate::smallest_step(state_.at.time())) {
    if (verdict == BoundWatch::Verdict::try_smaller) {
      return false;
    }
    bounds_.give_up(step);
    return true;
  }
  ++state_.counters.rejected_by_bounds;
  retract(0.5 * std::abs(step));
  return true;
}

void RunLoop::end_at_singular(SingularWatch::Verdict verdict) {
  const bool is_fold = verdict == SingularWatch::Verdict::fold;
  state_.end(RunOutcome::Status::failed, is_fold ? "impasse" : "singular_point",
             fmt::format("the solution cannot be continued at t = {:.9g}: {} vanishes there, and {} (in "
                         "mode {})",
                         state_.at.time(), singular_.fold_text(),
                         is_fold ? "beyond it no solution, or more than one, follows"
                                 : "several solutions may pass; --singular pass takes the one that the "
                                   "steps lead to",
                         state_.at.mode().info->name));
}

// Beyond a point of the step the solution that is followed has ended (a fold), or nothing says which of several goes on: smaller steps
// lead up to there. False: the run ended.
bool RunLoop::refuse_beyond_singular(SingularWatch::Verdict verdict, double step) {
  if (state_.options().steps.fixed_step > 0.0 ||
      std::abs(step) <= integrate::smallest_step(state_.at.time())) {
    end_at_singular(verdict);
    return false;
  }
  retract(0.5 * std::abs(step));
  return true;
}

std::string RunLoop::iteration_text(const integrate::AdvanceOutcome& outcome) const {
  const auto culprit = static_cast<std::size_t>(outcome.culprit);
  const auto& names = state_.at.mode().engine->names();
  std::shared_ptr<const system::EquationSet> form = state_.at.field().own_residual_form();
  if (form == nullptr) {
    form = state_.at.mode().locked->residual_form();
  }
  std::string unknown = "some unknown";
  if (outcome.culprit >= 0 && culprit < names.size()) {
    unknown = names[culprit];
  } else if (outcome.culprit >= 0 && form && culprit < form->slots().size()) {
    unknown = form->slots()[culprit].name;
  }
  return fmt::format(
      "the equations of a step cannot be solved at t = {:.9g}, also with a step of {:.3g}: {} {} (in mode "
      "{})",
      state_.at.time(), std::abs(outcome.h),
      outcome.is_singular ? "they do not determine" : "the iteration does not converge for", unknown,
      state_.at.mode().info->name);
}

void RunLoop::end_of_steps(const integrate::AdvanceOutcome& outcome) {
  using integrate::EndReason;
  const std::string_view reason = integrate::reason_text(outcome.reason);
  switch (outcome.reason) {
    case EndReason::interrupted:
    case EndReason::time_limit:
    case EndReason::step_limit:
      state_.end(RunOutcome::Status::stopped, reason,
                 fmt::format("ended from outside at t = {:.9g}", state_.at.time()));
      return;
    case EndReason::step_size_too_small: {
      const auto culprit = static_cast<std::size_t>(std::max<Index>(outcome.culprit, 0));
      const auto& names = state_.at.mode().engine->names();
      state_.end(
          RunOutcome::Status::failed, reason,
          fmt::format("the error cannot be kept under the tolerance at t = {:.9g}: the step became {:.3g} "
                      "because of {} (in mode {})",
                      state_.at.time(), std::abs(outcome.h), names.empty() ? "" : names[culprit],
                      state_.at.mode().info->name));
      return;
    }
    case EndReason::iteration_failed:
      state_.end(RunOutcome::Status::failed, reason, iteration_text(outcome));
      return;
    default: break;
  }
  if (outcome.evaluation.ok()) {
    state_.end(RunOutcome::Status::failed, reason,
               fmt::format("the solution leaves the range of numbers at t = {:.9g}: it grows without bound",
                           state_.at.time()));
  } else if (singular_.lies_on_singular_point()) {
    end_at_singular(SingularWatch::Verdict::fold);
  } else {
    state_.fail(state_.at.field(), outcome.evaluation);
  }
}

}  // namespace saltus::hybrid
