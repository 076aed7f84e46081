#include "trajectory/segment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "saltus/contract.hpp"

namespace saltus::trajectory {
namespace {

// Two states over [2, 2.5]: 1 + 2θ + 3θ² and 5 - θ³; rows are powers.
const std::vector<double> kCoefficients = {1.0, 5.0, 2.0, 0.0, 3.0, 0.0, 0.0, -1.0};

SegmentView sample() {
  return {CompensatedTime(2.0), 0.5, 2.5, 2, 3, kCoefficients};
}

TEST(Segment, EvaluatesThePolynomial) {
  std::vector<double> x(2);
  sample().evaluate(0.5, x);
  EXPECT_EQ(x[0], 1.0 + 1.0 + 0.75);
  EXPECT_EQ(x[1], 5.0 - 0.125);
  EXPECT_EQ(sample().value(0, 0.5), x[0]);
  EXPECT_EQ(sample().value(1, 0.5), x[1]);
}

TEST(Segment, DerivativeIsWithRespectToTime) {
  std::vector<double> xdot(2);
  sample().derivative(0.5, xdot);
  EXPECT_EQ(xdot[0], (2.0 + 6.0 * 0.5) / 0.5);
  EXPECT_EQ(xdot[1], (-3.0 * 0.25) / 0.5);
}

TEST(Segment, LocalTimeIsExactAtBothEnds) {
  CompensatedTime start(1e9);
  start.advance(1e-8);
  const double h = 0.1;
  CompensatedTime end = start;
  end.advance(h);
  const std::vector<double> coefficients = {0.0, 1.0};
  const SegmentView segment(start, h, end.value(), 1, 1, coefficients);
  EXPECT_EQ(segment.theta(end.value()), 1.0);
  EXPECT_NEAR(segment.theta(start.value()), 0.0, 1e-6);
  EXPECT_LT(segment.theta(start.value()), 0.0) << "the start lies 1e-8 after its rounded time";
}

TEST(Segment, ConstantHasNoSlope) {
  const std::vector<double> coefficients = {4.0};
  const SegmentView segment(CompensatedTime(0.0), 1.0, 1.0, 1, 0, coefficients);
  std::vector<double> out(1, -1.0);
  segment.derivative(0.3, out);
  EXPECT_EQ(out[0], 0.0);
  segment.evaluate(0.9, out);
  EXPECT_EQ(out[0], 4.0);
}

TEST(Segment, MisuseIsReported) {
  std::vector<double> wrong(3);
  EXPECT_THROW(sample().evaluate(0.5, wrong), ContractViolation);
  EXPECT_THROW((void)sample().value(2, 0.5), ContractViolation);
  std::vector<double> right(2);
  const SegmentView instant(CompensatedTime(1.0), 0.0, 1.0, 2, 3, kCoefficients);
  EXPECT_THROW(instant.derivative(0.0, right), ContractViolation);
}

}  // namespace
}  // namespace saltus::trajectory
