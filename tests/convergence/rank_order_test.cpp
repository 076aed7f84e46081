// Implicit methods on modes reduced by ranks show the orders they have for ordinary differential equations.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "integrate/advance.hpp"
#include "integrate/implicit/bdf.hpp"
#include "integrate/implicit/bdf_controller.hpp"
#include "integrate/method_registry.hpp"
#include "reduce/ranks/array_evaluator.hpp"
#include "support/integration_fixture.hpp"
#include "support/order_estimate.hpp"
#include "support/rank_models.hpp"

namespace saltus::test {
namespace {

struct Problem {
  std::string name;
  JetModel model;
  std::function<std::vector<double>(double)> solution;
};

std::vector<Problem> problems() {
  return {{"kernel turns", turning_model(1.0), turning_solution},
          {"negative parameter", turning_model(-0.5), turning_solution},
          {"five equations for three unknowns", turning_model(0.5, true), turning_solution},
          {"nonlinear", circle_model(), circle_solution}};
}

// Kernels turn by up to a third of a radian in a step: a Jacobian of its start then still serves all of its stages.
constexpr double kEnd = 1.5;

// Largest error at the ends of steps or, with an extension, at points between them.
double error_of(const Problem& problem, const std::string& method, int n,
                std::optional<integrate::DenseOutput> between = {}) {
  const JetDae dae(problem.model);
  reduce::ArrayEvaluator evaluator(dae.make_evaluator({}), dae);
  const integrate::Method* const chosen = integrate::find_method(method);
  const auto stepper = integrate::make_stepper(*chosen, evaluator, &dae, 3, no_error_test(3));
  EXPECT_TRUE(stepper->restart(trajectory::CompensatedTime(0.0), problem.solution(0.0)).ok());
  double error = 0.0;
  for (int i = 0; i < n; ++i) {
    const integrate::StepAttempt attempt = stepper->attempt(kEnd / n);
    EXPECT_TRUE(attempt.good()) << problem.name << ' ' << method << ' ' << i;
    if (!attempt.good()) {
      return std::nan("");
    }
    if (between) {
      trajectory::SegmentView segment;
      EXPECT_TRUE(stepper->dense_output(*between, segment).ok());
      for (const double theta : {0.2, 0.4, 0.7, 0.9}) {
        std::vector<double> x(3);
        segment.evaluate(theta, x);
        error = std::max(error, distance(x, problem.solution((i + theta) * kEnd / n)));
      }
    }
    stepper->accept();
    error = std::max(error, distance(stepper->state(), problem.solution(stepper->time().value())));
  }
  return error;
}

void expect_order(const std::string& method, double order, const std::vector<int>& numbers,
                  std::optional<integrate::DenseOutput> between = {}) {
  for (const Problem& problem : problems()) {
    std::vector<double> sizes;
    std::vector<double> errors;
    for (const int n : numbers) {
      sizes.push_back(kEnd / n);
      errors.push_back(error_of(problem, method, n, between));
    }
    EXPECT_NEAR(observed_order(sizes, errors), order, 0.35)
        << problem.name << ' ' << method << ' ' << errors.back();
  }
}

TEST(RankOrder, Radau5) {
  expect_order("radau5", 5.0, {8, 10, 13, 17, 22});
}

TEST(RankOrder, Sdirk4) {
  expect_order("sdirk4", 4.0, {12, 16, 22, 30, 40});
}

// Slopes of states that constraints determine come from the equations, not from the stages of order 1.
TEST(RankOrder, Sdirk4BetweenSteps) {
  expect_order("sdirk4", 4.0, {12, 16, 22, 30, 40}, integrate::DenseOutput::standard);
  expect_order("sdirk4", 4.0, {12, 16, 22, 30, 40}, integrate::DenseOutput::full);
}

TEST(RankOrder, Radau5BetweenSteps) {
  expect_order("radau5", 5.0, {8, 10, 13, 17, 22}, integrate::DenseOutput::full);
}

TEST(RankOrder, Bdf) {
  for (const int order : {1, 2, 4}) {
    for (const Problem& problem : problems()) {
      std::vector<double> sizes;
      std::vector<double> errors;
      // Of order 4 with longer steps: below 1e-9 the errors are what the iteration leaves.
      for (const int n : order < 4 ? std::vector{80, 100, 126, 160, 200} : std::vector{32, 40, 50, 64, 80}) {
        const JetDae dae(problem.model);
        reduce::ArrayEvaluator evaluator(dae.make_evaluator({}), dae);
        integrate::Bdf stepper(evaluator, &dae, 3, no_error_test(3), {.max_order = 5, .fixed_order = order});
        integrate::BdfController controller(stepper);
        integrate::Advance advance(stepper, controller, {.fixed_step = kEnd / n});
        ASSERT_TRUE(stepper.restart(trajectory::CompensatedTime(0.0), problem.solution(0.0)).ok());
        double error = 0.0;
        while (stepper.time().since(kEnd) != 0.0) {
          const integrate::EndReason reason = advance.step(kEnd).reason;
          ASSERT_TRUE(reason == integrate::EndReason::stopped || reason == integrate::EndReason::reached_end)
              << problem.name;
          error = std::max(error, distance(stepper.state(), problem.solution(stepper.time().value())));
        }
        sizes.push_back(kEnd / n);
        errors.push_back(error);
      }
      std::string table;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        table += std::to_string(sizes[i]) + " " + std::to_string(1e12 * errors[i]) + "e-12\n";
      }
      EXPECT_NEAR(observed_order(sizes, errors), order, 0.35) << problem.name << " " << order << "\n"
                                                              << table;
    }
  }
}

}  // namespace
}  // namespace saltus::test
