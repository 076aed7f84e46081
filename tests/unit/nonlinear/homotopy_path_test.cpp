// One equation in one unknown, with the tangent and the corrections by hand.
#include "nonlinear/homotopy_path.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "nonlinear/scatter.hpp"

namespace saltus::nonlinear {
namespace {

// λ·r(z) + (1 - λ)·m·z from z = 0.
struct Scalar {
  std::function<double(double)> r;
  std::function<double(double)> slope;
  double m;
  double z = 0.0;
  double lambda_ = 0.0;
  double dz = 0.0;
  double dlambda = 1.0;
  double z_trial = 0.0;
  double lambda_trial = 0.0;
  double solution = 0.0;
  int n_turns = 0;

  [[nodiscard]] double in_z(double at, double l) const { return l * slope(at) + (1.0 - l) * m; }
  [[nodiscard]] double in_lambda(double at) const { return r(at) - m * at; }

  bool find_tangent() {
    // Orthogonal to (H_z, H_λ).
    const double a = -in_lambda(z);
    const double b = in_z(z, lambda_);
    const double size = std::hypot(a, b);
    if (!(size > 0.0) || !std::isfinite(size)) {
      return false;
    }
    const double sign = a * dz + b * dlambda < 0.0 ? -1.0 : 1.0;
    n_turns += (sign * b < 0.0) != (dlambda < 0.0) ? 1 : 0;
    dz = sign * a / size;
    dlambda = sign * b / size;
    return true;
  }
  void predict(double h) {
    z_trial = z + h * dz;
    lambda_trial = lambda_ + h * dlambda;
  }
  std::optional<double> correct() {
    const double h = lambda_trial * r(z_trial) + (1.0 - lambda_trial) * m * z_trial;
    const double hz = in_z(z_trial, lambda_trial);
    const double hl = in_lambda(z_trial);
    const double determinant = hz * dlambda - hl * dz;
    if (!std::isfinite(h) || determinant == 0.0) {
      return std::nullopt;
    }
    const double cz = h * dlambda / determinant;
    const double cl = -h * dz / determinant;
    z_trial -= cz;
    lambda_trial -= cl;
    return std::hypot(cz, cl);
  }
  [[nodiscard]] double lambda() const { return lambda_trial; }
  [[nodiscard]] double distance() const { return std::abs(z_trial); }
  bool finish() {
    solution = z + (1.0 - lambda_) / (lambda_trial - lambda_) * (z_trial - z);
    for (int n = 0; n < 20; ++n) {
      solution -= r(solution) / slope(solution);
    }
    return std::abs(r(solution)) < 1e-9;
  }
  void accept() {
    z = z_trial;
    lambda_ = lambda_trial;
  }
};

HomotopyEnd follow(Scalar& problem) {
  int n_steps = 0;
  const HomotopyEnd end = follow_homotopy(problem, {}, n_steps);
  EXPECT_LE(n_steps, HomotopyPolicy().most_steps);
  return end;
}

TEST(HomotopyPath, PassesASingularBeginning) {
  Scalar cube{[](double z) { return z * z * z - 8.0; }, [](double z) { return 3.0 * z * z; }, 1.0};
  EXPECT_EQ(follow(cube), HomotopyEnd::arrived);
  EXPECT_NEAR(cube.solution, 2.0, 1e-12);
  Scalar kink{[](double z) { return z * std::abs(z) + 5.0; }, [](double z) { return 2.0 * std::abs(z); },
              1.0};
  EXPECT_EQ(follow(kink), HomotopyEnd::arrived);
  EXPECT_NEAR(kink.solution, -std::sqrt(5.0), 1e-12);
}

// The slope of H changes its sign on the way.
TEST(HomotopyPath, PassesTurningPoints) {
  Scalar wave{[](double z) { return std::sin(3.0 * z) * 4.0 + z - 6.0; },
              [](double z) { return 12.0 * std::cos(3.0 * z) + 1.0; }, 1.0};
  EXPECT_EQ(follow(wave), HomotopyEnd::arrived);
  EXPECT_GE(wave.n_turns, 2);
  EXPECT_LT(std::abs(wave.r(wave.solution)), 1e-9);
}

// A long step would go over the pole of λ(z) onto the curve behind it.
TEST(HomotopyPath, FarSolutions) {
  for (const double far : {1e3, 1e6, 1e9}) {
    Scalar square{[far](double z) { return z * std::abs(z) + far * far; },
                  [](double z) { return 2.0 * std::abs(z); }, 1.0};
    EXPECT_EQ(follow(square), HomotopyEnd::arrived) << far;
    EXPECT_NEAR(square.solution, -far, 1e-9 * far);
  }
}

TEST(HomotopyPath, WithoutASolutionItGoesAway) {
  for (const double m : {1.0, -1.0, 0.01, 100.0}) {
    Scalar none{[](double z) { return z * z + 1.0; }, [](double z) { return 2.0 * z; }, m};
    EXPECT_EQ(follow(none), HomotopyEnd::away) << m;
  }
  Scalar ends{[](double z) { return std::sqrt(1.0 - z) + 1.0; },
              [](double z) { return -0.5 / std::sqrt(1.0 - z); }, -1.0};
  EXPECT_NE(follow(ends), HomotopyEnd::arrived);
}

TEST(Scatter, NumbersAreAwayFromZeroAndDiffer) {
  Scatter scatter;
  std::set<double> seen;
  for (int i = 0; i < 1000; ++i) {
    const double number = scatter.next();
    EXPECT_GE(std::abs(number), 0.5);
    EXPECT_LE(std::abs(number), 1.0);
    seen.insert(number);
  }
  EXPECT_EQ(seen.size(), 1000U);
}

}  // namespace
}  // namespace saltus::nonlinear
