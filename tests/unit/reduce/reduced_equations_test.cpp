#include "reduce/ranks/reduced_equations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "reduce/ranks/array_evaluator.hpp"
#include "support/rank_models.hpp"

namespace saltus::reduce {
namespace {

using test::JetDae;
using test::JetModel;
using test::JetPoint;
using test::Series;

struct Reduced {
  explicit Reduced(JetModel model)
      : dae(std::move(model)), evaluator(std::make_unique<ArrayEvaluator>(dae.make_evaluator({}), dae)) {}

  std::vector<double> residual(double t, const std::vector<double>& slots) {
    std::vector<double> values(slots.size() / 2);
    const system::Evaluation evaluation = evaluator->residual_runner()->residual(t, slots, values);
    EXPECT_TRUE(evaluation.ok()) << evaluator->describe(evaluation, t);
    return values;
  }
  // The Jacobian beside central differences of the residual, relative to the largest entry.
  double jacobian_error(double t, std::vector<double> slots) {
    const std::size_t n = slots.size() / 2;
    std::vector<double> entries(2 * n * n);
    EXPECT_TRUE(evaluator->residual_runner()->jacobian(t, slots, entries).ok());
    double largest = 0.0;
    double error = 0.0;
    constexpr double kStep = 1e-5;
    for (std::size_t j = 0; j < 2 * n; ++j) {
      const double middle = slots[j];
      slots[j] = middle + kStep;
      const std::vector<double> above = residual(t, slots);
      slots[j] = middle - kStep;
      const std::vector<double> below = residual(t, slots);
      slots[j] = middle;
      for (std::size_t i = 0; i < n; ++i) {
        largest = std::max(largest, std::abs(entries[i + j * n]));
        error = std::max(error, std::abs((above[i] - below[i]) / (2.0 * kStep) - entries[i + j * n]));
      }
    }
    return error / largest;
  }

  JetDae dae;
  std::unique_ptr<ArrayEvaluator> evaluator;
};

std::vector<double> joined(std::vector<double> x, const std::vector<double>& rates) {
  x.insert(x.end(), rates.begin(), rates.end());
  return x;
}

double largest(const std::vector<double>& values) {
  double result = 0.0;
  for (const double value : values) {
    result = std::max(result, std::abs(value));
  }
  return result;
}

TEST(ReducedEquations, VanishOnSolutionsOnly) {
  for (const double eta : {-2.0, 0.0, 0.5, 3.0}) {
    for (const bool redundant : {false, true}) {
      Reduced system(test::turning_model(eta, redundant));
      for (const double t : {0.3, 1.0, 2.5}) {
        const std::vector<double> slots = joined(test::turning_solution(t), test::turning_rates(t));
        EXPECT_LT(largest(system.residual(t, slots)), 1e-12) << eta << ' ' << t;
        for (const std::size_t j : {0U, 1U, 2U, 5U}) {
          std::vector<double> other = slots;
          other[j] += 0.1;
          EXPECT_GT(largest(system.residual(t, other)), 1e-3) << eta << ' ' << t << ' ' << j;
        }
      }
      EXPECT_EQ(system.evaluator->values()->text(), redundant ? "(1, 1, 2, 0, 2)" : "(1, 1, 2, 0, 0)");
    }
  }
}

TEST(ReducedEquations, JacobiansAreThoseOfTheResiduals) {
  Reduced turning(test::turning_model(0.7));
  EXPECT_LT(turning.jacobian_error(0.4, joined(test::turning_solution(0.4), test::turning_rates(0.4))), 1e-9);
  EXPECT_LT(turning.jacobian_error(2.0, joined(test::turning_solution(2.0), test::turning_rates(2.0))), 1e-9);
  EXPECT_GE(dynamic_cast<ReducedEquations&>(*turning.evaluator->residual_runner()).n_projectors_made(), 2)
      << "the kernel has turned";
  Reduced circle(test::circle_model());
  std::vector<double> rates(3);
  ASSERT_TRUE(circle.evaluator->rhs(0.6, test::circle_solution(0.6), rates).ok());
  // The projection is nonlinear, and its matrix that of the point up to rounding.
  EXPECT_LT(circle.jacobian_error(0.6, joined(test::circle_solution(0.6), rates)), 1e-7);
  Reduced pendulum(test::pendulum_model());
  rates.resize(5);
  const std::vector<double> x = test::pendulum_states(0.7, 1.3);
  ASSERT_TRUE(pendulum.evaluator->rhs(0.0, x, rates).ok());
  EXPECT_LT(largest(pendulum.residual(0.0, joined(x, rates))), 1e-11);
  EXPECT_LT(pendulum.jacobian_error(0.0, joined(x, rates)), 1e-6);
}

TEST(ReducedEquations, RegularEquationsStayAsTheyAre) {
  // x' = -x + y, 0 = x·y - 1 with x > 0: μ = 0.
  JetModel model;
  model.orders = {1, 1};
  model.n_equations = 2;
  model.equations = [](const JetPoint& p) {
    return std::vector<Series>{p.x(0, 1) + p.x(0) - p.x(1), p.x(0) * p.x(1) - 1.0};
  };
  Reduced system(model);
  ASSERT_TRUE(system.evaluator->prepare(0.0, std::vector<double>{2.0, 0.5}).ok());
  const std::vector<double> r = system.residual(0.0, {3.0, 0.5, 7.0, 0.0});
  EXPECT_EQ(r[0], 7.0 + 3.0 - 0.5);
  EXPECT_EQ(r[1], 3.0 * 0.5 - 1.0);
  EXPECT_LT(system.jacobian_error(0.0, {2.0, 0.5, -1.5, 0.0}), 1e-9);
}

TEST(ReducedEquations, WhatNothingDeterminesStands) {
  // x₁' = x₂ + x₃ alone: two functions are free; of three equal equations two vanish.
  JetModel model;
  model.orders = {1, 1, 1};
  model.n_equations = 3;
  model.is_linear = true;
  model.equations = [](const JetPoint& p) {
    const Series row = p.x(0, 1) - p.x(1) - p.x(2);
    return std::vector<Series>{row, row, 2.0 * row};
  };
  Reduced system(model);
  EXPECT_LT(largest(system.residual(0.0, {1.0, 2.0, 3.0, 5.0, 0.0, 0.0})), 1e-13);
  EXPECT_GT(largest(system.residual(0.0, {1.0, 2.0, 3.0, 5.0, 0.5, 0.0})), 0.1);
  EXPECT_GT(largest(system.residual(0.0, {1.0, 2.0, 3.0, 5.0, 0.5, -0.5})), 0.1);
  EXPECT_GT(largest(system.residual(0.0, {1.0, 2.0, 3.0, 4.0, 0.0, 0.0})), 0.1);
  EXPECT_EQ(system.evaluator->values()->text(), "(0, 1, 0, 2, 2)");
  EXPECT_LT(system.jacobian_error(0.0, {1.0, 2.0, 3.0, 5.0, 0.0, 0.0}), 1e-9);
}

}  // namespace
}  // namespace saltus::reduce
