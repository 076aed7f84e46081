#include "reduce/consistent/consistent_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reduce/consistent/guess_from_rows.hpp"
#include "support/problems/cartesian_pendulum.hpp"

namespace saltus::reduce {
namespace {

using system::InitialProblem;
using system::StartTier;
using test::FunctionEquations;
using test::FunctionRow;
using test::kAx;
using test::kAy;
using test::kGravity;
using test::kLambda;
using test::kVx;
using test::kVy;
using test::kX;
using test::kY;

InitialProblem problem_of(std::shared_ptr<const system::EquationSet> equations) {
  InitialProblem problem;
  const auto n = static_cast<std::size_t>(equations->n_slots());
  problem.equations = std::move(equations);
  problem.guess.assign(n, 0.0);
  problem.tier.assign(n, StartTier::free);
  return problem;
}

void give(InitialProblem& problem, Index slot, StartTier tier, double value) {
  problem.guess[static_cast<std::size_t>(slot)] = value;
  problem.tier[static_cast<std::size_t>(slot)] = tier;
}

InitialProblem pendulum() {
  return problem_of(test::pendulum_start_equations());
}

double worst_residual(const InitialProblem& problem, std::span<const double> slots) {
  std::vector<double> values(static_cast<std::size_t>(problem.equations->n_rows()));
  EXPECT_TRUE(problem.equations->make_runner()->residual(0.0, slots, values).ok());
  double most = 0.0;
  for (const double value : values) {
    most = std::max(most, std::abs(value));
  }
  return most;
}

void expect_error(const InitialProblem& problem, std::string_view code,
                  const std::vector<std::string>& parts) {
  const auto result = find_consistent_values(problem, 0.0);
  ASSERT_FALSE(result.has_value());
  const Diagnostic& first = result.error().items()[0];
  EXPECT_EQ(first.code, code) << first.message;
  for (const std::string& part : parts) {
    EXPECT_NE((first.message + " | " + first.hint).find(part), std::string::npos)
        << part << "\nin: " << first.message << " | " << first.hint;
  }
}

TEST(ConsistentValues, GivenStartsThatFitAreKeptToTheLastBit) {
  InitialProblem problem = pendulum();
  give(problem, kX, StartTier::differential, 0.6);
  give(problem, kY, StartTier::differential, -0.8);
  give(problem, kVx, StartTier::differential, 0.4);
  give(problem, kVy, StartTier::differential, 0.3);
  const auto result = find_consistent_values(problem, 0.0);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->slots[kX], 0.6);
  EXPECT_EQ(result->slots[kY], -0.8);
  EXPECT_EQ(result->slots[kVx], 0.4);
  EXPECT_EQ(result->slots[kVy], 0.3);
  // λ = v² - g·y at length 1
  EXPECT_NEAR(result->slots[kLambda], 0.25 + 0.8 * kGravity, 1e-12);
  EXPECT_TRUE(result->moved.empty());
  EXPECT_TRUE(result->warnings.empty());
}

// x = 2, y = 0 is moved along the radius, and both are told.
TEST(ConsistentValues, MovesExplicitStartsLeast) {
  InitialProblem problem = pendulum();
  give(problem, kX, StartTier::differential, 1.2);
  give(problem, kY, StartTier::differential, -1.6);
  const auto result = find_consistent_values(problem, 0.0);
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(result->slots[kX], 0.6, 1e-7);
  EXPECT_NEAR(result->slots[kY], -0.8, 1e-7);
  EXPECT_LE(worst_residual(problem, result->slots), 1e-12);
  ASSERT_EQ(result->moved.size(), 2u);
  EXPECT_EQ(result->moved[0].from, 1.2);
  ASSERT_EQ(result->warnings.items().size(), 1u);
  EXPECT_EQ(result->warnings.items()[0].code, "start-moved");
  EXPECT_NE(result->warnings.items()[0].message.find("x from 1.2 to 0.6, y from -1.6 to -0.8"),
            std::string::npos)
      << result->warnings.items()[0].message;
}

// The nearest point of the circle to a point far away is found although the iteration of least steps goes astray.
TEST(ConsistentValues, IsNearestForCurvedEquations) {
  const auto equations = std::make_shared<const FunctionEquations>(
      std::vector<system::SlotInfo>{
          {"x", 0, 0, 1.0}, {"der(x)", 0, 1, 1.0}, {"y", 1, 0, 1.0}, {"der(y)", 1, 1, 1.0}},
      std::vector<FunctionRow>{{"x^2/4 + y^2 = 1", 0, {0, 2}, [](double, auto s) {
                                  return 0.25 * s[0] * s[0] + s[2] * s[2] - 1.0;
                                }}});
  InitialProblem problem = problem_of(equations);
  give(problem, 0, StartTier::differential, 3.0);
  give(problem, 2, StartTier::differential, 2.0);
  const auto result = find_consistent_values(problem, 0.0);
  ASSERT_TRUE(result.has_value());
  const double x = result->slots[0];
  const double y = result->slots[2];
  EXPECT_NEAR(0.25 * x * x + y * y, 1.0, 1e-12);
  // The way from the point to where it was given is a multiple of the normal (x/2, 2y).
  EXPECT_NEAR((3.0 - x) * 2.0 * y - (2.0 - y) * 0.5 * x, 0.0, 2e-5);
}

TEST(ConsistentValues, FixedValuesAreHeldAndOthersGiveWay) {
  InitialProblem problem = pendulum();
  give(problem, kX, StartTier::fixed, 0.6);
  give(problem, kY, StartTier::differential, -1.0);
  give(problem, kVx, StartTier::fixed, 4.0);
  const auto result = find_consistent_values(problem, 0.0);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->slots[kX], 0.6);
  EXPECT_EQ(result->slots[kVx], 4.0);
  EXPECT_NEAR(result->slots[kY], -0.8, 1e-12);
  EXPECT_NEAR(result->slots[kVy], 3.0, 1e-11);
  ASSERT_EQ(result->moved.size(), 1u) << "der(y) has no start of its own";
  EXPECT_EQ(result->moved[0].slot, kY);
}

// x is kept, y gives way: an explicit start of a differential variable counts more than another one.
TEST(ConsistentValues, WeakerStartsGiveWayFirst) {
  InitialProblem problem = pendulum();
  give(problem, kX, StartTier::differential, 0.8);
  give(problem, kY, StartTier::other, -0.7);
  const auto result = find_consistent_values(problem, 0.0);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->slots[kX], 0.8);
  EXPECT_NEAR(result->slots[kY], -0.6, 1e-12);
}

// At y = 0 the equation x² + y² = 1 does not depend on y: the start of x must not be given up for that.
TEST(ConsistentValues, AGuessWhereAnUnknownDoesNotActIsLeft) {
  InitialProblem problem = pendulum();
  give(problem, kX, StartTier::differential, 0.6);
  const auto result = find_consistent_values(problem, 0.0);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->slots[kX], 0.6);
  EXPECT_NEAR(std::abs(result->slots[kY]), 0.8, 1e-12);
  EXPECT_LE(worst_residual(problem, result->slots), 1e-11);
  EXPECT_TRUE(result->moved.empty());
}

TEST(ConsistentValues, DerivativesNeverPullAtValues) {
  const auto equations = std::make_shared<const FunctionEquations>(
      std::vector<system::SlotInfo>{{"x", 0, 0, 1.0}, {"der(x)", 0, 1, 1.0}},
      std::vector<FunctionRow>{
          {"der(x) = 1000*x", 0, {0, 1}, [](double, auto s) { return s[1] - 1000.0 * s[0]; }}});
  for (const auto algebra : {LeastChange::Algebra::dense, LeastChange::Algebra::sparse}) {
    InitialProblem problem = problem_of(equations);
    problem.guess[0] = 1.0;
    const auto result = find_consistent_values(problem, 0.0, {algebra});
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(result->slots[0], 1.0);
    EXPECT_NEAR(result->slots[1], 1000.0 * result->slots[0], 1e-9);
    problem.tier[0] = StartTier::differential;
    const auto explicit_start = find_consistent_values(problem, 0.0, {algebra});
    ASSERT_TRUE(explicit_start.has_value());
    EXPECT_EQ(explicit_start->slots[0], 1.0);
  }
}

TEST(ConsistentValues, SaysWhatNothingDetermines) {
  InitialProblem problem = pendulum();
  problem.is_state = {1, 1, 1, 1, 0, 0, 0};
  give(problem, kX, StartTier::fixed, 0.6);
  give(problem, kY, StartTier::differential, -0.8);
  const auto result = find_consistent_values(problem, 0.0);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->slots[kVx], 0.0);
  EXPECT_EQ(result->slots[kVy], 0.0);
  EXPECT_EQ(result->chosen, (std::vector<Index>{kVx, kVy}));
  ASSERT_EQ(result->warnings.items().size(), 1u);
  EXPECT_EQ(result->warnings.items()[0].code, "start-chosen");
  EXPECT_NE(result->warnings.items()[0].message.find("der(x) = 0, der(y) = 0"), std::string::npos);
  give(problem, kVx, StartTier::fixed, 1.0);
  const auto determined = find_consistent_values(problem, 0.0);
  ASSERT_TRUE(determined.has_value());
  EXPECT_TRUE(determined->chosen.empty()) << "der(y) follows";
}

// In the first-order form x has no derivative among the slots: der(x) is called vx. It is a state all the same.
TEST(ConsistentValues, AStateIsKeptThoughNoDerivativeOfItIsASlot) {
  std::vector<system::SlotInfo> slots = test::pendulum_slots(true);
  slots[kVx] = {"vx", 3, 0, 1.0};
  slots[kVy] = {"vy", 4, 0, 1.0};
  slots[kAx] = {"der(vx)", 3, 1, 1.0};
  slots[kAy] = {"der(vy)", 4, 1, 1.0};
  InitialProblem problem =
      problem_of(std::make_shared<const FunctionEquations>(slots, test::pendulum_start_rows()));
  problem.is_state = {1, 1, 1, 1, 0, 0, 0};
  problem.guess[kX] = 0.6;
  problem.guess[kY] = -0.8;
  problem.guess[kVx] = 0.8;
  problem.guess[kVy] = 0.6;
  const auto result = find_consistent_values(problem, 0.0);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->slots[kX], 0.6);
  EXPECT_EQ(result->slots[kY], -0.8);
  give(problem, kX, StartTier::fixed, 0.6);
  give(problem, kY, StartTier::fixed, 0.0);
  expect_error(problem, "fixed-conflict", {"x = 0.6, y = 0", "x = 1", "y = "});
}

TEST(ConsistentValues, FixedMoreThanFreeButConsistentIsHeldAndReported) {
  InitialProblem problem = pendulum();
  give(problem, kX, StartTier::fixed, 0.6);
  give(problem, kY, StartTier::fixed, -0.8);
  const auto result = find_consistent_values(problem, 0.0);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->slots[kX], 0.6);
  EXPECT_EQ(result->slots[kY], -0.8);
  EXPECT_EQ(result->fixed_twice, (std::vector<Index>{kX, kY}));
  ASSERT_EQ(result->warnings.items().size(), 1u);
  EXPECT_EQ(result->warnings.items()[0].code, "fixed-twice");
}

TEST(ConsistentValues, NamesFixedValuesThatContradict) {
  InitialProblem problem = pendulum();
  give(problem, kX, StartTier::fixed, 0.6);
  give(problem, kY, StartTier::fixed, -0.7);
  expect_error(
      problem, "fixed-conflict",
      {"x = 0.6, y = -0.7", "'x^2 + y^2 = 1' (off by 0.15)", "x = 0.714143", "y = -0.8", "each alone"});
}

TEST(ConsistentValues, NamesAHiddenConstraintThatFixedValuesViolate) {
  InitialProblem problem = pendulum();
  give(problem, kX, StartTier::fixed, 0.6);
  give(problem, kVx, StartTier::fixed, 1.0);
  give(problem, kVy, StartTier::fixed, 2.0);
  give(problem, kY, StartTier::fixed, -0.8);
  expect_error(problem, "fixed-hidden-constraint",
               {"follows from the equations by differentiation", "2*x*der(x) + 2*y*der(y) = 0",
                "differentiated once", "der(x) = 2.66667", "der(y) = 0.75"});
}

TEST(ConsistentValues, NamesAnAlgebraicVariableThatIsFixed) {
  InitialProblem problem = pendulum();
  give(problem, kX, StartTier::fixed, 0.0);
  give(problem, kY, StartTier::differential, -1.0);
  give(problem, kVx, StartTier::fixed, 1.0);
  give(problem, kLambda, StartTier::fixed, 5.0);
  expect_error(problem, "fixed-algebraic", {"'lambda' is fixed at 5", "lambda = 10.81 would fit"});
}

TEST(ConsistentValues, NamesInitialEquationsThatContradict) {
  std::vector<FunctionRow> rows = test::pendulum_start_rows();
  rows.push_back({"x = 2", 0, {kX}, [](double, auto s) { return s[kX] - 2.0; }});
  InitialProblem problem =
      problem_of(std::make_shared<const FunctionEquations>(test::pendulum_slots(true), rows));
  problem.n_initial_equations = 1;
  give(problem, kX, StartTier::differential, 0.6);
  give(problem, kY, StartTier::differential, -0.8);
  expect_error(problem, "initial-equation-conflict", {"initial equation 'x = 2'"});
}

TEST(ConsistentValues, NamesEquationsWithoutSolution) {
  const auto equations = std::make_shared<const FunctionEquations>(
      std::vector<system::SlotInfo>{{"x", 0, 0, 1.0}, {"y", 1, 0, 1.0}},
      std::vector<FunctionRow>{{"x + y = 1", 0, {0, 1}, [](double, auto s) { return s[0] + s[1] - 1.0; }},
                               {"x^2 = -1", 0, {0}, [](double, auto s) { return s[0] * s[0] + 1.0; }}});
  expect_error(problem_of(equations), "no-consistent-values", {"'x^2 = -1'"});
}

TEST(ConsistentValues, NamesLinearEquationsThatContradict) {
  class Linear final : public system::EquationSet {
   public:
    [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return inner_.slots(); }
    [[nodiscard]] const std::vector<system::RowInfo>& rows() const override { return inner_.rows(); }
    [[nodiscard]] const system::RectangularPattern& pattern() const override { return inner_.pattern(); }
    [[nodiscard]] bool is_linear() const override { return true; }
    [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override {
      return inner_.make_runner();
    }

   private:
    FunctionEquations inner_{
        {{"x", 0, 0, 1.0}, {"y", 1, 0, 1.0}},
        {{"x + y = 1", 0, {0, 1}, [](double, auto s) { return s[0] + s[1] - 1.0; }},
         {"2*x + 2*y = 3", 0, {0, 1}, [](double, auto s) { return 2.0 * s[0] + 2.0 * s[1] - 3.0; }}}};
  };
  expect_error(problem_of(std::make_shared<const Linear>()), "equations-contradict",
               {"'x + y = 1'", "'2*x + 2*y = 3'", "contradict each other"});
}

TEST(ConsistentValues, NamesAnEquationWithoutValueAtTheGuess) {
  const auto equations = std::make_shared<const FunctionEquations>(
      std::vector<system::SlotInfo>{{"x", 0, 0, 1.0}},
      std::vector<FunctionRow>{{"sqrt(x) = 1", 0, {0}, [](double, auto s) { return sqrt(s[0]) - 1.0; }}});
  InitialProblem problem = problem_of(equations);
  give(problem, 0, StartTier::other, -1.0);
  expect_error(problem, "no-consistent-values", {"'sqrt(x) = 1' has no value"});
}

// A full step from 9 would lead to √ of a negative number: shorter steps do not.
TEST(ConsistentValues, ShortensStepsThatLeaveTheDomain) {
  const auto equations = std::make_shared<const FunctionEquations>(
      std::vector<system::SlotInfo>{{"x", 0, 0, 1.0}},
      std::vector<FunctionRow>{{"sqrt(x) = 0.1", 0, {0}, [](double, auto s) { return sqrt(s[0]) - 0.1; }}});
  InitialProblem problem = problem_of(equations);
  problem.guess[0] = 9.0;
  const auto result = find_consistent_values(problem, 0.0);
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(result->slots[0], 0.01, 1e-12);
}

// At the guess 0 the second row has no value, and neither would any point near it in the direction of a step; but nothing has to be guessed.
TEST(ConsistentValues, WhatRowsGiveOneByOneIsTheGuess) {
  const auto equations = std::make_shared<const FunctionEquations>(
      std::vector<system::SlotInfo>{
          {"T", 0, 0, 1.0}, {"vt", 1, 0, 1.0}, {"h", 2, 0, 1.0}, {"c", 3, 0, 1.0}, {"d", 4, 0, 1.0}},
      std::vector<FunctionRow>{
          {"1/h = d", 0, {2, 4}, [](double, auto s) { return 1.0 / s[2] - s[4]; }},
          {"h = 2/vt", 0, {1, 2}, [](double, auto s) { return s[2] - 2.0 / s[1]; }},
          {"c^3 + c = h", 0, {2, 3}, [](double, auto s) { return s[3] * s[3] * s[3] + s[3] - s[2]; }},
          {"vt = 1e-4*T", 0, {0, 1}, [](double, auto s) { return s[1] - 1e-4 * s[0]; }}});
  InitialProblem problem = problem_of(equations);
  give(problem, 0, StartTier::fixed, 200.0);
  const auto guess = guess_from_rows(problem, 0.0);
  ASSERT_TRUE(guess);
  EXPECT_NEAR((*guess)[1], 0.02, 1e-15);
  EXPECT_NEAR((*guess)[2], 100.0, 1e-9);
  EXPECT_EQ((*guess)[3], 0.0);  // its row is not affine in it
  EXPECT_NEAR((*guess)[4], 0.01, 1e-12);
  const auto result = find_consistent_values(problem, 0.0);
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(result->slots[2], 100.0, 1e-9);
  EXPECT_NEAR(std::pow(result->slots[3], 3.0) + result->slots[3], 100.0, 1e-8);
}

// However long the chain is in which each value needs the one before.
TEST(ConsistentValues, RowsOfALongChainAreTheGuess) {
  const Index length = 300;
  std::vector<system::SlotInfo> slots;
  std::vector<FunctionRow> rows;
  for (Index k = 0; k < length; ++k) {
    slots.push_back({"y[" + std::to_string(k) + "]", k, 0, 1.0});
    const auto own = static_cast<std::size_t>(k);
    if (k > 0) {
      rows.push_back(
          {"y[k] = 2/y[k - 1]", 0, {k - 1, k}, [own](double, auto s) { return s[own] - 2.0 / s[own - 1]; }});
    }
  }
  InitialProblem problem =
      problem_of(std::make_shared<const FunctionEquations>(std::move(slots), std::move(rows)));
  give(problem, 0, StartTier::fixed, 0.5);
  const auto guess = guess_from_rows(problem, 0.0);
  ASSERT_TRUE(guess);
  EXPECT_EQ(guess->back(), 4.0);
}

// Elsewhere the guess decides which of several solutions is found, and stays as it is.
TEST(ConsistentValues, AGuessWithAValueStays) {
  const auto equations = std::make_shared<const FunctionEquations>(
      std::vector<system::SlotInfo>{{"x", 0, 0, 1.0}, {"y", 1, 0, 1.0}},
      std::vector<FunctionRow>{{"y = 3*x", 0, {0, 1}, [](double, auto s) { return s[1] - 3.0 * s[0]; }}});
  InitialProblem problem = problem_of(equations);
  give(problem, 0, StartTier::fixed, 1.0);
  EXPECT_FALSE(guess_from_rows(problem, 0.0));
}

TEST(ConsistentValues, EqualConstraintsCountOnce) {
  std::vector<FunctionRow> rows = test::pendulum_start_rows();
  rows.push_back(rows[0]);
  rows.push_back(rows[1]);
  InitialProblem problem =
      problem_of(std::make_shared<const FunctionEquations>(test::pendulum_slots(true), rows));
  give(problem, kX, StartTier::fixed, 0.6);
  give(problem, kY, StartTier::differential, -0.79);
  const auto result = find_consistent_values(problem, 0.0);
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(result->slots[kY], -0.8, 1e-12);
  EXPECT_TRUE(result->fixed_twice.empty());
}

// A chain of points at distance 1, the first fixed, all others given a little off.
TEST(ConsistentValues, ALargeChainIsSparse) {
  constexpr Index kLinks = 2000;
  std::vector<system::SlotInfo> slots;
  std::vector<FunctionRow> rows;
  for (Index i = 0; i <= kLinks; ++i) {
    for (const char* name : {"x", "y"}) {
      slots.push_back({name, static_cast<Index>(slots.size()), 0, 1.0});
    }
  }
  for (Index i = 0; i < kLinks; ++i) {
    const auto a = static_cast<std::size_t>(2 * i);
    rows.push_back({"link", 0, {2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 3}, [a](double, auto s) {
                      const test::Dual dx = s[a + 2] - s[a];
                      const test::Dual dy = s[a + 3] - s[a + 1];
                      return dx * dx + dy * dy - 1.0;
                    }});
  }
  InitialProblem problem = problem_of(std::make_shared<const FunctionEquations>(slots, rows));
  for (Index i = 0; i <= kLinks; ++i) {
    const StartTier tier = i == 0 ? StartTier::fixed : StartTier::differential;
    give(problem, 2 * i, tier, 0.8 * static_cast<double>(i) + 1e-3 * std::sin(static_cast<double>(i)));
    give(problem, 2 * i + 1, tier, 0.6 * static_cast<double>(i));
  }
  const auto result = find_consistent_values(problem, 0.0);
  ASSERT_TRUE(result.has_value());
  EXPECT_LE(worst_residual(problem, result->slots), 1e-9);
  EXPECT_EQ(result->slots[0], problem.guess[0]);
  EXPECT_EQ(result->slots[1], problem.guess[1]);
}

}  // namespace
}  // namespace saltus::reduce
