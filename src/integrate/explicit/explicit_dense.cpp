// ExplicitRungeKutta: continuous extensions and the ranges that hold them (docs/math/dense_output.md).
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "integrate/explicit/explicit_runge_kutta.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

// Rounding errors of a combination of stages whose largest factors are about ten.
constexpr double kCombinationRounding = 64.0 * std::numeric_limits<double>::epsilon();
// … of larger factors: those of the stages, multiplied, and of the products.
constexpr double kLargeFactorRounding = 2.0 * std::numeric_limits<double>::epsilon();

// Roundings of an end of a step and of the sums that bound the states between, in units of the state.
constexpr double kEndRounding = 4.0 * std::numeric_limits<double>::epsilon();

}  // namespace

// Every extension is C¹ and meets both ends: x(θ) = cubic Hermite + θ²(1 - θ)² Σ_j q_j θʲ. From the coefficients d_p of θᵖ:
// q_(p-4) = d_p + 2 q_(p-3) - q_(p-2), from the highest power down.
void ExplicitRungeKutta::prepare_corrections(const DenseTable& table, DensePlan& plan) {
  SALTUS_ASSERT(table.degree >= 4);
  const auto degree = static_cast<std::size_t>(table.degree);
  plan.corrections.resize(degree - 3);
  // The q_j of stages that are all alike vanish: these are combinations of differences to the first stage.
  for (std::size_t stage = 1; stage * degree < table.polynomial.size(); ++stage) {
    const double* const d = table.polynomial.data() + stage * degree;
    double next = 0.0;
    double after_next = 0.0;
    for (std::size_t power = degree; power >= 4; --power) {
      const double q = d[power - 1] + 2.0 * next - after_next;
      plan.corrections[power - 4].add(stage, q);
      after_next = std::exchange(next, q);
    }
  }
  plan.rounding = kCombinationRounding;
  for (const Combination& correction : plan.corrections) {
    plan.rounding = std::max(plan.rounding, kLargeFactorRounding * correction.magnitude());
  }
}

int ExplicitRungeKutta::dense_order(DenseOutput which) const {
  if (tableau_.dense.empty()) {
    return kHermiteOrder;
  }
  return which == DenseOutput::full ? tableau_.dense.back().order : tableau_.dense.front().order;
}

// What is of one order less than the steps has errors of the size that the estimate allows these.
DenseOutput ExplicitRungeKutta::output_extension() const {
  const bool is_standard = tableau_.dense.size() < 2 || tableau_.dense.front().order + 1 >= tableau_.order;
  return is_standard ? DenseOutput::standard : DenseOutput::full;
}

std::span<double> ExplicitRungeKutta::dense_row(Index power) {
  return std::span<double>(dense_).subspan(static_cast<std::size_t>(power * n_states_),
                                           static_cast<std::size_t>(n_states_));
}

// Cubic through x and ẋ at both ends; with S = x₁ - x - hẋ and e = h(ẋ₁ - ẋ), powers 1..3: hẋ, 3S - e, e - 2S. S is formed
// from differences of stages: for stages that are alike it vanishes, where x₁ - x has the rounding error of x. A projected
// x₁ is not the combination of the stages.
void ExplicitRungeKutta::fill_hermite() {
  const double* const f0 = k_[0];
  const double* const f1 = k_[end_stage()];
  const std::span<double> first = dense_row(1);
  const std::span<double> second = dense_row(2);
  const std::span<double> third = dense_row(3);
  if (projects()) {
    for (std::size_t i = 0; i < x_start_.size(); ++i) {
      third[i] = (x_end_[i] - x_start_[i]) - h_ * f0[i];
    }
  } else {
    std::copy(bend_.begin(), bend_.end(), third.begin());
  }
  // h Σ b_j (k_j - k_0) is half the bend where x is a parabola. What differs from it by no more than rounding is rounding,
  // and always the same for the same h: thousands of events on parabolas would add it up.
  for (std::size_t i = 0; i < x_start_.size(); ++i) {
    const double bend = h_ * (f1[i] - f0[i]);
    const double excess = without_rounding(third[i] - 0.5 * bend, f0[i], f1[i], kCombinationRounding);
    first[i] = h_ * f0[i];
    second[i] = 0.5 * bend + 3.0 * excess;
    third[i] = -2.0 * excess;
  }
}

// Zero for what the rounding errors of h Σ a_j (k_j - k_0) can make of stages that lie on a line.
double ExplicitRungeKutta::without_rounding(double value, double f0, double f1, double rounding) const {
  const double bound = rounding * std::abs(h_) * std::max(std::abs(f0), std::abs(f1));
  return std::abs(value) <= bound ? 0.0 : value;
}

// Adds θ²(1 - θ)² Σ q_j θʲ to the powers of the Hermite polynomial: q_(p-2) - 2 q_(p-3) + q_(p-4) to the power p. Each q is rounded once, so
// its errors cancel at the ends as it does. It is formed in the row of the power j + 4, the highest that it is a part of.
void ExplicitRungeKutta::add_corrections(const DensePlan& plan) {
  const double* const f0 = k_[0];
  const double* const f1 = k_[end_stage()];
  const std::size_t n_corrections = plan.corrections.size();
  for (std::size_t j = 0; j < n_corrections; ++j) {
    plan.corrections[j].apply_to_differences(h_, k_, dense_row(static_cast<Index>(j) + 4));
  }
  const std::size_t n = x_start_.size();
  for (std::size_t i = 0; i < n; ++i) {
    double* const coefficient = dense_.data() + i;  // of the power p at p·n
    double before = 0.0;
    double q = without_rounding(coefficient[4 * n], f0[i], f1[i], plan.rounding);
    coefficient[2 * n] += q;
    for (std::size_t j = 1; j <= n_corrections; ++j) {
      const double next =
          j < n_corrections ? without_rounding(coefficient[(j + 4) * n], f0[i], f1[i], plan.rounding) : 0.0;
      double& here = coefficient[(j + 2) * n];
      here = (j == 1 ? here : before) + (next - 2.0 * q);
      before = std::exchange(q, next);
    }
    coefficient[(n_corrections + 3) * n] = before;
  }
}

system::Evaluation ExplicitRungeKutta::evaluate_extra_stages(const DenseTable& table, const DensePlan& plan) {
  for (; n_extra_known_ < table.n_extra(); ++n_extra_known_) {
    const auto extra = static_cast<std::size_t>(n_extra_known_);
    plan.extra_stages[extra].apply(x_start_, h_, k_, scratch_);
    ++statistics_.rhs.dense_output;
    const system::Evaluation evaluation = evaluate_stage(stage_time(table.extra_c[extra]), scratch_,
                                                         end_stage() + 1 + extra, system::Projection::stages);
    if (!evaluation.ok()) {
      return evaluation;
    }
  }
  return {};
}

// The Bernstein coefficients of the Hermite polynomial are x, x + hẋ/3, x₁ - hẋ₁/3, x₁; and θ²(1 - θ)² Σ q_j θʲ is at most
// Σ |q_j|/16.
void ExplicitRungeKutta::enclose_step(std::span<const Index> states, std::span<Interval> ranges) const {
  SALTUS_EXPECT(phase_.is_open(), "dense output belongs to a good attempt");
  const double* const f0 = k_[0];
  const double* const f1 = k_[end_stage()];
  const double third = h_ / 3.0;
  for (std::size_t slot = 0; slot < states.size(); ++slot) {
    const auto i = static_cast<std::size_t>(states[slot]);
    const double x0 = x_start_[i];
    const double x1 = x_end_[i];
    const double d0 = third * f0[i];
    const double d1 = third * f1[i];
    const double lower = std::min(std::min(x0, x0 + d0), std::min(x1 - d1, x1));
    const double upper = std::max(std::max(x0, x0 + d0), std::max(x1 - d1, x1));
    // What without_rounding() takes away, twice, and the roundings of the ends.
    const double rounding = 6.0 * kCombinationRounding * (std::abs(d0) + std::abs(d1)) +
                            kEndRounding * (std::abs(x0) + std::abs(x1));
    ranges[slot] = {lower - rounding, upper + rounding};
  }
  if (dense_plans_.empty()) {
    return;
  }
  const std::span<double> corrections = scratch_.first(states.size());
  const bool is_full =
      output_extension() == DenseOutput::full && n_extra_known_ == tableau_.dense.back().n_extra();
  for (const Combination& plan : (is_full ? dense_plans_.back() : dense_plans_.front()).corrections) {
    plan.apply_to_differences(h_, k_, states, corrections);
    for (std::size_t slot = 0; slot < states.size(); ++slot) {
      const double bulge = std::abs(corrections[slot]) / 16.0;
      ranges[slot] = {ranges[slot].lower - bulge, ranges[slot].upper + bulge};
    }
  }
}

system::Evaluation ExplicitRungeKutta::dense_output(DenseOutput which, trajectory::SegmentView& segment) {
  SALTUS_EXPECT(phase_.is_open(), "dense output belongs to a good attempt");
  std::copy(x_start_.begin(), x_start_.end(), dense_.begin());
  Index degree = kHermiteOrder;
  const std::size_t chosen =
      which == DenseOutput::full && !dense_plans_.empty() ? dense_plans_.size() - 1 : 0;
  if (!dense_plans_.empty()) {
    if (const system::Evaluation extra = evaluate_extra_stages(tableau_.dense[chosen], dense_plans_[chosen]);
        !extra.ok()) {
      return extra;
    }
  }
  fill_hermite();
  if (!dense_plans_.empty()) {
    add_corrections(dense_plans_[chosen]);
    degree = tableau_.dense[chosen].degree;
  }
  const auto count = static_cast<std::size_t>((degree + 1) * n_states_);
  segment = {start_, h_, end_.value(), n_states_, degree, std::span<const double>(dense_).first(count)};
  return {};
}

}  // namespace saltus::integrate
