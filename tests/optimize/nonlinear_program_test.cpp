// Optimisation with constraints: problems with known solutions, points that fail, problems without a solution.
#include "api/optimize/nonlinear_program.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "api/optimize/convex_program.hpp"

namespace saltus::api {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

NonlinearProgram problem(std::vector<double> start, std::vector<bool> is_equality,
                         std::function<ProgramPoint(const std::vector<double>&)> evaluate) {
  NonlinearProgram program;
  program.start = std::move(start);
  program.lower.assign(program.start.size(), -kInfinity);
  program.upper.assign(program.start.size(), kInfinity);
  program.sizes.assign(program.start.size(), 1.0);
  program.is_equality = std::move(is_equality);
  program.accuracy = 1e-8;
  program.noise = 1e-14;
  program.evaluate = std::move(evaluate);
  return program;
}

TEST(ConvexPrograms, AreSolved) {
  // min ½|z - (2, 0)|² with z₁ + z₂ ≤ 1 and |zᵢ| ≤ 5: (1.5, -0.5), multiplier 0.5.
  ConvexProgram program{
      linalg::DenseMatrix::identity(2), {-2.0, 0.0}, linalg::DenseMatrix(5, 2), {1, 5, 5, 5, 5}};
  program.rows(0, 0) = program.rows(0, 1) = 1.0;
  program.rows(1, 0) = program.rows(2, 1) = 1.0;
  program.rows(3, 0) = program.rows(4, 1) = -1.0;
  const auto found = solve(program, {0.0, 0.0});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->z[0], 1.5, 1e-9);
  EXPECT_NEAR(found->z[1], -0.5, 1e-9);
  EXPECT_NEAR(found->multipliers[0], 0.5, 1e-9);
  EXPECT_NEAR(found->multipliers[1], 0.0, 1e-9);
}

ProgramPoint rosenbrock(const std::vector<double>& x) {
  ProgramPoint point;
  const double a = x[1] - x[0] * x[0];
  point.value = 100.0 * a * a + (1.0 - x[0]) * (1.0 - x[0]);
  point.gradient = {-400.0 * a * x[0] - 2.0 * (1.0 - x[0]), 200.0 * a};
  return point;
}

TEST(NonlinearPrograms, WithoutConstraints) {
  const ProgramSolution found = minimize(problem({-1.2, 1.0}, {}, rosenbrock));
  EXPECT_EQ(found.status, ProgramSolution::Status::converged) << found.message;
  EXPECT_NEAR(found.x[0], 1.0, 1e-6);
  EXPECT_NEAR(found.x[1], 1.0, 1e-6);
  EXPECT_LT(found.trials, 80);
}

TEST(NonlinearPrograms, BoundsAreKept) {
  NonlinearProgram program = problem({-1.2, 1.0}, {}, rosenbrock);
  program.upper[0] = 0.5;
  program.evaluate = [](const std::vector<double>& x) {
    EXPECT_LE(x[0], 0.5);
    return rosenbrock(x);
  };
  const ProgramSolution found = minimize(program);
  EXPECT_EQ(found.status, ProgramSolution::Status::converged) << found.message;
  EXPECT_NEAR(found.x[0], 0.5, 1e-8);
  EXPECT_NEAR(found.x[1], 0.25, 1e-6);
  EXPECT_TRUE(found.at_bound[0]);
  EXPECT_FALSE(found.at_bound[1]);
}

// Hock and Schittkowski 71: equality, inequality and bounds.
TEST(NonlinearPrograms, HockSchittkowski71) {
  NonlinearProgram program = problem({1, 5, 5, 1}, {false, true}, [](const std::vector<double>& x) {
    ProgramPoint point;
    const double sum = x[0] + x[1] + x[2];
    const double product = x[0] * x[1] * x[2] * x[3];
    point.value = x[0] * x[3] * sum + x[2];
    point.gradient = {x[3] * (sum + x[0]), x[0] * x[3], x[0] * x[3] + 1.0, x[0] * sum};
    point.constraints = {25.0 - product, x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] - 40.0};
    for (std::size_t i = 0; i < 4; ++i) {
      point.jacobian.push_back(-product / x[i]);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      point.jacobian.push_back(2.0 * x[i]);
    }
    return point;
  });
  program.lower.assign(4, 1.0);
  program.upper.assign(4, 5.0);
  const ProgramSolution found = minimize(program);
  EXPECT_EQ(found.status, ProgramSolution::Status::converged) << found.message;
  EXPECT_NEAR(found.point.value, 17.0140173, 1e-6);
  EXPECT_NEAR(found.x[0], 1.0, 1e-7);
  EXPECT_NEAR(found.x[1], 4.7429994, 1e-5);
  EXPECT_NEAR(found.x[2], 3.8211503, 1e-5);
  EXPECT_NEAR(found.x[3], 1.3794082, 1e-5);
  EXPECT_NEAR(found.multipliers[0], 0.5522937, 1e-4);
  EXPECT_LT(found.trials, 40);
}

// The region becomes smaller, and the search goes on.
TEST(NonlinearPrograms, TrialsThatFailAreRefused) {
  int n = 0;
  const ProgramSolution found = minimize(problem({-1.2, 1.0}, {}, [&](const std::vector<double>& x) {
    ++n;
    ProgramPoint point = rosenbrock(x);
    point.problem = n == 2 || n == 3 || n % 5 == 0 ? "it cannot be run" : "";
    return point;
  }));
  EXPECT_EQ(found.status, ProgramSolution::Status::converged) << found.message;
  EXPECT_NEAR(found.x[0], 1.0, 1e-6);
  EXPECT_GE(found.refused, n / 5);
}

TEST(NonlinearPrograms, AGuessThatFailsIsNoStart) {
  const ProgramSolution found = minimize(problem({0.9}, {}, [](const std::vector<double>&) {
    ProgramPoint point;
    point.problem = "no";
    return point;
  }));
  EXPECT_EQ(found.status, ProgramSolution::Status::failed);
  EXPECT_EQ(found.message, "no");
}

TEST(NonlinearPrograms, InfeasibleOnesAreSaidToBe) {
  // x² + 1 ≤ 0, and two linear constraints that contradict each other.
  ProgramSolution found = minimize(problem({1.3}, {false}, [](const std::vector<double>& x) {
    return ProgramPoint{{}, x[0], {1.0}, {x[0] * x[0] + 1.0}, {2.0 * x[0]}, {}};
  }));
  EXPECT_EQ(found.status, ProgramSolution::Status::infeasible) << found.message;
  EXPECT_NEAR(found.x[0], 0.0, 1e-2);
  found = minimize(problem({0.3}, {false, false}, [](const std::vector<double>& x) {
    return ProgramPoint{{}, x[0] * x[0], {2.0 * x[0]}, {x[0] - 1.0, 2.0 - x[0]}, {1.0, -1.0}, {}};
  }));
  EXPECT_EQ(found.status, ProgramSolution::Status::infeasible) << found.message;
}

TEST(NonlinearPrograms, ManyIterationsMayBeTooFew) {
  NonlinearProgram program = problem({-1.2, 1.0}, {}, rosenbrock);
  program.max_iterations = 3;
  EXPECT_EQ(minimize(program).status, ProgramSolution::Status::limit);
}

}  // namespace
}  // namespace saltus::api
