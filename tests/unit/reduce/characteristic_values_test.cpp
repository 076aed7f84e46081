// The structural examples of [Wun08]; numbers that the thesis does not print were found there by exact rational rank
// computations with the same derivative arrays.
#include "reduce/ranks/characteristic_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "reduce/ranks/rank_analysis.hpp"
#include "support/linear_dae.hpp"

namespace saltus::reduce {
namespace {

using test::JetDae;
using test::JetModel;
using test::JetPoint;
using test::kTime;
using test::Polynomial;
using test::PolynomialMatrix;
using test::Series;

constexpr double kPoint = 7.0 / 3.0;

// μ, a, d₁ … d_k, u, v.
struct Numbers {
  int level;
  Index algebraic;
  std::vector<Index> differential;
  Index undetermined = 0;
  Index vanishing = 0;
};

Result<CharacteristicValues> analyse(const JetModel& model, AnalysisForm form, std::vector<double> x = {},
                                     double t = kPoint) {
  const JetDae dae(model);
  x.resize(dae.states().size(), 0.0);
  AnalysisOptions options;
  options.form = form;
  return find_characteristic_values(dae, {}, t, x, options);
}

void expect_numbers(const JetModel& model, AnalysisForm form, const Numbers& expected,
                    const std::vector<double>& x = {}) {
  for (const linalg::RankMethod method :
       {linalg::RankMethod::singular_values, linalg::RankMethod::pivoted_qr}) {
    for (const bool equilibrate : {true, false}) {
      const JetDae dae(model);
      std::vector<double> start = x;
      start.resize(dae.states().size(), 0.0);
      AnalysisOptions options;
      options.form = form;
      options.method = method;
      options.equilibrate = equilibrate;
      const auto values = find_characteristic_values(dae, {}, kPoint, start, options);
      ASSERT_TRUE(values) << render_text(values.error());
      EXPECT_EQ(values->level, expected.level);
      EXPECT_EQ(values->algebraic, expected.algebraic);
      EXPECT_EQ(values->differential, expected.differential);
      EXPECT_EQ(values->undetermined, expected.undetermined);
      EXPECT_EQ(values->vanishing, expected.vanishing);
      EXPECT_FALSE(values->is_unclear) << values->smallest_gap;
      EXPECT_EQ(values->z2.columns(), expected.algebraic);
      EXPECT_EQ(values->t2.columns(), values->n_unknowns - expected.algebraic);
    }
  }
}

PolynomialMatrix zeros(std::size_t rows, std::size_t columns) {
  return {rows, std::vector<Polynomial>(columns, Polynomial(0.0))};
}

TEST(CharacteristicValues, Example3_1) {
  const PolynomialMatrix m = {{1.0, 0.0}, {0.0, 0.0}};
  const PolynomialMatrix c = {{1.0, 0.0}, {0.0, 0.0}};
  const PolynomialMatrix k = {{0.0, 1.0}, {1.0, 0.0}};
  expect_numbers(test::second_order_model(m, c, k), AnalysisForm::as_written, {2, 2, {0, 0}});
  // Only x₁' becomes a state: the index stays. The companion form, with a state for x₂' too, raises it.
  expect_numbers(test::second_order_model(m, c, k), AnalysisForm::states, {2, 3, {0}});
  expect_numbers(test::linear_model({k, c, m}, {}, {2, 2}), AnalysisForm::states, {3, 4, {0}});
}

// Two positions and a multiplier on p₁ + p₂ = 0.
TEST(CharacteristicValues, Example3_3) {
  const PolynomialMatrix m = {{2.0, 0.0, 0.0}, {0.0, 3.0, 0.0}, {0.0, 0.0, 0.0}};
  const PolynomialMatrix k = {{1.0, 0.0, 1.0}, {0.0, 2.0, 1.0}, {1.0, 1.0, 0.0}};
  expect_numbers(test::second_order_model(m, zeros(3, 3), k), AnalysisForm::as_written, {2, 2, {0, 1}});
  const auto values = analyse(test::second_order_model(m, zeros(3, 3), k), AnalysisForm::states);
  ASSERT_TRUE(values);
  EXPECT_EQ(values->level, 2);
  EXPECT_EQ(values->algebraic, 3);  // p₁ + p₂ = 0, its derivative, and the multiplier
  EXPECT_EQ(values->d(), 2);
}

TEST(CharacteristicValues, Example3_14) {
  const PolynomialMatrix m = {
      {1.0, 0.0, 0.0, 0.0}, {0.0, kTime, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}};
  const PolynomialMatrix c = {
      {0.0, 0.0, 0.0, kTime}, {kTime, 0.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 0.0}};
  const PolynomialMatrix k = {
      {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}};
  expect_numbers(test::second_order_model(m, c, k), AnalysisForm::as_written, {3, 2, {1, 1}});
}

struct Example3_23 {
  PolynomialMatrix m = {{kTime, 0.0, 0.0}, {0.0, 1.0, 1.0}, {0.0, kTime, kTime}};
  PolynomialMatrix c = {{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  PolynomialMatrix k = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, Polynomial({1.0, 1.0}), 1.0}};
};

TEST(CharacteristicValues, Example3_23) {
  const Example3_23 example;
  const JetModel model = test::second_order_model(example.m, example.c, example.k);
  expect_numbers(model, AnalysisForm::as_written, {2, 2, {0, 1}});
  // Reduced system: x₂ and x₂ + x₃ are algebraic, x₁ alone is differential.
  const auto values = analyse(model, AnalysisForm::as_written);
  ASSERT_TRUE(values);
  EXPECT_NEAR(std::abs(values->t2(0, 0)), 1.0, 1e-12);
  EXPECT_NEAR(values->t2(1, 0), 0.0, 1e-12);
  EXPECT_NEAR(values->t2(2, 0), 0.0, 1e-12);
  // Z₁ picks the first equation.
  EXPECT_NEAR(values->z1(1, 0) / values->z1(0, 0), 0.0, 1e-12);
  EXPECT_NEAR(values->z1(2, 0) / values->z1(0, 0), 0.0, 1e-12);
  // The algebraic conditions are made of equations 2 and 3, differentiated up to twice.
  ASSERT_EQ(values->rows.size(), 9u);
  for (Index i = 0; i < 9; ++i) {
    if (values->rows[static_cast<std::size_t>(i)].find("equation 1") == 0) {
      EXPECT_NEAR(std::hypot(values->z2(i, 0), values->z2(i, 1)), 0.0, 1e-12);
    }
  }
}

// The thesis' combinations of rows lie in the space of those found.
TEST(CharacteristicValues, Example3_23Combinations) {
  const Example3_23 example;
  const auto values =
      analyse(test::second_order_model(example.m, example.c, example.k), AnalysisForm::as_written);
  ASSERT_TRUE(values);
  const double t = kPoint;
  const linalg::DenseMatrix printed = linalg::DenseMatrix{
      {0.0, -1.0, 0.0, 0.0, -2.0, 0.0, 0.0, -t, 1.0},
      {0.0, -t, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0,
       0.0}}.transposed();
  const linalg::DenseMatrix both = beside(linalg::orthonormal_columns(values->z2), printed);
  linalg::RankOptions as_they_are;
  as_they_are.equilibrate = false;
  EXPECT_EQ(linalg::decide_rank(both, as_they_are).rank, 2);
}

TEST(CharacteristicValues, Example3_33) {
  const Example3_23 example;
  // The companion form: x₁', x₂', x₃' are states.
  const auto values =
      analyse(test::second_order_model(example.m, example.c, example.k), AnalysisForm::states);
  ASSERT_TRUE(values);
  EXPECT_EQ(values->level, 3);
  EXPECT_EQ(values->d(), 2);
  EXPECT_EQ(values->algebraic, 4);
}

TEST(CharacteristicValues, Example3_36) {
  expect_numbers(
      test::first_order_model(
          {{kTime, 1.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}},
          {{0.0, -1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, -1.0, -1.0}, {1.0, 0.0, 0.0, 0.0}}),
      AnalysisForm::as_written, {0, 2, {2}});
}

// x₁'' = x₁x₂, x₁x₃' = x₂ - 1, 0 = x₃ - 1.
TEST(CharacteristicValues, Example3_32) {
  JetModel model;
  model.orders = {2, 1, 1};
  model.n_equations = 3;
  model.equations = [](const JetPoint& p) {
    return std::vector<Series>{p.x(0, 2) - p.x(0) * p.x(1), p.x(0) * p.x(2, 1) - p.x(1) + 1.0, p.x(2) - 1.0};
  };
  // The start is not consistent: x₂ and x₃ must move.
  expect_numbers(model, AnalysisForm::as_written, {1, 2, {0, 1}}, {0.5, 0.0, 0.0, 2.0});
  const auto values = analyse(model, AnalysisForm::as_written, {0.5, 0.0, 0.0, 2.0});
  ASSERT_TRUE(values);
  EXPECT_NEAR(values->slots[1], 1.0, 1e-12);
  EXPECT_NEAR(values->slots[2], 1.0, 1e-12);
}

TEST(CharacteristicValues, Example4_11) {
  expect_numbers(test::first_order_model({{1.0, 0.0, 0.0}, {0.0, kTime, 0.0}, {0.0, 0.0, 0.0}},
                                         {{0.0, 0.0, kTime}, {0.0, 1.0, 0.0}, {kTime, 0.0, 0.0}}),
                 AnalysisForm::as_written, {1, 2, {1}});
}

TEST(CharacteristicValues, Example4_12) {
  PolynomialMatrix e = zeros(6, 6);
  PolynomialMatrix a = zeros(6, 6);
  for (const std::size_t i : {0u, 1u}) {
    e[i][2 + i] = kTime;
    e[2 + i][i] = kTime;
    a[i][4 + i] = 1.0;
    a[4 + i][i] = 1.0;
  }
  a[2][2] = 1.0;
  expect_numbers(test::first_order_model(e, a), AnalysisForm::as_written, {2, 4, {1}, 1, 1});
}

// Gyroscopic, two positions, one constraint: (p, v, λ).
TEST(CharacteristicValues, Example4_21) {
  const PolynomialMatrix e = {{0.0, 3.0, 2.0, 0.0, 0.0},
                              {-3.0, 0.0, 0.0, 5.0, 0.0},
                              {-2.0, 0.0, 0.0, 0.0, 0.0},
                              {0.0, -5.0, 0.0, 0.0, 0.0},
                              {0.0, 0.0, 0.0, 0.0, 0.0}};
  const PolynomialMatrix a = {{-1.0, 0.0, 0.0, 0.0, 1.0},
                              {0.0, -2.0, 0.0, 0.0, 2.0},
                              {0.0, 0.0, -2.0, 0.0, 0.0},
                              {0.0, 0.0, 0.0, -5.0, 0.0},
                              {1.0, 2.0, 0.0, 0.0, 0.0}};
  expect_numbers(test::first_order_model(e, a), AnalysisForm::as_written, {2, 3, {2}});
}

TEST(CharacteristicValues, Remark6_17) {
  expect_numbers(test::first_order_model({{1.0, 0.0}, {0.0, 0.0}}, {{1.0, 0.0}, {0.0, 1.0}}),
                 AnalysisForm::as_written, {0, 1, {1}});
  // z = x₂' beside it.
  expect_numbers(test::first_order_model({{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}},
                                         {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}),
                 AnalysisForm::as_written, {1, 2, {1}});
}

// v_C, i_L, i_S, v_S, v_D, i_D, i_R with farads and henries of unlike size.
TEST(CharacteristicValues, BoostConverter) {
  const auto mode = [](std::size_t first_zero, std::size_t second_zero) {
    PolynomialMatrix e = zeros(7, 7);
    PolynomialMatrix a = zeros(7, 7);
    e[0][0] = 1e-2;
    a[0][5] = 1.0;
    a[0][6] = -1.0;
    e[1][1] = 1.0;
    a[1][3] = 1.0;
    for (const std::size_t j : {0u, 3u, 4u}) {
      a[2][j] = 1.0;
    }
    a[3][6] = 2.0;
    a[3][0] = -1.0;
    a[4][2] = 1.0;
    a[4][1] = 1.0;
    a[4][5] = -1.0;
    a[5][first_zero] = 1.0;
    a[6][second_zero] = 1.0;
    return test::first_order_model(e, a);
  };
  expect_numbers(mode(2, 4), AnalysisForm::as_written, {0, 5, {2}});
  expect_numbers(mode(3, 5), AnalysisForm::as_written, {0, 5, {2}});
  expect_numbers(mode(2, 5), AnalysisForm::as_written, {1, 6, {1}});
  expect_numbers(mode(3, 4), AnalysisForm::as_written, {1, 6, {1}});
}

// (7.3): p₁, p₂, v₁, v₂, λ. By counting v₁ = v₂ and λ are algebraic: (1, 3, 2), other than the thesis prints.
TEST(CharacteristicValues, SlidingModesOfTheThesis) {
  PolynomialMatrix e = zeros(5, 5);
  PolynomialMatrix a = zeros(5, 5);
  for (const std::size_t i : {0u, 1u, 2u, 3u}) {
    e[i][i] = 1.0;
  }
  a[0][2] = 1.0;
  a[1][3] = 1.0;
  a[2][4] = 1.0;
  a[3][4] = -1.0;
  a[4][2] = 1.0;
  a[4][3] = -1.0;
  expect_numbers(test::first_order_model(e, a), AnalysisForm::as_written, {1, 2, {3}});
  // (7.5): x, v, λ with k = 3, F_s = 1.
  expect_numbers(test::first_order_model({{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 0.0}},
                                         {{0.0, 1.0, 0.0}, {-3.0, 0.0, -2.0}, {0.0, 1.0, 0.0}}),
                 AnalysisForm::as_written, {1, 2, {1}});
}

// (7.8) and (7.10) with N = 3: y_b, v_b, four y_s, four v_s, two λ, and λ_S while it sticks.
TEST(CharacteristicValues, BowedString) {
  const auto string_model = [](bool sticks) {
    const std::size_t n = sticks ? 13 : 12;
    PolynomialMatrix e = zeros(n, n);
    PolynomialMatrix a = zeros(n, n);
    for (std::size_t i = 0; i < 10; ++i) {
      e[i][i] = 1.0;
    }
    a[0][1] = 1.0;
    for (std::size_t k = 0; k < 4; ++k) {
      a[2 + k][6 + k] = 1.0;
      a[6 + k][2 + k] = -2.0;
      if (k > 0) {
        a[6 + k][1 + k] = 1.0;
      }
      if (k < 3) {
        a[6 + k][3 + k] = 1.0;
      }
    }
    a[6][10] = -1.0;
    a[9][11] = -1.0;
    a[10][2] = 1.0;
    a[11][5] = 1.0;
    if (sticks) {
      a[1][12] = 1.0;
      a[7][12] = -1.0;
      a[12][7] = 1.0;
      a[12][1] = -1.0;
    }
    return test::first_order_model(e, a);
  };
  expect_numbers(string_model(false), AnalysisForm::as_written, {2, 6, {6}});
  expect_numbers(string_model(true), AnalysisForm::as_written, {2, 8, {5}});
}

TEST(CharacteristicValues, OtherShapes) {
  // Underdetermined: x₁' = x₂. One of the two is free.
  expect_numbers(test::first_order_model({{1.0, 0.0}}, {{0.0, 1.0}}), AnalysisForm::as_written,
                 {0, 0, {1}, 1, 0});
  // Overdetermined: x' = x, x' = x + 0, x = 0 (twice what is needed, consistent).
  expect_numbers(test::first_order_model({{1.0}, {1.0}, {0.0}}, {{1.0}, {1.0}, {1.0}}),
                 AnalysisForm::as_written, {1, 1, {0}, 0, 2});
  // Square and redundant: x₁ = 0 twice, x₂ free.
  expect_numbers(test::first_order_model(zeros(2, 2), {{1.0, 0.0}, {2.0, 0.0}}), AnalysisForm::as_written,
                 {0, 1, {0}, 1, 1});
  // A singular E without a zero row: x₁' - x₂' = 0 and x₁' - x₂' = x₁, so that x₁ = 0.
  expect_numbers(test::first_order_model({{1.0, -1.0}, {1.0, -1.0}}, {{0.0, 0.0}, {1.0, 0.0}}),
                 AnalysisForm::as_written, {0, 1, {1}, 0, 0});
  // A singular pencil: x₁' = x₂, x₂ = 0, and once more x₁' = 0; x₃ is in no equation.
  expect_numbers(test::first_order_model({{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}},
                                         {{0.0, 1.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 0.0}}),
                 AnalysisForm::as_written, {0, 1, {1}, 1, 1});
  // Nothing at all of one unknown.
  expect_numbers(test::first_order_model(zeros(1, 1), zeros(1, 1)), AnalysisForm::as_written,
                 {0, 0, {0}, 1, 1});
}

// Integrators in a chain whose end is prescribed: differential index 5, strangeness index 4.
TEST(CharacteristicValues, PrescribedTrajectory) {
  PolynomialMatrix e = zeros(5, 5);
  PolynomialMatrix a = zeros(5, 5);
  for (std::size_t i = 0; i < 4; ++i) {
    e[i][i] = 1.0;
    a[i][i + 1] = 1.0;
  }
  a[4][0] = 1.0;
  expect_numbers(test::first_order_model(e, a), AnalysisForm::as_written, {4, 5, {0}});
}

// Third order, x''' = λ, x = f: everything prescribed after three differentiations.
TEST(CharacteristicValues, ThirdOrder) {
  const PolynomialMatrix third = {{1.0, 0.0}, {0.0, 0.0}};
  const PolynomialMatrix zeroth = {{0.0, -1.0}, {1.0, 0.0}};
  expect_numbers(test::linear_model({zeroth, zeros(2, 2), zeros(2, 2), third}), AnalysisForm::as_written,
                 {3, 2, {0, 0, 0}});
  expect_numbers(test::linear_model({{{1.0}}, {{0.0}}, {{0.0}}, {{2.0}}}), AnalysisForm::as_written,
                 {0, 0, {0, 0, 1}});
  const auto values =
      analyse(test::linear_model({{{1.0}}, {{0.0}}, {{0.0}}, {{2.0}}}), AnalysisForm::as_written);
  ASSERT_TRUE(values);
  EXPECT_EQ(values->degrees_of_freedom(), 3);
}

// The circle x² + y² = 1 with a multiplier: ranks depend on the point being on it.
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

TEST(CharacteristicValues, Pendulum) {
  const std::vector<double> start = {0.8, -0.6, 3.0, 0.6, 0.8};
  expect_numbers(pendulum(), AnalysisForm::states, {2, 3, {2}}, start);
  // In second order the multiplier depends on the velocity along the circle: two equations of first order for these two
  // instead of one of second order, after one more differentiation.
  expect_numbers(pendulum(), AnalysisForm::as_written, {3, 1, {2, 0}}, start);
}

TEST(CharacteristicValues, UnitsDoNotMatter) {
  // Picofarads, megaohms and nanoseconds: C·v' = i, v + R·i = 0, and a source for the other end.
  expect_numbers(test::first_order_model({{1.0, 0.0}, {0.0, 0.0}}, {{0.0, 1.0}, {1.0, 1.0}}),
                 AnalysisForm::as_written, {0, 1, {1}});
  const auto values = analyse(test::first_order_model({{1e-12, 0.0}, {0.0, 0.0}}, {{0.0, 1.0}, {1.0, 1e6}}),
                              AnalysisForm::as_written);
  ASSERT_TRUE(values);
  EXPECT_EQ(values->level, 0);
  EXPECT_EQ(values->d(), 1);
  EXPECT_EQ(values->algebraic, 1);
  EXPECT_FALSE(values->is_unclear);
}

TEST(CharacteristicValues, ContradictionOfNonlinearEquationsIsNamed) {
  JetModel model;
  model.orders = {1};
  model.n_equations = 2;
  model.equations = [](const JetPoint& p) {
    return std::vector<Series>{p.x(0) * p.x(0) - 1.0, p.x(0) * p.x(0) - 2.0};
  };
  const auto values = analyse(model, AnalysisForm::as_written, {1.2});
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().items()[0].code, "no-consistent-derivatives");
  EXPECT_NE(values.error().items()[0].message.find("equation"), std::string::npos);
}

// t·x' = x/2: at t = 0 it says x = 0, elsewhere it is a differential equation.
TEST(CharacteristicValues, ValuesChangeFromPointToPoint) {
  const JetModel model = test::first_order_model({{kTime}}, {{0.5}});
  const auto there = analyse(model, AnalysisForm::as_written, {0.0}, 0.0);
  const auto elsewhere = analyse(model, AnalysisForm::as_written, {0.0}, 1.0);
  ASSERT_TRUE(there && elsewhere);
  EXPECT_EQ(there->algebraic, 1);
  EXPECT_EQ(elsewhere->d(), 1);
  EXPECT_FALSE(there->same_values(*elsewhere));
  EXPECT_TRUE(there->same_values(*there));
  // A factor of a whole equation is no reason to call it zero.
  const auto near =
      analyse(test::first_order_model({{kTime}}, {{0.5}}), AnalysisForm::as_written, {0.0}, 1e-300);
  ASSERT_TRUE(near);
  EXPECT_EQ(near->d(), 1);
}

TEST(CharacteristicValues, LimitOfDifferentiationsIsAnError) {
  const JetDae dae(test::first_order_model({{1.0, 0.0}, {0.0, 0.0}}, {{0.0, 1.0}, {1.0, 0.0}}));
  AnalysisOptions options;
  options.max_level = 0;
  const auto values = find_characteristic_values(dae, {}, 0.0, std::vector<double>{0.0, 0.0}, options);
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().items()[0].code, "index-not-found");
  EXPECT_NE(values.error().items()[0].message.find("0 differentiations"), std::string::npos);
}

TEST(EchelonColumns, CombinationsAreShort) {
  // The span of (1, 0, 2, 0) and (0, 1, 3, 0), mixed.
  const linalg::DenseMatrix mixed = {{1.0, 1.0}, {1.0, -1.0}, {5.0, -1.0}, {0.0, 0.0}};
  const linalg::DenseMatrix short_ones = echelon_columns(mixed);
  Index zeros_found = 0;
  for (const double entry : short_ones.entries()) {
    zeros_found += entry == 0.0 ? 1 : 0;
  }
  EXPECT_EQ(zeros_found, 4);
  linalg::RankOptions options;
  options.equilibrate = false;
  EXPECT_EQ(linalg::decide_rank(beside(mixed, short_ones), options).rank, 2);
  EXPECT_EQ(echelon_columns(linalg::DenseMatrix(3, 0)), linalg::DenseMatrix(3, 0));
}

TEST(EchelonColumns, RedundantRowsLeaveTheConditions) {
  // Rows 0 and 2 say the same (first column); the second is a mixture of both with row 1.
  const linalg::DenseMatrix z = {{1.0, 0.5}, {0.0, 1.0}, {-1.0, 0.5}};
  const linalg::DenseMatrix result = echelon_columns(z, 1);
  EXPECT_NEAR(result(2, 1), 0.0, 1e-15);
  EXPECT_NEAR(result(0, 1) / result(1, 1), 1.0, 1e-15);
}

TEST(LocalValues, OfAPair) {
  // Index 3 in Weierstrass form: one strange pair.
  const linalg::DenseMatrix e = {{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
  const LocalValues values = local_values(e, linalg::DenseMatrix::identity(3));
  EXPECT_EQ(values.rank, 2);
  EXPECT_EQ(values.algebraic, 0);
  EXPECT_EQ(values.strangeness, 1);
  EXPECT_EQ(values.differential, 1);
  EXPECT_EQ(values.undetermined, 1);
  EXPECT_EQ(values.vanishing, 0);
  const LocalValues semi = local_values({{1.0, 0.0}, {0.0, 0.0}}, {{0.0, 1.0}, {2.0, 3.0}});
  EXPECT_EQ(semi.strangeness, 0);
  EXPECT_EQ(semi.algebraic, 1);
  EXPECT_EQ(semi.differential, 1);
  const LocalValues empty = local_values(linalg::DenseMatrix(0, 2), linalg::DenseMatrix(0, 2));
  EXPECT_EQ(empty.undetermined, 2);
  EXPECT_EQ(empty.vanishing, 0);
}

}  // namespace
}  // namespace saltus::reduce
