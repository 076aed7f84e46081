// A number with its derivative: closed forms of solutions become closed forms of sensitivities.
#pragma once

#include <cmath>

namespace saltus::test {

struct Dual {
  double value = 0.0;
  double slope = 0.0;

  Dual() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a constant
  Dual(double constant, double derivative = 0.0) : value(constant), slope(derivative) {}
};

inline Dual operator+(Dual a, Dual b) {
  return {a.value + b.value, a.slope + b.slope};
}
inline Dual operator-(Dual a, Dual b) {
  return {a.value - b.value, a.slope - b.slope};
}
inline Dual operator-(Dual a) {
  return {-a.value, -a.slope};
}
inline Dual operator*(Dual a, Dual b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
inline Dual operator/(Dual a, Dual b) {
  return {a.value / b.value, (a.slope - a.value / b.value * b.slope) / b.value};
}
inline Dual exp(Dual a) {
  return {std::exp(a.value), std::exp(a.value) * a.slope};
}
inline Dual log(Dual a) {
  return {std::log(a.value), a.slope / a.value};
}
inline Dual sqrt(Dual a) {
  return {std::sqrt(a.value), a.slope / (2.0 * std::sqrt(a.value))};
}

}  // namespace saltus::test
