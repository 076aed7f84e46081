/// The standard extension of a step of sdirk4, and how far it is from the solution.
///
/// Problem      P(θ) near x(t + θh) to the tolerance, whether x is integrated or follows the equations at once
/// Method       The cubic H through x and ẋ at both ends, order 3. Its filtered defect (docs/math/dense_output.md) at θ = ¼ and ¾ is
///              H - x where x follows the equations at once: slopes of the method are not those of x there. Both within the
///              tolerance: P = H. Otherwise with a third one at ½
///                P = H - ρ Σ d_k L_k(θ),   L_k the Lagrange polynomials over 0, ¼, ½, ¾, 1,
///              which meets such x at five points: O(h⁵). ρ = |e - err|/(|e - err| + |err|), e the estimate and err what its filter
///              leaves, is 1 there and 0 where x is integrated and H is the better one. Measure: the filtered defect of P at
///              θ = 0.9, where the error of an interpolant over these points is largest.
/// Choices      Two points because one can lie where the errors of both slopes cancel. z between the ends comes from its values in
///              the stages; its errors do not reach the filtered defect of x to first order.
/// Fails when   a residual cannot be evaluated inside the step: what was measured before counts
/// Checked by   tests/convergence/extension_order_test.cpp, tests/unit/integrate/sdirk4_test.cpp
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "integrate/implicit/sdirk4.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

constexpr double kPowersRounding = 32.0 * std::numeric_limits<double>::epsilon();  // not measured
constexpr std::size_t kNodes = kExtensionDegree + 1;
constexpr std::array<double, kNodes> kNode = {0.0, 0.25, 0.5, 0.75, 1.0};
constexpr double kCheckPoint = 0.9;  // where the error of an interpolant over the nodes is largest
// Where nothing can be measured inside the step: it is kept, and the next one is not longer.
constexpr double kUnknown = 1.0;

// Powers 0 to 4 of L_k.
constexpr std::array<std::array<double, kNodes>, kNodes> kLagrange = [] {
  std::array<std::array<double, kNodes>, kNodes> table{};
  for (std::size_t k = 0; k < kNodes; ++k) {
    std::array<double, kNodes> powers{1.0};
    std::size_t degree = 0;
    for (std::size_t j = 0; j < kNodes; ++j) {
      if (j == k) {
        continue;
      }
      const double scale = kNode[k] - kNode[j];
      ++degree;
      for (std::size_t p = degree + 1; p-- > 0;) {
        powers[p] = ((p > 0 ? powers[p - 1] : 0.0) - kNode[j] * powers[p]) / scale;
      }
    }
    table[k] = powers;
  }
  return table;
}();

double lagrange(std::size_t k, double theta) {
  double value = 0.0;
  for (std::size_t p = kNodes; p-- > 0;) {
    value = value * theta + kLagrange[k][p];
  }
  return value;
}

}  // namespace

// H: with v = x₁ - x₀, powers hẋ₀, 3v - 2hẋ₀ - hẋ₁, hẋ₀ + hẋ₁ - 2v.
std::array<double, 4> Sdirk4::extension_powers(std::size_t i) const {
  const double v = y_end_[i] - y_start_[i];
  const double d0 = h_ * ydot_start_[i];
  const double d1 = h_ * ydot_end_[i];
  std::array<double, kExtensionDegree> powers = {d0, 3.0 * v - 2.0 * d0 - d1, d0 + d1 - 2.0 * v, 0.0};
  if (is_corrected_) {
    for (std::size_t k = 0; k < inner_defects_.size(); ++k) {
      for (std::size_t p = 0; p < kExtensionDegree; ++p) {
        powers[p] -= kLagrange[k + 1][p + 1] * inner_defects_[k][i];
      }
    }
  }
  return powers;
}

void Sdirk4::extension_point(double theta, std::span<double> y, std::span<double> ydot) const {
  for (std::size_t i = 0; i < ydot.size(); ++i) {
    const std::array<double, kExtensionDegree> c = extension_powers(i);
    y[i] = y_start_[i] + theta * (c[0] + theta * (c[1] + theta * (c[2] + theta * c[3])));
    ydot[i] = (c[0] + theta * (2.0 * c[1] + theta * (3.0 * c[2] + theta * 4.0 * c[3]))) / h_;
  }
  std::array<double, kNodes> weights{};
  for (std::size_t k = 0; k < kNodes; ++k) {
    weights[k] = lagrange(k, theta);
  }
  const std::size_t n = ydot.size();
  for (std::size_t i = n; i < y.size(); ++i) {
    y[i] = weights[0] * y_start_[i] + weights[1] * inner_z_[0][i - n] + weights[2] * inner_z_[1][i - n] +
           weights[3] * inner_z_[2][i - n] + weights[4] * y_end_[i];
  }
}

bool Sdirk4::find_defect(std::size_t point) {
  const double theta = kNode[point + 1];
  extension_point(theta, system_.y(), system_.ydot());
  return filtered_defect(theta, inner_defects_[point]).ok();
}

double Sdirk4::measure_extension() {
  is_corrected_ = false;
  const auto share = [this](std::size_t i) {
    return following_share(std::abs(unfiltered_[i] - error_[i]), std::abs(error_[i]));
  };
  const auto show = [this](std::size_t point) {
    std::copy(inner_defects_[point].begin(), inner_defects_[point].end(), scratch_.begin());
  };
  if (!find_defect(0) || !find_defect(2)) {
    return kUnknown;
  }
  const double first = extension_norm(inner_defects_[0]);
  const double last = extension_norm(inner_defects_[2]);
  const double size = std::max(first, last);
  const bool tests = tolerances_.test_error;
  show(first > last ? 0 : 2);
  if (tests && size <= 1.0) {
    for (std::size_t i = 0; i < unfiltered_.size(); ++i) {
      scratch_[i] *= kShareIntegrated + share(i) * (kShareFollowing - kShareIntegrated);
    }
    return extension_norm(scratch_);
  }
  if (!std::isfinite(size) || !find_defect(1)) {
    return size;
  }
  if (!tests) {
    estimate_error();
  }
  for (std::vector<double>& defect : inner_defects_) {
    for (std::size_t i = 0; i < unfiltered_.size(); ++i) {
      defect[i] *= share(i);
    }
  }
  is_corrected_ = true;
  if (!tests) {
    return 0.0;
  }
  extension_point(kCheckPoint, system_.y(), system_.ydot());
  return filtered_defect(kCheckPoint, scratch_).ok() ? extension_norm(scratch_) : size;
}

Index Sdirk4::fill_standard() {
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const std::array<double, kExtensionDegree> powers = extension_powers(i);
    for (std::size_t p = 0; p < kExtensionDegree; ++p) {
      dense_row(static_cast<Index>(p) + 1)[i] = powers[p];
    }
  }
  return is_corrected_ ? kExtensionDegree : kExtensionDegree - 1;
}

// Bernstein coefficients: x₀, x₀ + p₁/4, x₀ + p₁/2 + p₂/6, x₀ + (3p₁ + 2p₂ + p₃)/4, x₁.
void Sdirk4::enclose_step(std::span<const Index> states, std::span<Interval> ranges) const {
  SALTUS_EXPECT(is_open(), "dense output belongs to a good attempt");
  for (std::size_t slot = 0; slot < states.size(); ++slot) {
    const auto i = static_cast<std::size_t>(states[slot]);
    const double x0 = y_start_[i];
    const double x1 = y_end_[i];
    const std::array<double, kExtensionDegree> p = extension_powers(i);
    const double b1 = x0 + 0.25 * p[0];
    const double b2 = x0 + 0.5 * p[0] + p[1] / 6.0;
    const double b3 = x0 + 0.75 * p[0] + 0.5 * p[1] + 0.25 * p[2];
    const double slack = kPowersRounding * (std::abs(x0) + std::abs(x1) + std::abs(p[0]) + std::abs(p[1]) +
                                            std::abs(p[2]) + std::abs(p[3]));
    ranges[slot] = {std::min({x0, b1, b2, b3, x1}) - slack, std::max({x0, b1, b2, b3, x1}) + slack};
  }
}

}  // namespace saltus::integrate
