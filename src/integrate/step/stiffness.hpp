/// Problem      whether the size of the steps of an explicit method is held down by stiffness
/// Method       [HW96] IV.2: a Lipschitz quotient of two stages near the end of a step estimates h|λ|; at the border of the region
///              of stability it stays where that ends on the negative axis. DOPRI5's counting: stiff after 15 steps beyond
///              3.25 (its region ends at 3.3), forgotten after 6 in a row within.
/// Contract     wants_sample() after every accepted step; where it is true, add() with Stepper::stiffness().
/// Choices      The estimate of the error grows before the border is reached: with tolerances like 1e-10 steps stay at h|λ| between
///              1 and 3 for thousands of steps. Such a step counts too if ẋ changes over it by a part that is small beside
///              h|λ|: the solution is some hundred times slower than λ. (In an oscillation the two are alike.)
///              With a complex λ that turns x the quotient swings with it (2.7 to 4.2 within 19 steps): samples above 2, which accuracy
///              alone allows at loose tolerances at most, do not speak against stiffness.
///              While nothing is suspected only every tenth step is looked at (DOPRI5: every thousandth; runs with events are
///              often shorter). The test is not a matter of events: it goes on over them.
/// Checked by   tests/unit/integrate/stiffness_test.cpp
#pragma once

#include "base/archive.hpp"
#include "integrate/step/stepper.hpp"

namespace saltus::integrate {

class StiffnessTest {
 public:
  [[nodiscard]] bool wants_sample() { return n_stiff_ > 0 || ++n_unseen_ >= kInterval; }
  /// True: stiff.
  [[nodiscard]] bool add(const Stiffness& sample) {
    n_unseen_ = 0;
    if (sample.h_lambda > kBound ||
        (sample.h_lambda > kSlowBound && sample.h_motion < kSlowMotion * sample.h_lambda)) {
      n_calm_ = 0;
      sum_ += sample.h_lambda;
      return ++n_stiff_ >= kStiffSteps;
    }
    if (n_stiff_ > 0 && sample.h_lambda < kCalmBound && ++n_calm_ >= kCalmSteps) {
      n_stiff_ = 0;
      n_calm_ = 0;
      sum_ = 0.0;
    }
    return false;
  }
  /// Mean of h|λ| over the steps that count.
  [[nodiscard]] double mean() const { return n_stiff_ > 0 ? sum_ / n_stiff_ : 0.0; }

  void fields(Archive& a) { a(n_unseen_, n_stiff_, n_calm_, sum_); }

 private:
  static constexpr double kBound = 3.25;     // DOPRI5: the region of stability ends at 3.3
  static constexpr double kCalmBound = 2.0;  // accuracy alone allows no more at loose tolerances
  static constexpr double kSlowBound = 1.0;  // steps held down by the estimate stay between 1 and 3
  static constexpr double kSlowMotion =
      1.0 / 200.0;                        // some hundred times slower than λ; not measured further
  static constexpr int kStiffSteps = 15;  // DOPRI5: steps until stiff
  static constexpr int kCalmSteps = 6;    // DOPRI5: in a row, and stiffness is forgotten
  static constexpr int kInterval = 10;    // steps between samples; DOPRI5 has 1000

  int n_unseen_ = 0;
  int n_stiff_ = 0;
  int n_calm_ = 0;
  double sum_ = 0.0;
};

}  // namespace saltus::integrate
