#include "integrate/step/settled_point.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>

#include "support/implicit_fixture.hpp"
#include "support/integration_fixture.hpp"

namespace saltus::test {
namespace {

// y₀ follows sin t at once, nonlinearly; y₁ is integrated.
constexpr auto kPair = [](double t, auto y, auto ydot, auto r) {
  const auto miss = y[0] - std::sin(t);
  r[0] = ydot[0] - std::cos(t) + 1e8 * (miss + 0.2 * miss * miss);
  r[1] = ydot[1] + 0.3 * y[1];
};

TEST(SettledPoint, MovesOnlyWhatFollowsTheEquationsAtOnce) {
  const GenericDae<decltype(kPair)> dae{kPair, 2, 2, {0.7, 0.2, 0.3, 0.4}};
  const std::unique_ptr<system::Evaluator> evaluator = dae.make_evaluator();
  const integrate::Tolerances given = tolerances(2, 1e-6, 1e-6);
  integrate::Statistics statistics;
  integrate::ImplicitSystem system(*evaluator, &dae, 2, given, {}, statistics);
  const double t = 0.7;
  const double h = 0.2;
  const auto put = [&](double first, double second) {
    system.y()[0] = std::sin(t) + first;
    system.y()[1] = 1.0 + second;
    system.ydot()[0] = std::cos(t);
    system.ydot()[1] = -0.3;
  };
  put(0.0, 0.0);
  ASSERT_TRUE(system.evaluate_jacobian(t, h).ok());
  ASSERT_TRUE(system.factorize(4.0 / h).ok());
  put(1e-4, 1e-3);
  std::array<double, 2> last{};
  std::array<double, 2> next{};
  std::array<double, 2> change{};
  ASSERT_TRUE(integrate::settle_point(system, t, {.last = last, .next = next, .change = change}));
  EXPECT_NEAR(change[0], 1e-4, 1e-12);
  EXPECT_EQ(change[1], 0.0);
}

TEST(SettledPoint, NothingSettlesWhereAllIsIntegrated) {
  constexpr auto kOscillator = [](double /*t*/, auto y, auto ydot, auto r) {
    r[0] = ydot[0] - y[1];
    r[1] = ydot[1] + y[0];
  };
  const GenericDae<decltype(kOscillator)> dae{kOscillator, 2, 2, {0.7, 0.2, 0.3, 0.4}};
  const std::unique_ptr<system::Evaluator> evaluator = dae.make_evaluator();
  const integrate::Tolerances given = tolerances(2, 1e-6, 1e-6);
  integrate::Statistics statistics;
  integrate::ImplicitSystem system(*evaluator, &dae, 2, given, {}, statistics);
  system.y()[0] = 1.0;
  system.y()[1] = 0.5;
  system.ydot()[0] = 0.5 + 1e-4;
  system.ydot()[1] = -1.0 - 1e-4;
  ASSERT_TRUE(system.evaluate_jacobian(0.0, 0.1).ok());
  ASSERT_TRUE(system.factorize(40.0).ok());
  std::array<double, 2> last{};
  std::array<double, 2> next{};
  std::array<double, 2> change{};
  EXPECT_FALSE(integrate::settle_point(system, 0.0, {.last = last, .next = next, .change = change}));
}

}  // namespace
}  // namespace saltus::test
