/// Problem      the next step size of an implicit method from its error, its iteration and the steps before
/// Method       Gustafsson's predictive control as in RADAU5: [HW96] IV.8 (8.21), (8.25), (8.26)
///                h ← h / max(err^(1/q) / s,  (h₋/h)(err²/err₋)^(1/q) / safety), clamped
///              with s = safety times the effort of the iteration (StepAdvice::effort_factor)
/// Notation     q = order of the estimate + 1; h₋, err₋ of the accepted step before
/// Choices      constants of RADAU5: safety 0.9, factor in [1/5, 8], err₋ ≥ 0.01; a rejection in the first step divides by 10;
///              no growth directly after a rejection. Growth within StepAdvice::idle_growth is left out: a new factorisation
///              costs more than it gains.
/// Contract     StepController; `stepper` outlives it
/// Checked by   tests/unit/integrate/implicit_controller_test.cpp
#pragma once

#include "base/archive.hpp"
#include "integrate/step/step_controller.hpp"
#include "integrate/step/step_estimates.hpp"

namespace saltus::integrate {

class ImplicitController final : public StepController {
 public:
  /// `estimates` outlive this object.
  ImplicitController(const StepEstimates& estimates, int embedded_order);

  [[nodiscard]] double after_accepted(double h, double error) override;
  [[nodiscard]] double after_rejected(double h, double error) override;
  [[nodiscard]] double after_failed_evaluation(double h) override;
  [[nodiscard]] double after_failed_iteration(double h) override;
  void restart() override;

  void fields(Archive& a) override {
    // Not saved: exponent_.
    a(old_size_, old_error_, was_rejected_);
  }

 private:
  [[nodiscard]] double plain_divisor(double error) const;

  const StepEstimates& estimates_;
  double exponent_;
  double old_size_ = 0.0;  // 0: no step before
  double old_error_ = 0.0;
  bool was_rejected_ = false;
};

}  // namespace saltus::integrate
