// Dense output of ImplicitOneStep, and how far it is from the solution: docs/math/dense_output.md.
#include <algorithm>
#include <array>
#include <cmath>

#include "integrate/implicit/implicit_one_step.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

// Where the full extension is corrected, beside θ = 0, ½, 1 where it has the values of the method: of triples on a grid of 1/20 the
// one with the smallest interpolation error among those with a Lebesgue constant below 5.
constexpr std::array<double, 3> kDefectPoints = {0.15, 0.6, 0.8};

// Powers 1 to 5 of θ(θ - ½)(θ - 1)(θ - a)(θ - b), scaled to 1 at θ = at.
std::array<double, 5> correction_powers(double at, double a, double b) {
  // (θ² - 3/2 θ + ½)(θ² - (a + b)θ + ab), times θ
  const double sum = a + b;
  const double product = a * b;
  std::array<double, 5> powers = {0.5 * product, -1.5 * product - 0.5 * sum, product + 1.5 * sum + 0.5,
                                  -sum - 1.5, 1.0};
  const double value = at * (at - 0.5) * (at - 1.0) * (at - a) * (at - b);
  for (double& power : powers) {
    power /= value;
  }
  return powers;
}

}  // namespace

// The largest weighted entry, of the states: a mean would let one component among many be off by the root of their number.
double ImplicitOneStep::extension_norm(std::span<const double> error) const {
  if (tolerances_.norm == ErrorNorm::compere) {
    return error_norm(tolerances_, step_start_state(), step_end_state(), states_of(error));
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < ydot_start_.size(); ++i) {
    const double weight =
        extension_factor_ *
        (tolerances_.atol[i] + tolerances_.rtol * std::max(std::abs(y_start_[i]), std::abs(y_end_[i])));
    const double ratio = std::abs(error[i]) / weight;
    if (!(ratio <= largest)) {
      largest = ratio;
      if (std::isnan(ratio)) {
        break;
      }
    }
  }
  return largest;
}

// (α/h B + A)⁻¹ r(t + θh, y, ẏ) with y and ẏ as they stand in the system, α/h of its last factorisation: P - x where x follows the
// equations at once, (h/α)(Ṗ - ẋ) where it is integrated.
system::Evaluation ImplicitOneStep::filtered_defect(double theta, std::span<double> defect) {
  const std::int64_t residuals = statistics_.rhs.stages;
  const system::Evaluation evaluation = system_.residual(stage_time(theta * h_), defect);
  count_as_dense_output(residuals);
  if (evaluation.ok()) {
    system_.solve(defect);
  }
  return evaluation;
}

// The measure has the order of the corrected extension; as an error of the estimate's order it asks for the same size of step.
void ImplicitOneStep::add_extension_to_error(double& error) {
  const double measured = measure_extension();
  if (!tolerances_.test_error) {
    return;
  }
  const double equivalent = std::pow(measured, (embedded_order() + 1) / kExtensionPower);
  if (!(equivalent <= error)) {
    error = equivalent;
    std::swap(error_, scratch_);
  }
}

// A step of size h/2 from the start. False: it cannot be found (its iteration does not converge, or an evaluation fails).
bool ImplicitOneStep::find_middle() {
  if (has_middle_) {
    return true;
  }
  // The factorisation of the next step is made anew: it had h.
  policy_.factorization_failed();
  if (!factorize(0.5 * h_).ok()) {
    return false;
  }
  const double t = stage_time(0.5 * h_);
  NewtonConvergence convergence = convergence_;
  convergence.forget();
  convergence.begin_step(false);
  const std::int64_t residuals = statistics_.rhs.stages;
  const StageOutcome outcome = solve_middle(t, convergence);
  count_as_dense_output(residuals);
  if (outcome != StageOutcome::converged) {
    return false;
  }
  system::Evaluation evaluation;
  if (system_.projects()) {
    const std::span<double> x = y_middle_.first(static_cast<std::size_t>(n_states_));
    evaluation = system_.project(t, x);
    if (evaluation.ok() && !system_.has_form()) {
      ++statistics_.rhs.dense_output;
      evaluation = system_.evaluator().rhs(t, x, ydot_middle_);
    }
  }
  if (evaluation.ok()) {
    evaluation = settle_slope(t, y_middle_, ydot_middle_);
  }
  has_middle_ = evaluation.ok();
  return has_middle_;
}

// Values and slopes at θ = 0, ½, 1; with u = x(½) - x₀, v = x₁ - x₀ and slopes times h.
void ImplicitOneStep::fill_hermite() {
  for (std::size_t i = 0; i < ydot_start_.size(); ++i) {
    const double u = y_middle_[i] - y_start_[i];
    const double v = y_end_[i] - y_start_[i];
    const double d0 = h_ * ydot_start_[i];
    const double dm = h_ * ydot_middle_[i];
    const double d1 = h_ * ydot_end_[i];
    dense_row(1)[i] = d0;
    dense_row(2)[i] = 16.0 * u + 7.0 * v - 6.0 * d0 - 8.0 * dm - d1;
    dense_row(3)[i] = -32.0 * u - 34.0 * v + 13.0 * d0 + 32.0 * dm + 5.0 * d1;
    dense_row(4)[i] = 16.0 * u + 52.0 * v - 12.0 * d0 - 40.0 * dm - 8.0 * d1;
    dense_row(5)[i] = -24.0 * v + 4.0 * d0 + 16.0 * dm + 4.0 * d1;
  }
}

void ImplicitOneStep::fill_without_start_slope() {
  for (std::size_t i = 0; i < ydot_start_.size(); ++i) {
    const double u = y_middle_[i] - y_start_[i];
    const double v = y_end_[i] - y_start_[i];
    const double dm = h_ * ydot_middle_[i];
    const double d1 = h_ * ydot_end_[i];
    dense_row(1)[i] = 6.0 * v - 4.0 * dm - d1;
    dense_row(2)[i] = 16.0 * u - 29.0 * v + 16.0 * dm + 5.0 * d1;
    dense_row(3)[i] = -32.0 * u + 44.0 * v - 20.0 * dm - 8.0 * d1;
    dense_row(4)[i] = 16.0 * u - 20.0 * v + 8.0 * dm + 4.0 * d1;
    dense_row(5)[i] = 0.0;
  }
}

// States as in dense_, algebraic unknowns as in the standard extension: their errors do not reach filtered defects of the states.
void ImplicitOneStep::point_of_full(double theta, std::span<double> y, std::span<double> ydot) {
  extension_point(theta, y, ydot);
  for (std::size_t i = 0; i < ydot.size(); ++i) {
    double value = 0.0;
    double slope = 0.0;
    for (Index p = kHighestDegree; p >= 1; --p) {
      const double c = dense_row(p)[i];
      value = theta * (value + c);
      slope = slope * theta + static_cast<double>(p) * c;
    }
    y[i] = y_start_[i] + value;
    ydot[i] = slope / h_;
  }
}

// The quintic with slopes is right where x is integrated. Where x follows the equations at once, slopes of the method are not
// those of x; there the filtered defects at three points say how far the quintic is off, and it takes the values of x instead.
bool ImplicitOneStep::find_defects() {
  for (std::size_t k = 0; k < kDefectPoints.size() && !has_defects_; ++k) {
    const double theta = kDefectPoints[k];
    point_of_full(theta, system_.y(), system_.ydot());
    if (!filtered_defect(theta, defects_[k]).ok()) {
      return false;
    }
  }
  has_defects_ = true;
  return true;
}

void ImplicitOneStep::correct_by_defects() {
  for (std::size_t k = 0; k < kDefectPoints.size(); ++k) {
    const std::array<double, 5> powers =
        correction_powers(kDefectPoints[k], kDefectPoints[(k + 1) % 3], kDefectPoints[(k + 2) % 3]);
    for (std::size_t p = 0; p < powers.size(); ++p) {
      const std::span<double> row = dense_row(static_cast<Index>(p) + 1);
      for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] -= powers[p] * defects_[k][i];
      }
    }
  }
}

bool ImplicitOneStep::fill_full() {
  if (!find_middle()) {
    return false;
  }
  starts_in_transient() ? fill_without_start_slope() : fill_hermite();
  if (!find_defects()) {
    return false;
  }
  correct_by_defects();
  return true;
}

// Where the full extension cannot be made the standard one, which is within the tolerance, takes its place.
system::Evaluation ImplicitOneStep::dense_output(DenseOutput which, trajectory::SegmentView& segment) {
  SALTUS_EXPECT(phase_.is_open(), "dense output belongs to a good attempt");
  const std::span<const double> x0 = step_start_state();
  std::copy(x0.begin(), x0.end(), dense_.begin());
  is_full_ = which == DenseOutput::full && fill_full();
  moved_.forget();
  const Index degree = is_full_ ? kHighestDegree : fill_standard();
  const auto count = static_cast<std::size_t>((degree + 1) * n_states_);
  segment = {start_, h_, end_.value(), n_states_, degree, std::span<const double>(dense_).first(count)};
  return {};
}

// Algebraic unknowns as in the standard extension, from which the filter leads to those of the states.
double ImplicitOneStep::extension_defect(const trajectory::SegmentView& extension, double theta) {
  SALTUS_EXPECT(phase_.is_open(), "extensions belong to a good attempt");
  if (!tolerances_.test_error) {
    return 0.0;
  }
  const std::span<double> y = system_.y();
  extension_point(theta, y, system_.ydot());
  extension.evaluate(theta, y.first(static_cast<std::size_t>(n_states_)));
  extension.derivative(theta, system_.ydot());
  return filtered_defect(theta, scratch_).ok() ? extension_norm(scratch_) : 0.0;
}

bool ImplicitOneStep::settle_extension(double theta) {
  if (!is_full_ || theta <= 0.0 || theta >= 1.0) {
    return false;
  }
  has_defects_ = false;
  moved_.restore(dense_row(1));
  const std::span<double> change = defects_[1];
  point_of_full(theta, system_.y(), system_.ydot());
  const std::int64_t residuals = statistics_.rhs.stages;
  const bool settles = settle_point(system_, stage_time(theta * h_),
                                    {.last = scratch_, .next = defects_[0], .change = change});
  count_as_dense_output(residuals);
  if (!settles || !is_worth_moving(extension_norm(change), theta)) {
    return false;
  }
  MovedExtension::move(theta, change, dense_row(1));
  return true;
}

}  // namespace saltus::integrate
