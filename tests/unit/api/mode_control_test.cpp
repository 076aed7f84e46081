// Constrained modes as control systems (AnalysisOptions::control), against formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "saltus/analysis.hpp"

namespace saltus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Analysis analysis_of(const std::string& text) {
  return analyze(Model::from_text("m.mo", text).value(), {.control = true}).value();
}

// A mass on a circle: M = 2·1, J = (2x, 2y), forces λ·x and λ·y.
TEST(ModeControl, OfAMassOnACircle) {
  const Analysis analysis = analysis_of(R"(model M
  Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0.4), vy(start = 0.3), lambda;
equation
  der(x) = vx;
  der(y) = vy;
  2*der(vx) = lambda*x;
  2*der(vy) = lambda*y - 2*9.81;
  x^2 + y^2 = 1;
end M;
)");
  ASSERT_TRUE(analysis.modes[0].control) << render_text(analysis.warnings);
  const ModeControl& c = *analysis.modes[0].control;
  EXPECT_THAT(c.states, ElementsAre("x", "y", "vx", "vy"));
  EXPECT_THAT(c.positions, ElementsAre("x", "y"));
  EXPECT_THAT(c.velocities, ElementsAre("vx", "vy"));
  EXPECT_THAT(c.multipliers, ElementsAre("lambda"));
  EXPECT_THAT(c.constraints, ElementsAre("x^2 + y^2 = 1"));
  EXPECT_THAT(c.differentiations, ElementsAre(2));
  EXPECT_TRUE(c.is_paired);
  const double x = c.point[0];
  const double y = c.point[1];
  const double vx = c.point[2];
  const double vy = c.point[3];
  EXPECT_NEAR(x * x + y * y, 1.0, 1e-14);
  ASSERT_EQ(c.mass.size(), 2U);
  EXPECT_DOUBLE_EQ(c.mass[0][0], 2.0);
  EXPECT_DOUBLE_EQ(c.mass[0][1], 0.0);
  EXPECT_DOUBLE_EQ(c.mass[1][1], 2.0);
  EXPECT_NEAR(c.input[2][0], x / 2.0, 1e-15);
  EXPECT_NEAR(c.input[3][0], y / 2.0, 1e-15);
  EXPECT_EQ(c.input[0][0], 0.0);
  EXPECT_NEAR(c.drift[0], vx, 1e-15);
  EXPECT_NEAR(c.drift[2], 0.0, 1e-13);
  EXPECT_NEAR(c.drift[3], -9.81, 1e-13);
  EXPECT_NEAR(c.jacobian[0][0], 2.0 * x, 1e-15);
  EXPECT_NEAR(c.jacobian[0][1], 2.0 * y, 1e-15);
  EXPECT_NEAR(c.gain[0][0], 1.0, 1e-14);
  // (3.24): GB·u = -(A v + J M⁻¹ D).
  EXPECT_NEAR(c.control[0], -(2.0 * (vx * vx + vy * vy) - 2.0 * y * 9.81), 1e-12);
}

// Both kinds of constraints, with multipliers that are not in their order.
TEST(ModeControl, OfBothKindsOfConstraints) {
  const Analysis analysis = analysis_of(R"(model M "A sleigh on a slope, its runner at the side"
  Real x(start = 0, fixed = true), y(start = 0, fixed = true), z, phi(start = 0.3, fixed = true);
  Real vx(start = 1, fixed = true), vy, vz, w(start = 0.5, fixed = true), a, b;
equation
  der(x) = vx;
  der(y) = vy;
  der(z) = vz;
  der(phi) = w;
  der(vx) = b*sin(phi);
  der(vy) = -b*cos(phi);
  3*der(vz) = a - 9.81;
  der(w) = 0;
  z = 0.1;
  vx*sin(phi) - vy*cos(phi) = 0;
end M;
)");
  ASSERT_TRUE(analysis.modes[0].control) << render_text(analysis.warnings);
  const ModeControl& c = *analysis.modes[0].control;
  EXPECT_THAT(c.multipliers, ElementsAre("a", "b"));
  EXPECT_THAT(c.differentiations, ElementsAre(2, 1));
  EXPECT_TRUE(c.is_paired);
  EXPECT_NEAR(c.gain[0][0], 1.0 / 3.0, 1e-15);
  EXPECT_NEAR(c.gain[1][1], 1.0, 1e-14);
  EXPECT_NEAR(c.gain[0][1], 0.0, 1e-15);
  EXPECT_NEAR(c.control[0], 9.81, 1e-12);
}

TEST(ModeControl, SaysWhyThereIsNone) {
  const Analysis analysis =
      analysis_of("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;\n");
  EXPECT_FALSE(analysis.modes[0].control);
  EXPECT_THAT(render_text(analysis.warnings), HasSubstr("no equations constrain states"));
  EXPECT_THAT(render_text(analysis.warnings), HasSubstr("no-control-form"));
}

}  // namespace
}  // namespace saltus
