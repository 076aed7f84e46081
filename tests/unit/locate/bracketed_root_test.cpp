#include "locate/bracketed_root.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace saltus::locate {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

template <class Function>
double find(Function&& f, double a, double b, std::int64_t& n) {
  return bracketed_root(f, a, f(a), b, f(b), n);
}

TEST(BracketedRoot, SimpleRootsToTheLastBitsInFewSteps) {
  std::int64_t n = 0;
  EXPECT_NEAR(find([](double u) { return std::cos(u) - u; }, 0.0, 1.0, n), 0.7390851332151607, kEpsilon);
  EXPECT_LE(n, 9);
  n = 0;
  EXPECT_NEAR(find([](double u) { return 1.0 - 3.0 * u; }, 0.0, 1.0, n), 1.0 / 3.0, kEpsilon);
  EXPECT_LE(n, 4);
}

TEST(BracketedRoot, FlatSteepAndTiny) {
  std::int64_t n = 0;
  EXPECT_NEAR(find([](double u) { return std::pow(0.3 - u, 3.0); }, 0.0, 1.0, n), 0.3, 2.0 * kEpsilon);
  EXPECT_LE(n, 170);
  n = 0;
  EXPECT_NEAR(find([](double u) { return 1e-9 - std::pow(u, 9.0); }, 0.0, 1.0, n), 0.1, 2.0 * kEpsilon);
  EXPECT_LE(n, 40);
  n = 0;
  EXPECT_NEAR(find([](double u) { return u < 1e-200 ? 1.0 : -1.0; }, 0.0, 1.0, n) / 1e-200, 1.0, 1.0)
      << "relative to the root, not to the bracket; as far as the iterations go";
}

// The end beyond is the answer, in either order of the ends, in fewer steps.
TEST(BracketedRoot, ToAGivenWidthBeyondTheRoot) {
  const auto f = [](double u) { return std::cos(u) - u; };
  constexpr double kRoot = 0.7390851332151607;
  std::int64_t n_last = 0;
  (void)find(f, 0.0, 1.0, n_last);
  for (const double width : {1e-2, 1e-5, 1e-9}) {
    std::int64_t n = 0;
    const double root = bracketed_root(f, 0.0, f(0.0), 1.0, f(1.0), n, width);
    EXPECT_GE(root, kRoot - kEpsilon);
    EXPECT_LE(root, kRoot + width);
    EXPECT_LE(n, n_last);
    const double backwards = bracketed_root(f, 1.0, f(1.0), 0.0, f(0.0), n, width);
    EXPECT_LE(backwards, kRoot + kEpsilon);
    EXPECT_GE(backwards, kRoot - width);
  }
  std::int64_t n = 0;
  EXPECT_EQ(bracketed_root(f, 0.0, f(0.0), 1.0, f(1.0), n, 1.0), 1.0);
  EXPECT_EQ(n, 0);
}

TEST(BracketedRoot, NotANumberStandsForBeyond) {
  std::int64_t n = 0;
  const double root = bracketed_root([](double u) { return std::sqrt(0.25 - u); }, 0.0, 0.5, 1.0, -0.5, n);
  EXPECT_NEAR(root, 0.25, kEpsilon);
}

}  // namespace
}  // namespace saltus::locate
