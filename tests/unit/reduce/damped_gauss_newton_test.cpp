#include "reduce/nonlinear/damped_gauss_newton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/function_equations.hpp"

namespace saltus::reduce {
namespace {

using test::FunctionEquations;
using test::FunctionRow;

TEST(DampedGaussNewton, ComesFromFarAway) {
  // x / √(1 + x²) = 0.5: full Newton steps from 3 diverge.
  const FunctionEquations equations({{"x", 0, 0, 1.0}},
                                    {{"x/sqrt(1 + x^2) = 0.5", 0, {0}, [](double, auto s) {
                                        return s[0] / sqrt(s[0] * s[0] + 1.0) - 0.5;
                                      }}});
  const auto runner = equations.make_runner();
  const std::vector<int> level{0};
  const std::vector<double> nominal{1.0};
  DampedGaussNewton iteration(equations, *runner, level, nominal, {}, LeastChange::Algebra::automatic);
  std::vector<double> s{3.0};
  const auto outcome = iteration.solve(0.0, s);
  ASSERT_TRUE(outcome.solved());
  EXPECT_NEAR(s[0], 1.0 / std::sqrt(3.0), 1e-13);
}

TEST(DampedGaussNewton, RestsWhereRowsCannotBeMet) {
  const FunctionEquations equations({{"x", 0, 0, 1.0}, {"y", 1, 0, 1.0}},
                                    {{"x = 1", 0, {0}, [](double, auto s) { return s[0] - 1.0; }},
                                     {"y = 2", 0, {1}, [](double, auto s) { return s[1] - 2.0; }}});
  const auto runner = equations.make_runner();
  const std::vector<int> level{0, kHeldLevel};
  const std::vector<double> nominal{1.0, 1.0};
  std::vector<double> s{0.0, 0.0};
  DampedGaussNewton held(equations, *runner, level, nominal, {}, LeastChange::Algebra::automatic);
  EXPECT_EQ(held.solve(0.0, s).status, DampedGaussNewton::Status::stuck);
  EXPECT_NEAR(held.distance(0), 0.0, 1e-15);
  EXPECT_EQ(held.distance(1), 2.0);
  EXPECT_EQ(s[1], 0.0);
  const std::vector<std::uint8_t> counts{1, 0};
  DampedGaussNewton without(equations, *runner, level, nominal, counts, LeastChange::Algebra::automatic);
  EXPECT_TRUE(without.solve(0.0, s).solved()) << "a row that does not count";
}

TEST(DampedGaussNewton, NamesTheRowThatIsNotFinite) {
  const FunctionEquations equations({{"x", 0, 0, 1.0}},
                                    {{"x = 0", 0, {0}, [](double, auto s) { return s[0]; }},
                                     {"sqrt(x) = 0", 0, {0}, [](double, auto s) { return sqrt(s[0]); }}});
  const auto runner = equations.make_runner();
  const std::vector<int> level{0};
  const std::vector<double> nominal{1.0};
  DampedGaussNewton iteration(equations, *runner, level, nominal, {}, LeastChange::Algebra::automatic);
  std::vector<double> s{-1.0};
  const auto outcome = iteration.solve(0.0, s);
  EXPECT_EQ(outcome.status, DampedGaussNewton::Status::not_finite);
  EXPECT_EQ(outcome.culprit, 1);
}

}  // namespace
}  // namespace saltus::reduce
