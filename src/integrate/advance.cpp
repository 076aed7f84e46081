#include "integrate/advance.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/time_tolerance.hpp"
#include "base/work_watch.hpp"
#include "integrate/step/initial_step.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

// DOPRI5: a step that leaves less than 1 % of itself to t_end goes to t_end.
constexpr double kLastStepStretch = 1.01;
// Fixed steps: t_end - t₀ may miss a multiple of h by the rounding of h and of t_end.
constexpr double kFixedStepStretch = 1.0 + 1e-9;

// At least, in units of base/work_watch.hpp.
constexpr std::int64_t kWorkOfAnAttempt = 1000;

// An estimate below this is beyond doubt: one that was wrong by a hundred would still pass.
constexpr double kClearEstimate = 1e-3;

// A step that leaves the domain of the solution within its tolerance (forbidden_crossing.hpp).
constexpr double kForbiddenFactor = 0.5;

// Elementary control [HNW93] (4.13) for what an ErrorRule asks.
constexpr double kRuleSafety = 0.9;
constexpr double kRuleSmallestFactor = 0.2;
constexpr double kRuleLargestFactor = 5.0;

EndReason reason_of(const system::Evaluation& evaluation) {
  switch (evaluation.status) {
    case system::Evaluation::Status::singular_block: return EndReason::singular_block;
    case system::Evaluation::Status::no_convergence: return EndReason::no_convergence;
    case system::Evaluation::Status::no_weights: return EndReason::no_weights;
    case system::Evaluation::Status::no_projection: return EndReason::no_projection;
    case system::Evaluation::Status::ok:
    case system::Evaluation::Status::not_finite: break;
  }
  return EndReason::not_finite;
}

}  // namespace

// In the denormal range the spacing of doubles no longer shrinks with t.
double smallest_step(double t) {
  return std::max(time_tolerance(t, 0.0), kInstantUlps * std::numeric_limits<double>::denorm_min());
}

std::string_view reason_text(EndReason reason) {
  switch (reason) {
    case EndReason::reached_end: return "reached_end";
    case EndReason::stopped: return "stopped";
    case EndReason::interrupted: return "interrupted";
    case EndReason::time_limit: return "time_limit";
    case EndReason::step_limit: return "step_limit";
    case EndReason::step_size_too_small: return "step_size_too_small";
    case EndReason::iteration_failed: return "iteration_failed";
    case EndReason::not_finite: return "not_finite";
    case EndReason::singular_block: return "singular_block";
    case EndReason::no_weights: return "no_weights";
    case EndReason::no_projection: return "no_projection";
    case EndReason::no_convergence: return "no_convergence";
  }
  return "unknown";
}

Advance::Advance(Stepper& stepper, StepController& controller, AdvanceOptions options)
    : stepper_(stepper),
      controller_(controller),
      options_(std::move(options)),
      h_next_(options_.initial_step),
      crossing_(stepper.n_states()),
      scratch_(2 * static_cast<std::size_t>(stepper.n_states())) {
  SALTUS_EXPECT(options_.initial_step >= 0.0 && options_.fixed_step >= 0.0 && options_.restart_step >= 0.0,
                "step sizes are magnitudes");
  SALTUS_EXPECT(options_.largest_step > 0.0, "the largest step is positive");
  SALTUS_EXPECT(options_.fixed_step > 0.0 || stepper.tolerances().test_error,
                "without an error test the steps must be fixed");
  SALTUS_EXPECT(options_.fixed_step == 0.0 || !stepper.tolerances().test_error,
                "fixed steps and an error test exclude each other");
}

void Advance::restarted() {
  controller_.restart();
  crossing_.restart();
  is_foreign_size_ = h_next_ > 0.0;
  has_begun_anew_ = false;
  if (options_.restart_step > 0.0 && h_next_ > options_.restart_step) {
    h_next_ = options_.restart_step;
  }
}

void Advance::retract(double next_size) {
  stepper_.retract();
  controller_.restart();
  h_next_ = next_size;
  is_foreign_size_ = was_foreign_size_;
}

AdvanceOutcome Advance::ended(EndReason reason, double h) const {
  return {reason, stepper_.time().value(), h, {}, -1, false};
}

AdvanceOutcome Advance::failed(const StepAttempt& attempt, double h) const {
  AdvanceOutcome outcome = ended(EndReason::step_size_too_small, h);
  if (attempt.status == StepAttempt::Status::evaluation_failed) {
    outcome.reason = reason_of(attempt.evaluation);
    outcome.evaluation = attempt.evaluation;
  } else if (attempt.status == StepAttempt::Status::iteration_failed) {
    outcome.reason = EndReason::iteration_failed;
    outcome.culprit = attempt.unknown;
    outcome.is_singular = attempt.is_singular;
  } else {
    outcome.culprit = stepper_.worst_state();
  }
  return outcome;
}

AdvanceOutcome Advance::to(double t_end, StepSink& sink) {
  SALTUS_EXPECT(std::isfinite(t_end), "t_end must be finite");
  while (stepper_.time().since(t_end) != 0.0) {
    const AdvanceOutcome outcome = step(t_end);
    if (outcome.reason != EndReason::reached_end && outcome.reason != EndReason::stopped) {
      return outcome;
    }
    if (sink.accepted_step(stepper_) == SinkAnswer::stop) {
      return ended(EndReason::stopped, outcome.h);
    }
  }
  return ended(EndReason::reached_end, 0.0);
}

AdvanceOutcome Advance::step(double t_end, FailureRule* failure_rule, ErrorRule* error_rule) {
  if (stepper_.time().since(t_end) == 0.0) {
    return ended(EndReason::reached_end, 0.0);
  }
  if (options_.poll) {
    switch (options_.poll()) {
      case Poll::interrupted: return ended(EndReason::interrupted, 0.0);
      case Poll::time_limit: return ended(EndReason::time_limit, 0.0);
      case Poll::go_on: break;
    }
  }
  return options_.fixed_step > 0.0 ? fixed_step(t_end) : controlled_step(t_end, failure_rule, error_rule);
}

AdvanceOutcome Advance::fixed_step(double t_end) {
  count_work(kWorkOfAnAttempt);
  if (attempts_++ >= options_.max_steps) {
    return ended(EndReason::step_limit, 0.0);
  }
  const double remaining = -stepper_.time().since(t_end);
  const bool is_last = std::abs(remaining) <= kFixedStepStretch * options_.fixed_step;
  const double h = is_last ? remaining : std::copysign(options_.fixed_step, remaining);
  const StepAttempt attempt = is_last ? stepper_.attempt_to(t_end) : stepper_.attempt(h);
  if (!attempt.good()) {
    stepper_.reject();
    return failed(attempt, h);
  }
  stepper_.accept();
  return ended(is_last ? EndReason::reached_end : EndReason::stopped, h);
}

void Advance::choose_initial_step(double t_end) {
  const double remaining = -stepper_.time().since(t_end);
  h_next_ = initial_step(stepper_, std::copysign(1.0, remaining),
                         std::min(std::abs(remaining), options_.largest_step), scratch_);
}

// A size kept over a restart that fails the error test says nothing about this right-hand side: the run begins anew, once.
double Advance::size_of_beginning(double t_end) {
  if (!is_foreign_size_ || has_begun_anew_ || stepper_.tolerances().norm == ErrorNorm::compere) {
    return std::numeric_limits<double>::infinity();
  }
  has_begun_anew_ = true;
  controller_.restart();
  choose_initial_step(t_end);
  return h_next_;
}

// Of the first step after a restart, good by its estimate: the larger of its two measures. [Com01] has only one.
double Advance::error_of(const StepAttempt& attempt) {
  const bool has_doubt = is_foreign_size_ && attempt.good() && attempt.error > kClearEstimate &&
                         stepper_.tolerances().norm != ErrorNorm::compere;
  return has_doubt ? std::max(attempt.error, stepper_.second_error()) : attempt.error;
}

// The size with which an error in the order of the estimate would be the tolerance.
double Advance::size_for(double tried, double error) const {
  const double factor = kRuleSafety * std::pow(error, -1.0 / (stepper_.embedded_order() + 1));
  return std::clamp(factor, kRuleSmallestFactor, kRuleLargestFactor) * tried;
}

AdvanceOutcome Advance::controlled_step(double t_end, FailureRule* failure_rule, ErrorRule* error_rule) {
  if (h_next_ == 0.0) {
    choose_initial_step(t_end);
  }
  const double remaining = -stepper_.time().since(t_end);
  const double smallest = smallest_step(stepper_.time().value());
  double size = std::min(h_next_, options_.largest_step);
  failed_size_ = 0.0;
  for (;;) {
    count_work(kWorkOfAnAttempt);
    if (attempts_++ >= options_.max_steps) {
      return ended(EndReason::step_limit, 0.0);
    }
    size = std::max(size, smallest);
    const bool is_last = kLastStepStretch * size >= std::abs(remaining);
    const double h = is_last ? remaining : std::copysign(size, remaining);
    const StepAttempt attempt = is_last ? stepper_.attempt_to(t_end) : stepper_.attempt(h);
    const double tried = std::abs(h);
    const double error = tried > smallest ? error_of(attempt) : attempt.error;
    const bool may_be_good = attempt.good() && error <= 1.0;
    const double by_rule =
        may_be_good && error_rule != nullptr && tried > smallest ? error_rule->error_of(stepper_) : 0.0;
    if (may_be_good && by_rule <= 1.0) {
      stepper_.accept();
      if (tried > smallest && crossing_.is_there(stepper_)) {
        stepper_.retract();
        size = kForbiddenFactor * tried;
        continue;
      }
      was_foreign_size_ = std::exchange(is_foreign_size_, false);
      double proposal = std::min(controller_.after_accepted(tried, error), options_.largest_step);
      proposal = by_rule > 0.0 ? std::min(proposal, size_for(tried, by_rule)) : proposal;
      // A step cut short by t_end says little: going on afterwards starts from the size that was planned.
      h_next_ = is_last ? std::max(proposal, std::min(size, options_.largest_step)) : proposal;
      return ended(is_last ? EndReason::reached_end : EndReason::stopped, h);
    }
    stepper_.reject();
    if (tried <= smallest) {
      return failed(attempt, h);
    }
    if (may_be_good) {
      size = size_for(tried, by_rule);
    } else if (attempt.good()) {
      size = controller_.after_failed_evaluation(tried);
    } else if (attempt.status == StepAttempt::Status::evaluation_failed) {
      failed_size_ = tried;
      size = controller_.after_failed_evaluation(tried);
      const double hint = failure_rule != nullptr ? failure_rule->size_after(tried) : 0.0;
      size = hint > 0.0 && hint < tried ? hint : size;
    } else if (attempt.status == StepAttempt::Status::iteration_failed) {
      size = controller_.after_failed_iteration(tried);
    } else {
      size = controller_.after_rejected(tried, attempt.error);
      size = std::min(size, size_of_beginning(t_end));
    }
  }
}

}  // namespace saltus::integrate
