// The oracle itself, against solutions by hand.
#include "support/oracle/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/oracle/polynomial_root.hpp"

namespace saltus::test::oracle {
namespace {

constexpr Real kDigits = 1e-17L;

SwitchedSystem one_surface(Real x0, Real b, Real d, Real stop) {
  return {.x0 = {x0},
          .modes = {{.a = {{0}}, .b = {b}, .transitions = {}}},
          .surfaces = {{.g = {.c = {1}, .e = 0, .f = 0}, .d = {d}}},
          .clauses = {},
          .stop = stop};
}

TEST(PolynomialRoots, FindsAllSignChangesAndNoTouches) {
  // (θ − 1/4)(θ − 1/2)²(θ − 3/4)
  Polynomial exact(5, 0);
  const Polynomial quadratic{0.1875L, -1.0L, 1.0L};
  const Polynomial square{0.25L, -1.0L, 1.0L};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      exact[i + j] += quadratic[i] * square[j];
    }
  }
  const auto roots = sign_changes(exact, 1);
  ASSERT_EQ(roots.size(), 2U);
  EXPECT_NEAR(static_cast<double>(roots[0]), 0.25, 1e-17);
  EXPECT_NEAR(static_cast<double>(roots[1]), 0.75, 1e-17);
  EXPECT_TRUE(sign_changes({0, 0, 1}, 1).empty()) << "a double root at the beginning";
  ASSERT_EQ(sign_changes({0, -1, 2}, 1).size(), 1U) << "the root at the beginning does not count";
}

TEST(Oracle, CrossesSlidesAndLeaves) {
  const OracleRun crossing = solve(one_surface(1, -3, 1, 2));  // −2 above, −4 below
  ASSERT_EQ(crossing.events.size(), 1U);
  EXPECT_EQ(crossing.events[0].kind, Kind::condition);
  EXPECT_NEAR(static_cast<double>(crossing.x[0]), -6, 1e-16);
  const OracleRun sliding = solve(one_surface(1, 0, -1, 2));
  ASSERT_EQ(sliding.events.size(), 1U);
  EXPECT_EQ(sliding.events[0].kind, Kind::slide_enter);
  EXPECT_EQ(sliding.x[0], 0);
  // ẋ = y/2 − sign(x), ẏ = 1: the weight is y/2, left at y = 2.
  const SwitchedSystem leaving{.x0 = {0.5L, 0},
                               .modes = {{.a = {{0, 0.5L}, {0, 0}}, .b = {0, 1}, .transitions = {}}},
                               .surfaces = {{.g = {.c = {1, 0}, .e = 0, .f = 0}, .d = {-1, 0}}},
                               .clauses = {},
                               .stop = 4.0L};
  const OracleRun run = solve(leaving);
  ASSERT_EQ(run.events.size(), 2U) << run.why;
  EXPECT_LT(std::abs(run.events[0].time - (2 - std::sqrt(2.0L))), kDigits);
  EXPECT_EQ(run.events[1].kind, Kind::slide_exit);
  EXPECT_LT(std::abs(run.events[1].time - 2), kDigits);
  EXPECT_LT(std::abs(run.x[0] - 1), kDigits);
}

TEST(Oracle, SaysWhatItCannotDecide) {
  SwitchedSystem repelling = one_surface(0, 0, 1, 1);
  EXPECT_EQ(solve(repelling).outcome, OracleRun::Outcome::ambiguous);
}

TEST(Oracle, ABallBounces) {
  // h″ = −1 from rest at 1/2: contact at t = 1, then every 2·(1/2)ᵏ.
  const SwitchedSystem ball{.x0 = {0.5L, 0},
                            .modes = {{.a = {{0, 1}, {0, 0}}, .b = {0, -1}, .transitions = {}}},
                            .surfaces = {},
                            .clauses = {{.g = {.c = {-1, 0}, .e = 0, .f = 0}, .reset = {1, -0.5L, 0}}},
                            .stop = 2.75L};
  const OracleRun run = solve(ball);
  ASSERT_EQ(run.events.size(), 3U) << run.why;
  EXPECT_LT(std::abs(run.events[0].time - 1), kDigits);
  EXPECT_LT(std::abs(run.events[1].time - 2), kDigits);
  EXPECT_LT(std::abs(run.events[2].time - 2.5L), kDigits);
}

}  // namespace
}  // namespace saltus::test::oracle
