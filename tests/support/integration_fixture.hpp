/// A stepper, its controller and the loop over a test problem, with everything a test wants to look at.
#pragma once

#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "integrate/advance.hpp"
#include "integrate/explicit/explicit_runge_kutta.hpp"
#include "integrate/explicit/tables.hpp"
#include "integrate/method_registry.hpp"
#include "support/problems/problem.hpp"
#include "trajectory/trajectory.hpp"

namespace saltus::test {

/// Goes on for ever and keeps nothing.
class IgnoringSink final : public integrate::StepSink {
 public:
  integrate::SinkAnswer accepted_step(integrate::Stepper& /*stepper*/) override {
    return integrate::SinkAnswer::go_on;
  }
};

/// Keeps the dense solution and the states after every step.
class RecordingSink final : public integrate::StepSink {
 public:
  explicit RecordingSink(integrate::DenseOutput which = integrate::DenseOutput::standard) : which_(which) {}

  integrate::SinkAnswer accepted_step(integrate::Stepper& stepper) override {
    trajectory::SegmentView segment;
    if (!stepper.dense_output(which_, segment).ok()) {
      return integrate::SinkAnswer::stop;
    }
    trajectory.append(segment);
    times.push_back(stepper.time().value());
    states.emplace_back(stepper.state().begin(), stepper.state().end());
    return integrate::SinkAnswer::go_on;
  }

  trajectory::Trajectory trajectory;
  std::vector<double> times;
  std::vector<std::vector<double>> states;

 private:
  integrate::DenseOutput which_;
};

inline integrate::Tolerances tolerances(std::size_t n, double rtol, double atol) {
  integrate::Tolerances result;
  result.rtol = rtol;
  result.atol.assign(n, atol);
  return result;
}

/// No error test: for fixed steps.
inline integrate::Tolerances no_error_test(std::size_t n) {
  integrate::Tolerances result = tolerances(n, 1e-6, 1e-6);
  result.test_error = false;
  return result;
}

/// Everything for one run of one problem by one method.
class Integration {
 public:
  Integration(const Problem& problem, std::string_view method, const integrate::Tolerances& tolerance,
              integrate::AdvanceOptions options = {})
      : evaluator(problem.rhs),
        owned(integrate::make_stepper(*integrate::find_method(method), evaluator, nullptr,
                                      static_cast<Index>(problem.size()), tolerance)),
        stepper(*owned),
        controller(integrate::make_controller(*integrate::find_method(method), stepper)),
        advance(stepper, *controller, std::move(options)) {
    start = stepper.restart(trajectory::CompensatedTime(problem.t_start), problem.x_start);
  }

  FunctionEvaluator evaluator;
  std::unique_ptr<integrate::Stepper> owned;
  integrate::Stepper& stepper;
  std::unique_ptr<integrate::StepController> controller;
  integrate::Advance advance;
  system::Evaluation start;
};

inline Integration fixed_step_integration(const Problem& problem, std::string_view method, double h) {
  return {problem, method, no_error_test(problem.size()), {.fixed_step = h}};
}

/// For suites that every method passes.
inline std::vector<const integrate::Method*> every_method() {
  std::vector<const integrate::Method*> list;
  for (const integrate::Method& method : integrate::methods()) {
    list.push_back(&method);
  }
  return list;
}

/// Largest difference of two states.
inline double distance(std::span<const double> a, std::span<const double> b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

}  // namespace saltus::test
