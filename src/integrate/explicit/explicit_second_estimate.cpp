// The second estimate of methods whose first is blind to some errors (Tableau::b_second).
#include <algorithm>
#include <cmath>

#include "integrate/explicit/explicit_runge_kutta.hpp"

namespace saltus::integrate {
namespace {

// The second estimate is of lower order: with a step that resolves f the first is smaller by the square of the step. Where it is smaller than
// this part of that, it says nothing (docs/math/dopri5.md).
constexpr double kBlindPart = 1e-3;
// A sixth difference of stages whose own errors are of the fifth power: the square of the step from its size beside the slopes.
constexpr double kSquareOfStep = 2.0 / 5.0;

}  // namespace

// State by state: quadratures stand beside other states.
void ExplicitRungeKutta::take_second_estimate() {
  second_plan_.apply(h_, k_, scratch_);
  const auto last = static_cast<std::size_t>(tableau_.n_stages()) - 1;
  for (std::size_t i = 0; i < error_.size(); ++i) {
    const double second = std::abs(scratch_[i]);
    const double slope = std::abs(h_) * std::max(std::abs(k_[0][i]), std::abs(k_[last][i]));
    const double share = second < slope ? std::pow(second / slope, kSquareOfStep) : 1.0;
    if (std::abs(error_[i]) < kBlindPart * share * second) {
      error_[i] = scratch_[i];
    }
  }
}

}  // namespace saltus::integrate
