// Nonlinear fields on the two sides of one surface: the library against the slow solution of support/oracle/filippov.hpp.
#include "support/oracle/filippov.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test::oracle {
namespace {

struct Case {
  const char* name;
  const char* equations;  ///< in x and y
  FilippovProblem problem;
  std::size_t least_events;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  // A driven block on a belt with Stribeck friction: g = y − 1 (velocity of the belt).
  all.push_back({"stribeck",
                 " der(x) = y;\n der(y) = -x - sign(y - 1)*(0.4 + 0.6*exp(-abs(y - 1)));\n",
                 {.above = [](Real, const Vector& x) -> Vector {
                    return {x[1], -x[0] - 0.4L - 0.6L * std::exp(-(x[1] - 1))};
                  },
                  .below = [](Real, const Vector& x) -> Vector {
                    return {x[1], -x[0] + 0.4L + 0.6L * std::exp(x[1] - 1)};
                  },
                  .g = [](Real, const Vector& x) { return x[1] - 1; },
                  .gradient = [](Real, const Vector&) -> Vector {
                    return {0, 1};
                  },
                  .x0 = {-2, 0},
                  .stop = 15},
                 3});
  // Different matrices on the two sides: sliding on x is not linear.
  all.push_back(
      {"two_matrices",
       " der(x) = if x > 0 then -2 - x + 2*y else 1 + 2*x + 0.5*y;\n der(y) = if x > 0 then 3 - y*y "
       "else -1 - 0.5*y;\n",
       {.above = [](Real, const Vector& x) -> Vector {
          return {-2 - x[0] + 2 * x[1], 3 - x[1] * x[1]};
        },
        .below = [](Real, const Vector& x) -> Vector {
          return {1 + 2 * x[0] + 0.5L * x[1], -1 - 0.5L * x[1]};
        },
        .g = [](Real, const Vector& x) { return x[0]; },
        .gradient = [](Real, const Vector&) -> Vector {
          return {1, 0};
        },
        .x0 = {1, -1},
        .stop = 6},
       1});
  // A curved surface that attracts on one part and is crossed on the other.
  all.push_back({"parabola",
                 " der(x) = if y - x^2 > 0 then 1 + 0.5*y else 0.5;\n der(y) = if y - x^2 > 0 then -1 - "
                 "0.5*x else 2*cos(x);\n",
                 {.above = [](Real, const Vector& x) -> Vector {
                    return {1 + 0.5L * x[1], -1 - 0.5L * x[0]};
                  },
                  .below = [](Real, const Vector& x) -> Vector {
                    return {0.5L, 2 * std::cos(x[0])};
                  },
                  .g = [](Real, const Vector& x) { return x[1] - x[0] * x[0]; },
                  .gradient = [](Real, const Vector& x) -> Vector {
                    return {-2 * x[0], 1};
                  },
                  .x0 = {0, 1},
                  .stop = 3},
                 2});
  // A surface that moves: tracking sin(t) with bounded speed, lost when it is too fast.
  all.push_back({"tracking",
                 " der(x) = -1.5*sign(x - 2*sin(time)) + 0.25*y;\n der(y) = x - y;\n",
                 {.above = [](Real, const Vector& x) -> Vector {
                    return {-1.5L + 0.25L * x[1], x[0] - x[1]};
                  },
                  .below = [](Real, const Vector& x) -> Vector {
                    return {1.5L + 0.25L * x[1], x[0] - x[1]};
                  },
                  .g = [](Real t, const Vector& x) { return x[0] - 2 * std::sin(t); },
                  .gradient = [](Real, const Vector&) -> Vector {
                    return {1, 0};
                  },
                  .rate = [](Real t, const Vector&) { return -2 * std::cos(t); },
                  .x0 = {1, 0},
                  .stop = 12},
                 5});
  // A relay in a van der Pol oscillator: crossings only.
  all.push_back({"van_der_pol",
                 " der(x) = y;\n der(y) = (1 - x^2)*y - (if x + 0.2*y > 0 then 1.5*x + 0.5 else x - 0.25);\n",
                 {.above = [](Real, const Vector& x) -> Vector {
                    return {x[1], (1 - x[0] * x[0]) * x[1] - 1.5L * x[0] - 0.5L};
                  },
                  .below = [](Real, const Vector& x) -> Vector {
                    return {x[1], (1 - x[0] * x[0]) * x[1] - x[0] + 0.25L};
                  },
                  .g = [](Real, const Vector& x) { return x[0] + 0.2L * x[1]; },
                  .gradient = [](Real, const Vector&) -> Vector {
                    return {1, 0.2L};
                  },
                  .x0 = {1, 0},
                  .stop = 20},
                 5});
  return all;
}

class NonlinearFilippov : public ::testing::TestWithParam<std::size_t> {};

TEST_P(NonlinearFilippov, HasTheEventsOfTheSlowSolution) {
  const Case given = cases()[GetParam()];
  const FilippovRun expected = solve(given.problem);
  const FilippovRun coarse = solve(given.problem, 1.0L / 1024);
  ASSERT_GE(expected.events.size(), given.least_events) << "a case that shows nothing";
  ASSERT_EQ(expected.events.size(), coarse.events.size()) << "a case that the oracle cannot do";
  const HybridRun run =
      run_text("model M\n Real x(start = " + number(static_cast<double>(given.problem.x0[0])) +
                   ", fixed = true), y(start = " + number(static_cast<double>(given.problem.x0[1])) +
                   ", fixed = true);\nequation\n" + given.equations + "end M;\n",
               {{"stop", number(static_cast<double>(given.problem.stop))},
                {"tolerance", "1e-11"},
                {"interval", "100"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  ASSERT_EQ(run.events.size(), expected.events.size()) << run.log();
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    EXPECT_EQ(run.events[i].kind, expected.events[i].kind) << i << run.log();
    EXPECT_NEAR(run.events[i].time, static_cast<double>(expected.events[i].time), 1e-8) << i;
  }
  EXPECT_NEAR(run.final("x"), static_cast<double>(expected.x[0]), 1e-8);
  EXPECT_NEAR(run.final("y"), static_cast<double>(expected.x[1]), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(All, NonlinearFilippov, ::testing::Range(std::size_t{0}, cases().size()),
                         [](const auto& given) { return std::string(cases()[given.param].name); });

}  // namespace
}  // namespace saltus::test::oracle
