#include "reduce/consistent/raised_problem.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "reduce/consistent/consistent_values.hpp"
#include "support/function_equations.hpp"
#include "support/jet_dae.hpp"

namespace saltus::reduce {
namespace {

// x1' = x2, x1 = t²: index 2, x2 = 2t is known from the first derivative of the second equation.
test::JetDae slope_of_parabola() {
  return test::JetDae({.orders = {1, 1}, .n_equations = 2, .equations = [](const test::JetPoint& p) {
                         return std::vector<test::Series>{p.x(0, 1) - p.x(1), p.x(0) - p.t * p.t};
                       }});
}

// As HybridSystem::initial() gives it: the equations as they stand and one initial equation, x2 = 6.
system::InitialProblem plain_problem(double rhs) {
  system::InitialProblem problem;
  problem.equations = std::make_shared<const test::FunctionEquations>(
      std::vector<system::SlotInfo>{{"x1", 0, 0, 1.0}, {"x2", 1, 0, 1.0}, {"der(x1)", 0, 1, 1.0}},
      std::vector<test::FunctionRow>{{"der(x1) = x2", 0, {1, 2}, [](double, auto s) { return s[2] - s[1]; }},
                                     {"x1 = time^2", 0, {0}, [](double t, auto s) { return s[0] - t * t; }},
                                     {"x2 = number", 0, {1}, [rhs](double, auto s) { return s[1] - rhs; }}});
  problem.n_initial_equations = 1;
  problem.guess = {1.0, 2.0, 3.0};
  problem.tier = {system::StartTier::differential, system::StartTier::free, system::StartTier::free};
  problem.slot_of_guess = {1, -1, 0};
  return problem;
}

TEST(RaisedProblem, HasTheRowsOfTheArrayAndTheInitialEquations) {
  const test::JetDae dae = slope_of_parabola();
  const auto raised = raise_problem(plain_problem(6.0), dae, 1);
  ASSERT_TRUE(raised.has_value());
  EXPECT_EQ(raised->equations->n_rows(), 5);
  EXPECT_EQ(raised->equations->n_slots(), 6) << "orders 0 … 2 of both";
  EXPECT_EQ(raised->equations->rows().back().text, "x2 = number");
  EXPECT_EQ(raised->guess[0], 1.0);
  EXPECT_EQ(raised->guess[1], 2.0);
  EXPECT_EQ(raised->guess[2], 3.0);
  EXPECT_EQ(raised->tier[0], system::StartTier::differential);
  EXPECT_EQ(raised->slot_of_guess, (std::vector<Index>{1, -1, 0}));
}

TEST(RaisedProblem, ShowsWhatTheEquationsHide) {
  const test::JetDae dae = slope_of_parabola();
  const auto fitting = raise_problem(plain_problem(6.0), dae, 1);
  ASSERT_TRUE(fitting.has_value());
  const auto values = find_consistent_values(*fitting, 3.0);
  ASSERT_TRUE(values.has_value());
  EXPECT_NEAR(values->slots[0], 9.0, 1e-12);
  EXPECT_NEAR(values->slots[1], 6.0, 1e-12);
  const auto contradicting = raise_problem(plain_problem(5.0), dae, 1);
  ASSERT_TRUE(contradicting.has_value());
  const auto none = find_consistent_values(*contradicting, 3.0);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().items()[0].code, "initial-equation-conflict");
}

TEST(RaisedProblem, JacobiansAreThoseOfBothParts) {
  const test::JetDae dae = slope_of_parabola();
  const auto raised = raise_problem(plain_problem(6.0), dae, 1);
  ASSERT_TRUE(raised.has_value());
  const auto runner = raised->equations->make_runner();
  const auto n = static_cast<std::size_t>(raised->equations->n_slots());
  const system::RectangularPattern& pattern = raised->equations->pattern();
  std::vector<double> slots{0.3, 0.7, -0.2, 1.1, 0.4, 0.9};
  std::vector<double> entries(pattern.n_entries());
  std::vector<double> before(static_cast<std::size_t>(pattern.n_rows));
  std::vector<double> after(before.size());
  ASSERT_TRUE(runner->jacobian(2.0, slots, entries).ok());
  ASSERT_TRUE(runner->residual(2.0, slots, before).ok());
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> moved = slots;
    moved[j] += 0.5;  // the rows are affine
    ASSERT_TRUE(runner->residual(2.0, moved, after).ok());
    std::vector<double> column(before.size(), 0.0);
    for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
      column[static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(e)])] =
          entries[static_cast<std::size_t>(e)];
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_NEAR(column[i], (after[i] - before[i]) / 0.5, 1e-12);
    }
  }
}

}  // namespace
}  // namespace saltus::reduce
