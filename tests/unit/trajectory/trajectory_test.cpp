#include "trajectory/trajectory.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "saltus/contract.hpp"

namespace saltus::trajectory {
namespace {

// x = from + (to - from) θ over [t, t + h].
void append_line(Trajectory& trajectory, double t, double h, double from, double to) {
  const std::vector<double> coefficients = {from, to - from};
  trajectory.append({CompensatedTime(t), h, t + h, 1, 1, coefficients});
}

double at(const Trajectory& trajectory, double t, Side side = Side::right) {
  std::vector<double> x(1);
  trajectory.evaluate(t, x, side);
  return x[0];
}

TEST(Trajectory, FindsTheSegmentOfATime) {
  Trajectory trajectory;
  for (int i = 0; i < 1000; ++i) {
    append_line(trajectory, i, 1.0, i, i + 1);
  }
  EXPECT_EQ(trajectory.size(), 1000);
  EXPECT_EQ(trajectory.find(0.0), 0);
  EXPECT_EQ(trajectory.find(512.5), 512);
  EXPECT_EQ(trajectory.find(1000.0), 999);
  EXPECT_EQ(trajectory.find(7.0, Side::left), 6);
  EXPECT_EQ(trajectory.find(7.0, Side::right), 7);
  EXPECT_EQ(at(trajectory, 700.25), 700.25);
}

TEST(Trajectory, KeepsBothSidesAndTheInsideOfAnInstant) {
  Trajectory trajectory;
  append_line(trajectory, 0.0, 1.0, 0.0, 1.0);  // ends with x⁻ = 1
  const std::vector<double> between = {5.0};
  trajectory.append({CompensatedTime(1.0), 0.0, 1.0, 1, 0, between});
  append_line(trajectory, 1.0, 1.0, 7.0, 8.0);  // starts with x⁺ = 7
  EXPECT_EQ(at(trajectory, 1.0, Side::left), 1.0);
  EXPECT_EQ(at(trajectory, 1.0, Side::right), 7.0);
  EXPECT_EQ(trajectory.find(1.0, Side::left), 0);
  EXPECT_EQ(trajectory.segment(1).coefficients()[0], 5.0);
  EXPECT_EQ(trajectory.find(1.0, Side::right), 2);
  EXPECT_EQ(at(trajectory, 1.5), 7.5);
}

TEST(Trajectory, RunsBackward) {
  Trajectory trajectory;
  append_line(trajectory, 3.0, -1.0, 30.0, 20.0);
  append_line(trajectory, 2.0, -2.0, 21.0, 1.0);
  EXPECT_TRUE(trajectory.is_backward());
  EXPECT_EQ(at(trajectory, 2.5), 25.0);
  EXPECT_EQ(at(trajectory, 2.0, Side::left), 20.0);
  EXPECT_EQ(at(trajectory, 2.0, Side::right), 21.0);
  EXPECT_EQ(at(trajectory, 0.0), 1.0);
  EXPECT_TRUE(trajectory.contains(0.0));
  EXPECT_FALSE(trajectory.contains(-0.1));
}

TEST(Trajectory, SegmentsMayDifferInStatesAndDegree) {
  Trajectory trajectory;
  append_line(trajectory, 0.0, 1.0, 0.0, 1.0);
  const std::vector<double> quadratic = {1.0, 2.0, 0.0, 0.0, 1.0, -1.0};
  trajectory.append({CompensatedTime(1.0), 1.0, 2.0, 2, 2, quadratic});
  std::vector<double> x(2);
  trajectory.evaluate(1.5, x);
  EXPECT_EQ(x[0], 1.25);
  EXPECT_EQ(x[1], 1.75);
  EXPECT_EQ(at(trajectory, 0.25), 0.25);
}

TEST(Trajectory, MisuseIsReported) {
  Trajectory trajectory;
  EXPECT_FALSE(trajectory.contains(0.0));
  EXPECT_THROW((void)trajectory.start_time(), ContractViolation);
  append_line(trajectory, 0.0, 1.0, 0.0, 1.0);
  EXPECT_THROW(append_line(trajectory, 1.5, 1.0, 0.0, 1.0), ContractViolation);
  EXPECT_THROW(append_line(trajectory, 1.0, -0.5, 0.0, 1.0), ContractViolation);
  EXPECT_THROW((void)at(trajectory, 1.1), ContractViolation);
  EXPECT_THROW((void)trajectory.segment(1), ContractViolation);
}

}  // namespace
}  // namespace saltus::trajectory
