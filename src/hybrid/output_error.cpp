#include "hybrid/output_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "locate/bernstein.hpp"

namespace saltus::hybrid {
namespace {

constexpr double kLeastSteps = 64.0;            // in a mode without states (semantics 4.5.1)
constexpr double kShortestPartOfRun = 0x1p-20;  // shorter steps are not tested: smaller ones would not end
// What counts as the error of a step in which a variable cannot be evaluated: it is cut as far as a rule may cut it.
constexpr double kNotEvaluable = 1e10;

}  // namespace

OutputError::OutputError(double span, std::size_t n_values, std::size_t n_guess)
    : span_(std::abs(span)),
      longest_(span_ / kLeastSteps),
      start_(n_guess, std::numeric_limits<double>::quiet_NaN()),
      values_((locate::kSampledDegree + 1) * n_values),
      n_values_(n_values) {}

void OutputError::restart(system::Evaluator& evaluator) {
  evaluator_ = &evaluator;
  has_start_ = false;
}

// Iterations begin at the solution at the start of the step, also after an attempt that was rejected or a step that was cut.
void OutputError::take_start(double t) {
  const bool goes_on = !has_start_ || t == end_time_;
  if (goes_on) {
    evaluator_->copy_output_solutions(start_);
    has_start_ = true;
  } else {
    evaluator_->set_output_solutions(start_);
  }
}

double OutputError::tail_of(std::size_t variable, double rtol) const {
  std::array<double, locate::kSampledDegree + 1> values{};
  std::array<double, locate::kSampledDegree + 1> coefficients{};
  double largest = 0.0;
  for (std::size_t point = 0; point <= locate::kSampledDegree; ++point) {
    values[point] = values_[point * n_values_ + variable];
    largest = std::max(largest, std::abs(values[point]));
  }
  locate::chebyshev_coefficients(values, coefficients);
  const double tail =
      std::abs(coefficients[locate::kSampledDegree]) + std::abs(coefficients[locate::kSampledDegree - 1]);
  return tail / (rtol * (1.0 + largest));
}

double OutputError::error_of(const integrate::Stepper& stepper) {
  const double h = stepper.step_size();
  if (stepper.n_states() > 0 || evaluator_ == nullptr || std::abs(h) < kShortestPartOfRun * span_) {
    return 0.0;
  }
  // Grows as the error of the method's estimate would, so that the next step is not longer than the longest.
  const double by_length = std::pow(std::abs(h) / longest_, stepper.embedded_order() + 1);
  if (by_length > 1.0) {
    return by_length;
  }
  const double start = stepper.step_start_time().value();
  take_start(start);
  end_time_ = start + h;
  const std::span<const double> x = stepper.step_start_state();
  for (std::size_t point = 0; point <= locate::kSampledDegree; ++point) {
    const double t = point == locate::kSampledDegree
                         ? end_time_
                         : start + locate::chebyshev_point(point, locate::kSampledDegree) * h;
    const std::span<double> values = std::span<double>(values_).subspan(point * n_values_, n_values_);
    if (!evaluator_->outputs(t, x, values).ok()) {
      return point == 0 ? 0.0 : kNotEvaluable;
    }
  }
  double largest = by_length;
  for (std::size_t variable = 0; variable < n_values_; ++variable) {
    const double tail = tail_of(variable, stepper.tolerances().rtol);
    largest = std::isfinite(tail) ? std::max(largest, tail) : largest;
  }
  return largest;
}

}  // namespace saltus::hybrid
