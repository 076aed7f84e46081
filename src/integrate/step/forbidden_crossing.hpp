/// Problem      an error within the tolerance may carry a state through zero where no solution goes: a concentration that has become smaller
///              than its tolerance. Where the equations lead away from zero on the other side, a solution of another kind begins there, and
///              no later estimate sees it (Robertson's reaction with loose tolerances ends at -5e7 instead of 2e-8).
/// Method       Nagumo's condition for the half space s xᵢ ≥ 0, at the point where it was left: with all states that changed their sign in
///              the step set to zero, s fᵢ(t₁, x̃) < 0 lets a solution through; s fᵢ(t₁, x̃) ≥ 0 does not, and the step is repeated with
///              half its size. States that the method sees turn back (s ẋᵢ ≥ 0) are left alone: there zero attracts from both sides.
/// Contract     is_there(stepper) right after accept(). Steps that are taken back are at most kMostRepeats in a row; a state for which
///              that did not help (its size is below what the iteration leaves) is not looked at again before the next restart.
/// Choices      Only within kNear tolerances of zero: no step errs by more. So states that swing through zero cost nothing.
/// Cost         a comparison per state; a right-hand side where a state passes zero slowly
/// Checked by   tests/unit/integrate/forbidden_crossing_test.cpp, tests/convergence/published_behaviour_test.cpp
#pragma once

#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "integrate/step/stepper.hpp"

namespace saltus::integrate {

class ForbiddenCrossing {
 public:
  explicit ForbiddenCrossing(Index n_states)
      : x_(static_cast<std::size_t>(n_states)), f_(x_.size()), is_exempt_(x_.size(), 0) {}

  void restart();
  /// Of the step just accepted, which is still open: whether it is to be taken back.
  [[nodiscard]] bool is_there(Stepper& stepper);

  void fields(Archive& a) { a(x_, f_, is_exempt_, n_repeats_); }

 private:
  static constexpr double kNear = 1e3;
  static constexpr int kMostRepeats = 4;

  std::vector<double> x_;  // x̃
  std::vector<double> f_;
  std::vector<std::uint8_t> is_exempt_;
  int n_repeats_ = 0;
};

}  // namespace saltus::integrate
