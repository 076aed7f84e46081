// Which start values give way: by tiers, or all alike (--start-rule minimum-norm); least squares where equations are too many; clauses of the
// start that contradict fixed values; truths without a solution.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

HybridRun run_of(const std::string& declarations, const std::string& equations,
                 const std::string& rule = "least-change", const std::string& method = "auto") {
  return run_text("model M\n" + declarations + "equation\n" + equations + "end M;\n",
                  {{"stop", "1"}, {"interval", "0.1"}, {"start-rule", rule}, {"method", method}});
}

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

// Gauss with pivots by columns; the matrix is positive definite.
Vector solve(Matrix a, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) {
        a[i][j] -= factor * a[k][j];
      }
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) {
      b[k] -= a[k][j] * b[j];
    }
    b[k] /= a[k][k];
  }
  return b;
}

// x₀ - W²Cᵀ(C·W²·Cᵀ)⁻¹(C·x₀ - c)
Vector nearest_point(const Matrix& c, const Vector& right, const Vector& x0, const Vector& nominal) {
  const std::size_t m = right.size();
  Matrix normal(m, Vector(m, 0.0));
  Vector miss(m);
  for (std::size_t i = 0; i < m; ++i) {
    miss[i] = -right[i];
    for (std::size_t j = 0; j < x0.size(); ++j) {
      miss[i] += c[i][j] * x0[j];
      for (std::size_t l = 0; l < m; ++l) {
        normal[i][l] += c[i][j] * nominal[j] * nominal[j] * c[l][j];
      }
    }
  }
  const Vector multiplier = solve(normal, miss);
  Vector x = x0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (std::size_t i = 0; i < m; ++i) {
      x[j] -= nominal[j] * nominal[j] * c[i][j] * multiplier[i];
    }
  }
  return x;
}

std::string number(double value) {
  return value < 0 ? "(" + std::to_string(value) + ")" : std::to_string(value);
}

// k rates and n - k equations C·x = c: all variables go to the nearest point in nominal values; by tiers the first k keep their starts.
TEST(StartRule, MinimumNormIsTheNearestPointOfAll) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  for (std::size_t n = 2; n <= 6; ++n) {
    for (std::size_t trial = 0; trial < 4; ++trial) {
      const std::size_t k = 1 + trial % (n - 1);
      Matrix c(n - k, Vector(n));
      Vector right(n - k);
      Vector x0(n);
      Vector nominal(n);
      std::string names;
      std::string equations;
      for (std::size_t j = 0; j < n; ++j) {
        x0[j] = std::round(10 * uniform(random)) / 10;
        nominal[j] = trial % 2 == 0 ? 1.0 : std::pow(2.0, static_cast<double>(j % 3));
        names += " Real x" + std::to_string(j) + "(nominal = " + number(nominal[j]) +
                 (x0[j] == 0.0 ? "" : ", start = " + number(x0[j])) + ");\n";
      }
      for (std::size_t i = 0; i < n - k; ++i) {
        std::string row;
        for (std::size_t j = 0; j < n; ++j) {
          c[i][j] = std::round(10 * uniform(random)) / 10 + (j == k + i ? 6.0 : 0.0);
          row += (j == 0 ? "" : " + ") + number(c[i][j]) + "*x" + std::to_string(j);
        }
        right[i] = std::round(10 * uniform(random)) / 10;
        equations += " " + row + " = " + number(right[i]) + ";\n";
      }
      for (std::size_t j = 0; j < k; ++j) {
        equations += " der(x" + std::to_string(j) + ") = -x" + std::to_string(j) + ";\n";
      }
      const Vector nearest = nearest_point(c, right, x0, nominal);
      const HybridRun alike = run_of(names, equations, "minimum-norm");
      ASSERT_EQ(alike.result.status, SimulationStatus::success) << names << equations << alike.log();
      const HybridRun tiers = run_of(names, equations);
      ASSERT_EQ(tiers.result.status, SimulationStatus::success) << tiers.log();
      for (std::size_t j = 0; j < n; ++j) {
        const std::string name = "x" + std::to_string(j);
        EXPECT_NEAR(alike.value(alike.rows.front(), name), nearest[j], 1e-9) << names << equations;
        if (j < k) {
          EXPECT_EQ(tiers.value(tiers.rows.front(), name), x0[j]);
        }
      }
      EXPECT_TRUE(alike.says("start-moved")) << alike.words();
    }
  }
}

// What is fixed is held; the rest is nearest.
TEST(StartRule, FixedValuesAreHeld) {
  const HybridRun run = run_of(" Real x(start = 1, fixed = true), y(start = 1), z;\n",
                               " der(x) = -x;\n x + y + z = 0;\n der(y) = 0;\n", "minimum-norm");
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_EQ(run.value(run.rows.front(), "x"), 1);
  EXPECT_NEAR(run.value(run.rows.front(), "y"), 0, 1e-9);
  EXPECT_NEAR(run.value(run.rows.front(), "z"), -1, 1e-9);
}

// The converter of [Wun08] 7.2.1 in its first mode, all starts 10: vC = 20/9 and iL = 10 are the minimum-norm projection, and the diode turns
// off at t = 0.1822; with vC = iL = 10 kept at 0.1795.
TEST(StartRule, TheConverterOfTheSource) {
  const std::string text =
      "model M\n Real vC(start = 10), iL(start = 10), iS(start = 10), vS(start = 10), vD(start = 10), "
      "iD(start = 10), iR(start = 10);\n Boolean closed = time >= 0.1 and time < 0.16;\nequation\n "
      "0.01*der(vC) = "
      "iD - iR;\n der(iL) = vS - 48;\n 0 = vD + vC + vS;\n 0 = 2*iR - vC;\n 0 = iS + iL - iD;\ninitial mode "
      "diode\n "
      "equation\n iS = 0;\n vD = 0;\n transition to neither when iD < -1e-9;\n transition to both when "
      "closed;\nend "
      "diode;\nmode neither\n equation\n iS = 0;\n iD = 0;\nend neither;\nmode both\n equation\n vS = 0;\n "
      "vD = 0;\n "
      "transition to diode when not closed;\nend both;\nend M;\n";
  for (const std::string rule : {"minimum-norm", "least-change"}) {
    const HybridRun run =
        run_text(text, {{"stop", "0.2"}, {"interval", "0.01"}, {"tolerance", "1e-8"}, {"start-rule", rule}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    const bool is_alike = rule == "minimum-norm";
    EXPECT_NEAR(run.value(run.rows.front(), "vC"), is_alike ? 20.0 / 9.0 : 10.0, 1e-9) << run.log();
    EXPECT_NEAR(run.value(run.rows.front(), "iL"), 10.0, 1e-9);
    EXPECT_NEAR(run.times("transition").back(), is_alike ? 0.1822 : 0.1795, 5e-5) << run.log();
  }
}

// More linear equations than unknowns: the start is what the run goes on with, also where nothing fits, with its warning. A static system does
// not move.
TEST(LeastSquaresStart, OfTooManyLinearEquations) {
  for (const std::string method : {"auto", "radau5", "bdf"}) {
    const HybridRun run =
        run_of(" Real x, y;\n", " x + y = 1;\n x - y = 0;\n 2*x + y = 1.6;\n", "least-change", method);
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    EXPECT_TRUE(run.says("least-squares")) << run.words();
    for (const RowRecord& row : run.rows) {
      // rows divided by their largest coefficient: Aᵀ(b - A·x) = 0
      EXPECT_NEAR(run.value(row, "x"), 6.7 / 13.0, 1e-9) << row.time;
      EXPECT_NEAR(run.value(row, "y"), 6.6 / 13.0, 1e-9);
    }
  }
  const HybridRun state =
      run_of(" Real x(start = 1, fixed = true), y;\n", " der(x) = -x;\n y = x;\n y = x + 0.1;\n");
  ASSERT_EQ(state.result.status, SimulationStatus::success) << state.log();
  EXPECT_EQ(state.value(state.rows.front(), "x"), 1);
  EXPECT_NEAR(state.value(state.rows.front(), "y"), 1.05, 1e-9);
  EXPECT_NEAR(state.final("y"), std::exp(-1.0) + 0.05, 1e-5);
  // at the start as one moment later
  const HybridRun moving = run_of(" Real x, y;\n", " x + y = 1;\n x - y = 0;\n 2*x + y = 1.6 + time;\n");
  const RowRecord& first = moving.rows.front();
  EXPECT_NEAR(moving.value(first, "x"), 6.7 / 13.0, 1e-9) << moving.log();
}

// Equations that repeat each other are met, by the point nearest to the starts; as many as there are unknowns that contradict each other, fixed
// values that do, and equations that are not linear are refused by name.
TEST(LeastSquaresStart, WhatFitsAndWhatDoesNot) {
  for (const std::string equations : {" x + y = 1;\n x + y = 1;\n", " x + y = 1;\n 2*x + 2*y = 2;\n",
                                      " x + y = 1;\n y = 1 - x;\n x + y - 1 = 0;\n"}) {
    const HybridRun run = run_of(" Real x, y;\n", equations);
    ASSERT_EQ(run.result.status, SimulationStatus::success) << equations << run.log();
    EXPECT_NEAR(run.value(run.rows.front(), "x"), 0.5, 1e-9) << equations;
    EXPECT_NEAR(run.value(run.rows.front(), "y"), 0.5, 1e-9);
  }
  for (const std::string equations : {" x + y = 1;\n x + y = 2;\n", " x + y = 1;\n 2*x + 2*y = 3;\n",
                                      " x^2 + y^2 = 1;\n x + y = 1;\n x*y = 3;\n"}) {
    const HybridRun run = run_of(" Real x, y;\n", equations);
    EXPECT_EQ(run.result.status, SimulationStatus::failed) << equations << run.log();
    EXPECT_EQ(run.result.reason, "initialization_failed");
    EXPECT_TRUE(run.says("x + y = 1") || run.says("x*y = 3")) << run.words();
  }
  const HybridRun fixed = run_of(" Real x(start = 1, fixed = true), y(start = 3, fixed = true);\n",
                                 " der(x) = -x;\n y = x;\n y = x;\n");
  EXPECT_EQ(fixed.result.status, SimulationStatus::failed) << fixed.log();
}

// No truths agree with the values that they give: the relations are named.
TEST(StartTruths, WithoutASolutionNameTheirRelations) {
  const HybridRun one =
      run_of(" Boolean b;\n Real x = 0.5, y;\n", " b = x + y > 0;\n y = if b then -1 else 0;\n");
  EXPECT_EQ(one.result.status, SimulationStatus::failed) << one.log();
  EXPECT_TRUE(one.says("'x + y > 0'")) << one.words();
  const HybridRun whole =
      run_of(" Integer i;\n Real y;\n", " i = if y > 0 then 1 else 2;\n y = if i == 1 then -1 else 1;\n");
  EXPECT_EQ(whole.result.status, SimulationStatus::failed) << whole.log();
  EXPECT_TRUE(whole.says("'y > 0'")) << whole.words();
  const HybridRun pair =
      run_of(" Boolean a, b;\n Real x, y;\n",
             " a = y > 0;\n b = x > 0;\n x = if a then 1 else -1;\n y = if b then -1 else 1;\n");
  EXPECT_EQ(pair.result.status, SimulationStatus::failed) << pair.log();
  EXPECT_TRUE(pair.says("'y > 0'") || pair.says("'x > 0'")) << pair.words();
}

// Modelica 8.6: exactly `initial()` and {…, initial(), …}, whatever a condition is simplified to.
TEST(StartClause, OtherFormsDoNothingWhateverTheyAreSimplifiedTo) {
  for (const std::string condition : {"initial() or false", "initial() or c", "c or initial()",
                                      "initial() and true", "initial() or 1 > 2", "not (not initial())"}) {
    for (const std::string declared : {"constant", "parameter"}) {
      const HybridRun run =
          run_of(" " + declared + " Boolean c = false;\n Integer n(start = 0, fixed = true);\n",
                 " when " + condition + " then\n  n = pre(n) + 1;\n end when;\n");
      EXPECT_EQ(run.final("n"), 0) << condition << declared << run.log();
      EXPECT_TRUE(run.says("initial-in-condition")) << run.words();
    }
  }
  for (const std::string condition : {"initial()", "{initial(), false}", "{time > 2, initial()}"}) {
    const HybridRun run = run_of(" Integer n(start = 0, fixed = true);\n",
                                 " when " + condition + " then\n  n = pre(n) + 1;\n end when;\n");
    EXPECT_EQ(run.final("n"), 1) << condition << run.log();
    EXPECT_FALSE(run.says("initial-in-condition")) << run.words();
  }
}

// A reinit in a clause of the start is an initial equation: a fixed value that it contradicts is an error, one that agrees is none. With
// constraints too.
TEST(StartClause, ReinitOfAFixedState) {
  const std::string clause = " when initial() then\n  reinit(x, 5);\n end when;\n";
  for (const std::string more : {"", " x = 2*y;\n"}) {
    const std::string names = more.empty() ? "" : ", y";
    const HybridRun wrong =
        run_of(" Real x(start = 1, fixed = true)" + names + ";\n", " der(x) = -x;\n" + more + clause);
    EXPECT_EQ(wrong.result.status, SimulationStatus::failed) << more << wrong.log();
    EXPECT_EQ(wrong.result.reason, "initialization_failed");
    const HybridRun right =
        run_of(" Real x(start = 5, fixed = true)" + names + ";\n", " der(x) = -x;\n" + more + clause);
    ASSERT_EQ(right.result.status, SimulationStatus::success) << right.log();
    EXPECT_NEAR(right.final("x"), 5 * std::exp(-1.0), 1e-4);
    const HybridRun open = run_of(" Real x(start = 1)" + names + ";\n", " der(x) = -x;\n" + more + clause);
    ASSERT_EQ(open.result.status, SimulationStatus::success) << open.log();
    EXPECT_EQ(open.value(open.rows.front(), "x"), 5);
  }
  // index 2: x follows a given function, whose derivative gives u
  const HybridRun hidden = run_of(
      " Real x, u, w(start = 1, fixed = true);\n",
      " der(x) = u;\n x = 3 + time;\n der(w) = 0;\n when initial() then\n  reinit(w, 2);\n end when;\n");
  EXPECT_EQ(hidden.result.status, SimulationStatus::failed) << hidden.log();
  EXPECT_EQ(hidden.result.reason, "initialization_failed") << hidden.log();
}

// Several models in one text: the last one runs and is named, another one on request.
TEST(SeveralModels, TheOneThatRunsIsNamed) {
  const std::string text =
      "model A\n parameter Integer n = 2;\n Real x[n];\nequation\n x = fill(1.0, n);\nend A;\n"
      "model B\n Real y = 2;\nend B;\n";
  const auto last = Model::from_text("two.mo", text);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->name(), "B");
  EXPECT_THAT(render_text(last->warnings()),
              ::testing::HasSubstr("2 models: A and B; the last one, B, is taken [several-models]"));
  const auto first = Model::from_text("two.mo", text, {}, "A");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->name(), "A");
  EXPECT_TRUE(first->warnings().empty());
  // elaborated anew for a size, it is still this one
  SimulationOptions options;
  ASSERT_TRUE(set_option(options, "set", "n=3").empty());
  EXPECT_EQ(simulate(*first, options).value().variables.size(), 3U);
  const auto none = Model::from_text("two.mo", text, {}, "C");
  ASSERT_FALSE(none);
  EXPECT_THAT(render_text(none.error()), ::testing::HasSubstr("no model 'C', but A and B [unknown-model]"));
  const auto whole = Model::from_text("two.mo", text + "model D\n A a;\nend D;\n");
  ASSERT_TRUE(whole) << render_text(whole.error());
  EXPECT_EQ(whole->name(), "D");
  EXPECT_EQ(simulate(*whole, {}).value().variables.size(), 2U);
}

}  // namespace
}  // namespace saltus::test
