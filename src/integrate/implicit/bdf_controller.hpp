/// Problem      order and size of the next step of a Bdf
/// Method       OrderPolicy for multistep steps; while the method starts, the control of radau5, and the first multistep size
///              from the starting step's estimate
/// Contract     StepController; it also sets the order of the stepper, which outlives it
/// Choices      The estimate of radau5 is kStartEstimate·h⁴x⁗ where nothing is stiff: 0.1/(6γ̂), from the error of its
///              quadrature at the start of the step; the first multistep size makes the error of order 3 fit from it. As long
///              as that size would be larger than twice the starting one, the start goes on.
/// Checked by   tests/unit/integrate/bdf_test.cpp
#pragma once

#include "base/archive.hpp"
#include "integrate/implicit/bdf.hpp"
#include "integrate/implicit/bdf_order.hpp"
#include "integrate/step/implicit_controller.hpp"
#include "integrate/step/step_controller.hpp"

namespace saltus::integrate {

class BdfController final : public StepController {
 public:
  explicit BdfController(Bdf& stepper);

  [[nodiscard]] double after_accepted(double h, double error) override;
  [[nodiscard]] double after_rejected(double h, double error) override;
  [[nodiscard]] double after_failed_evaluation(double h) override;
  [[nodiscard]] double after_failed_iteration(double h) override;
  void restart() override;

  void fields(Archive& a) override { a(policy_, start_); }

 private:
  [[nodiscard]] double take(const bdf::OrderPolicy::Decision& decision, double h);
  [[nodiscard]] double after_start(double h, double error);

  Bdf& stepper_;
  bdf::OrderPolicy policy_;
  ImplicitController start_;
};

}  // namespace saltus::integrate
