// Parameters set to zero, as users do to leave a part out: the run is that of the model without it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

class ZeroParameter : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Methods, ZeroParameter, ::testing::Values("dopri5", "radau5", "bdf", "sdirk4"),
                         [](const auto& given) { return given.param; });

// ε y' = x - y with ε = 0 until the event, which doubles x: x' = -y = -x.
TEST_P(ZeroParameter, TheReducedProblemOfASingularPerturbation) {
  const HybridRun run = run_text(R"(
model M
  parameter Real epsilon = 0;
  Real x(start = 1, fixed = true), y;
equation
  der(x) = -y;
  epsilon*der(y) = x - y;
  when time > 1 then
    reinit(x, 2*pre(x));
  end when;
end M;)",
                                 {{"stop", "2"}, {"tolerance", "1e-9"}, {"method", GetParam()}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
  EXPECT_NEAR(run.final("x"), 2.0 * std::exp(-2.0), 1e-7);
  EXPECT_EQ(run.final("y"), run.final("x"));
}

// A mass of zero: 0 = -k x - d v + F in place of m v' = …, x = 0.5 (1 - exp(-2 t)).
TEST_P(ZeroParameter, AMassOfZero) {
  const HybridRun run = run_text(R"(
model M
  parameter Real m = 0, k = 2, d = 1, F = 1;
  Real x(start = 0, fixed = true), v;
equation
  der(x) = v;
  m*der(v) = F - k*x - d*v;
end M;)",
                                 {{"stop", "1"}, {"tolerance", "1e-9"}, {"method", GetParam()}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
  EXPECT_NEAR(run.final("x"), 0.5 * (1.0 - std::exp(-2.0)), 1e-8);
}

}  // namespace
}  // namespace saltus::test
