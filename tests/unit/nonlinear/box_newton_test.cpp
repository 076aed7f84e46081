#include "nonlinear/box_newton.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "nonlinear/lemke.hpp"

namespace saltus::nonlinear {
namespace {

// F and its matrix over two weights.
struct Pair {
  std::function<std::array<double, 2>(const std::array<double, 2>&)> force;
  std::array<double, 2> s = {1.0, 1.0};
  std::array<double, 2> start = {};
  std::array<double, 2> answer = {};
  std::array<double, 2> at_s = {};
  std::array<double, 2> corner = {1.0, 1.0};
  Lemke lemke = Lemke(2);
  int n_linearized = 0;
  double shortest = 1.0;
  bool can_evaluate = true;

  bool linearize() {
    ++n_linearized;
    at_s = force(s);
    const double h = 1e-6;
    for (std::size_t j = 0; j < 2; ++j) {
      std::array<double, 2> moved = s;
      moved[j] += h;
      const std::array<double, 2> there = force(moved);
      for (std::size_t i = 0; i < 2; ++i) {
        lemke.matrix()[i * 2 + j] = (there[i] - at_s[i]) / h;
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      lemke.vector()[i] = at_s[i] - lemke.matrix()[i * 2] * s[0] - lemke.matrix()[i * 2 + 1] * s[1];
    }
    return can_evaluate;
  }
  bool solve_affine() {
    start = s;
    return lemke.solve(corner, answer) == Lemke::Status::solved;
  }
  bool go(double share) {
    shortest = std::min(shortest, share);
    for (std::size_t i = 0; i < 2; ++i) {
      s[i] = start[i] + share * (answer[i] - start[i]);
    }
    at_s = force(s);
    return can_evaluate;
  }
  [[nodiscard]] double violation() const {
    double worst = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      worst = std::max(worst, std::abs(s[i] - std::clamp(s[i] + at_s[i], -1.0, 1.0)));
    }
    return worst;
  }
};

TEST(BoxNewton, FindsWeightsInsideAndAtBounds) {
  // F₁ = 0.5 - s₁ - s₁³ is zero inside, F₂ > 0 everywhere.
  Pair problem{[](const std::array<double, 2>& s) {
    return std::array{0.5 - s[0] - s[0] * s[0] * s[0], 3.0 + 0.1 * s[0] - s[1]};
  }};
  problem.s = {-1.0, -1.0};
  EXPECT_EQ(box_newton(problem, BoxPolicy{}), BoxEnd::solved);
  EXPECT_NEAR(problem.s[0] + std::pow(problem.s[0], 3), 0.5, 1e-7);
  EXPECT_EQ(problem.s[1], 1.0);
  EXPECT_GT(problem.n_linearized, 1);
}

TEST(BoxNewton, ShorterStepsWhereFullOnesGoAround) {
  // From s₁ = 0.9 full steps for atan jump between the bounds.
  const auto force = [](const std::array<double, 2>& s) {
    return std::array{-std::atan(20.0 * (s[0] - 0.1)), -1.0 - s[1]};
  };
  Pair full{force, {0.9, -1.0}};
  EXPECT_EQ(box_newton(full, BoxPolicy{}), BoxEnd::not_solved);
  Pair damped{force, {0.9, -1.0}};
  EXPECT_EQ(box_newton(damped, BoxPolicy{.shortest_share = 1e-3}), BoxEnd::solved);
  EXPECT_NEAR(damped.s[0], 0.1, 1e-7);
  EXPECT_LT(damped.shortest, 1.0);
}

TEST(BoxNewton, HowItFails) {
  Pair problem{[](const std::array<double, 2>& s) { return std::array{-s[0], -s[1]}; }};
  problem.can_evaluate = false;
  EXPECT_EQ(box_newton(problem, BoxPolicy{}), BoxEnd::failed);
  Pair infinite{[](const std::array<double, 2>& s) { return std::array{-s[0] / 0.0, -s[1]}; }};
  EXPECT_EQ(box_newton(infinite, BoxPolicy{}), BoxEnd::no_answer);
}

}  // namespace
}  // namespace saltus::nonlinear
