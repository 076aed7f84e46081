/// Problem      the next step size from the size of this one and its error (1 = tolerance)
/// Method       PiController      Gustafsson's PI control in the form of DOPRI5: [HW96] IV.2 (2.43), [HNW93] II.4
///                                h ← h / clamp(err^(1/q - ¾β) / err_old^β / safety, 1/growth, 1/shrink)
///              CompereController h ← min(h_max, 0.8 h (1/err)^exponent)                        [Com01] (5.7)
/// Notation     q = order of the embedded solution + 1
/// Choices      constants of DOPRI5: β = 0.04, safety 0.9, factor in [0.2, 10], err_old ≥ 1e-4; no growth directly
///              after a rejection. A failed evaluation says nothing about the error: the step is cut to 0.2 h.
/// Contract     sizes are magnitudes; the direction belongs to the caller
/// Checked by   tests/unit/integrate/step_controller_test.cpp
#pragma once

#include <limits>

#include "base/archive.hpp"

namespace saltus::integrate {

/// After a step whose stages cannot be evaluated: as far back as the controllers go for a large error.
inline constexpr double kFailedEvaluationFactor = 0.2;

class StepController {
 public:
  StepController() = default;
  StepController(const StepController&) = delete;
  StepController& operator=(const StepController&) = delete;
  virtual ~StepController() = default;

  /// Size to go on with after a step of size h was accepted with this error (≤ 1).
  [[nodiscard]] virtual double after_accepted(double h, double error) = 0;
  /// Size to try instead of h.
  [[nodiscard]] virtual double after_rejected(double h, double error) = 0;
  [[nodiscard]] virtual double after_failed_evaluation(double h) = 0;
  [[nodiscard]] virtual double after_failed_iteration(double h) { return after_failed_evaluation(h); }
  /// Forgets the errors of the past: the right-hand side has changed.
  virtual void restart() = 0;
  virtual void fields(Archive& a) { a.refuse("a step-size control of its own is not saved"); }
};

struct PiControllerOptions {
  double beta = 0.04;
  double safety = 0.9;
  double smallest_factor = 0.2;
  double largest_factor = 10.0;
};

class PiController final : public StepController {
 public:
  explicit PiController(int embedded_order, const PiControllerOptions& options = {});

  [[nodiscard]] double after_accepted(double h, double error) override;
  [[nodiscard]] double after_rejected(double h, double error) override;
  [[nodiscard]] double after_failed_evaluation(double h) override;
  void restart() override;

  void fields(Archive& a) override {
    // Not saved: options_, exponent_.
    a(log_old_error_, was_rejected_);
  }

 private:
  PiControllerOptions options_;
  double exponent_;
  double log_old_error_;
  bool was_rejected_ = false;
};

struct CompereControllerOptions {
  double safety = 0.8;
  double exponent = 1.0 / 6.0;  ///< as printed; 1/5 is the textbook value for a pair 5(4)
  double largest_step = std::numeric_limits<double>::infinity();
};

class CompereController final : public StepController {
 public:
  explicit CompereController(const CompereControllerOptions& options = {});

  [[nodiscard]] double after_accepted(double h, double error) override;
  [[nodiscard]] double after_rejected(double h, double error) override;
  [[nodiscard]] double after_failed_evaluation(double h) override;
  void restart() override {}
  void fields(Archive& /*a*/) override {
    // Not saved: options_.
  }

 private:
  CompereControllerOptions options_;
};

}  // namespace saltus::integrate
