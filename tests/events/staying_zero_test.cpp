// Guards that stay zero as far as derivatives show, and leave zero all the same (hybrid/zero_watch.hpp).
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

class StayingZero : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, StayingZero, ::testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"),
                         [](const auto& given) { return given.param; });

// From t = 1 on a chain of n integrators rises: x_n = (t - 1)^n/n!, all of it zero before. Tolerances are loose, so that steps are long;
// no row has the truth of a zero beside another value. (On which side it is, is a matter of the tolerance.)
TEST_P(StayingZero, NoRowHasTheTruthOfAZeroFarFromIt) {
  // What the others make of powers beyond their order is within their tolerance.
  const double most = GetParam() == "dopri5" || GetParam() == "auto" ? 1e-6 : 1e-2;
  for (const int n : {2, 5, 8, 11}) {
    for (const std::string sign : {"", "-"}) {
      std::string text =
          "model M\n Real x[" + std::to_string(n) + "](each start = 0, each fixed = true);\n" +
          " Real y, z(start = 0, fixed = true);\n Integer m(start = 0, fixed = true);\nequation\n when "
          "sample(1.3, 0.3) then\n  m = pre(m) + 1;\n end when;\n der(x[1]) = if time < 1 then 0 else 1;\n";
      for (int k = 2; k <= n; ++k) {
        text += " der(x[" + std::to_string(k) + "]) = x[" + std::to_string(k - 1) + "];\n";
      }
      const std::string last = "x[" + std::to_string(n) + "]";
      text += " y = if " + sign + last + " < 0 then 1 else if " + sign + last +
              " > 0 then -1 else 0;\n der(z) = y;\nend M;\n";
      const HybridRun run = run_text(
          text, {{"stop", "4"}, {"method", GetParam()}, {"interval", "0.01"}, {"tolerance", "1e-2"}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << text << run.log();
      for (const RowRecord& row : run.rows) {
        const double value = run.value(row, last);
        if (std::abs(value) > most) {
          EXPECT_NE(run.value(row, "y"), 0.0) << n << sign << " at " << row.time << ": " << value << "\n"
                                              << run.log();
        } else if (row.time < 1.0) {
          EXPECT_EQ(run.value(row, "y"), 0.0) << n << sign << " at " << row.time;
        }
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
