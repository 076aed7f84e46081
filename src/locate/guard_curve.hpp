/// One guard along a step: θ ↦ s·(g(t₀ + θh, x(θ)) - level), positive on the side that holds now.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "locate/watch.hpp"
#include "system/locked_dae.hpp"
#include "trajectory/segment.hpp"

namespace saltus::locate {

/// The time at θ as near as a double can be; the state is always evaluated at θ itself.
[[nodiscard]] inline double time_at(const trajectory::SegmentView& segment, double theta) {
  return segment.start().value() + (theta * segment.step() + segment.start().low());
}

/// Cheap to copy; refers to the objects of its search.
class GuardCurve {
 public:
  GuardCurve(system::ProjectedGuards& evaluator, const trajectory::SegmentView& segment, const Watch& watch,
             std::span<double> x, std::int64_t& n_evaluations, system::Evaluation& evaluation)
      : evaluator_(&evaluator),
        segment_(&segment),
        watch_(&watch),
        x_(x),
        n_evaluations_(&n_evaluations),
        evaluation_(&evaluation) {}

  /// The same guard along the solution that satisfies all constraints: every state is projected before it is looked at.
  [[nodiscard]] GuardCurve on_constraints() const {
    GuardCurve result = *this;
    result.projects_ = true;
    return result;
  }

  /// NaN where the guard cannot be evaluated; the first reason is kept.
  double operator()(double theta) const {
    double value = 0.0;
    if (!place(theta)) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    ++*n_evaluations_;
    const system::Evaluation evaluation =
        evaluator_->guards(std::span<const Index>(&watch_->guard, 1), time_at(*segment_, theta), x_,
                           std::span<double>(&value, 1));
    if (!evaluation.ok()) {
      if (evaluation_->ok()) {
        *evaluation_ = evaluation;
      }
      return std::numeric_limits<double>::quiet_NaN();
    }
    return watch_->side * (value - watch_->level);
  }
  /// ν at θ.
  [[nodiscard]] double noise(double theta) const {
    if (!place(theta)) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return evaluator_->guard_noise(watch_->guard, time_at(*segment_, theta), x_);
  }

  [[nodiscard]] const Watch& watch() const { return *watch_; }

 private:
  // The state at θ in x_. Projected twice: the first time to the accuracy of steps, the second time to rounding.
  bool place(double theta) const {
    segment_->evaluate(theta, x_);
    for (int n = 0; projects_ && n < 2; ++n) {
      const system::Evaluation evaluation = evaluator_->project_instant(time_at(*segment_, theta), x_);
      if (!evaluation.ok()) {
        *evaluation_ = evaluation_->ok() ? evaluation : *evaluation_;
        return false;
      }
    }
    return true;
  }

  system::ProjectedGuards* evaluator_;
  const trajectory::SegmentView* segment_;
  const Watch* watch_;
  std::span<double> x_;
  std::int64_t* n_evaluations_;
  system::Evaluation* evaluation_;
  bool projects_ = false;
};

}  // namespace saltus::locate
