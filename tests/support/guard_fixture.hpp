/// Right-hand side and guards given as C++ functions, for tests of event location; and a step of dopri5 over them.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "integrate/explicit/explicit_runge_kutta.hpp"
#include "integrate/method_registry.hpp"
#include "locate/event_search.hpp"
#include "support/explicit_method.hpp"
#include "support/function_evaluator.hpp"
#include "support/integration_fixture.hpp"
#include "system/locked_dae.hpp"

namespace saltus::test {

/// A guard for tests. What is not given is not promised.
struct TestGuard {
  std::function<double(double t, std::span<const double> x)> value;
  system::GuardShape shape;
  double noise = 0.0;
  // Of an affine guard.
  std::vector<Index> states;
  std::vector<double> coefficients;
  double time_coefficient = 0.0;
  double constant = 0.0;
  // Of an enclosed guard.
  std::function<Interval(const Interval& t, std::span<const Interval> x)> range;
  std::function<Interval(const Interval& t, std::span<const Interval> x, std::span<const Interval> xdot)>
      rate;
  // Of an implicit guard.
  std::function<system::GuardBounds(const system::CurvePiece& piece)> bounds = {};
};

/// Σ coefficients·x + time_coefficient·t + constant.
inline TestGuard affine_guard(std::vector<double> coefficients, double constant,
                              double time_coefficient = 0.0) {
  TestGuard guard;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] != 0.0) {
      guard.states.push_back(static_cast<Index>(i));
      guard.coefficients.push_back(coefficients[i]);
    }
  }
  guard.value = [coefficients = std::move(coefficients), constant, time_coefficient](
                    double t, std::span<const double> x) {
    double sum = constant + time_coefficient * t;
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      sum += coefficients[i] * x[i];
    }
    return sum;
  };
  guard.shape = {system::GuardShape::Kind::polynomial, 1};
  guard.time_coefficient = time_coefficient;
  guard.constant = constant;
  return guard;
}

inline TestGuard polynomial_guard(int degree, std::function<double(double, std::span<const double>)> value) {
  TestGuard guard;
  guard.value = std::move(value);
  guard.shape = {system::GuardShape::Kind::polynomial, degree};
  guard.noise = 4.0 * std::numeric_limits<double>::epsilon();
  return guard;
}

inline TestGuard opaque_guard(std::function<double(double, std::span<const double>)> value) {
  TestGuard guard = polynomial_guard(0, std::move(value));
  guard.shape = {system::GuardShape::Kind::opaque, 0};
  return guard;
}

class GuardedEvaluator final : public system::Evaluator {
 public:
  GuardedEvaluator(RhsFunction rhs, std::vector<TestGuard> guards)
      : rhs_(std::move(rhs)), guards_(std::move(guards)) {}

  system::Evaluation rhs(double t, std::span<const double> x, std::span<double> xdot) override {
    return rhs_.rhs(t, x, xdot);
  }
  system::Evaluation outputs(double t, std::span<const double> x, std::span<double> values) override {
    return rhs_.outputs(t, x, values);
  }
  system::Evaluation outputs_block(std::span<const double> t, std::span<const double> x,
                                   std::span<double> values) override {
    return rhs_.outputs_block(t, x, values);
  }
  std::string describe(const system::Evaluation& evaluation, double t) const override {
    return rhs_.describe(evaluation, t);
  }

  system::GuardShape guard_shape(Index i) const override { return guard(i).shape; }
  system::Evaluation guards(std::span<const Index> which, double t, std::span<const double> x,
                            std::span<double> values) override {
    for (std::size_t k = 0; k < which.size(); ++k) {
      ++n_values_;
      values[k] = guard(which[k]).value(t, x);
      if (!std::isfinite(values[k])) {
        return {system::Evaluation::Status::not_finite, which[k]};
      }
    }
    return {};
  }
  double guard_noise(Index i, double /*t*/, std::span<const double> /*x*/) override { return guard(i).noise; }
  // By differences.
  system::Evaluation guard_gradient(Index i, double t, std::span<const double> x, std::span<double> gradient,
                                    double& time_derivative) override {
    constexpr double kWidth = 0x1p-20;
    const auto& value = guard(i).value;
    moved_.assign(x.begin(), x.end());
    for (std::size_t k = 0; k < x.size(); ++k) {
      moved_[k] = x[k] + kWidth;
      const double above = value(t, moved_);
      moved_[k] = x[k] - kWidth;
      gradient[k] = (above - value(t, moved_)) / (2.0 * kWidth);
      moved_[k] = x[k];
    }
    time_derivative = (value(t + kWidth, x) - value(t - kWidth, x)) / (2.0 * kWidth);
    return {};
  }
  system::AffineGuard affine_guard(Index i) const override {
    return {guard(i).states, guard(i).coefficients, guard(i).time_coefficient, guard(i).constant};
  }
  Interval enclose_guard(Index i, const Interval& t, std::span<const Interval> x) override {
    return guard(i).range ? guard(i).range(t, x) : Evaluator::enclose_guard(i, t, x);
  }
  Interval enclose_guard_rate(Index i, const Interval& t, std::span<const Interval> x,
                              std::span<const Interval> xdot) override {
    return guard(i).rate ? guard(i).rate(t, x, xdot) : Evaluator::enclose_guard_rate(i, t, x, xdot);
  }
  system::GuardBounds bound_guard(Index i, const system::CurvePiece& piece) override {
    return guard(i).bounds ? guard(i).bounds(piece) : Evaluator::bound_guard(i, piece);
  }

  [[nodiscard]] std::int64_t n_rhs() const { return rhs_.n_calls(); }
  [[nodiscard]] std::int64_t n_values() const { return n_values_; }
  [[nodiscard]] Index n_guards() const { return static_cast<Index>(guards_.size()); }

 private:
  [[nodiscard]] const TestGuard& guard(Index i) const { return guards_[static_cast<std::size_t>(i)]; }

  FunctionEvaluator rhs_;
  std::vector<TestGuard> guards_;
  std::int64_t n_values_ = 0;
  std::vector<double> moved_;
};

/// States that are polynomials of degree ≤ 5 in t, rows of coefficients of tᵏ: dopri5 and its full extension follow them
/// exactly, so every root is known in closed form.
struct PolynomialMotion {
  std::vector<std::vector<double>> rows;

  [[nodiscard]] double at(std::size_t state, double t) const {
    double value = 0.0;
    for (std::size_t k = rows[state].size(); k-- > 0;) {
      value = rows[state][k] + t * value;
    }
    return value;
  }
  [[nodiscard]] std::vector<double> start(double t) const {
    std::vector<double> x;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      x.push_back(at(i, t));
    }
    return x;
  }
  [[nodiscard]] RhsFunction rhs() const {
    return [rows = rows](double t, std::span<const double> /*x*/, std::span<double> xdot) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        double slope = 0.0;
        for (std::size_t k = rows[i].size(); k-- > 1;) {
          slope = static_cast<double>(k) * rows[i][k] + t * slope;
        }
        xdot[i] = slope;
      }
    };
  }
};

/// One open step of dopri5 from (t, x) and a search on it.
class StepWithGuards {
 public:
  StepWithGuards(RhsFunction rhs, std::vector<double> x_start, std::vector<TestGuard> guards,
                 double t_start = 0.0, locate::Detection detection = {}, double tolerance = 1e-6)
      : evaluator(std::move(rhs), std::move(guards)),
        stepper(*test::find_explicit_method("dopri5"), evaluator, static_cast<Index>(x_start.size()),
                tolerances(x_start.size(), tolerance, tolerance)),
        search(static_cast<Index>(x_start.size()), detection),
        scale(std::abs(t_start)) {
    static_cast<void>(stepper.restart(trajectory::CompensatedTime(t_start), x_start));
  }
  StepWithGuards(const PolynomialMotion& motion, std::vector<TestGuard> guards, double t_start = 0.0,
                 locate::Detection detection = {}, double tolerance = 1e-6)
      : StepWithGuards(motion.rhs(), motion.start(t_start), std::move(guards), t_start, detection,
                       tolerance) {}

  /// Watches all guards from the sides they have at the start.
  std::vector<locate::Watch> watches() {
    std::vector<locate::Watch> result;
    for (Index i = 0; i < evaluator.n_guards(); ++i) {
      double value = 0.0;
      static_cast<void>(evaluator.guards(std::span<const Index>(&i, 1), stepper.time().value(),
                                         stepper.state(), std::span<double>(&value, 1)));
      result.push_back({.guard = i, .side = value < 0.0 ? -1.0 : 1.0});
    }
    return result;
  }
  locate::SearchResult step(double h, double reach = 1.0) { return step(h, watches(), reach); }
  locate::SearchResult step(double h, const std::vector<locate::Watch>& what, double reach = 1.0) {
    search.watch(evaluator, what);
    return attempt(h, reach);
  }
  /// Goes on with the watches as they are.
  locate::SearchResult attempt(double h, double reach = 1.0) {
    const integrate::StepAttempt tried = stepper.attempt(h);
    if (tried.status == integrate::StepAttempt::Status::evaluation_failed) {
      return {.kind = locate::SearchResult::Kind::failed, .evaluation = tried.evaluation};
    }
    if (!tried.good()) {
      return {.kind = locate::SearchResult::Kind::refine, .theta = 0.5};
    }
    scale = std::max(scale, std::abs(stepper.time().value() + h));
    return search.first_event(stepper, scale, reach);
  }
  /// Time since the start of the step.
  [[nodiscard]] double local_time(double theta) const { return theta * search.segment().step(); }
  [[nodiscard]] std::vector<double> state(double theta) const {
    std::vector<double> x(static_cast<std::size_t>(search.segment().n_states()));
    search.segment().evaluate(theta, x);
    return x;
  }

  GuardedEvaluator evaluator;
  integrate::ExplicitRungeKutta stepper;
  locate::EventSearch search;
  double scale;
};

}  // namespace saltus::test
