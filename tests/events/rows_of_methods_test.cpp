// Rows between the ends of steps are as right as these, for every method that chooses its steps and at tolerances down to 1e-12: an
// extension of too low an order is off by more and more tolerances as these get smaller.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

// x = sin t; 1 turning point between the clauses' levels in each half turn.
constexpr const char* kOscillator = R"(model Oscillator
  Real x(start = 0, fixed = true);
  Real v(start = 1, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
  when x > 0.9999999 then
    n = pre(n) + 1;
  end when;
end Oscillator;
)";

class RowsOfMethods : public testing::TestWithParam<const char*> {};

TEST_P(RowsOfMethods, AreAsRightAsTheSteps) {
  // Local errors of one tolerance in each of two states that are not damped add up over the steps: no more than ten tolerances here.
  constexpr double kMostTolerances = 10.0;
  for (const std::string tolerance : {"1e-4", "1e-6", "1e-8", "1e-10", "1e-12"}) {
    const HybridRun run =
        run_text(kOscillator,
                 {{"stop", "10"}, {"tolerance", tolerance}, {"interval", "0.02"}, {"method", GetParam()}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.words();
    double largest = 0.0;
    for (const RowRecord& row : run.rows) {
      largest = std::max(largest, std::abs(run.value(row, "x") - std::sin(row.time)));
    }
    EXPECT_LT(largest, kMostTolerances * std::stod(tolerance)) << tolerance;
    // π/2 and 5π/2. The level is reached where the steps are better than its distance from the crest.
    if (std::stod(tolerance) < 1e-8) {
      EXPECT_EQ(run.value(run.rows.back(), "n"), 2.0) << tolerance;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllMethods, RowsOfMethods,
                         testing::Values("dopri5", "fehlberg45", "fehlberg78", "rk23", "radau5"),
                         [](const auto& method) { return std::string(method.param); });

}  // namespace
}  // namespace saltus::test
