// Conditions on variables that equations give implicitly: every crossing is found once, however short the excursion and long the step.
//
// The equations have solutions in closed form: with F increasing, F(y) = u(t) crosses y = c where u crosses F(c).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus {
namespace {

using test::HybridRun;
using test::number;
using test::run_text;

constexpr const char* kMethods[] = {"dopri5", "radau5", "sdirk4", "bdf"};

// u is written in X, which is a state that is the time, or time itself.
std::string model(const std::string& equations, const std::string& condition, bool has_state, double start) {
  const auto in = [&](std::string text) {
    for (std::size_t at = text.find('X'); at != std::string::npos; at = text.find('X')) {
      text.replace(at, 1, has_state ? "x" : "time");
    }
    return text;
  };
  return "model M\n Real y(start = 0.1), z(start = 0.1);\n" +
         std::string(has_state ? " Real x(start = " + number(start) + ", fixed = true);\n" : "") +
         " discrete Integer n(start = 0, fixed = true);\nequation\n" + (has_state ? " der(x) = 1;\n" : "") +
         in(equations) + "\n when " + condition + " then\n  n = pre(n) + 1;\n end when;\nend M;\n";
}

struct Case {
  std::string equations;
  std::string condition;
  double start;
  double stop;
  std::vector<double> times;  ///< at which the condition becomes true, in the order of the run
};

// `most_sampled`: steps in which a piece of a thousandth may have had no bounds.
void expect_times(const Case& what, double tolerance = 1e-6, std::int64_t most_sampled = 0) {
  for (const bool has_state : {true, false}) {
    for (const char* method : kMethods) {
      const std::string text = model(what.equations, what.condition, has_state, what.start);
      const HybridRun run =
          run_text(text, {{"start", number(what.start)}, {"stop", number(what.stop)}, {"method", method}});
      const std::vector<double> times = run.times("when");
      ASSERT_EQ(run.result.status, SimulationStatus::success) << method << text << run.log();
      ASSERT_EQ(times.size(), what.times.size())
          << method << (has_state ? " x " : " time ") << text << run.log();
      for (std::size_t k = 0; k < times.size(); ++k) {
        EXPECT_NEAR(times[k], what.times[k], tolerance * std::max(1.0, std::abs(times[k]))) << method << text;
      }
      for (const WatchedGuard& guard : run.result.statistics.guards) {
        EXPECT_LE(guard.sampled_steps, most_sampled) << method << " " << guard.condition << text;
        EXPECT_GT(guard.proved_steps, 0);
      }
    }
  }
}

// exp(-(y/w)²) > 1/2 where |y| < w√(ln 2), y = tanh(t - 5) exactly.
TEST(ImplicitGuards, ShortPeaksOfAnyWidth) {
  const std::string equations = " y + 0.5*sin(y) = tanh(X - 5) + 0.5*sin(tanh(X - 5));\n z = y;";
  for (const double width : {0.3, 0.1, 0.01, 1e-3}) {
    const double half = std::atanh(width * std::sqrt(std::log(2.0)));
    const std::string condition = "exp(-(y/" + number(width) + ")^2) > 0.5";
    expect_times({equations, condition, 0.0, 10.0, {5.0 - half}});
    expect_times({equations, condition, 10.0, 0.0, {5.0 + half}});
  }
}

// Two roots in one step, closer and closer, and none.
TEST(ImplicitGuards, PairsOfRootsAndTheirAbsence) {
  for (const double apart : {0.5, 0.02, 1e-3}) {
    // u = 1 + δ² - (t - 3)²/(1 + (t - 3)²) passes 1 at (t - 3)² = δ²/(1 - δ²) + …: written so that it is δ from 3 exactly.
    const double top = 1.0 + apart * apart / (1.0 + apart * apart);
    const std::string u = number(top) + " - (X - 3)^2/(1 + (X - 3)^2)";
    const std::string equations = " y^3 + y = 2*(" + u + ");\n z = y;";  // y > 1 where u > 1
    expect_times({equations, "y > 1", 0.0, 20.0, {3.0 - apart}}, 1e-5);
    expect_times({equations, "y > 1", 20.0, 0.0, {3.0 + apart}}, 1e-5);
    const std::string below = number(1.0 - 1e-4) + " - (X - 3)^2/(1 + (X - 3)^2)";
    expect_times({" y^3 + y = 2*(" + below + ");\n z = y;", "y > 1", 0.0, 20.0, {}});
  }
}

// Unknowns of size 1 that stand beside terms of 1e5 to 1e9 in their equations: y = 1.27 + ½ sin(2.4 t)² but for what those leave, 3e-9 at 2e7. Values
// within that are zero wherever the guard is asked, so that every crossing is one event.
TEST(ImplicitGuards, TermsFarLargerThanTheUnknowns) {
  const double first = std::asin(std::sqrt(0.46)) / 2.4;
  for (const double large : {1e5, 2e7, 1e9}) {
    for (const char* const tolerance : {"1e-6", "1e-7"}) {
      const HybridRun run = run_text(
          "model M\n parameter Real L = " + number(large) +
              ";\n Real a(start = 0), y(start = 1.27);\n discrete Integer n(start = 0, fixed = true);\n"
              "equation\n a + L = L + 0.3*cos(time) + 0.1*y;\n 0.252*a + 0.252*L + atan(y) = 0.252*(L + "
              "0.3*cos(time) + 0.1*y) + atan(1.27 + 0.5*sin(2.4*time)^2);\n when y > 1.5 then\n"
              "  n = pre(n) + 1;\n end when;\nend M;\n",
          {{"stop", "8"}, {"interval", "0.02"}, {"tolerance", tolerance}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << large << run.log();
      const std::vector<double> times = run.times("when");
      ASSERT_EQ(times.size(), 6U) << large << " at " << tolerance << run.log();
      for (std::size_t k = 0; k < times.size(); ++k) {
        EXPECT_NEAR(times[k], first + static_cast<double>(k) * std::acos(-1.0) / 2.4, 1e-15 * large + 1e-7);
      }
    }
  }
}

// A touch within rounding is no event (semantics 4.3).
TEST(ImplicitGuards, ATangencyIsNoEvent) {
  expect_times({" y^3 + y = 2*cos(X - 3);\n z = y;", "y > 1", 0.5, 8.5, {}});
}

TEST(ImplicitGuards, SeveralBlocksInARow) {
  // z³ + z = u, y + sin(y)/2 = z: y crosses 0.3 where u crosses F(0.3 + sin(0.3)/2).
  const double z = 0.3 + 0.5 * std::sin(0.3);
  const double level = z * z * z + z;
  std::vector<double> times;
  for (int k = 0; k < 5; ++k) {
    times.push_back((std::asin(level / 2.0) + 2.0 * M_PI * k) / 1.5);
  }
  expect_times({" z^3 + z = 2*sin(1.5*X);\n y + 0.5*sin(y) = z;", "y > 0.3", 0.0, 19.0, times});
}

// |y| and min inside, and a root near the end of its domain.
TEST(ImplicitGuards, KinksAndEndsOfDomains) {
  // 2y + |y - 0.1| = u: at y = 0.3 u = 0.8.
  const std::vector<double> times = {std::asin(0.4), std::asin(0.4) + 2.0 * M_PI};
  expect_times(
      {" 2*y + noEvent(abs(y - 0.1)) = 2*sin(X);\n z = noEvent(min(y, 0.9));", "z > 0.3", 0.0, 10.0, times});
  // y + √y·… with y from 1e-6 on: √ is defined, and steep.
  const double at = std::sqrt(0.04) + 0.04;  // u at y = 0.04
  expect_times({" y + sqrt(y) = 1 + 0.999*sin(X - 1.5);\n z = y;",
                "y > 0.04",
                0.0,
                9.0,
                {std::asin((at - 1.0) / 0.999) + 1.5, std::asin((at - 1.0) / 0.999) + 1.5 + 2.0 * M_PI}},
               1e-5);
}

// The condition starts on its surface and leaves it to the side that does not count.
TEST(ImplicitGuards, GuardsThatStartAtZero) {
  expect_times({" y^3 + y = sin(X);\n z = y;", "y < 0", 0.0, 9.0, {M_PI}});
  expect_times({" y^3 + y = -sin(X);\n z = y;", "y > 0", 0.0, 9.0, {M_PI}});
}

TEST(ImplicitGuards, WhileSliding) {
  // y + sin(y)/2 = 1.3 sin t once x = sin t is put in.
  const double first = std::asin((0.3 + 0.5 * std::sin(0.3)) / 1.3);
  const std::string text =
      "model M\n Real q(start = 1, fixed = true), x(start = 0, fixed = true), y(start = 0), r(start = 0, "
      "fixed = "
      "true);\n discrete Integer n(start = 0, fixed = true);\nequation\n der(q) = -2*sign(q - sin(time));\n "
      "der(x) "
      "= cos(time) - (x - sin(time));\n y + 0.5*sin(y) + 0.7*x - der(x) = 2*sin(time) - cos(time);\n der(r) "
      "= "
      "0;\n when y > 0.3 then\n  n = pre(n) + 1;\n  reinit(r, pre(r) + 1);\n end when;\nend M;\n";
  for (const char* method : {"auto", "dopri5", "radau5", "sdirk4", "bdf"}) {
    const HybridRun run = run_text(text, {{"stop", "20"}, {"tolerance", "1e-6"}, {"method", method}});
    const std::vector<double> times = run.times("when");
    ASSERT_EQ(times.size(), 4U) << method << run.log();
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(times[k], first + 2.0 * M_PI * static_cast<double>(k), 1e-4) << method;
    }
    EXPECT_DOUBLE_EQ(run.final("r"), 4.0) << method;
  }
}

// Random forms, forcings and levels; roots of u - F(c) by bisection on a fine grid.
TEST(ImplicitGuards, RandomFamilies) {
  struct Form {
    const char* text;
    double (*value)(double);
  };
  const Form forms[] = {
      {"{} + 0.5*sin({})", [](double y) { return y + 0.5 * std::sin(y); }},
      {"{}^3 + {}", [](double y) { return y * y * y + y; }},
      {"{} + exp({})", [](double y) { return y + std::exp(y); }},
      {"{} + atan(3*{})", [](double y) { return y + std::atan(3.0 * y); }},
      {"2*{} + noEvent(abs({} - 0.1))", [](double y) { return 2.0 * y + std::abs(y - 0.1); }}};
  const auto written = [](std::string text, const std::string& name) {
    for (std::size_t at = text.find("{}"); at != std::string::npos; at = text.find("{}")) {
      text.replace(at, 2, name);
    }
    return text;
  };
  std::mt19937 random(20);
  const auto uniform = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  for (int trial = 0; trial < 16; ++trial) {
    const Form& form = forms[static_cast<std::size_t>(trial) % std::size(forms)];
    const double a = uniform(0.8, 2.5);
    const double w = uniform(0.4, 3.0);
    const double p = uniform(0.0, 6.0);
    const double centre = uniform(2.0, 8.0);
    const double width = std::pow(10.0, uniform(-2.0, -0.5));
    const double c = uniform(-0.5, 0.5);
    const double level = form.value(c);
    const auto u = [&](double t) {
      return a * std::sin(w * t + p) + 1.5 * std::exp(-std::pow((t - centre) / width, 2));
    };
    const bool is_backward = trial % 3 == 2;
    std::vector<double> times;
    double least = INFINITY;  // of extremes between the roots
    constexpr int kGrid = 100'000;
    const auto at = [&](int k) { return is_backward ? 10.0 - 10.0 * k / kGrid : 10.0 * k / kGrid; };
    for (int k = 1; k <= kGrid; ++k) {
      double from = at(k - 1);
      double to = at(k);
      if (u(from) <= level && u(to) > level) {
        for (int halving = 0; halving < 50; ++halving) {
          const double middle = 0.5 * (from + to);
          (u(middle) > level ? to : from) = middle;
        }
        times.push_back(to);
      }
      if (k < kGrid && (u(at(k)) - u(at(k - 1))) * (u(at(k + 1)) - u(at(k))) <= 0.0) {
        least = std::min(least, std::abs(u(at(k)) - level));
      }
    }
    if (least < 1e-3 || std::abs(u(at(0)) - level) < 1e-3) {
      continue;  // within some tolerances of a touch
    }
    const std::string forcing = number(a) + "*sin(" + number(w) + "*X + " + number(p) +
                                ") + 1.5*exp(-((X - " + number(centre) + ")/" + number(width) + ")^2)";
    const std::string equations = " " + written(form.text, "z") + " = " + forcing + ";\n y = z;";
    expect_times({equations, "y > " + number(c), at(0), at(kGrid), times}, 1e-5, 1);
  }
}

// Errors of the trajectory that are amplified 1e6 times outweigh what the equations determine: there are no bounds on any piece. Such a
// step is sampled after a few pieces, not after hundreds, and counts once.
TEST(ImplicitGuards, WhatErrorsOutweighIsSampledSoon) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true), y(start = 0);\n Integer n(start = 0, fixed = true);\n"
      "equation\n der(x) = cos(time) - 1e5*(x - sin(time));\n y + y^3 = 1e6*(x - sin(time));\n"
      " when y > 40 then\n  n = pre(n) + 1;\n end when;\nend M;\n",
      {{"stop", "10"}, {"tolerance", "1e-6"}, {"method", "radau5"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_EQ(run.final("n"), 0);
  const Statistics& statistics = run.result.statistics;
  ASSERT_EQ(statistics.guards.size(), 1U);
  EXPECT_GT(statistics.guards[0].sampled_steps, 0);
  EXPECT_GE(statistics.guards[0].proved_steps, 0);
  EXPECT_LT(statistics.guard_evaluations, 300 * statistics.accepted_steps);
}

}  // namespace
}  // namespace saltus
