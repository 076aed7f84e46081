#include "slide/decide/classify.hpp"

#include <cmath>

namespace saltus::slide {

int sign_beyond_noise(double value, double noise) {
  return value > noise ? 1 : value < -noise ? -1 : 0;
}

double drift_within(const system::GuardDerivatives& derivatives, int order, double instant) {
  const double next =
      order < derivatives.n_known ? std::abs(derivatives.value[static_cast<std::size_t>(order)]) : 0.0;
  return std::isfinite(next) ? next * instant : 0.0;
}

Motion motion_of(const system::GuardDerivatives& derivatives, double direction, double instant) {
  for (int order = 1; order <= derivatives.n_known; ++order) {
    const auto i = static_cast<std::size_t>(order - 1);
    const int sign = sign_beyond_noise(derivatives.value[i],
                                       derivatives.noise[i] + drift_within(derivatives, order, instant));
    if (sign != 0) {
      // Backwards in time the odd derivatives change their sign.
      return {order % 2 == 1 && direction < 0.0 ? -sign : sign, order};
    }
  }
  return {};
}

Encounter encounter(int plus, int minus) {
  if (plus == 0 && minus == 0) {
    return Encounter::undecided;
  }
  if (plus >= 0 && minus >= 0) {
    return Encounter::to_plus;
  }
  if (plus <= 0 && minus <= 0) {
    return Encounter::to_minus;
  }
  return plus < 0 ? Encounter::attracts : Encounter::repels;
}

}  // namespace saltus::slide
