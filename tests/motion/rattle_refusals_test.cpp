// What methods of motion are not for is refused, with the name of what does not fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "motion/motions.hpp"
#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const std::string& text, OptionList options = {}) {
  options.push_back({"method", "rattle"});
  options.push_back({"step", "0.01"});
  return problems_of(text, options);
}

// `with` in place of `what`, in the model of a rod.
std::string rod(const std::string& what, const std::string& with) {
  std::string text = kRod;
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, what.size(), with);
}

TEST(RattleRefusals, VelocitiesInForces) {
  EXPECT_THAT(refusal(rod("der(vx) = -T*x;", "der(vx) = -T*x - 0.1*vx;")),
              AllOf(HasSubstr("no-motion"), HasSubstr("velocity 'vx'"), HasSubstr("0.1*vx")));
  // Through a variable of its own, and by another name.
  EXPECT_THAT(refusal("model M Real x(start = 1), v, u, f; equation der(x) = v; der(v) = -x - f; f = 0.1*u; "
                      "u = v; end M;"),
              AllOf(HasSubstr("velocity 'u'"), HasSubstr("f = 0.1*u")));
  EXPECT_THAT(refusal("model M Real x(start = 1), v; equation v = der(x); der(v) = -x + abs(v); end M;"),
              HasSubstr("velocity 'v'"));
  EXPECT_THAT(refusal("model M Real x(start = 1); equation der(der(x)) = -x - der(x)^2; end M;"),
              HasSubstr("velocity 'der(x)'"));
  // … where it is put into the equations, since these are differentiated; and through two of them.
  std::string text = rod("Real T;", "Real T, f = 0.1*w, w = 2*vx;");
  text.replace(text.find("-T*x;"), 5, "-T*x - f;");
  EXPECT_THAT(refusal(text), HasSubstr("velocity 'vx' is in 'w = 2*vx'"));
  // What nothing depends on may contain them.
  EXPECT_EQ(refusal(kRod), "");
}

TEST(RattleRefusals, Constraints) {
  EXPECT_THAT(refusal(rod("x^2 + y^2 = 1;", "x^2 + y^2 = 1 + 0.1*sin(time);")),
              AllOf(HasSubstr("no-motion"), HasSubstr("depends on time")));
  EXPECT_THAT(refusal(rod("x^2 + y^2 = 1;", "x*vx + y*vy = 0;")), HasSubstr("velocity 'vx'"));
  // By variables that equations define.
  std::string text = rod("Real T;", "Real T, a = 0.1*sin(time);");
  text.replace(text.find("x^2 + y^2 = 1;"), 14, "(x - a)^2 + y^2 = 1;");
  EXPECT_THAT(refusal(text), HasSubstr("depends on time"));
  text = rod("Real T;", "Real T, s = x + 0.1*vx;");
  text.replace(text.find("x^2 + y^2 = 1;"), 14, "s^2 + y^2 = 1;");
  EXPECT_THAT(refusal(text), HasSubstr("velocity 'vx'"));
  text = rod("Real T;", "Real T, s = x + 0.1*y;");
  text.replace(text.find("x^2 + y^2 = 1;"), 14, "s^2 + y^2 = 1;");
  EXPECT_EQ(refusal(text), "");
}

TEST(RattleRefusals, WhatIsNoMotion) {
  EXPECT_THAT(refusal("model M Real x(start = 1); equation der(x) = -x; end M;"), HasSubstr("velocity 'x'"));
  EXPECT_THAT(refusal("model M Real x(start = 1); equation der(der(der(x))) = -x; end M;"),
              HasSubstr("'x' is neither a position nor a velocity"));
  std::string text = rod("der(vx) = -T*x;", "der(vx) = -T^3*x;");
  text.replace(text.find("-T*y - 1"), 8, "-T^3*y - 1");
  EXPECT_THAT(refusal(text), AllOf(HasSubstr("no-motion"), HasSubstr("not linear")));
  // A function of positions may be anything.
  EXPECT_EQ(refusal("model M Real x(start = 1), v, f; equation der(x) = v; f^3 + f = -x; der(v) + "
                    "0.1*der(v)^3 = f; end M;"),
            "");
}

TEST(RattleRefusals, Options) {
  EXPECT_THAT(problems_of(kRod, {{"method", "rattle"}}), HasSubstr("needs a fixed step size"));
  EXPECT_THAT(refusal(kRod, {{"formulation", "ggl"}}), HasSubstr("leave out --formulation"));
  EXPECT_THAT(refusal(kRod, {{"sens", "x"}}), HasSubstr("sensitivities"));
  EXPECT_THAT(problems_of(kRod, {{"method", "ratle"}}), HasSubstr("rattle, rattle4"));
}

// Which equations constrain positions may depend on conditions: a structure is known when it is met.
TEST(RattleRefusals, ConstraintsOfOtherStructures) {
  const std::string text = R"(model M
  Real x(start = 1), y(start = 0), vx(start = 0), vy(start = 0), T, a = A;
  Boolean taut = x < 100;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -T*(x - a);
  der(vy) = -T*y - 1;
  0 = if taut then (x - a)^2 + y^2 - 1 else T;
end M;
)";
  const auto with = [&](const std::string& a) {
    std::string changed = text;
    return changed.replace(changed.find("a = A"), 5, "a = " + a);
  };
  const OptionList options = {{"method", "rattle"}, {"step", "0.01"}, {"stop", "1"}};
  EXPECT_EQ(run_text(with("0*x"), options).result.status, SimulationStatus::success);
  const HybridRun moving = run_text(with("1e-4*time^2"), options);
  EXPECT_EQ(moving.result.status, SimulationStatus::failed) << moving.log();
  EXPECT_LT(moving.result.end, 0.05);
  // The direction of the force depends on its size.
  std::string cubed = with("0*x");
  cubed.replace(cubed.find("-T*y"), 4, "-T^3*y");
  cubed.replace(cubed.find("start = 1), y(start = 0)"), 24, "start = 0.6), y(start = -0.8)");
  EXPECT_EQ(run_text(cubed, options).result.status, SimulationStatus::failed);
}

// Held on a surface, velocities decide what the forces are.
TEST(RattleRefusals, Sliding) {
  const HybridRun run = run_text(
      "model M Real x(start = 1, fixed = true), v(start = 1, fixed = true); equation der(x) = v; der(v) = if "
      "v > 0 "
      "then -1 else 1; end M;",
      {{"method", "rattle"}, {"step", "0.01"}, {"stop", "3"}});
  EXPECT_EQ(run.result.status, SimulationStatus::failed);
  EXPECT_THAT(run.words(), HasSubstr("the method 'rattle'"));
}

}  // namespace
}  // namespace saltus::test
