/// Problem      whether the size of the steps of an explicit method is held down by its stability
/// Method       [HW96] IV.2: a Lipschitz quotient of two stages near the end of a step estimates h|λ|; at the border
///              of the region of stability it stays where that ends on the negative axis. DOPRI5's counting: stiff after 15
///              steps beyond 3.25 (its region ends at 3.3), forgotten after 6 in a row within.
/// Contract     wants_sample() after every accepted step; where it is true, add(h|λ|) with Stepper::stiffness().
/// Choices      The quotient costs a combination of stages: while nothing is suspected only every tenth step is looked at (DOPRI5:
///              every thousandth; runs with events are often shorter). The test is not a matter of events: it goes on over them.
/// Checked by   tests/unit/integrate/stiffness_test.cpp
#pragma once

namespace saltus::integrate {

class StiffnessTest {
 public:
  [[nodiscard]] bool wants_sample() { return n_stiff_ > 0 || ++n_unseen_ >= kInterval; }
  /// True: stiff.
  [[nodiscard]] bool add(double h_lambda) {
    n_unseen_ = 0;
    if (h_lambda > kBound) {
      n_calm_ = 0;
      sum_ += h_lambda;
      return ++n_stiff_ >= kStiffSteps;
    }
    if (n_stiff_ > 0 && ++n_calm_ >= kCalmSteps) {
      n_stiff_ = 0;
      n_calm_ = 0;
      sum_ = 0.0;
    }
    return false;
  }
  /// Mean of h|λ| over the steps that count.
  [[nodiscard]] double mean() const { return n_stiff_ > 0 ? sum_ / n_stiff_ : 0.0; }

 private:
  static constexpr double kBound = 3.25;
  static constexpr int kStiffSteps = 15;
  static constexpr int kCalmSteps = 6;
  static constexpr int kInterval = 10;

  int n_unseen_ = 0;
  int n_stiff_ = 0;
  int n_calm_ = 0;
  double sum_ = 0.0;
};

}  // namespace saltus::integrate
