// Balls that fall onto a floor whose condition is written over the height and the velocity, as in examples/bouncing_ball.mo (docs/semantics.md 4.3, 9.3):
// flights below the tolerance, and below the roundings of the floor, still end on it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

class Falling : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Methods, Falling, ::testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"),
                         [](const auto& given) { return given.param; });

struct Floor {
  std::string declared;  // of its height and speed s, w
  double (*height)(double);
  double start = 0.0;
  double speed = 0.0;
};

const std::vector<Floor> kFloors = {
    {"parameter Real s = 0, w = 0;\n", [](double) { return 0.0; }},
    {"parameter Real s = 1000, w = 0;\n", [](double) { return 1000.0; }, 1000.0},
    {"parameter Real s = 1e5, w = 0;\n", [](double) { return 1e5; }, 1e5},
    {"parameter Real s = -50, w = 0;\n", [](double) { return -50.0; }, -50.0},
    {"Real s = 100 + 2*time;\n parameter Real w = 2;\n", [](double t) { return 100.0 + 2.0 * t; }, 100.0,
     2.0},
    {"Real s = 0.3*sin(0.7*time), w = 0.21*cos(0.7*time);\n",
     [](double t) { return 0.3 * std::sin(0.7 * t); }, 0.0, 0.21},
};

std::string ball(const Floor& floor, double height, double e, const std::string& condition) {
  return "model M\n " + floor.declared + " Real h(start = " + number(floor.start + height) +
         ", fixed = true), v(start = " + number(floor.speed) + ", fixed = true);\n Boolean below, falls;\n" +
         "equation\n der(h) = v;\n der(v) = -9.81;\n below = h <= s;\n falls = below and v < w;\n when " +
         condition + " then reinit(v, w - " + number(e) + "*(pre(v) - w)); end when;\nend M;\n";
}

double accumulation(double height, double e) {
  return std::sqrt(2.0 * height / 9.81) * (1.0 + e) / (1.0 - e);
}

// It has come to rest on its floor, and was never below it by more than the tolerance.
void expect_rest(const Floor& floor, double height, double e, const std::string& condition,
                 const std::string& method, const std::string& tolerance) {
  const std::string place = condition + ' ' + number(floor.start) + ' ' + number(height) + ' ' + number(e) +
                            ' ' + method + ' ' + tolerance;
  const double stop = 1.4 * accumulation(height, e) + 0.5;
  const HybridRun run = run_text(ball(floor, height, e, condition), {{"stop", number(stop)},
                                                                     {"method", method},
                                                                     {"tolerance", tolerance},
                                                                     {"interval", number(stop / 50)}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << place << to_string(run.result.reason);
  EXPECT_EQ(run.count("zeno"), 1U) << place;
  const double allowed = 20.0 * std::stod(tolerance) * std::max({1.0, std::abs(floor.start), height});
  for (const RowRecord& row : run.rows) {
    ASSERT_GT(run.value(row, "h"), floor.height(row.time) - allowed) << place << ' ' << row.time;
  }
  EXPECT_NEAR(run.final("h"), floor.height(stop), allowed) << place;
}

TEST_P(Falling, EndsOnItsFloorHoweverTheConditionIsWritten) {
  for (const char* const condition :
       {"h <= s and v < w", "h < s and v < w", "v < w and h <= s", "h - s <= 0 and v - w < 0",
        "not h > s and v < w", "falls", "{h <= s and v < w, time > 1e9}", "h <= s", "h < s"}) {
    for (const char* const tolerance : {"1e-3", "1e-6", "1e-9"}) {
      for (const Floor& floor : kFloors) {
        expect_rest(floor, 0.1, 0.5, condition, GetParam(), tolerance);
      }
    }
  }
}

TEST_P(Falling, EndsOnItsFloorFromAnyHeight) {
  for (const double e : {1e-6, 0.05, 0.3, 0.8, 0.9}) {
    for (const double height : {1e-6, 1e-4, 1e-2, 1.0, 100.0}) {
      for (const char* const tolerance : {"1e-3", "1e-5", "1e-6", "1e-8"}) {
        expect_rest(kFloors[0], height, e, "h <= s and v < w", GetParam(), tolerance);
        expect_rest(kFloors[1], height, e, "h <= s and v < w", GetParam(), tolerance);
      }
    }
  }
}

// A body that takes the whole velocity fires again as soon as it falls: it rests at once. So does one that begins on the floor.
TEST_P(Falling, RestsWhereItDoesNotBounce) {
  for (const Floor& floor : kFloors) {
    for (const double e : {0.0, 0.5}) {
      for (const double height : {0.0, 0.1}) {
        if (e == 0.0 || height == 0.0) {
          expect_rest(floor, height, e, "h <= s and v < w", GetParam(), "1e-6");
        }
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
