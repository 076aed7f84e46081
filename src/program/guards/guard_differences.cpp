// Derivatives of guards that depend on unknowns of implicit blocks.
//
// Problem      ġ and g̈ along ẋ = f where g or f contains z with r(t, x, z) = 0, so that no formula for ż is at hand
// Method       points on the solution, x(t ± h) ≈ x ± h·f + h²/2·f', f' = (f(t + h, x + h·f) - f(t - h, x - h·f))/2h;
//              then central differences of g, or of ġ where that has a formula; their error is what they differ by from those of
//              twice the step
// Notation     δ = kFirstStep or kSecondStep relative to the time scale min(|x|/|f|) over the states
//              Where one of the two points has no value (√x at 0), the difference is that to the other one: an infinite slope shows as a large one.
// Choices      steps that balance rounding errors ν/h (ν/h²) and the error of the formula, h²
// Fails when   a block cannot be solved at a neighbouring point: fewer orders are known
// Checked by   tests/unit/program/guard_set_test.cpp
#include <algorithm>
#include <cmath>

#include "base/machine.hpp"
#include "program/guards/guard_set.hpp"

namespace saltus::program {

using system::Evaluation;

namespace {

const double kFirstStep = std::cbrt(kEpsilon);
const double kSecondStep = std::sqrt(std::sqrt(kEpsilon));

}  // namespace

double GuardRunner::time_scale(double t, std::span<const double> x) const {
  double speed = 1.0 / std::max(std::abs(t), 1.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    speed = std::max(speed, std::abs(rate_[i]) / std::max(std::abs(x[i]), set_.nominals()[i]));
  }
  return 1.0 / speed;
}

void GuardRunner::place_on_curve(std::span<const double> x, double h) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    moved_[i] = x[i] + h * (rate_[i] + 0.5 * h * rate_change_[i]);
  }
}

Evaluation GuardRunner::sample_guard(Index i, double t, Sample& sample) {
  return values(std::span<const Index>(&i, 1), t, moved_, std::span<double>(&sample.value, 1));
}

Evaluation GuardRunner::sample_first_derivative(Index i, double t, Sample& sample) {
  const TapePiece& piece = set_[i].derivatives;
  if (const Evaluation evaluation = prepare(piece, t, moved_.data()); !evaluation.ok()) {
    return evaluation;
  }
  run_tape(set_.tape().code_of(piece), registers_.data(), moved_.data());
  sample.value = read_operand(piece.roots[0], registers_.data(), moved_.data());
  run_point_intervals(piece, t, moved_, 0.0);
  sample.noise = radius(sample.value, read_operand(piece.roots[0], intervals_.data(), point_.data()));
  return std::isfinite(sample.value) ? Evaluation{} : Evaluation{Evaluation::Status::not_finite, -1 - i};
}

// The end of a domain: on one side of the point there are no values.
Evaluation GuardRunner::one_sided_derivative(Index i, double t, std::span<const double> x, double h,
                                             const Sample& beside, system::GuardDerivatives& derivatives) {
  Sample here;
  place_on_curve(x, 0.0);
  if (const Evaluation evaluation = sample_guard(i, t, here); !evaluation.ok()) {
    return evaluation;
  }
  derivatives.value[0] = (beside.value - here.value) / h;
  derivatives.noise[0] = 2.0 * beside.noise / std::abs(h);
  derivatives.n_known = 1;
  return {};
}

Evaluation GuardRunner::difference_derivatives(Index i, double t, std::span<const double> x,
                                               system::GuardDerivatives& derivatives) {
  if (const Evaluation evaluation = rates_->run(t, x.data(), rate_.data()); !evaluation.ok()) {
    return evaluation;
  }
  const double scale = time_scale(t, x);
  std::fill(rate_change_.begin(), rate_change_.end(), 0.0);
  const bool has_first = derivatives.n_known == 1;
  const auto sample = [&](double h, Sample& result) {
    place_on_curve(x, h);
    return has_first ? sample_first_derivative(i, t + h, result) : sample_guard(i, t + h, result);
  };
  // Of values next to each other the noise is the same.
  const double noise_here = has_first ? 0.0 : this->noise(i, t, x);
  Sample before{.noise = noise_here};
  Sample after{.noise = noise_here};
  const double h = kFirstStep * scale;
  const bool is_after = sample(h, after).ok();
  const bool is_before = sample(-h, before).ok();
  if (is_after != is_before && !has_first) {
    return one_sided_derivative(i, t, x, is_after ? h : -h, is_after ? after : before, derivatives);
  }
  if (!is_after || !is_before) {
    return derivatives.n_known > 0 ? Evaluation{} : Evaluation{Evaluation::Status::not_finite, -1 - i};
  }
  const auto place = static_cast<std::size_t>(derivatives.n_known);
  const double slope = (after.value - before.value) / (2.0 * h);
  double noise = (after.noise + before.noise) / (2.0 * h);
  // The error of the formula is h²/6 times the third derivative: time may make it larger than the scale of the states shows.
  Sample far_before;
  Sample far_after;
  if (!sample(2.0 * h, far_after).ok() || !sample(-2.0 * h, far_before).ok()) {
    return derivatives.n_known > 0 ? Evaluation{} : Evaluation{Evaluation::Status::not_finite, -1 - i};
  }
  const double wide_slope = (far_after.value - far_before.value) / (4.0 * h);
  noise += std::abs(wide_slope - slope) / 3.0 + kFirstStep * kFirstStep * std::abs(slope);
  derivatives.value[place] = slope;
  derivatives.noise[place] = noise;
  ++derivatives.n_known;
  if (has_first) {
    return {};
  }

  const double step = kSecondStep * scale;
  std::fill(new_rate_change_.begin(), new_rate_change_.end(), 0.0);
  for (const double side : {1.0, -1.0}) {
    place_on_curve(x, side * step);
    if (!rates_->run(t + side * step, moved_.data(), neighbour_rate_.data()).ok()) {
      return {};
    }
    for (std::size_t k = 0; k < x.size(); ++k) {
      new_rate_change_[k] += side * neighbour_rate_[k] / (2.0 * step);
    }
  }
  std::swap(rate_change_, new_rate_change_);
  Sample middle{.noise = noise_here};
  place_on_curve(x, 0.0);
  if (!sample_guard(i, t, middle).ok() || !sample(step, after).ok() || !sample(-step, before).ok()) {
    return {};
  }
  derivatives.value[1] = (after.value - 2.0 * middle.value + before.value) / (step * step);
  derivatives.noise[1] = (after.noise + 2.0 * middle.noise + before.noise) / (step * step) +
                         kSecondStep * kSecondStep * std::abs(derivatives.value[1]);
  derivatives.n_known = 2;
  return {};
}

Evaluation GuardRunner::gradient_by_differences(Index i, double t, std::span<const double> x,
                                                std::span<double> gradient, double& time_derivative) {
  std::copy(x.begin(), x.end(), moved_.begin());
  const auto difference = [&](double h, auto&& move, double& result) {
    Sample before;
    Sample after;
    double where = move(h);
    Evaluation evaluation = values(std::span<const Index>(&i, 1), where, moved_, std::span(&after.value, 1));
    where = move(-h);
    if (evaluation.ok()) {
      evaluation = values(std::span<const Index>(&i, 1), where, moved_, std::span(&before.value, 1));
    }
    result = (after.value - before.value) / (2.0 * h);
    return evaluation;
  };
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto move = [&](double h) {
      moved_[k] = x[k] + h;
      return t;
    };
    const double h = kFirstStep * std::max(std::abs(x[k]), set_.nominals()[k]);
    if (const Evaluation evaluation = difference(h, move, gradient[k]); !evaluation.ok()) {
      return evaluation;
    }
    moved_[k] = x[k];
  }
  return difference(
      kFirstStep * std::max(std::abs(t), 1.0), [t](double h) { return t + h; }, time_derivative);
}

}  // namespace saltus::program
