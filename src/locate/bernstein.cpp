#include "locate/bernstein.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/contract.hpp"

namespace saltus::locate {
namespace {

constexpr std::size_t kN = kMaxBernsteinDegree;

constexpr auto kBinomials = [] {
  std::array<std::array<double, 2 * kN + 1>, 2 * kN + 1> table{};
  for (std::size_t n = 0; n <= 2 * kN; ++n) {
    table[n][0] = 1.0;
    for (std::size_t k = 1; k <= n; ++k) {
      table[n][k] = table[n - 1][k - 1] + (k < n ? table[n - 1][k] : 0.0);
    }
  }
  return table;
}();

constexpr auto kInverseBinomials = [] {
  std::array<std::array<double, kN + 1>, kN + 1> table{};
  for (std::size_t n = 0; n <= kN; ++n) {
    for (std::size_t k = 0; k <= n; ++k) {
      table[n][k] = 1.0 / kBinomials[n][k];
    }
  }
  return table;
}();

// |Bernstein coefficient i| of T_k(2u - 1); its sign is (-1)^(k-i).
double chebyshev_in_bernstein(std::size_t k, std::size_t i) {
  return kBinomials[2 * k][2 * i] * kInverseBinomials[k][i];
}

// cos(πm/d) and the growths, once for all degrees.
struct Tables {
  std::array<std::array<double, 2 * kN>, kN + 1> cosines{};
  std::array<double, kN + 1> growth{};

  Tables() {
    double sum = 0.0;
    for (std::size_t d = 0; d <= kN; ++d) {
      for (std::size_t m = 0; d > 0 && m < 2 * d; ++m) {
        cosines[d][m] = std::cos(std::numbers::pi * static_cast<double>(m) / static_cast<double>(d));
      }
      double largest = 0.0;
      for (std::size_t i = 0; i <= d; ++i) {
        largest = std::max(largest, chebyshev_in_bernstein(d, i));
      }
      sum += largest;
      growth[d] = sum;
    }
  }
};

const Tables& tables() {
  static const Tables kTables;
  return kTables;
}

}  // namespace

void power_to_bernstein(std::span<double> coefficients) {
  const std::size_t d = coefficients.size() - 1;
  SALTUS_ASSERT(d <= kN);
  const auto& inverse = kInverseBinomials[d];
  for (std::size_t p = 1; p < d; ++p) {
    coefficients[p] *= inverse[p];
  }
  for (std::size_t k = 1; k <= d; ++k) {
    for (std::size_t j = d; j >= k; --j) {
      coefficients[j] += coefficients[j - 1];
    }
  }
}

void halve(std::span<const double> whole, std::span<double> left, std::span<double> right) {
  const std::size_t d = whole.size() - 1;
  if (right.data() != whole.data()) {
    std::copy(whole.begin(), whole.end(), right.begin());
  }
  left[0] = right[0];
  for (std::size_t k = 1; k <= d; ++k) {
    for (std::size_t j = 0; j + k <= d; ++j) {
      right[j] = 0.5 * (right[j] + right[j + 1]);
    }
    left[k] = right[0];
  }
}

double chebyshev_point(std::size_t j, std::size_t degree) {
  // sin² is right to the last bit near 0, where 1 - cos is not.
  const double half_angle = 0.5 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(degree);
  const double sine = std::sin(half_angle);
  return j == degree ? 1.0 : sine * sine;
}

void chebyshev_coefficients(std::span<const double> values, std::span<double> coefficients) {
  const std::size_t d = values.size() - 1;
  const auto& cosines = tables().cosines[d];
  for (std::size_t k = 0; k <= d; ++k) {
    // Point j is at 2u - 1 = -cos(πj/d) = cos(π(d - j)/d).
    double sum = 0.0;
    for (std::size_t j = 0; j <= d; ++j) {
      const double weight = j == 0 || j == d ? 0.5 : 1.0;
      sum += weight * values[j] * cosines[k * (d - j) % (2 * d)];
    }
    coefficients[k] = sum * (k == 0 || k == d ? 1.0 : 2.0) / static_cast<double>(d);
  }
}

void chebyshev_to_bernstein(std::span<const double> chebyshev, std::span<double> bernstein) {
  const std::size_t d = chebyshev.size() - 1;
  bernstein[0] = chebyshev[0];
  for (std::size_t k = 1; k <= d; ++k) {
    // Raise the sum so far to degree k, then add c_k T_k.
    bernstein[k] = bernstein[k - 1];
    for (std::size_t i = k - 1; i >= 1; --i) {
      const double share = static_cast<double>(i) / static_cast<double>(k);
      bernstein[i] = share * bernstein[i - 1] + (1.0 - share) * bernstein[i];
    }
    for (std::size_t i = 0; i <= k; ++i) {
      const double coefficient = chebyshev_in_bernstein(k, i);
      bernstein[i] += (k - i) % 2 == 0 ? chebyshev[k] * coefficient : -chebyshev[k] * coefficient;
    }
  }
}

double conversion_growth(std::size_t degree) {
  return tables().growth[degree];
}

void deflate_bernstein(std::span<double> coefficients) {
  const std::size_t d = coefficients.size() - 1;
  for (std::size_t j = 0; j < d; ++j) {
    coefficients[j] = coefficients[j + 1] * static_cast<double>(d) / static_cast<double>(j + 1);
  }
}

int sign_changes(std::span<const double> coefficients) {
  int changes = 0;
  double last = 0.0;
  for (const double b : coefficients) {
    if (b == 0.0) {
      continue;
    }
    changes += last != 0.0 && (last < 0.0) != (b < 0.0) ? 1 : 0;
    last = b < 0.0 ? -1.0 : 1.0;
  }
  return changes;
}

}  // namespace saltus::locate
