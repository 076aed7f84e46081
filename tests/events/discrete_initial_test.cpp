// Initial equations that determine discrete variables, whatever the index of the model: v = pre(v) at the start where no clause of it fires
// (Modelica 8.6).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

constexpr double kTooth = 0.1;

struct Frame {
  const char* name;
  const char* declarations;
  const char* equations;
};

// In each frame p = 5(1 - exp(-t/5)).
const Frame kFrames[] = {
    {"explicit", "Real p(start = 0, fixed = true), w(start = 1, fixed = true);\n",
     "der(p) = w; der(w) = -0.2*w;\n"},
    {"alias", "Real p(start = 0, fixed = true), b, w(start = 1, fixed = true), tau;\n",
     "b = p; w = der(b); der(w) = -tau; tau = 0.2*der(p);\n"},
    {"index 3", "Real p(start = 0, fixed = true), q, w(start = 1, fixed = true), v, f;\n",
     "der(p) = w; der(q) = v; der(w) = -f - 0.1*w; der(v) = f - 0.3*v; p = q;\n"},
    {"index 3 by ranks", "Real p(start = 0, fixed = true), q, w(start = 1, fixed = true), v, f, z0;\n",
     "der(p) = w; der(q) = v; der(w) = -f - 0.1*w; der(v) = f - 0.3*v;\n"
     "cos(w)*(p - q) + sin(w)*(z0 - p) = 0; -sin(w)*(p - q) + cos(w)*(z0 - p) = 0;\n"},
};

class DiscreteInitial : public ::testing::TestWithParam<Frame> {
 protected:
  [[nodiscard]] HybridRun run(const std::string& declarations, const std::string& initial,
                              const std::string& equations) const {
    return run_text("model M\n" + std::string(GetParam().declarations) + declarations + "initial equation\n" +
                        initial + "equation\n" + GetParam().equations + equations + "end M;\n",
                    {{"stop", "1"}, {"tolerance", "1e-8"}});
  }
};

// An encoder: teeth are passed at -5 log(1 - k/50).
TEST_P(DiscreteInitial, AThresholdFollowsTheStart) {
  const HybridRun result = run(
      "Real next, last, speed(start = 0, fixed = true);\n", "next = p + 0.1; last = time;\n",
      "when p >= pre(next) then speed = 0.1/(time - pre(last)); next = p + 0.1; last = time; end when;\n");
  ASSERT_TRUE(result.result.ok()) << result.log();
  ASSERT_EQ(result.events.size(), 9U);
  for (std::size_t k = 0; k < result.events.size(); ++k) {
    const double share = kTooth * static_cast<double>(k + 1) / 5.0;
    EXPECT_NEAR(result.events[k].time, -5.0 * std::log(1.0 - share), 1e-6);
  }
}

// A chain of assignments, whole numbers among them, to the last bit: a clock that has begun by a rounding error would divide by zero.
TEST_P(DiscreteInitial, AChainIsExact) {
  const HybridRun result =
      run("parameter Real rising = 0, period = 0.3, begin = 0;\nInteger count; Real begun, y;\n",
          "count = integer((time - begin)/period); begun = begin + count*period;\n",
          "when integer((time - begin)/period) > pre(count) then count = pre(count) + 1; begun = time; end "
          "when;\n"
          "y = if time < begin then 0 else if time < begun + rising then (time - begun)/rising else 1;\n");
  ASSERT_TRUE(result.result.ok()) << result.log();
  EXPECT_EQ(result.value(result.rows.front(), "begun"), 0.0);
  EXPECT_EQ(result.final("count"), 3.0);
  EXPECT_EQ(result.final("y"), 1.0);
}

TEST_P(DiscreteInitial, WhatIsReadByTheEquations) {
  const HybridRun result = run("Real u(start = 7), z;\n", "u = 2*p + 3;\n",
                               "z = u + p; when time > 0.5 then u = pre(u) + 1; end when;\n");
  ASSERT_TRUE(result.result.ok()) << result.log();
  EXPECT_DOUBLE_EQ(result.value(result.rows.front(), "z"), 3.0);
  EXPECT_DOUBLE_EQ(result.final("u"), 4.0);
}

// pre(b) of a Boolean that an equation gives.
TEST_P(DiscreteInitial, TheValueBeforeOfAnEquation) {
  const HybridRun result = run("Boolean on; Real z;\n", "pre(on) = true;\n",
                               "on = p < -1 or pre(on) and p < 0.5; z = if on then 1 else 0;\n");
  ASSERT_TRUE(result.result.ok()) << result.log();
  EXPECT_EQ(result.value(result.rows.front(), "z"), 1.0);
  EXPECT_NEAR(result.final("z"), 0.0, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Frames, DiscreteInitial, ::testing::ValuesIn(kFrames), [](const auto& given) {
  std::string name;
  for (const char* c = given.param.name; *c != '\0'; ++c) {
    name += *c == ' ' ? '_' : *c;
  }
  return name;
});

}  // namespace
}  // namespace saltus::test
