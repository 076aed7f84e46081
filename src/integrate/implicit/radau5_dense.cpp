/// The standard extension of a step of radau5, and how far it is from the solution.
///
/// Problem      P(θ) near x(t + θh) to the tolerance, at little cost, whether x is integrated or follows the equations at once
/// Method       P = q + γ̂·err·n(θ) - ρ·d·ψ(θ)/ψ(θ₁), docs/math/dense_output.md
///                n(θ) = θ - 9/2 θ² + 6 θ³ - 5/2 θ⁴ has n = 0 at both ends, n' = 0 at the nodes and n'(0) = 1: where nothing is
///                stiff γ̂ err = h(ẏ₀ - q̇₀), and P has the slope ẏ₀ at the start and those of q at the nodes: order 4
///                ψ(θ) = θ(θ - c₁)(θ - c₂)(θ - 1); d is the filtered defect of the first two terms at θ₁ = 0.86, where |ψ| is
///                largest: where x follows the equations at once P meets it at 0, c₁, c₂, θ₁, 1, so the error is O(h⁵) there too
///                ρ = |m|/(|m| + |err|), m = (h/γ̂)(ẏ₀ - q̇₀) - err, in each component: 0 where nothing is stiff, 1 where x follows the
///                equations at once. Without it the slopes of components that are integrated would be off by 16 d/h.
///              Measure: the filtered defect of P at θ₂ = 0.40, near the largest error of an interpolant over these points.
/// Choices      Where (h/γ̂)(ẏ₀ - q̇₀), which is err without its filter, agrees with err to half a tolerance nothing is stiff or q is
///              good: no residual is spent (d = 0). It is about six times the error of q where that is all there is.
///              Where ‖d‖ is within the tolerance the second residual is not spent.
///              One number may vanish by chance where a solution bends as much in the fifth power as in the fourth: 0.04 after 42, with rows
///              off by 36 tolerances. So what the steps before had, brought to this size by h⁴, counts too.
///              Fixed steps: d always, no measure.
/// Fails when   a residual cannot be evaluated inside the step: the larger measures before it are taken instead
/// Checked by   tests/convergence/extension_order_test.cpp, tests/unit/integrate/radau5_test.cpp
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "integrate/implicit/radau5.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

using radau5::kStages;

constexpr double kFirstPoint = 0.86;   // θ₁: where |ψ| is largest
constexpr double kSecondPoint = 0.40;  // θ₂: near the largest error of P
// Part of the tolerance that is too little to be looked at.
constexpr double kClearMiss = 0.5;
// … where there is no step before that could tell a small number from a chance.
constexpr double kClearFirstMiss = 0.05;
// What is left of a measure in the next step but one.
constexpr double kMissFading = 0.1;
// Power of h of a miss and of d.
constexpr double kMissPower = 4.0;
// What stands for a measure that is not taken: the error of q is about this part of the slope that it misses (header).
constexpr double kShareOfMiss = 1.0 / 6.0;
// Where x follows the equations at once the error at the end of the step is 0.8 to 0.9 of err, otherwise far smaller: 1.2 ρ² of it, for
// all hλ (docs/math/radau5.md). RADAU5 tests err beside 0.1 τ^(2/3); there that is too much.
constexpr double kEndShare = 1.2;
// Power of h of err.
constexpr double kEndPower = 4.0;
// Roundings of sums that bound the states, in units of the state and of the stages with their largest factor.
constexpr double kSumRounding = 4.0 * std::numeric_limits<double>::epsilon();
constexpr double kStageRounding = 128.0 * std::numeric_limits<double>::epsilon();

// What P is a combination of: the stages, err and d.
constexpr std::size_t kTerms = kStages + 2;
using Weights = std::array<double, kTerms>;

// Coefficients of ψ, powers 1 to 4; its roots are the nodes of [HW96] IV.5.
constexpr std::array<double, kExtensionDegree> kPsi = {-0.1, 0.9, -1.8, 1.0};
constexpr std::array<double, kExtensionDegree> kBend = {1.0, -4.5, 6.0, -2.5};
constexpr double kPsiAtFirstPoint =
    kFirstPoint *
    (kPsi[0] + kFirstPoint * (kPsi[1] + kFirstPoint * (kPsi[2] + kFirstPoint * kPsi[3])));  // ψ(θ₁) itself

// Weights of the terms in the powers 1 to 4 of P - y₀.
constexpr std::array<Weights, kExtensionDegree> kPowersOfExtension = [] {
  std::array<Weights, kExtensionDegree> table{};
  for (std::size_t p = 0; p < kExtensionDegree; ++p) {
    for (std::size_t s = 0; s < kStages && p < kStages; ++s) {
      table[p][s] = radau5::kPowers[p][s];
    }
    table[p][kStages] = radau5::kGamma * kBend[p];
    table[p][kStages + 1] = -kPsi[p] / kPsiAtFirstPoint;
  }
  return table;
}();

Weights value_weights(double theta) {
  Weights weights{};
  for (std::size_t p = kExtensionDegree; p-- > 0;) {
    for (std::size_t s = 0; s < kTerms; ++s) {
      weights[s] = theta * (weights[s] + kPowersOfExtension[p][s]);
    }
  }
  return weights;
}

Weights slope_weights(double theta) {
  Weights weights{};
  for (std::size_t p = kExtensionDegree; p-- > 0;) {
    for (std::size_t s = 0; s < kTerms; ++s) {
      weights[s] = theta * weights[s] + static_cast<double>(p + 1) * kPowersOfExtension[p][s];
    }
  }
  return weights;
}

}  // namespace

void Radau5::extension_point(double theta, std::span<double> y, std::span<double> ydot) const {
  const Weights value = value_weights(theta);
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = y_start_[i] + value[0] * z_[0][i] + value[1] * z_[1][i] + value[2] * (y_end_[i] - y_start_[i]) +
           value[3] * bend_[i] + value[4] * defect_[i];
  }
  const Weights slope = slope_weights(theta);
  for (std::size_t i = 0; i < ydot.size(); ++i) {
    ydot[i] = (slope[0] * z_[0][i] + slope[1] * z_[1][i] + slope[2] * (y_end_[i] - y_start_[i]) +
               slope[3] * bend_[i] + slope[4] * defect_[i]) /
              h_;
  }
}

bool Radau5::measure_at(double theta, std::span<double> defect, double& size) {
  extension_point(theta, system_.y(), system_.ydot());
  if (!filtered_defect(theta, defect).ok()) {
    return false;
  }
  size = extension_norm(defect);
  return std::isfinite(size);
}

// (h/γ̂)(ẏ₀ - q̇₀) - err
double Radau5::slope_miss(std::span<double> miss) const {
  for (std::size_t i = 0; i < ydot_start_.size(); ++i) {
    miss[i] = (h_ * ydot_start_[i] - start_slope(i)) / radau5::kGamma - bend_[i];
  }
  return extension_norm(miss);
}

// The error at the end in components that follow the equations at once, beside the tolerance itself. Where the estimate was filtered
// again (a start in a transient) that one counts.
double Radau5::measure_end(std::span<double> end) const {
  for (std::size_t i = 0; i < ydot_start_.size(); ++i) {
    const double miss = std::abs((h_ * ydot_start_[i] - start_slope(i)) / radau5::kGamma - bend_[i]);
    const double share = following_share(miss, std::abs(bend_[i]));
    end[i] = std::min(1.0, kEndShare * share * share) * std::min(std::abs(bend_[i]), std::abs(error_[i]));
  }
  return extension_norm(end);
}

double Radau5::measure_extension() {
  const double inside = measure_inside();
  if (!tolerances_.test_error) {
    return inside;
  }
  const std::span<double> end = z_middle_[0];  // there is no middle yet
  const double equivalent = std::pow(measure_end(end), kExtensionPower / kEndPower);
  if (!(equivalent > inside)) {
    return inside;
  }
  std::copy_n(end.begin(), ydot_start_.size(), scratch_.begin());
  return equivalent;
}

// 0 where there is no step before.
double Radau5::expected(const Remembered& size) const {
  return past_size_ == 0.0 ? 0.0 : size.past * std::pow(std::abs(h_ / past_size_), kMissPower);
}

void Radau5::remember(Remembered& size) const {
  size = {.now = 0.0, .past = std::max(size.now, kMissFading * expected(size))};
}

double Radau5::measure_inside() {
  std::fill(defect_.begin(), defect_.end(), 0.0);
  first_defect_.now = 0.0;
  if (!tolerances_.test_error) {
    estimate_error();
  } else {
    miss_.now = slope_miss(scratch_);
    const double clear = past_size_ == 0.0 ? kClearFirstMiss : kClearMiss;
    if (miss_.now <= clear && expected(miss_) <= clear) {
      return kShareOfMiss * kShareFollowing * miss_.now;
    }
  }
  double size = 0.0;
  // The defect is that of P without d: it must not stand in P while it is found.
  if (!measure_at(kFirstPoint, scratch_, size)) {
    return slope_miss(scratch_);
  }
  take_defect(scratch_);
  first_defect_.now = size;
  if ((size <= 1.0 && expected(first_defect_) <= 1.0) || !tolerances_.test_error) {
    return extension_norm(scratch_);
  }
  double second = 0.0;
  if (!measure_at(kSecondPoint, scratch_, second)) {
    std::copy(defect_.begin(), defect_.end(), scratch_.begin());
    return size;
  }
  return second;
}

// d into P; leaves in `defect` what it says of P.
void Radau5::take_defect(std::span<double> defect) {
  std::copy(defect.begin(), defect.end(), defect_.begin());
  for (std::size_t i = 0; i < ydot_start_.size(); ++i) {
    const double miss = std::abs((h_ * ydot_start_[i] - start_slope(i)) / radau5::kGamma - bend_[i]);
    const double share = following_share(miss, std::abs(bend_[i]));
    defect_[i] *= share;
    defect[i] *= kShareIntegrated + share * (kShareFollowing - kShareIntegrated);
  }
}

// P with its end at the result, which may have been projected.
Index Radau5::fill_standard() {
  for (std::size_t p = 0; p < kExtensionDegree; ++p) {
    const Weights& row = kPowersOfExtension[p];
    const std::span<double> target = dense_row(static_cast<Index>(p) + 1);
    for (std::size_t i = 0; i < target.size(); ++i) {
      target[i] = row[0] * z_[0][i] + row[1] * z_[1][i] + row[2] * (y_end_[i] - y_start_[i]) +
                  row[3] * bend_[i] + row[4] * defect_[i];
    }
  }
  return static_cast<Index>(kExtensionDegree);
}

// The Bernstein coefficients of P: x₀, x₀ + p₁/4, x₀ + p₁/2 + p₂/6, x₀ + (3p₁ + 2p₂ + p₃)/4, x₁.
void Radau5::enclose_step(std::span<const Index> states, std::span<Interval> ranges) const {
  SALTUS_EXPECT(is_open(), "dense output belongs to a good attempt");
  for (std::size_t slot = 0; slot < states.size(); ++slot) {
    const auto i = static_cast<std::size_t>(states[slot]);
    const double x0 = y_start_[i];
    const double x1 = y_end_[i];
    const Weights terms = {z_[0][i], z_[1][i], x1 - x0, bend_[i], defect_[i]};
    std::array<double, kExtensionDegree - 1> powers{};
    double size = 0.0;
    for (std::size_t s = 0; s < kTerms; ++s) {
      for (std::size_t p = 0; p < powers.size(); ++p) {
        powers[p] += kPowersOfExtension[p][s] * terms[s];
      }
      size += std::abs(terms[s]);
    }
    const double b1 = x0 + 0.25 * powers[0];
    const double b2 = x0 + 0.5 * powers[0] + powers[1] / 6.0;
    const double b3 = x0 + 0.75 * powers[0] + 0.5 * powers[1] + 0.25 * powers[2];
    const double slack = kSumRounding * (std::abs(x0) + std::abs(x1)) + kStageRounding * size;
    ranges[slot] = {std::min({x0, b1, b2, b3, x1}) - slack, std::max({x0, b1, b2, b3, x1}) + slack};
  }
}

}  // namespace saltus::integrate
