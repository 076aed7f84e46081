// What events promise, for guards on solved variables of differential-algebraic equations: every method, every index.
//
// In all models the solved variable is w = t: of an implicit equation (index 1), as a
// multiplier of a constraint (index 2), as a force (index 3). What w multiplies is cubic in w, so that w is found by
// iteration and its guards can only be evaluated. Event times are exact to what iterations leave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

std::vector<std::string> method_names() {
  std::vector<std::string> names = methods();
  names.erase(std::remove(names.begin(), names.end(), "auto"), names.end());
  return names;
}

using Case = std::tuple<std::string, int>;

// Zero all along, by index: the equation that w is found from, or the constraint.
const std::vector<std::string> kZero{"w + w^3/10 - s - s^3/10", "a - b - time^2 - time^4/20",
                                     "q - time^3/6 - time^5/200"};

class EveryIndex : public ::testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] HybridRun run(const std::string& declarations, const std::string& equations,
                              OptionList options) const {
    const auto& [method, index] = GetParam();
    OptionList all{{"method", method}};
    for (auto& option : options) {
      if (option.first == "tolerance" && has_no_estimate()) {
        option = {"step", "0.01"};
      }
      all.push_back(option);
    }
    const auto is_step = [](const auto& option) { return option.first == "step"; };
    if (has_no_estimate() && std::none_of(all.begin(), all.end(), is_step)) {
      all.emplace_back("step", "0.01");
    }
    return run_text(model(index, declarations, equations), all);
  }
  [[nodiscard]] static std::size_t index() { return static_cast<std::size_t>(std::get<1>(GetParam())); }
  [[nodiscard]] bool has_no_estimate() const {
    const std::string& method = std::get<0>(GetParam());
    return method == "rk4" || method == "kutta3";
  }
  [[nodiscard]] static std::string model(int index, const std::string& declarations,
                                         const std::string& equations) {
    std::string text = "model M\n Real s(start = 0, fixed = true), w(start = 0.1);\n";
    std::string mine;
    switch (index) {
      case 1: mine = " w + w^3/10 = s + s^3/10;\n"; break;
      case 2:
        text += " Real a(start = 0), b(start = 0, fixed = true);\n";
        mine = " der(a) = 1 + w + w^3/10;\n der(b) = 1 - w - w^3/10;\n a - b = time^2 + time^4/20;\n";
        break;
      default:
        text += " Real q(start = 0), v(start = 0);\n";
        mine = " der(q) = v;\n der(v) = w + w^3/10;\n q = time^3/6 + time^5/200;\n";
    }
    return text + declarations + "equation\n der(s) = 1;\n" + mine + equations + "end M;\n";
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, EveryIndex,
                         ::testing::Combine(::testing::ValuesIn(method_names()), ::testing::Values(1, 2, 3)),
                         [](const auto& given) {
                           return std::get<0>(given.param) + "Index" +
                                  std::to_string(std::get<1>(given.param));
                         });

TEST_P(EveryIndex, RootsAtTheEndsOfSteps) {
  std::string condition;
  for (int k = 1; k <= 8; ++k) {
    condition += (k > 1 ? ", " : "") + std::string("w >= ") + number(k / 8.0);
  }
  const HybridRun run = this->run(" Integer n(start = 0, fixed = true);\n",
                                  " when {" + condition + "} then\n  n = pre(n) + 1;\n end when;\n",
                                  {{"step", "0.125"}, {"stop", "1.0625"}});
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_EQ(run.final("n"), 8) << run.log();
  for (std::size_t k = 0; k < run.times("when").size(); ++k) {
    EXPECT_NEAR(run.times("when")[k], static_cast<double>(k + 1) / 8, 1e-13);
  }
}

TEST_P(EveryIndex, TwoRootsInOneStep) {
  const HybridRun run = this->run(" Real y(start = 0, fixed = true);\n Integer n(start = 0, fixed = true);\n",
                                  " der(y) = if (w - 0.48)*(w - 0.52) < 0 then 1 else 0;\n"
                                  " when (w - 0.48)*(w - 0.52) < 0 then\n  n = pre(n) + 1;\n end when;\n",
                                  {{"step", "0.75"}, {"stop", "0.75"}});
  EXPECT_EQ(run.final("n"), 1) << run.log();
  EXPECT_NEAR(run.final("y"), 0.04, 1e-12) << run.log();
}

TEST_P(EveryIndex, ATangencyIsNoEvent) {
  const HybridRun run = this->run(" Integer n(start = 0, fixed = true);\n",
                                  " when (w - 0.5)^2 < 0 then\n  n = pre(n) + 1;\n end when;\n",
                                  {{"step", "0.25"}, {"stop", "1"}});
  EXPECT_EQ(run.final("n"), 0) << run.log();
}

TEST_P(EveryIndex, ANarrowExcursionIsNotMissed) {
  const HybridRun run = this->run(" Integer n(start = 0, fixed = true);\n",
                                  " when (w - 0.5)^2 < 1.6e-5 then\n  n = pre(n) + 1;\n end when;\n",
                                  {{"stop", "1"}, {"tolerance", "1e-6"}});
  EXPECT_EQ(run.final("n"), 1) << run.log();
  EXPECT_THAT(run.times("when"), ElementsAre(DoubleNear(0.496, 1e-11)));
}

TEST_P(EveryIndex, GuardsThatStartAtZero) {
  const HybridRun run = this->run(
      " Real z;\n Integer n(start = 0, fixed = true), m(start = 0, fixed = true), k(start = 0, fixed = "
      "true);\n",
      " z = " + kZero.at(index() - 1) +
          ";\n when {z > 0, z < 0} then\n  n = pre(n) + 1;\n end when;\n"
          " when w > 0 then\n  m = pre(m) + 1;\n end when;\n"
          " when w*(w - 0.5) > 0 then\n  k = pre(k) + 1;\n end when;\n",
      {{"stop", "1"}});
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_EQ(run.final("n"), 0) << run.log();
  EXPECT_EQ(run.final("m"), 1) << run.log();
  EXPECT_EQ(run.final("k"), 1) << run.log();
}

TEST_P(EveryIndex, SeveralAtOneInstantFireTogether) {
  const HybridRun run = this->run(
      " Real y(start = 1, fixed = true);\n Integer a1(start = 0, fixed = true), b1(start = 0, fixed = true), "
      "c1(start = 0, fixed = true);\n",
      " der(y) = -1;\n when w > 0.5 then\n  a1 = pre(b1) + 1;\n end when;\n"
      " when time + w > 1 then\n  b1 = pre(c1) + 1;\n end when;\n"
      " when w^2 > 0.25 then\n  c1 = pre(a1) + 1;\n end when;\n",
      {{"stop", "1"}, {"interval", "2"}});
  EXPECT_EQ(run.final("a1"), 1) << run.log();
  EXPECT_EQ(run.final("b1"), 1) << run.log();
  EXPECT_EQ(run.final("c1"), 1) << run.log();
}

TEST_P(EveryIndex, DerivativesInGuards) {
  const std::string rate = index() == 1 ? "der(y)" : index() == 2 ? "der(a)" : "der(v)";
  const double at_half = index() == 2 ? 1.5125 : 0.5125;
  const HybridRun run = this->run(" Real y(start = 0, fixed = true);\n Integer n(start = 0, fixed = true);\n",
                                  " der(y) = w + w^3/10;\n when " + rate + " > " + number(at_half) +
                                      " then\n  n = pre(n) + 1;\n end when;\n",
                                  {{"stop", "1"}, {"tolerance", "1e-6"}});
  EXPECT_THAT(run.times("when"), ElementsAre(DoubleNear(0.5, 1e-12))) << run.log();
}

TEST_P(EveryIndex, BackwardsInTime) {
  const HybridRun run =
      this->run(" Real y(start = 0, fixed = true);\n", " der(y) = if w > -0.5 then 2 else 1;\n",
                {{"start", "0"}, {"stop", "-1"}, {"tolerance", "1e-6"}});
  EXPECT_THAT(run.times("condition"), ElementsAre(DoubleNear(-0.5, 1e-12))) << run.log();
  EXPECT_NEAR(run.final("y"), -1.5, 1e-12);
}

TEST_P(EveryIndex, RestartOnTheSurface) {
  // A saw tooth over w: every restart lies on the surface that has just been crossed.
  const HybridRun run =
      this->run(" discrete Real level(start = 0.1, fixed = true);\n Integer n(start = 0, fixed = true);\n",
                " when w - level > 0 then\n  level = pre(level) + 0.1;\n  n = pre(n) + 1;\n end when;\n",
                {{"stop", "1.05"}, {"tolerance", "1e-6"}});
  EXPECT_EQ(run.final("n"), 10) << run.log();
  for (std::size_t k = 0; k < run.times("when").size(); ++k) {
    EXPECT_NEAR(run.times("when")[k], 0.1 * static_cast<double>(k + 1), 1e-12);
  }
}

// An event at the very end is handled, and the last row is the one after it (docs/semantics.md 6.2).
TEST_P(EveryIndex, AtTheStopTime) {
  for (const double stop : {1.0, -1.0}) {
    const HybridRun run =
        this->run(" Real z;\n Integer n(start = 0, fixed = true);\n",
                  std::string(" z = if ") + (stop > 0 ? "w > 1" : "w < -1") +
                      " then 7 else 3;\n when {w >= 1, w <= -1} then\n  n = pre(n) + 1;\n end when;\n",
                  {{"stop", number(stop)}, {"step", "0.125"}});
    EXPECT_THAT(run.times("when"), ElementsAre(DoubleNear(stop, 1e-12))) << run.log();
    EXPECT_EQ(run.final("n"), 1) << run.log();
    EXPECT_EQ(run.final("z"), 7) << run.log();
    EXPECT_EQ(run.rows.back().time, stop);
  }
}

TEST_P(EveryIndex, TwoRootsInOneStepBackwards) {
  const HybridRun run = this->run(" Real y(start = 0, fixed = true);\n",
                                  " der(y) = if (w + 0.48)*(w + 0.52) < 0 then 1 else 0;\n",
                                  {{"step", "0.75"}, {"stop", "-0.75"}});
  EXPECT_EQ(run.times("condition").size(), 2U) << run.log();
  EXPECT_NEAR(run.final("y"), -0.04, 1e-12) << run.log();
}

// Two conditions at one instant, each with a reset; from there on a state stands on the surface of a third, which it leaves.
TEST_P(EveryIndex, SeveralResetsThatLeadOntoASurface) {
  const HybridRun run = this->run(
      " Real y(start = 1, fixed = true), x(start = 5, fixed = true);\n Integer n(start = 0, fixed = true);\n",
      " der(y) = -w;\n der(x) = 1;\n when w > 0.5 then\n  reinit(y, 0);\n end when;\n"
      " when time + w > 1 then\n  reinit(x, 0);\n end when;\n"
      " when {y < 0, x > 0.25} then\n  n = pre(n) + 1;\n end when;\n",
      {{"stop", "1"}, {"tolerance", "1e-8"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_EQ(run.final("n"), 2) << run.log();  // y leaves zero at 0.5, x passes 0.25 at 0.75
  EXPECT_NEAR(run.times("when").back(), 0.75, 1e-7) << run.log();
  EXPECT_NEAR(run.final("y"), -0.375, 1e-7);
}

}  // namespace
}  // namespace saltus::test
