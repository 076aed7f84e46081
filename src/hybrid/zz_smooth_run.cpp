// Runs without events, until the whole loop takes its place: the definitions here are weak.
#include <fmt/format.h>

#include <cmath>

#include "hybrid/run.hpp"
#include "integrate/advance.hpp"
#include "integrate/explicit_runge_kutta.hpp"
#include "integrate/step_controller.hpp"

namespace saltus::hybrid {
namespace {

class Sink final : public integrate::StepSink {
 public:
  explicit Sink(RunObserver& observer) : observer_(observer) {}
  integrate::SinkAnswer accepted_step(integrate::Stepper& stepper) override {
    const double t = stepper.time().value();
    trajectory::SegmentView segment;
    if (observer_.wants_segment(t)) {
      (void)stepper.dense_output(integrate::DenseOutput::standard, segment);
    }
    return observer_.step(segment, t, stepper.state()) ? integrate::SinkAnswer::go_on
                                                       : integrate::SinkAnswer::stop;
  }

 private:
  RunObserver& observer_;
};

void tell_failure(RunOutcome& outcome, const system::Evaluator& evaluator,
                  const system::Evaluation& evaluation, double t) {
  outcome.status = RunOutcome::Status::failed;
  outcome.reason = evaluation.status == system::Evaluation::Status::singular_block   ? "singular_block"
                   : evaluation.status == system::Evaluation::Status::no_convergence ? "no_convergence"
                                                                                     : "not_finite";
  outcome.message =
      evaluation.ok()
          ? fmt::format("the solution leaves the range of numbers at time {}: it grows without bound", t)
          : evaluator.describe(evaluation, t);
}

}  // namespace

[[gnu::weak]] std::unique_ptr<system::Evaluator> make_stretch_evaluator(
    const system::HybridSystem& system, const Options&, const system::Configuration& configuration,
    std::span<const Index>, std::span<const double> guess) {
  std::unique_ptr<system::Evaluator> evaluator = (*system.lock(configuration.mode))->make_evaluator(guess);
  evaluator->set_configuration(configuration);
  return evaluator;
}

[[gnu::weak]] RunOutcome run(const system::HybridSystem& system, const system::InitialPoint& initial,
                             const Options& options, RunObserver& observer) {
  RunOutcome outcome;
  outcome.t = options.start;
  const std::shared_ptr<const system::LockedDae> locked = *system.lock(initial.configuration.mode);
  const std::unique_ptr<system::Evaluator> evaluator = locked->make_evaluator(initial.guess);
  evaluator->set_configuration(initial.configuration);
  integrate::ExplicitRungeKutta stepper(*options.method, *evaluator,
                                        static_cast<Index>(locked->states().size()), options.tolerances);
  integrate::PiController controller(std::max(options.method->embedded_order, 1));
  integrate::Advance advance(stepper, controller, options.steps);
  const system::Evaluation at_start = stepper.restart(trajectory::CompensatedTime(options.start), initial.x);
  if (!at_start.ok()) {
    tell_failure(outcome, *evaluator, at_start, options.start);
    return outcome;
  }
  Stretch stretch;
  stretch.from = options.start;
  stretch.mode = system.modes()[initial.configuration.mode.index()].name;
  stretch.locked = locked.get();
  stretch.evaluator = evaluator.get();
  stretch.configuration = &initial.configuration;
  if (!observer.begin_stretch(stretch)) {
    outcome.status = RunOutcome::Status::stopped;
    return outcome;
  }
  Sink sink(observer);
  const integrate::AdvanceOutcome end = advance.to(options.stop, sink);
  outcome.t = end.t;
  outcome.steps = stepper.statistics();
  switch (end.reason) {
    case integrate::EndReason::reached_end: break;
    case integrate::EndReason::stopped:
    case integrate::EndReason::interrupted:
    case integrate::EndReason::time_limit:
    case integrate::EndReason::step_limit:
      outcome.status = RunOutcome::Status::stopped;
      outcome.reason = integrate::reason_text(end.reason);
      break;
    case integrate::EndReason::step_size_too_small:
      outcome.status = RunOutcome::Status::failed;
      outcome.reason = integrate::reason_text(end.reason);
      outcome.message = fmt::format(
          "the step size became too small at time {}{}; a singularity, or a tolerance that cannot be met",
          end.t,
          end.culprit >= 0 ? fmt::format(": the error of '{}' does not shrink with it",
                                         locked->states()[static_cast<std::size_t>(end.culprit)].name)
                           : "");
      break;
    default: tell_failure(outcome, *evaluator, end.evaluation, end.t); break;
  }
  return outcome;
}

}  // namespace saltus::hybrid
