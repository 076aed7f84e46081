// Bounds of guards over implicitly given variables: they hold along the curve, close with its length, and are not given where there
// is no solution to continue.
#include "program/guards/guard_tube.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "program/guards/guard_set.hpp"
#include "support/allocation_guard.hpp"
#include "unit/program/guarded_model.hpp"

namespace saltus::program {
namespace {

using system::CurvePiece;
using system::GuardBounds;
using system::GuardShape;
using test::GuardedModel;

// x(t) = a + b·(t - t₀) by state, as a piece.
struct Line {
  std::vector<double> a;
  std::vector<double> b;
  double from = 0.0;
  double to = 0.1;
  double beside = 0.0;

  std::vector<double> x = {};
  std::vector<double> start = {};
  std::vector<Interval> box = {};
  std::vector<Interval> xdot = {};
  std::vector<Interval> around = {};

  [[nodiscard]] std::vector<double> at(double t) const {
    std::vector<double> result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      result[i] = a[i] + b[i] * t;
    }
    return result;
  }
  CurvePiece piece(bool is_box = false) {
    const double middle = 0.5 * (from + to);
    x = at(is_box ? from : middle);
    start = at(from);
    box.clear();
    xdot.clear();
    around.clear();
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double one = a[i] + b[i] * from;
      const double other = a[i] + b[i] * to;
      box.push_back({std::min(one, other) - beside - 1e-15, std::max(one, other) + beside + 1e-15});
      xdot.push_back(is_box ? Interval{} : Interval{b[i], b[i]});
      around.push_back(is_box ? Interval{box[i].lower - x[i], box[i].upper - x[i]}
                              : Interval{-beside, beside});
    }
    return {.time = {from, to},
            .at = is_box ? from : middle,
            .x = x,
            .box = box,
            .xdot = xdot,
            .around = around,
            .is_box = is_box,
            .start_time = from,
            .start = start};
  }
};

std::string implicit_model(const std::string& equations, const std::string& condition) {
  return "model M\n Real x(start = 1), v(start = 1), y(start = 0.5), z(start = 0.5), out;\nequation\n der(x) "
         "= "
         "v;\n "
         "der(v) = -x;\n" +
         equations + "\n out = if " + condition + " then 1 else 0;\nend M;\n";
}

const std::string kChain = " y + y^3 = x + sin(time);\n z + 0.5*sin(z) = y*v;";

// The bounds hold everything that values show, also beside the curve.
void expect_bounds(GuardedModel& m, Line line, double width_factor) {
  ASSERT_EQ(m.runner->shape(0).kind, GuardShape::Kind::implicit);
  const GuardBounds bounds = m.runner->bound(0, line.piece());
  ASSERT_TRUE(bounds.is_known);
  double least = INFINITY;
  double most = -INFINITY;
  constexpr int kPoints = 40;
  for (int k = 0; k <= kPoints; ++k) {
    const double t = line.from + (line.to - line.from) * k / kPoints;
    for (const double side : {-1.0, 0.0, 1.0}) {
      std::vector<double> x = line.at(t);
      for (double& value : x) {
        value += side * line.beside;
      }
      const double g = m.value(0, t, x);
      EXPECT_TRUE(bounds.value.contains(g)) << t << ": " << g;
      least = std::min(least, g);
      most = std::max(most, g);
    }
    const double h = 1e-5;
    const double slope = (m.value(0, t + h, line.at(t + h)) - m.value(0, t - h, line.at(t - h))) / (2.0 * h);
    EXPECT_GE(slope, bounds.rate.lower - 1e-7);
    EXPECT_LE(slope, bounds.rate.upper + 1e-7);
  }
  EXPECT_LT(bounds.value.upper - bounds.value.lower, width_factor * (most - least) + 1e-12);
}

TEST(GuardTube, HoldsValuesAndRatesThroughTwoBlocks) {
  GuardedModel m(implicit_model(kChain, "z*v - 0.2*y > 0.1"));
  for (const double length : {0.3, 0.05, 1e-3}) {
    expect_bounds(m, {.a = {1.0, 0.7}, .b = {0.7, -1.0}, .from = 0.2, .to = 0.2 + length}, 3.0);
    expect_bounds(m, {.a = {1.0, 0.7}, .b = {0.7, -1.0}, .from = 0.2, .to = 0.2 + length, .beside = 1e-4},
                  4.0);
  }
}

// The range of a guard that stands still in the first order: what is too wide falls with the square of the length.
TEST(GuardTube, ErrorFallsWithTheSquare) {
  GuardedModel m(implicit_model(" y + y^3 = x + sin(time);\n z = y;", "y - x*0.5 > 0.1"));
  std::vector<double> excess;
  for (const double length : {0.2, 0.1, 0.05}) {
    Line line{.a = {0.0, 0.0}, .b = {1.0, 0.0}, .from = 0.3, .to = 0.3 + length};
    const GuardBounds bounds = m.runner->bound(0, line.piece());
    ASSERT_TRUE(bounds.is_known);
    double least = INFINITY;
    double most = -INFINITY;
    for (int k = 0; k <= 100; ++k) {
      const double t = line.from + length * k / 100;
      const double g = m.value(0, t, line.at(t));
      least = std::min(least, g);
      most = std::max(most, g);
    }
    excess.push_back((bounds.value.upper - bounds.value.lower) - (most - least));
  }
  EXPECT_GT(excess[0] / excess[1], 3.0);
  EXPECT_GT(excess[1] / excess[2], 3.0);
}

// Twenty blocks in a row, each the sine of the one before: one after the other they would add up their widths.
TEST(GuardTube, AllBlocksAtOnce) {
  GuardedModel m(
      "model M\n Real x(start = 1), z[20](each start = 0.5), out;\nequation\n der(x) = 1;\n z[1] + "
      "0.3*z[1]^3 = "
      "x;\n for i in 2:20 loop\n  z[i] + 0.3*z[i]^3 = 1.2*z[i - 1];\n end for;\n out = if z[20] > 0.1 then 1 "
      "else "
      "0;\nend M;\n");
  expect_bounds(m, {.a = {0.3}, .b = {1.0}, .from = 0.0, .to = 0.05}, 3.0);
}

TEST(GuardTube, KinksAreHeldByTheHullOfSlopes) {
  GuardedModel m(
      implicit_model(" 2*y + noEvent(abs(y - 0.4)) = x;\n z = noEvent(min(y, 0.5));", "z - y*0.1 > 0.1"));
  expect_bounds(m, {.a = {0.5, 0.0}, .b = {1.0, 0.0}, .from = 0.0, .to = 0.5}, 6.0);
}

TEST(GuardTube, NothingIsSaidWhereAnEquationIsNotDefined) {
  GuardedModel m(implicit_model(" y + sqrt(x) + 0.1*sin(y) = 1;\n z = y;", "y > 0.1"));
  Line inside{.a = {0.5, 0.0}, .b = {-1.0, 0.0}, .from = 0.0, .to = 0.4};
  EXPECT_TRUE(m.runner->bound(0, inside.piece()).is_known);
  Line across{.a = {0.5, 0.0}, .b = {-1.0, 0.0}, .from = 0.3, .to = 0.5000001};
  EXPECT_FALSE(m.runner->bound(0, across.piece()).is_known) << "the root of a negative number has no value";
}

TEST(GuardTube, JumpsAreLeftToSampling) {
  GuardedModel m(implicit_model(" y + y^3 = x + noEvent(if x > 0.5 then 1 else 0);\n z = y;", "y > 0.1"));
  EXPECT_EQ(m.runner->shape(0).kind, GuardShape::Kind::opaque);
  GuardedModel smooth(implicit_model(" y + y^3 = x;\n z = y;", "y > noEvent(sign(x))"));
  EXPECT_EQ(smooth.runner->shape(0).kind, GuardShape::Kind::opaque);
}

// y³ - 3y = x folds at x = ±2: no piece that reaches over the fold has a tube, pieces before it have.
TEST(GuardTube, NoTubeOverAFold) {
  GuardedModel m(implicit_model(" y^3 - 3*y = x;\n z = y;", "y > 0.1"));
  // From the branch y > 1, x from 0 (y = √3) down to the fold at x = -2.
  ASSERT_NEAR(m.value(0, 0.0, {18.0, 0.0}), 3.0 - 0.1, 1e-9);
  ASSERT_NEAR(m.value(0, 0.0, {2.0, 0.0}), 2.0 - 0.1, 1e-9);
  Line near{.a = {0.0, 0.0}, .b = {-1.0, 0.0}, .from = 0.0, .to = 0.5};
  EXPECT_TRUE(m.runner->bound(0, near.piece()).is_known);
  Line over{.a = {0.0, 0.0}, .b = {-1.0, 0.0}, .from = 1.0, .to = 2.2};
  EXPECT_FALSE(m.runner->bound(0, over.piece()).is_known);
}

TEST(GuardTube, BoxesHoldAllTheirStates) {
  GuardedModel m(implicit_model(kChain, "z - 0.2*y > 0.1"));
  Line line{.a = {1.0, 0.7}, .b = {0.2, -0.3}, .from = 0.2, .to = 0.3, .beside = 0.01};
  const GuardBounds bounds = m.runner->bound(0, line.piece(true));
  ASSERT_TRUE(bounds.is_known);
  for (int k = 0; k < 100; ++k) {
    const double t = line.from + 0.1 * (k % 10) / 9.0;
    const std::vector<double> x = {
        line.box[0].lower + (line.box[0].upper - line.box[0].lower) * (k / 10) / 9.0,
        line.box[1].lower + (line.box[1].upper - line.box[1].lower) * (k % 7) / 6.0};
    EXPECT_TRUE(bounds.value.contains(m.value(0, t, x)));
  }
}

TEST(GuardTube, GuardsShareItAndNothingAllocates) {
  GuardedModel m(
      "model M\n Real x(start = 1), z(start = 0.5), w(start = 0.5), out;\nequation\n der(x) = 1 - z;\n z + "
      "z^3 = "
      "x;\n w + w^3 = z;\n out = (if w > 0.3 then 1 else 0) + (if w*x > 0.75 then 1 else 0);\nend M;");
  Line line{.a = {1.0}, .b = {0.5}, .from = 0.0, .to = 0.1};
  const CurvePiece piece = line.piece();
  ASSERT_TRUE(m.runner->bound(0, piece).is_known);
  const saltus::test::AllocationGuard guard;
  EXPECT_TRUE(m.runner->bound(1, piece).is_known);
  EXPECT_TRUE(m.runner->bound(0, piece).is_known);
  EXPECT_EQ(guard.count(), 0);
}

// More unknowns than a dense preconditioner is made for: bounds are estimates, and good ones where nothing is singular.
TEST(GuardTube, LargeBlocksAreEstimated) {
  const std::string n = std::to_string(GuardCode::kMostClosed + 40);
  GuardedModel m(
      "model M\n constant Integer N = " + n +
      ";\n Real x(start = 1), z[N](each start = 0.5), out;\nequation\n der(x) = -z[1];\n"
      " z[1] + 0.1*z[1]^3 = x + 0.1*z[N];\n for i in 2:N loop\n  z[i] + 0.1*z[i]^3 = 0.5*sin(z[i - "
      "1]) + 0.1*sin(z[mod(i, N) + 1]);\n end for;\n out = if z[1] - 0.2*z[2] > 0.1 then 1 else "
      "0;\nend M;\n");
  EXPECT_TRUE(m.runner->shape(0).is_estimated);
  expect_bounds(m, {.a = {0.7}, .b = {-0.5}, .from = 0.0, .to = 0.1, .beside = 1e-5}, 3.0);
}

}  // namespace
}  // namespace saltus::program
