/// Sizes of steps for exact_flow.hpp: powers of two, so that the matrices of a size serve many steps.
///
/// Contract     sizes are magnitudes.
/// Choices      The error of a step is that of its polynomial beside roundings, and most of it is rounding: that it is small does not say that a step
///              of twice the size would do. So twice the size is tried, and where that fails, again after twice as many steps as the last time.
/// Checked by   tests/exact/exact_flow_test.cpp
#pragma once

#include <algorithm>
#include <cmath>

#include "integrate/exact/exact_flow.hpp"
#include "integrate/step/step_controller.hpp"

namespace saltus::integrate {

class ExactController final : public StepController {
 public:
  [[nodiscard]] double after_accepted(double h, double error) override {
    if (is_trial_) {
      is_trial_ = false;
      wait_ = 1;
    }
    ++steps_;
    if (steps_ < wait_ || !(error < kErrorToDouble)) {
      return power_of_two_up_to(h);
    }
    steps_ = 0;
    is_trial_ = true;
    return 2.0 * power_of_two_up_to(h);
  }
  [[nodiscard]] double after_rejected(double h, double error) override {
    if (is_trial_) {
      is_trial_ = false;
      wait_ = std::min(2 * wait_, kMostStepsToTrial);
    }
    steps_ = 0;
    const double factor = std::pow(error, -1.0 / (ExactFlow::kForcingDegree + 1));
    return power_of_two_up_to(std::clamp(factor, kSmallestFactor, kLargestFactor) * h);
  }
  [[nodiscard]] double after_failed_evaluation(double h) override {
    return power_of_two_up_to(kFailedEvaluationFactor * h);
  }
  void restart() override {
    is_trial_ = false;
    wait_ = 1;
    steps_ = 0;
  }
  void fields(Archive& a) override { a(is_trial_, wait_, steps_); }

 private:
  // Roundings alone make a third of the error that is allowed.
  static constexpr double kErrorToDouble = 0.5;
  // Further than this the tenth root of an error says nothing: the step was another one.
  static constexpr double kSmallestFactor = 1.0 / 64.0;
  // A power of two down at least.
  static constexpr double kLargestFactor = 0.5;
  // Trials that fail then cost a hundredth of the work.
  static constexpr int kMostStepsToTrial = 64;

  static double power_of_two_up_to(double size) { return std::exp2(std::floor(std::log2(size))); }

  bool is_trial_ = false;  // the next step is twice as long as the last one
  int wait_ = 1;           // steps from trial to trial
  int steps_ = 0;          // since the last one
};

}  // namespace saltus::integrate
