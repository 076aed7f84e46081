// Derivatives of guards that depend on unknowns of implicit blocks.
//
// Problem      ġ and g̈ along ẋ = f where g or f contains z with r(t, x, z) = 0, so that no formula for ż is at hand
// Method       points on the solution, x(t ± h) ≈ x ± h·f + h²/2·f', f' = (f(t + h, x + h·f) - f(t - h, x - h·f))/2h;
//              then central differences of g, or of ġ where that has a formula; their error is what they differ by from those of
//              twice the step
// Notation     δ = kFirstStep or kSecondStep relative to the time scale min(|x|/|f|) over the states
//              Where one of the two points has no value (√x at 0), the difference is that to the other one: an infinite slope shows as a large one.
// Choices      steps that balance rounding errors ν/h (ν/h²) and the error of the formula, h². What moves in time alone shows no scale of its own
//              (a source of 1 MHz beside no state): h shrinks from there until differences over h and 2h agree with each other, and with
//              the rate through the equations of the blocks where that is known, or until roundings are all that is left
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
// Differences of h and 2h that agree to this part see the motion: second differences, whose step is 20 times as long, are then right to 1e-5.
constexpr double kAgreementOfSteps = 1e-8;
// They may do so by chance where h is longer than a period. The rate through the equations, which has roundings of its own, says so.
constexpr double kAgreementWithRate = 1e-3;
// Steps that do not are this much too long for the next try …
constexpr double kShorterDifference = 0.125;
// … down to 1e-11 of the first: sources of 100 GHz.
constexpr int kMostShortened = 12;

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

// ġ through the equations of the blocks; none: they are not known, or singular. After rates_.
std::optional<double> GuardRunner::rate_through_blocks(Index i, double t, std::span<const double> x) {
  const GuardSet::Guard& guard = set_[i];
  double rate = 0.0;
  if (guard.closure < 0 || guard.value.solved_inputs.empty() || !prepare(guard.value, t, x.data()).ok()) {
    return std::nullopt;
  }
  std::fill(neighbour_rate_.begin(), neighbour_rate_.end(), 0.0);
  if (!gradient_through_blocks(guard, x, neighbour_rate_, rate)) {
    return std::nullopt;
  }
  for (const Index state : *guard.states) {
    const auto k = static_cast<std::size_t>(state);
    rate += neighbour_rate_[k] * rate_[k];
  }
  return std::isfinite(rate) ? std::optional(rate) : std::nullopt;
}

// The central difference over ±h, its error by that over ±2h. False: a point beside it has no value.
template <class SampleAt>
bool GuardRunner::central_difference(const SampleAt& sample, double h, Difference& difference) {
  if (!sample(h, difference.after).ok() || !sample(-h, difference.before).ok()) {
    return false;
  }
  Sample far_before;
  Sample far_after;
  if (!sample(2.0 * h, far_after).ok() || !sample(-2.0 * h, far_before).ok()) {
    return false;
  }
  difference.slope = (difference.after.value - difference.before.value) / (2.0 * h);
  difference.rounding = (difference.after.noise + difference.before.noise) / (2.0 * std::abs(h));
  // The error of the formula is h²/6 times the third derivative: time may make it larger than the scale of the states shows.
  difference.formula = std::abs((far_after.value - far_before.value) / (4.0 * h) - difference.slope) / 3.0;
  return true;
}

// The difference over the longest step that sees the motion; `scale` shrinks to it.
template <class SampleAt>
bool GuardRunner::resolved_difference(const SampleAt& sample, std::optional<double> known, double& scale,
                                      Difference& best) {
  if (!central_difference(sample, kFirstStep * scale, best)) {
    return false;
  }
  // What is left to be gained by a shorter step: nothing where it is not positive.
  const auto excess_of = [known](const Difference& difference) {
    const double rounding = difference.rounding / kShorterDifference;
    const double apart = known ? std::abs(difference.slope - *known) : 0.0;
    const double size = std::max(std::abs(difference.slope), known ? std::abs(*known) : 0.0);
    return std::max(difference.formula - std::max(rounding, kAgreementOfSteps * size),
                    apart - std::max(rounding, kAgreementWithRate * size));
  };
  double tried = scale;
  Difference next = best;
  for (int turn = 0; turn < kMostShortened && excess_of(next) > 0.0; ++turn) {
    tried *= kShorterDifference;
    if (!central_difference(sample, kFirstStep * tried, next)) {
      break;
    }
    if (excess_of(next) + next.rounding < excess_of(best) + best.rounding) {
      best = next;
      scale = tried;
    }
  }
  return true;
}

Evaluation GuardRunner::difference_derivatives(Index i, double t, std::span<const double> x,
                                               system::GuardDerivatives& derivatives) {
  if (const Evaluation evaluation = rates_->run(t, x.data(), rate_.data()); !evaluation.ok()) {
    return evaluation;
  }
  double scale = time_scale(t, x);
  std::fill(rate_change_.begin(), rate_change_.end(), 0.0);
  const bool has_first = derivatives.n_known == 1;
  // Of values next to each other the noise is the same.
  const double noise_here = has_first ? 0.0 : this->noise(i, t, x);
  const auto sample = [&](double h, Sample& result) {
    place_on_curve(x, h);
    result.noise = noise_here;
    return has_first ? sample_first_derivative(i, t + h, result) : sample_guard(i, t + h, result);
  };
  const double h = kFirstStep * scale;
  Sample before;
  Sample after;
  const bool is_after = sample(h, after).ok();
  const bool is_before = sample(-h, before).ok();
  if (is_after != is_before && !has_first) {
    return one_sided_derivative(i, t, x, is_after ? h : -h, is_after ? after : before, derivatives);
  }
  Difference first;
  if (!is_after || !is_before ||
      !resolved_difference(sample, has_first ? std::nullopt : rate_through_blocks(i, t, x), scale, first)) {
    return derivatives.n_known > 0 ? Evaluation{} : Evaluation{Evaluation::Status::not_finite, -1 - i};
  }
  const auto place = static_cast<std::size_t>(derivatives.n_known);
  derivatives.value[place] = first.slope;
  derivatives.noise[place] = first.rounding + first.formula + kFirstStep * kFirstStep * std::abs(first.slope);
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
  double scale = std::max(std::abs(t), 1.0);
  Difference in_time;
  const auto sample = [&](double h, Sample& result) {
    return values(std::span<const Index>(&i, 1), t + h, moved_, std::span(&result.value, 1));
  };
  if (!resolved_difference(sample, std::nullopt, scale, in_time)) {
    return {Evaluation::Status::not_finite, -1 - i};
  }
  time_derivative = in_time.slope;
  return {};
}

}  // namespace saltus::program
