// Systems with inputs in C++: what is reached, feedback, and residuals of linear-quadratic control at solutions that are known otherwise.
#include "saltus/descriptor_system.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace saltus {
namespace {

template <class T>
std::string code(const Result<T>& result) {
  return result ? std::string() : result.error().items()[0].code;
}

TEST(DescriptorValues, FeedbackAndReach) {
  const DescriptorSystem system{{{1, 0}, {0, 0}}, {{0, 1}, {1, 0}}, {{0}, {1}}, {{0, 1}}};
  const DescriptorValues values = descriptor_values(system).value();
  EXPECT_TRUE(values.is_regular);
  EXPECT_TRUE(values.inputs.complete);
  ASSERT_TRUE(values.state_feedback);
  const double f = (*values.state_feedback)[0][1];
  EXPECT_EQ(pair_values(system.e, {{0, 1}, {1 + (*values.state_feedback)[0][0], f}}).value().index, 1);
  const DescriptorValues alone = descriptor_values({{{1}}, {{-2}}, {}, {}}).value();
  EXPECT_FALSE(alone.inputs.finite);
  EXPECT_NEAR(alone.inputs.missed.at(0).real(), -2.0, 1e-14);
}

TEST(DescriptorValues, WrongSizesAreRefused) {
  EXPECT_EQ(code(descriptor_values({{{1}}, {{1, 2}}, {}, {}})), "wrong-matrix");
  EXPECT_EQ(code(descriptor_values({{{1}}, {{1}}, {{1}, {2}}, {}})), "wrong-matrix");
  EXPECT_EQ(code(quadratic_end_residual({{{1}}, {{1}}, {}, {}}, {{1}}, {{1, 2}, {}, {1}})), "wrong-matrix");
  EXPECT_EQ(code(descriptor_values({{{1, 1}, {1, 1 + 1e-13}}, {{1, 0}, {0, 1}}, {}, {}})), "unclear-rank");
}

// x' = a·x + u with cost ½∫(q·x² + 2s·x·u + u²): λ = p·x with the root p of the Riccati equation, u = -(p + s)·x.
TEST(QuadraticResiduals, VanishForTheRiccatiSolution) {
  const double a = 0.7;
  const double q = 2.0;
  const double s = 0.3;
  // 0 = q + 2a·p - (p + s)².
  const double p = (a - s) + std::sqrt((a - s) * (a - s) + q - s * s);
  const double x = 1.7;
  const double u = -(p + s) * x;
  const double rate = a * x + u;
  const DescriptorSystem system{{{1}}, {{a}}, {{1}}, {}};
  const QuadraticCost cost{{{q}}, {{s}}, {{1}}};
  const ControlledPoint point{{x}, {u}, {p * x}};
  const QuadraticResiduals found = quadratic_residuals(system, cost, point, {rate}, {p * rate}).value();
  EXPECT_NEAR(found.state[0], 0.0, 1e-14);
  EXPECT_NEAR(found.adjoint[0], 0.0, 1e-14);
  EXPECT_NEAR(found.control[0], 0.0, 1e-14);
  EXPECT_NEAR(quadratic_end_residual(system, {{p}}, point).value()[0], 0.0, 1e-14);
  EXPECT_GT(std::abs(quadratic_residuals(system, cost, {{x}, {u + 0.1}, {p * x}}, {rate}, {p * rate})
                         .value()
                         .control[0]),
            0.09);
}

// x' = u above x = 1 and x' = 2u below, from x = 2, cost ½·M·x(T)² + ½∫u². Inputs are constant in each mode; the best time of the switch is found by
// bisection of the derivative of the cost, by differences.
TEST(QuadraticResiduals, VanishAtTheBestSwitch) {
  const double m = 3.0;
  const double end = 2.0;
  const auto cost_of = [&](double tau) { return 0.5 / tau + 0.5 * m / (1.0 + 4.0 * m * (end - tau)); };
  double low = 0.05;
  double high = 1.99;
  // The cost falls and then rises.
  for (int i = 0; i < 200; ++i) {
    const double one = low + (high - low) / 3.0;
    const double two = high - (high - low) / 3.0;
    (cost_of(one) < cost_of(two) ? high : low) = cost_of(one) < cost_of(two) ? two : one;
  }
  const double tau = 0.5 * (low + high);
  const double before = 1.0 / tau;                         // λ⁻ = -u⁻
  const double after = m / (1.0 + 4.0 * m * (end - tau));  // λ⁺, u⁺ = -2λ⁺
  const QuadraticCost cost{{{0}}, {{0}}, {{1}}};
  const ControlledSide minus{{{{1}}, {{0}}, {{1}}, {}}, cost, {{1}, {-before}, {before}}};
  const ControlledSide plus{{{{1}}, {{0}}, {{2}}, {}}, cost, {{1}, {-2 * after}, {after}}};
  const SwitchResiduals found =
      quadratic_switch_residuals(minus, plus, {{1}}, {0}, {2 * (before - after)}).value();
  EXPECT_EQ(found.state[0], 0.0);
  EXPECT_NEAR(found.adjoint[0], 0.0, 1e-12);
  EXPECT_NEAR(found.hamiltonian, 0.0, 1e-6);
  // A little later the Hamiltonian jumps.
  const ControlledSide other{minus.system, cost, {{1}, {-1.1 * before}, {1.1 * before}}};
  EXPECT_GT(std::abs(quadratic_switch_residuals(other, plus, {{1}}, {0}, {0}).value().hamiltonian), 0.01);
  EXPECT_EQ(code(quadratic_switch_residuals(minus, plus, {{1, 2}}, {0}, {0})), "wrong-matrix");
}

}  // namespace
}  // namespace saltus
