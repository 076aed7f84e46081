#include "reduce/ranks/array_evaluator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "reduce/drazin_solution.hpp"
#include "support/linear_dae.hpp"

namespace saltus::reduce {
namespace {

using system::Evaluation;
using test::JetDae;
using test::JetModel;
using test::JetPoint;
using test::kTime;
using test::Series;

std::unique_ptr<ArrayEvaluator> evaluator_of(const JetDae& dae) {
  return std::make_unique<ArrayEvaluator>(dae.make_evaluator({}), dae);
}

// Runge-Kutta of order 4 with every result projected.
std::vector<double> integrate(ArrayEvaluator& evaluator, std::vector<double> x, double t, double end,
                              int steps) {
  const double h = (end - t) / steps;
  std::vector<std::vector<double>> k(4, std::vector<double>(x.size()));
  const std::vector<double> nodes = {0.0, 0.5, 0.5, 1.0};
  const std::vector<double> weights = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  EXPECT_TRUE(evaluator.project(t, x).ok());
  for (int step = 0; step < steps; ++step) {
    for (std::size_t s = 0; s < 4; ++s) {
      std::vector<double> stage = x;
      for (std::size_t i = 0; s > 0 && i < x.size(); ++i) {
        stage[i] += nodes[s] * h * k[s - 1][i];
      }
      const Evaluation evaluation = evaluator.rhs(t + nodes[s] * h, stage, k[s]);
      EXPECT_TRUE(evaluation.ok()) << evaluator.describe(evaluation, t);
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t s = 0; s < 4; ++s) {
        x[i] += weights[s] * h * k[s][i];
      }
    }
    t += h;
    EXPECT_TRUE(evaluator.project(t, x).ok());
    evaluator.keep_solutions();
  }
  return x;
}

JetModel pendulum() {
  JetModel model;
  model.orders = {2, 2, 1};
  model.n_equations = 3;
  model.equations = [](const JetPoint& p) {
    return std::vector<Series>{p.x(0, 2) + p.x(0) * p.x(2), p.x(1, 2) + p.x(1) * p.x(2) + 9.81,
                               p.x(0) * p.x(0) + p.x(1) * p.x(1) - 1.0};
  };
  return model;
}

// States x, y, λ, x', y' on the circle, λ = v² - g·y.
std::vector<double> pendulum_point(double angle, double speed) {
  return {std::sin(angle), -std::cos(angle), speed * speed + 9.81 * std::cos(angle), speed * std::cos(angle),
          speed * std::sin(angle)};
}

TEST(ArrayEvaluator, PendulumRatesAreExact) {
  const JetDae dae(pendulum());
  const auto evaluator = evaluator_of(dae);
  const double angle = 0.7;
  const double speed = 1.3;
  const std::vector<double> x = pendulum_point(angle, speed);
  std::vector<double> rate(5);
  ASSERT_TRUE(evaluator->rhs(0.0, x, rate).ok());
  // φ'' = -g sin φ
  const double acceleration = -9.81 * std::sin(angle);
  EXPECT_NEAR(rate[0], x[3], 1e-12);
  EXPECT_NEAR(rate[1], x[4], 1e-12);
  EXPECT_NEAR(rate[2], 2.0 * speed * acceleration - 9.81 * std::sin(angle) * speed, 1e-10);
  EXPECT_NEAR(rate[3], acceleration * std::cos(angle) - speed * speed * std::sin(angle), 1e-11);
  EXPECT_NEAR(rate[4], acceleration * std::sin(angle) + speed * speed * std::cos(angle), 1e-11);
  ASSERT_NE(evaluator->values(), nullptr);
  EXPECT_EQ(evaluator->values()->level, 2);
  EXPECT_EQ(evaluator->values()->d(), 2);
  EXPECT_EQ(evaluator->projection(), system::Projection::results);
}

TEST(ArrayEvaluator, PendulumGoesRound) {
  const JetDae dae(pendulum());
  const auto evaluator = evaluator_of(dae);
  // More than the speed that reaches the top: one turn takes less than a second.
  const std::vector<double> start = pendulum_point(0.0, 8.0);
  const std::vector<double> coarse = integrate(*evaluator, start, 0.0, 1.5, 150);
  const std::vector<double> fine = integrate(*evaluator, start, 0.0, 1.5, 300);
  EXPECT_NEAR(std::hypot(fine[0], fine[1]), 1.0, 1e-12);
  EXPECT_NEAR(fine[0] * fine[3] + fine[1] * fine[4], 0.0, 1e-11);
  EXPECT_NEAR(fine[2], fine[3] * fine[3] + fine[4] * fine[4] - 9.81 * fine[1], 1e-9);
  // φ from the ordinary differential equation, order 4 with a much smaller step.
  double angle = 0.0;
  double speed = 8.0;
  constexpr int kSteps = 15000;
  const double h = 1.5 / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const auto f = [](double a) { return -9.81 * std::sin(a); };
    const double k1 = speed, l1 = f(angle);
    const double k2 = speed + 0.5 * h * l1, l2 = f(angle + 0.5 * h * k1);
    const double k3 = speed + 0.5 * h * l2, l3 = f(angle + 0.5 * h * k2);
    const double k4 = speed + h * l3, l4 = f(angle + h * k3);
    angle += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    speed += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
  }
  const std::vector<double> exact = pendulum_point(angle, speed);
  EXPECT_GT(angle, 6.28);
  double error_coarse = 0.0;
  double error_fine = 0.0;
  for (const std::size_t i : {0u, 1u, 2u, 3u, 4u}) {
    error_coarse = std::max(error_coarse, std::abs(coarse[i] - exact[i]));
    error_fine = std::max(error_fine, std::abs(fine[i] - exact[i]));
  }
  EXPECT_LT(error_fine, 1e-5);
  EXPECT_GT(error_coarse / error_fine, 11.0);  // order 4: 16
}

// Index 3, all of it algebraic but one: against the closed form.
TEST(ArrayEvaluator, LinearSystemFollowsTheDrazinSolution) {
  const linalg::DenseMatrix e = {{1.0, 1.0, 0.0}, {1.0, 1.0, 1.0}, {0.0, 0.0, 0.0}};
  const linalg::DenseMatrix a = {{0.0, 1.0, 1.0}, {1.0, 0.0, 0.0}, {1.0, -1.0, 0.0}};
  const test::Forcing b = [](const Series& t) {
    const auto [sine, cosine] = test::sin_cos(t);
    return std::vector<Series>{sine, t * t, cosine};
  };
  const DrazinSolution::Forcing force = [](int derivative, double t) {
    const double shift = derivative * std::acos(0.0);
    return std::vector<double>{std::sin(t + shift),
                               derivative == 0   ? t * t
                               : derivative == 1 ? 2.0 * t
                               : derivative == 2 ? 2.0
                                                 : 0.0,
                               std::cos(t + shift)};
  };
  const auto reference = DrazinSolution::make(e, a, force, 0.0);
  ASSERT_TRUE(reference.has_value());
  const JetDae dae(test::first_order_model({{1.0, 1.0, 0.0}, {1.0, 1.0, 1.0}, {0.0, 0.0, 0.0}},
                                           {{0.0, 1.0, 1.0}, {1.0, 0.0, 0.0}, {1.0, -1.0, 0.0}}, b));
  const auto evaluator = evaluator_of(dae);
  const std::vector<double> w = {1.0, 2.0, 3.0};
  const std::vector<double> x = integrate(*evaluator, reference->at(0.0, w), 0.0, 1.0, 50);
  const std::vector<double> exact = reference->at(1.0, w);
  EXPECT_EQ(evaluator->values()->level + 1, reference->index());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(x[i], exact[i], 1e-7);
  }
}

TEST(ArrayEvaluator, LinearProjectionIsTheNearestPoint) {
  // x₁ + 2 x₂ = 5 and a differential equation for x₁ - x₂.
  const JetDae dae(
      test::linear_model({{{1.0, 2.0}, {0.0, 0.0}}, {{0.0, 0.0}, {1.0, -1.0}}}, [](const Series& t) {
        return std::vector<Series>{t.constant(5.0), t.constant(0.0)};
      }));
  const auto evaluator = evaluator_of(dae);
  std::vector<double> x = {1.0, 0.0};
  ASSERT_TRUE(evaluator->project(0.0, x).ok());
  EXPECT_NEAR(x[0], 1.8, 1e-14);
  EXPECT_NEAR(x[1], 1.6, 1e-14);
}

// After a jump of the speed: the energy beside it follows, height and speed stay.
TEST(ArrayEvaluator, DifferentiatedStatesKeepTheirValues) {
  JetModel model;
  model.orders = {1, 1, 1};
  model.n_equations = 4;
  model.equations = [](const JetPoint& p) {
    const Series energy = 0.5 * (p.x(1) * p.x(1)) + 9.81 * p.x(0);
    return std::vector<Series>{p.x(0, 1) - p.x(1), p.x(1, 1) + 9.81, p.x(2) - energy,
                               2.0 * p.x(2) - 2.0 * energy};
  };
  const JetDae dae(model);
  const auto evaluator = evaluator_of(dae);
  std::vector<double> x = {0.5, 3.0, 40.0};
  ASSERT_TRUE(evaluator->project(0.0, x).ok());
  EXPECT_NEAR(x[0], 0.5, 1e-13);
  EXPECT_NEAR(x[1], 3.0, 1e-13);
  EXPECT_NEAR(x[2], 4.5 + 4.905, 1e-12);
}

// x' = z, x² + y² = 1: beside x = 1.2 there is no y.
TEST(ArrayEvaluator, WhereAlgebraicStatesCannotDoItAllMove) {
  JetModel model;
  model.orders = {1, 1, 1};
  model.n_equations = 2;
  model.equations = [](const JetPoint& p) {
    return std::vector<Series>{p.x(0) * p.x(0) + p.x(1) * p.x(1) - 1.0, p.x(0, 1) - p.x(2)};
  };
  const JetDae dae(model);
  const auto evaluator = evaluator_of(dae);
  std::vector<double> x = {0.6, 0.8, 0.0};
  ASSERT_TRUE(evaluator->project(0.0, x).ok());
  evaluator->keep_solutions();
  x = {1.2, 1.6, 0.0};
  ASSERT_TRUE(evaluator->project(0.0, x).ok());
  EXPECT_NEAR(std::hypot(x[0], x[1]), 1.0, 1e-12);
}

TEST(ArrayEvaluator, UndeterminedPartsStandStill) {
  // x₁' = x₂ + sin t, x₂ in nothing else; x₃ is in no equation. x₁ moves as x₂ says, both others stay.
  const JetDae dae(test::linear_model({{{0.0, -1.0, 0.0}}, {{1.0, 0.0, 0.0}}}, [](const Series& t) {
    return std::vector<Series>{test::sin_cos(t).first};
  }));
  const auto evaluator = evaluator_of(dae);
  const std::vector<double> x = integrate(*evaluator, {0.0, 0.5, 7.0}, 0.0, 1.0, 20);
  EXPECT_EQ(evaluator->values()->undetermined, 2);
  EXPECT_NEAR(x[0], 0.5 + 1.0 - std::cos(1.0), 1e-8);
  EXPECT_NEAR(x[1], 0.5, 1e-14);
  EXPECT_NEAR(x[2], 7.0, 1e-14);
}

// x₁ + x₂ = t: moved along the normal, as the nearest point would be at every instant.
TEST(ArrayEvaluator, UndeterminedDirectionsAreShared) {
  const JetDae dae(test::linear_model({{{1.0, 1.0}}, {{0.0, 0.0}}},
                                      [](const Series& t) { return std::vector<Series>{t}; }));
  const auto evaluator = evaluator_of(dae);
  std::vector<double> rate(2);
  ASSERT_TRUE(evaluator->rhs(1.0, std::vector<double>{0.75, 0.25}, rate).ok());
  EXPECT_NEAR(rate[0], 0.5, 1e-14);
  EXPECT_NEAR(rate[1], 0.5, 1e-14);
}

TEST(ArrayEvaluator, RedundantEquationsAreHarmless) {
  // A pendulum whose constraint is written three times, once squared.
  JetModel model = pendulum();
  model.n_equations = 5;
  model.equations = [base = pendulum().equations](const JetPoint& p) {
    std::vector<Series> rows = base(p);
    rows.push_back(2.0 * rows[2]);
    rows.push_back(rows[2] * p.x(0));
    return rows;
  };
  const JetDae dae(model);
  const auto evaluator = evaluator_of(dae);
  const std::vector<double> start = pendulum_point(0.3, 2.0);
  const std::vector<double> redundant = integrate(*evaluator, start, 0.0, 0.3, 30);
  EXPECT_EQ(evaluator->values()->vanishing, 2);
  const JetDae plain(pendulum());
  const std::vector<double> expected = integrate(*evaluator_of(plain), start, 0.0, 0.3, 30);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(redundant[i], expected[i], 1e-9);
  }
  EXPECT_EQ(evaluator->contradiction().row, -1);
}

TEST(ArrayEvaluator, LinearContradictionsAreSolvedByLeastSquaresAndFlagged) {
  // x' = 1, and y = 1, y = 3.
  const JetDae dae(test::linear_model(
      {{{0.0, 0.0}, {0.0, 1.0}, {0.0, 1.0}}, {{1.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}}, [](const Series& t) {
        return std::vector<Series>{t.constant(1.0), t.constant(1.0), t.constant(3.0)};
      }));
  const auto evaluator = evaluator_of(dae);
  std::vector<double> x = {0.0, 0.0};
  ASSERT_TRUE(evaluator->project(0.0, x).ok());
  EXPECT_NEAR(x[1], 2.0, 1e-13);
  EXPECT_NEAR(std::abs(evaluator->contradiction().residual), 1.0, 1e-13);
  EXPECT_NE(evaluator->contradiction_text().find("equation"), std::string::npos);
  std::vector<double> rate(2);
  ASSERT_TRUE(evaluator->rhs(0.0, x, rate).ok());
  EXPECT_NEAR(rate[0], 1.0, 1e-13);
  EXPECT_NEAR(rate[1], 0.0, 1e-13);
}

TEST(ArrayEvaluator, NonlinearContradictionIsAFailureThatNamesTheRow) {
  // x² = t and x² = 1: consistent at t = 1 only.
  JetModel model;
  model.orders = {1};
  model.n_equations = 2;
  model.equations = [](const JetPoint& p) {
    return std::vector<Series>{p.x(0) * p.x(0) - p.t, p.x(0) * p.x(0) - 1.0};
  };
  const JetDae dae(model);
  const auto evaluator = evaluator_of(dae);
  std::vector<double> x = {1.0};
  const Evaluation evaluation = evaluator->project(1.0, x);
  ASSERT_FALSE(evaluation.ok());
  const std::string text = evaluator->describe(evaluation, 1.0);
  EXPECT_NE(text.find("equation"), std::string::npos) << text;
}

TEST(ArrayEvaluator, ChangeOfTheCharacteristicValuesIsSeen) {
  // [Wun08] Example 4.11: differential in x₂ except at t = 0.
  const JetDae dae(test::first_order_model({{1.0, 0.0, 0.0}, {0.0, kTime, 0.0}, {0.0, 0.0, 0.0}},
                                           {{0.0, 0.0, kTime}, {0.0, 1.0, 0.0}, {kTime, 0.0, 0.0}}));
  const auto evaluator = evaluator_of(dae);
  const std::vector<double> x = {0.0, 1.0, 0.0};
  bool has_changed = true;
  ASSERT_TRUE(evaluator->check(1.0, x, has_changed).ok());
  EXPECT_FALSE(has_changed);
  ASSERT_TRUE(evaluator->check(2.0, x, has_changed).ok());
  EXPECT_FALSE(has_changed);
  const double condition = evaluator->condition();
  ASSERT_TRUE(evaluator->check(0.0, std::vector<double>{0.0, 0.0, 0.0}, has_changed).ok());
  EXPECT_TRUE(has_changed);
  ASSERT_TRUE(evaluator->check(1e-4, std::vector<double>{0.0, 1e-4, 0.0}, has_changed).ok());
  EXPECT_FALSE(has_changed);
  EXPECT_GT(evaluator->condition(), 100.0 * condition);
}

// x' = -x, with a coefficient that vanishes.
TEST(ArrayEvaluator, RanksAreComparedAtAcceptedPoints) {
  const auto has_vanished = std::make_shared<bool>(false);
  JetModel model;
  model.orders = {1};
  model.n_equations = 1;
  model.is_linear = true;
  model.equations = [has_vanished](const JetPoint& p) {
    return std::vector<Series>{(*has_vanished ? 0.0 : 1.0) * p.x(0, 1) + p.x(0)};
  };
  const JetDae dae(model);
  const auto evaluator = evaluator_of(dae);
  std::vector<double> x = {1.0};
  std::vector<double> rate(1);
  ASSERT_TRUE(evaluator->project(0.0, x).ok());
  ASSERT_EQ(evaluator->values()->text(), "(0, 1, 0, 0, 0)");
  for (int point = 1; point <= 9; ++point) {
    *has_vanished = point % 3 == 0;
    ASSERT_TRUE(evaluator->rhs(0.1 * point, x, rate).ok()) << point;
    evaluator->keep_solutions();
    EXPECT_EQ(evaluator->ranks_differ(), *has_vanished) << point;
    const auto values = evaluator->values_at(0.1 * point, x);
    ASSERT_TRUE(values);
    EXPECT_EQ(values->text(), *has_vanished ? "(0, 0, 1, 0, 0)" : "(0, 1, 0, 0, 0)");
  }
  evaluator->analyse_again();
  EXPECT_FALSE(evaluator->ranks_differ());
  ASSERT_TRUE(evaluator->project(1.0, x).ok());
  EXPECT_EQ(x[0], 0.0);
  EXPECT_EQ(evaluator->values()->text(), "(0, 0, 1, 0, 0)");
}

// A switch that the equations read: x' = -x, or 0 = x - 1.
TEST(ArrayEvaluator, ConfigurationsAreAnalysedOnTheirOwn) {
  const auto is_algebraic = std::make_shared<bool>(false);
  JetModel model;
  model.orders = {1};
  model.n_equations = 1;
  model.is_linear = true;
  model.equations = [is_algebraic](const JetPoint& p) {
    return std::vector<Series>{*is_algebraic ? p.x(0) - 1.0 : p.x(0, 1) + p.x(0)};
  };
  const JetDae dae(model);
  const auto evaluator = evaluator_of(dae);
  system::Configuration configuration;
  configuration.latched = {1.0};
  evaluator->set_configuration(configuration);
  std::vector<double> rate(1);
  ASSERT_TRUE(evaluator->rhs(0.0, std::vector<double>{2.0}, rate).ok());
  EXPECT_NEAR(rate[0], -2.0, 1e-14);
  EXPECT_EQ(evaluator->values()->d(), 1);
  *is_algebraic = true;
  configuration.latched = {-1.0};
  evaluator->set_configuration(configuration);
  std::vector<double> x = {2.0};
  ASSERT_TRUE(evaluator->project(0.0, x).ok());
  EXPECT_NEAR(x[0], 1.0, 1e-14);
  EXPECT_EQ(evaluator->values()->algebraic, 1);
}

TEST(ArrayEvaluator, RejectedAttemptsLeaveNoTrace) {
  const JetDae dae(pendulum());
  const auto evaluator = evaluator_of(dae);
  std::vector<double> x = pendulum_point(0.4, 1.0);
  ASSERT_TRUE(evaluator->project(0.0, x).ok());
  evaluator->keep_solutions();
  std::vector<double> before(5);
  std::vector<double> away(5);
  std::vector<double> after(5);
  ASSERT_TRUE(evaluator->rhs(0.0, x, before).ok());
  evaluator->restore_solutions();
  (void)evaluator->rhs(0.0, pendulum_point(1.4, -3.0), away);
  evaluator->restore_solutions();
  ASSERT_TRUE(evaluator->rhs(0.0, x, after).ok());
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(before[i], after[i], 1e-11);
  }
}

TEST(ArrayEvaluator, FailedAnalysisIsDescribed) {
  const JetDae dae(test::first_order_model({{1.0, 0.0}, {0.0, 0.0}}, {{0.0, 1.0}, {1.0, 0.0}}));
  AnalysisOptions options;
  options.max_level = 0;
  ArrayEvaluator evaluator(dae.make_evaluator({}), dae, options);
  std::vector<double> rate(2);
  const Evaluation evaluation = evaluator.rhs(0.0, std::vector<double>{0.0, 0.0}, rate);
  EXPECT_EQ(evaluation.status, Evaluation::Status::no_convergence);
  EXPECT_NE(evaluator.describe(evaluation, 0.0).find("do not add up"), std::string::npos);
}

}  // namespace
}  // namespace saltus::reduce
