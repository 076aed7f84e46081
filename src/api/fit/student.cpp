#include "api/fit/student.hpp"

#include <cmath>
#include <initializer_list>
#include <limits>

namespace saltus::api {
namespace {

constexpr int kMostTerms = 10'000;  // of the fraction, which needs about the root of its arguments
constexpr double kTiny = 1e-300;    // in place of a zero denominator ([DLMF] 3.10, Lentz)
constexpr int kQuantileHalvings = 200;
// Beyond it the distribution is normal to eleven digits.
constexpr double kNormalFreedom = 1e11;

double beta_fraction(double a, double b, double y) {
  double c = 1.0;
  double d = 1.0 - (a + b) * y / (a + 1.0);
  d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
  double product = d;
  for (int k = 1; k <= kMostTerms; ++k) {
    const double two_k = 2.0 * k;
    const double even = k * (b - k) * y / ((a + two_k - 1.0) * (a + two_k));
    const double odd = -(a + k) * (a + b + k) * y / ((a + two_k) * (a + two_k + 1.0));
    double factor = 1.0;
    for (const double term : {even, odd}) {
      d = 1.0 + term * d;
      d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
      c = 1.0 + term / c;
      c = std::abs(c) < kTiny ? kTiny : c;
      factor = c * d;
      product *= factor;
    }
    if (std::abs(factor - 1.0) < std::numeric_limits<double>::epsilon()) {
      break;
    }
  }
  return product;
}

// I_y(a, b)
double incomplete_beta(double a, double b, double y) {
  if (y <= 0.0 || y >= 1.0) {
    return y <= 0.0 ? 0.0 : 1.0;
  }
  // The fraction converges fast below the mean only.
  if (y > (a + 1.0) / (a + b + 2.0)) {
    return 1.0 - incomplete_beta(b, a, 1.0 - y);
  }
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(y) + b * std::log1p(-y));
  return front * beta_fraction(a, b, y) / a;
}

// P(|T| ≤ t)
double probability_within(double t, double freedom) {
  return freedom > kNormalFreedom ? std::erf(t / std::sqrt(2.0))
                                  : incomplete_beta(0.5, 0.5 * freedom, t * t / (freedom + t * t));
}

}  // namespace

double student_quantile(double probability, double freedom) {
  double low = 0.0;
  double high = 1.0;
  while (probability_within(high, freedom) < probability && high < 1e200) {
    high *= 2.0;
  }
  for (int k = 0; k < kQuantileHalvings && high - low > std::numeric_limits<double>::epsilon() * high; ++k) {
    const double middle = 0.5 * (low + high);
    (probability_within(middle, freedom) < probability ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace saltus::api
