// No event is doubled near a restart, whatever the method, the tolerance and the direction of time: a guard that an instant leaves where it
// was, one that leaves its surface slowly, one whose point is off a solution to which it returns at once.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

const std::vector<std::string> kTolerances = {"1e-3", "1e-4", "1e-6", "1e-8"};

class OneEvent : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static HybridRun run(const std::string& text, const std::string& tolerance,
                                     const std::string& start, const std::string& stop) {
    return run_text(text, {{"start", start},
                           {"stop", stop},
                           {"interval", "1"},
                           {"tolerance", tolerance},
                           {"method", GetParam()}});
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, OneEvent,
                         ::testing::Values("dopri5", "rk23", "fehlberg45", "fehlberg78", "radau5", "sdirk4",
                                           "bdf"),
                         [](const auto& given) { return given.param; });

// x - J*n is where it was after n and x have changed, but for the rounding of x. Whether that shows depends on the numbers.
TEST_P(OneEvent, ABodyThatMovesBothTermsOfItsGuard) {
  for (const char* const jump : {"0.741", "0.1", "-0.824", "3.3"}) {
    const std::string text =
        std::string("model M\n parameter Real J = ") + jump +
        ";\n Real x(start = 0, fixed = true), y;\n Integer n(start = 0, fixed = true);\n"
        "equation\n der(x) = cos(time);\n y = x - J*n;\n"
        " when x - J*n > 0.074 then\n  n = pre(n) + 1;\n  reinit(x, x + J);\n end when;\n"
        "end M;\n";
    for (const std::string& tolerance : kTolerances) {
      const HybridRun forward = run(text, tolerance, "0", "10");
      EXPECT_EQ(forward.final("n"), 2) << jump << ' ' << tolerance << '\n' << forward.log();
    }
  }
}

TEST_P(OneEvent, ABodyThatMovesBothTermsOfItsGuardBackward) {
  for (const char* const jump : {"0.741", "0.1", "-0.824", "3.3"}) {
    const std::string text =
        std::string("model M\n parameter Real J = ") + jump +
        ";\n Real x(start = sin(10), fixed = true);\n Integer n(start = 0, fixed = true);\n"
        "equation\n der(x) = cos(time);\n"
        " when x - J*n > 0.074 then\n  n = pre(n) + 1;\n  reinit(x, x + J);\n end when;\n"
        "end M;\n";
    for (const std::string& tolerance : kTolerances) {
      const HybridRun backward = run(text, tolerance, "10", "0");
      EXPECT_EQ(backward.final("n"), 2) << jump << ' ' << tolerance << '\n' << backward.log();
    }
  }
}

// A second guard is put onto its surface by the same body, from which the solution goes down: it does not fire.
TEST_P(OneEvent, ABodyThatPutsAnotherGuardOntoItsSurface) {
  for (const std::string& tolerance : kTolerances) {
    const HybridRun result = run(
        "model M\n Real x(start = 1, fixed = true);\n Integer n(start = 0, fixed = true), m(start = 0, fixed "
        "= "
        "true);\nequation\n der(x) = -1;\n when x < 0.1 then\n  n = pre(n) + 1;\n  reinit(x, x + 0.2);\n end "
        "when;\n when x > 0.3 then\n  m = pre(m) + 1;\n end when;\nend M;\n",
        tolerance, "0", "1");
    EXPECT_EQ(result.final("n"), 1) << tolerance << '\n' << result.log();
    EXPECT_EQ(result.final("m"), 0) << tolerance << '\n' << result.log();
  }
}

const std::string kStickSlip =
    "model M\n Real v1(start = 0, fixed = true), v2(start = 0, fixed = true), friction;\nequation\n der(v1) "
    "= "
    "sin(time) - friction;\n der(v2) = friction;\ninitial mode right\n equation\n  friction = 0.4;\n "
    "transition to left when v1 - v2 < 0;\nend right;\nmode left\n equation\n  friction = -0.4;\n transition "
    "to right when v1 - v2 > 0;\nend left;\nend M;\n";

// Where sliding between two modes ends the guard leaves its surface with a rate of zero.
TEST_P(OneEvent, TheEndOfSlidingBetweenTwoModes) {
  for (const std::string& tolerance : kTolerances) {
    const HybridRun result = run(kStickSlip, tolerance, "0", "10");
    ASSERT_EQ(result.result.status, SimulationStatus::success) << result.log();
    ASSERT_EQ(result.events.size(), 7U) << tolerance << '\n' << result.log();
    EXPECT_NEAR(result.events[1].time, std::asin(0.8), 1e-9) << tolerance;
  }
}

// The same with a choice in the equations.
TEST_P(OneEvent, TheEndOfSliding) {
  const std::string text =
      "model M\n Real v(start = 0, fixed = true);\nequation\n der(v) = sin(time) - 0.8*sign(v);\nend M;\n";
  for (const std::string& tolerance : kTolerances) {
    const HybridRun forward = run(text, tolerance, "0", "10");
    EXPECT_EQ(forward.events.size(), 7U) << tolerance << '\n' << forward.log();
  }
}

// Slip that ends at a threshold: afterwards nothing moves, and the guard stays where rounding has left it.
TEST_P(OneEvent, AGuardThatComesToRestOnItsSurface) {
  for (const char* const threshold : {"1e-6", "1e-4", "0.3"}) {
    const std::string text =
        std::string("model M\n parameter Real e = ") + threshold +
        ";\n Real vx(start = 2, fixed = true), vy(start = 0, fixed = true), px(start = 0, "
        "fixed = true), py(start = 1, fixed = true);\n Real sx = vx - px, sy = vy + py, s = "
        "sqrt(sx^2 + sy^2);\n Real fx = if s > e then -2*sx/s else 0, fy = if s > e then "
        "-2*sy/s else 0;\nequation\n der(vx) = fx;\n der(vy) = fy;\n der(px) = -2.5*fx;\n "
        "der(py) = 2.5*fy;\nend M;\n";
    for (const char* const tolerance : {"1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9"}) {
      const HybridRun result = run(text, tolerance, "0", "2");
      ASSERT_EQ(result.result.status, SimulationStatus::success) << threshold << ' ' << tolerance << '\n'
                                                                 << result.log();
      ASSERT_EQ(result.events.size(), 1U) << threshold << ' ' << tolerance << '\n' << result.log();
    }
  }
}

// Bounces that are far smaller than the tolerance are bounces: the method makes no error in a parabola.
TEST_P(OneEvent, SmallBouncesAreAllFound) {
  const HybridRun result = run_text(
      "model M\n Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n Integer n(start = 0, fixed = "
      "true);\nequation\n der(h) = v;\n der(v) = -10;\n when h < 0 then\n  n = pre(n) + 1;\n  reinit(v, "
      "-0.5*pre(v));\n end when;\nend M;\n",
      {{"stop", "1.3415"},
       {"interval", "1"},
       {"tolerance", "1e-4"},
       {"method", GetParam()},
       {"zeno", "continue"}});
  // The last of them are 1.5e-8 high.
  const std::vector<double> times = result.times("when");
  ASSERT_EQ(times.size(), 13U) << result.log();
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_NEAR(times[k], std::sqrt(0.2) * (3.0 - std::pow(2.0, 1.0 - static_cast<double>(k))), 1e-7) << k;
  }
}

// A slave of a large rate: at the event it is off the solution by an error within the tolerance, and its rate has the wrong sign.
class StiffCrossing : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Methods, StiffCrossing, ::testing::Values("radau5", "sdirk4", "bdf", "auto"),
                         [](const auto& given) { return given.param; });

TEST_P(StiffCrossing, FiresOnce) {
  for (const double rate : {1e4, 1e5, 1e6}) {
    const std::string head = "model M\n parameter Real L = " + number(rate) + ";\n Real x(start = ";
    const std::string tail =
        ", fixed = true), u(start = 0, fixed = true);\n Integer n(start = 0, fixed = true), m(start = 0, "
        "fixed "
        "= true);\nequation\n der(u) = 1;\n der(x) = cos(u) - L*(x - sin(u) - 0.36*n);\n when x - 0.36*n > "
        "0.5 "
        "then\n  n = pre(n) + 1;\n  reinit(x, x + 0.36);\n end when;\n when x - 0.36*n < -0.239 then\n  m = "
        "pre(m) + 1;\n end when;\nend M;\n";
    for (const std::string& tolerance : kTolerances) {
      const HybridRun result =
          run_text(head + "0" + tail,
                   {{"stop", "20"}, {"interval", "1"}, {"tolerance", tolerance}, {"method", GetParam()}});
      ASSERT_EQ(result.result.status, SimulationStatus::success) << result.log();
      EXPECT_EQ(result.final("n"), 4) << rate << ' ' << tolerance << '\n' << result.log();
      EXPECT_EQ(result.final("m"), 3) << rate << ' ' << tolerance << '\n' << result.log();
    }
  }
}

// The slave also follows a state with errors of its own, so that it is off by an error that varies from step to step. An explicit method is held
// at its limit of stability by the slave, and swings by its tolerance.
class StiffFollower : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Methods, StiffFollower,
                         ::testing::Values("radau5", "sdirk4", "bdf", "dopri5", "rk23"),
                         [](const auto& given) { return given.param; });

struct Wave {
  double frequency;
  double phase;
  int n_crossings;  // of 1.45·sin through 0.239, downwards, up to t = 6
};

TEST_P(StiffFollower, FiresOnceAtEachCrossing) {
  const bool is_explicit = GetParam() == "dopri5" || GetParam() == "rk23";
  for (const double rate : is_explicit ? std::vector<double>{1e4} : std::vector<double>{1e4, 1e5, 1e6}) {
    for (const Wave& wave :
         {Wave{1.388, 6.075, 1}, Wave{0.7, 0.3, 1}, Wave{2.1, 1.0, 2}, Wave{3.3, 2.0, 3}}) {
      const std::string text =
          "model M\n parameter Real L = " + number(rate) + ", A = 1.45, w = " + number(wave.frequency) +
          ", p = " + number(wave.phase) +
          ";\n Real s = 0.903*sin(3*time + 4.184), y = A*sin(w*time + p);\n Real u(start = 0.903*sin(4.184), "
          "fixed = true), x(start = A*sin(p), fixed = true);\n Integer n(start = 0, fixed = "
          "true);\nequation\n "
          "der(u) + 0.609*u + 0.2*u^3 = 2.709*cos(3*time + 4.184) + 0.609*s + 0.2*s^3;\n der(x) + L*(x - "
          "0.36*n "
          "- 0.416*u) = A*w*cos(w*time + p) + L*(y - 0.416*s);\n when x - 0.36*n < 0.239 then\n  n = pre(n) "
          "+ "
          "1;\n  reinit(x, x + 0.36);\n end when;\nend M;\n";
      for (const char* const tolerance : {"1e-3", "1e-4", "1e-5", "1e-6"}) {
        const HybridRun result = run_text(
            text, {{"stop", "6"}, {"interval", "1"}, {"tolerance", tolerance}, {"method", GetParam()}});
        EXPECT_EQ(result.final("n"), wave.n_crossings)
            << rate << ' ' << wave.frequency << ' ' << tolerance << '\n'
            << result.log();
      }
    }
  }
}

// Instants of a clock restart the method while the guard is still leaving its surface.
TEST_P(StiffFollower, FiresOnceBesideAClock) {
  for (const Wave& wave : {Wave{1.388, 6.075, 1}, Wave{0.7, 0.3, 1}, Wave{2.1, 1.0, 2}, Wave{3.3, 2.0, 3}}) {
    const std::string text =
        "model M\n parameter Real L = 1e4, A = 1.45, w = " + number(wave.frequency) +
        ", p = " + number(wave.phase) +
        ";\n Real s = 0.903*sin(3*time + 4.184), y = A*sin(w*time + p);\n Real u(start = 0.903*sin(4.184), "
        "fixed = true), x(start = A*sin(p), fixed = true);\n Integer n(start = 0, fixed = true), k(start = "
        "0, "
        "fixed = true);\nequation\n der(u) + 0.609*u + 0.2*u^3 = 2.709*cos(3*time + 4.184) + 0.609*s + "
        "0.2*s^3;\n der(x) + L*(x - 0.416*u) = A*w*cos(w*time + p) + L*(y - 0.416*s);\n when x < 0.239 "
        "then\n  "
        "n = pre(n) + 1;\n end when;\n when sample(0, 0.013) then\n  k = pre(k) + 1;\n end when;\nend M;\n";
    for (const char* const tolerance : {"1e-3", "1e-4", "1e-6"}) {
      const HybridRun result = run_text(
          text, {{"stop", "6"}, {"interval", "1"}, {"tolerance", tolerance}, {"method", GetParam()}});
      EXPECT_EQ(result.final("n"), wave.n_crossings) << wave.frequency << ' ' << tolerance;
    }
  }
}

}  // namespace
}  // namespace saltus::test
