// Impacts of bodies whose constraints are there more than once, or with their derivatives (docs/semantics.md 7.11): modes reduced by ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

// Two masses, 1 and 3, 0.5 apart, fall 1 m with g = 10 on a floor with e = 1/2: they leave it with half of √20 and an impulse of 4·1.5·√20.
TEST(ContactRanks, RedundantConstraintsDoNotMatterToAnImpact) {
  struct Form {
    std::string more, first, second, constraints;
  };
  const std::vector<Form> forms = {
      {"L", "L", "L", "y2 - y1 = 0.5;"},
      {"L, L2", "L + L2", "L + L2", "y2 - y1 = 0.5; 2*y2 - 2*y1 = 1;"},
      {"L, L2", "L + 2*L2*(y2 - y1)", "L + 2*L2*(y2 - y1)", "y2 - y1 = 0.5; (y2 - y1)^2 = 0.25;"},
      {"L, L2", "L + L2", "L + L2", "y2 - y1 = 0.5; v2 - v1 = 0;"},
      {"L", "L", "L", "y2 - y1 = 0.5; v2 - v1 = 0;"},
      {"L", "L", "L", "v2 - v1 = 0;"},
  };
  for (const Form& form : forms) {
    SCOPED_TRACE(form.constraints);
    const HybridRun run = run_text(
        "model M Real y1(start = 1, fixed = true), v1(start = 0, fixed = true), y2(start = 1.5), v2(start = "
        "0), N, " +
            form.more + ";\nequation der(y1) = v1; der(y2) = v2; der(v1) = N - 10 + " + form.first +
            "; 3*der(v2) = -30 - (" + form.second + "); " + form.constraints + " contact(y1, N, 0.5); end M;",
        {{"stop", "0.8"}, {"tolerance", "1e-9"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    ASSERT_EQ(run.events.size(), 1U) << run.log();
    EXPECT_EQ(run.events[0].kind, "impact");
    const double fall = std::sqrt(0.2);
    const double flight = 0.8 - fall;
    EXPECT_NEAR(run.final("y1"), 5.0 * fall * flight - 5.0 * flight * flight, 1e-7);
    EXPECT_NEAR(run.final("v2"), 5.0 * fall - 10.0 * flight, 1e-7);
  }
}

// A bead on a circle that is written twice, against a wall that is no tangent.
TEST(ContactRanks, ABeadOnACircleWrittenTwiceBouncesOffAWall) {
  std::vector<double> ends;
  for (const bool is_twice : {false, true}) {
    const std::string force = is_twice ? "(L + L2)" : "L";
    const HybridRun run = run_text(
        std::string(
            "model M Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0, fixed = true), "
            "vy(start = 0), N, L") +
            (is_twice ? ", L2" : "") + ";\nequation der(x) = vx; der(y) = vy; der(vx) = -2*x*" + force +
            " + N; der(vy) = -2*y*" + force + " - 10; x^2 + y^2 = 1;" +
            (is_twice ? " 2*x^2 + 2*y^2 = 2;" : "") + " contact(x, N, 0.5); end M;",
        {{"stop", "0.8"}, {"tolerance", "1e-9"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    EXPECT_EQ(run.count("impact"), 1U) << run.log();
    ends.push_back(run.final("x"));
  }
  EXPECT_NEAR(ends[0], ends[1], 1e-7);
}

}  // namespace
}  // namespace saltus::test
