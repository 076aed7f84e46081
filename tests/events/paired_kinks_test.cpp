// Two guards that are zero at one instant, one of a state and one of time alone: the errors of the state part them by less than any step, so that a stretch begins
// at one of them with the other about to cross. x' = cos t + k(|x - a| - |sin t - a|) has the solution sin t, and no other if either is missed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

class PairedKinks : public testing::TestWithParam<const char*> {};

TEST_P(PairedKinks, AreBothSeen) {
  for (const double a : {0.1, 0.35, -0.6, 0.85}) {
    for (const double k : {0.3, -0.7}) {
      const std::string level = "(" + std::to_string(a) + ")";
      const std::string text =
          "model M\n  Real x(start = 0, fixed = true), y(start = 0.1), w(start = 1, fixed = true);\n  "
          "Integer n(start = 0, fixed = true);\n"
          "equation\n  der(x) = w + (" +
          std::to_string(k) + ")*(abs(x - " + level + ") - abs(sin(time) - " + level +
          "));\n  der(w) = -x;\n  y + 0.5*sin(y) = x;\n  when x > " + level +
          " then\n    n = pre(n) + 1;\n  end when;\nend M;\n";
      for (const std::string tolerance : {"1e-4", "3e-5", "1e-6", "3e-7", "1e-8"}) {
        const HybridRun run = run_text(
            text, {{"stop", "8"}, {"tolerance", tolerance}, {"interval", "0.05"}, {"method", GetParam()}});
        ASSERT_EQ(run.result.status, SimulationStatus::success) << run.words();
        double largest = 0.0;
        for (const RowRecord& row : run.rows) {
          largest = std::max(largest, std::abs(run.value(row, "x") - std::sin(row.time)));
        }
        // Errors grow by exp(0.7·8) at most; a kink that is missed shows as 0.1.
        EXPECT_LT(largest, 1e3 * std::stod(tolerance))
            << "a " << a << " k " << k << " tolerance " << tolerance;
        const int crossings = a < 0.0 ? 1 : std::asin(a) + 2.0 * 3.14159265358979 < 8.0 ? 2 : 1;
        EXPECT_EQ(run.final("n"), crossings) << "a " << a << " k " << k << " tolerance " << tolerance;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllMethods, PairedKinks,
                         testing::Values("dopri5", "fehlberg78", "radau5", "sdirk4", "bdf"),
                         [](const auto& method) { return std::string(method.param); });

}  // namespace
}  // namespace saltus::test
