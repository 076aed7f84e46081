/// Power series in the time since an instant, cut off behind a fixed order.
///
/// Problem      x(t₀ + τ) of variables that equations of +, -, *, / and a few functions give, without any error of a step.
/// Method       Taylor arithmetic, coefficient by coefficient [HNW93] I.8. A series is as long as its last coefficient that is not
///              zero: trajectories that are polynomials stay short and exact.
/// Contract     Never empty. Division needs a divisor that is not zero at τ = 0.
/// Choices      Order 20: with |c₂₀|h²⁰ below rounding, steps of length 1 for equations with rates near 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "support/oracle/switched_system.hpp"

namespace saltus::test::instants {

using oracle::Real;
using Series = std::vector<Real>;  ///< c[0] + c[1] τ + …

inline constexpr std::size_t kOrder = 20;
inline constexpr Real kRounding = 64 * std::numeric_limits<Real>::epsilon();

inline Real coefficient(const Series& a, std::size_t k) {
  return k < a.size() ? a[k] : 0;
}

inline Real largest(const Series& a) {
  Real size = 0;
  for (const Real c : a) {
    size = std::max(size, std::abs(c));
  }
  return size;
}

/// Leaves out what is zero at the end, and what is behind the order.
inline Series trimmed(Series a) {
  a.resize(std::min(a.size(), kOrder + 1));
  while (a.size() > 1 && a.back() == 0) {
    a.pop_back();
  }
  return a;
}

inline Series constant(Real value) {
  return {value};
}

inline Series operator+(const Series& a, const Series& b) {
  Series sum(std::max(a.size(), b.size()));
  for (std::size_t k = 0; k < sum.size(); ++k) {
    sum[k] = coefficient(a, k) + coefficient(b, k);
  }
  return trimmed(sum);
}

inline Series operator*(Real factor, const Series& a) {
  Series product = a;
  for (Real& c : product) {
    c *= factor;
  }
  return trimmed(product);
}

inline Series operator-(const Series& a, const Series& b) {
  return a + Real(-1) * b;
}

inline Series operator*(const Series& a, const Series& b) {
  Series product(std::min(a.size() + b.size() - 1, kOrder + 1), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size() && i + j <= kOrder; ++j) {
      product[i + j] += a[i] * b[j];
    }
  }
  return trimmed(product);
}

/// q with q·b = a: qₖ = (aₖ - Σ qᵢ bₖ₋ᵢ)/b₀.
inline Series operator/(const Series& a, const Series& b) {
  if (b.size() == 1) {
    Series quotient = a;
    for (Real& c : quotient) {
      c /= b[0];
    }
    return quotient;
  }
  Series quotient;
  for (std::size_t k = 0; k <= kOrder; ++k) {
    Real rest = coefficient(a, k);
    for (std::size_t i = 0; i < k; ++i) {
      rest -= quotient[i] * coefficient(b, k - i);
    }
    quotient.push_back(rest / b[0]);
  }
  return trimmed(quotient);
}

/// a(0) + ∫ rate
inline Series integral(Real start, const Series& rate) {
  Series sum{start};
  for (std::size_t k = 0; k < rate.size() && k < kOrder; ++k) {
    sum.push_back(rate[k] / static_cast<Real>(k + 1));
  }
  return trimmed(sum);
}

inline Real value_at(const Series& a, Real tau) {
  Real sum = 0;
  for (std::size_t k = a.size(); k-- > 0;) {
    sum = sum * tau + a[k];
  }
  return sum;
}

/// e = exp(a): k·eₖ = Σ j·aⱼ·eₖ₋ⱼ.
inline Series exp_of(const Series& a) {
  Series e{std::exp(a[0])};
  for (std::size_t k = 1; a.size() > 1 && k <= kOrder; ++k) {
    Real sum = 0;
    for (std::size_t j = 1; j <= k; ++j) {
      sum += static_cast<Real>(j) * coefficient(a, j) * e[k - j];
    }
    e.push_back(sum / static_cast<Real>(k));
  }
  return trimmed(e);
}

/// s = sin(a) and c = cos(a) together: k·sₖ = Σ j·aⱼ·cₖ₋ⱼ, k·cₖ = -Σ j·aⱼ·sₖ₋ⱼ.
inline void sin_cos_of(const Series& a, Series& s, Series& c) {
  s = {std::sin(a[0])};
  c = {std::cos(a[0])};
  for (std::size_t k = 1; a.size() > 1 && k <= kOrder; ++k) {
    Real s_sum = 0;
    Real c_sum = 0;
    for (std::size_t j = 1; j <= k; ++j) {
      const Real slope = static_cast<Real>(j) * coefficient(a, j);
      s_sum += slope * c[k - j];
      c_sum -= slope * s[k - j];
    }
    s.push_back(s_sum / static_cast<Real>(k));
    c.push_back(c_sum / static_cast<Real>(k));
  }
  s = trimmed(s);
  c = trimmed(c);
}

}  // namespace saltus::test::instants
