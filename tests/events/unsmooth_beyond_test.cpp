// Events behind which the locked equations are far from smooth: a direction v/|v| just behind |v| = ε. The stages of a step that passes the
// event lie beyond it; its time must not depend on that.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

// A ball that slides, then rolls: the slip s falls by 7 μ g per unit of time along a fixed direction, s = √5 - 3.5 f t.
std::string sliding_ball(const std::string& threshold, const std::string& force) {
  return "model M\n"
         "  Real vx(start = 2, fixed = true), vy(start = 0, fixed = true);\n"
         "  Real px(start = 0, fixed = true), py(start = 1, fixed = true);\n"
         "  Real sx = vx - px, sy = vy + py, s = sqrt(sx^2 + sy^2);\n"
         "  Real fx = if s > " +
         threshold + " then -" + force + "*sx/s else 0, fy = if s > " + threshold + " then -" + force +
         "*sy/s else 0;\n"
         "equation\n  der(vx) = fx; der(vy) = fy;\n  der(px) = -2.5*fx; der(py) = 2.5*fy;\nend M;\n";
}

TEST(UnsmoothBeyond, TheEndOfSlippingIsFoundWhereItIs) {
  struct Case {
    const char* threshold;
    const char* force;
  };
  for (const Case c : {Case{"1e-6", "2"}, {"1e-4", "2"}, {"1e-5", "0.7"}}) {
    const double exact = (std::sqrt(5.0) - std::stod(c.threshold)) / (3.5 * std::stod(c.force));
    for (const char* const method : {"auto", "dopri5", "radau5", "sdirk4", "bdf"}) {
      for (const double tolerance : {1e-5, 1e-6, 1e-9, 1e-10}) {
        if (tolerance > std::stod(c.threshold)) {
          continue;  // the threshold is not resolved: solutions within the tolerance may pass beside it
        }
        const HybridRun run = run_text(sliding_ball(c.threshold, c.force),
                                       {{"method", method}, {"tolerance", number(tolerance)}, {"stop", "1"}});
        ASSERT_FALSE(run.events.empty()) << method << run.log();
        EXPECT_NEAR(run.events.front().time, exact, std::max(4.0 * tolerance, 1e-9))
            << c.threshold << " " << method << " " << tolerance;
        EXPECT_NEAR(run.final("vx"), 2.0 - 2.0 / std::sqrt(5.0) * std::stod(c.force) * exact,
                    10.0 * tolerance)
            << c.threshold << " " << method << " " << tolerance;
      }
    }
  }
}

// Was 6.5e-5 late.
TEST(UnsmoothBeyond, WithDefaultOptions) {
  const HybridRun run = run_text(sliding_ball("1e-6", "2"), {{"stop", "2"}});
  ASSERT_EQ(run.events.size(), 1U) << run.log();
  EXPECT_NEAR(run.events.front().time, (std::sqrt(5.0) - 1e-6) / 7.0, 1e-6);
}

}  // namespace
}  // namespace saltus::test
