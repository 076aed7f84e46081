// Gradients of guards through the equations of implicit blocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "program/guards/guard_set.hpp"
#include "support/allocation_guard.hpp"
#include "unit/program/guarded_model.hpp"

namespace saltus::program {
namespace {

using test::GuardedModel;
using ::testing::ElementsAre;

// z + z³ = b = x2·x4 + time, a = 2z, w + exp(w) = a + x1; x3 only where the guard says so.
std::string chain(const std::string& condition) {
  return "model M\n Real x1(start = 1), x2(start = 1), x3(start = 1), x4(start = 1), z(start = 0.5), w(start "
         "= "
         "0.5), a, b, out;\nequation\n der(x1) = x2;\n der(x2) = -x1;\n der(x3) = w;\n der(x4) = 1;\n"
         " z + z^3 = b;\n b = x2*x4 + time;\n a = 2*z;\n w + exp(w) = a + x1;\n out = if " +
         condition + " then 1 else 0;\nend M;\n";
}

std::vector<Index> states_of(const GuardedModel& m) {
  const auto states = m.runner->states(0);
  EXPECT_TRUE(states.has_value());
  return states ? std::vector<Index>(states->begin(), states->end()) : std::vector<Index>{};
}

TEST(GuardClosure, StatesBehindFormulasAndBlocks) {
  EXPECT_THAT(states_of(GuardedModel(chain("b > 0.1"))), ElementsAre(1, 3));
  EXPECT_THAT(states_of(GuardedModel(chain("z > 0.1"))), ElementsAre(1, 3));
  EXPECT_THAT(states_of(GuardedModel(chain("a > 0.1*x3"))), ElementsAre(1, 2, 3));
  EXPECT_THAT(states_of(GuardedModel(chain("w > 0.1"))), ElementsAre(0, 1, 3));
  EXPECT_THAT(states_of(GuardedModel(chain("der(x3) > 0.1"))), ElementsAre(0, 1, 3));
  EXPECT_THAT(states_of(GuardedModel(chain("x3 > time"))), ElementsAre(2));
}

// At z = 0.5, w = 0: dz = db/(1 + 3z²), dw = (2 dz + dx1)/(1 + exp(w)).
TEST(GuardClosure, GradientIsExactThroughTwoBlocks) {
  GuardedModel m(chain("x3*w + z > 0.1"));
  const double t = 0.125;
  const std::vector<double> x = {0.0, 0.5, 0.7, 1.0};  // b = 0.625, a = 1: w + exp(w) = 1
  std::vector<double> gradient(4, 9.0);
  double rate = 0.0;
  ASSERT_TRUE(m.runner->gradient(0, t, x, gradient, rate).ok());
  const double dz = 1.0 / 1.75;
  const double weight = 0.7 * dz + dz;  // of db: through w, and z itself
  EXPECT_NEAR(gradient[0], 0.35, 1e-14);
  EXPECT_NEAR(gradient[1], weight * 1.0, 1e-14);
  EXPECT_NEAR(gradient[2], 0.0, 1e-14);
  EXPECT_NEAR(gradient[3], weight * 0.5, 1e-14);
  EXPECT_NEAR(rate, weight, 1e-14);
  const saltus::test::AllocationGuard guard;
  ASSERT_TRUE(m.runner->gradient(0, t, x, gradient, rate).ok());
  EXPECT_EQ(guard.count(), 0);
}

// a + x2·b = x1, x3·a - b = 1: a = (x1 + x2)/(1 + x2·x3).
TEST(GuardClosure, LinearBlocksAreReadWithTheirMatrix) {
  GuardedModel m(
      "model M\n Real x1(start = 1), x2(start = 1), x3(start = 1), x4(start = 1), a, b, out;\nequation\n"
      " der(x1) = b;\n der(x2) = 1;\n der(x3) = 1;\n der(x4) = 1;\n a + x2*b = x1;\n x3*a - b = 1;\n"
      " out = if a > 0.5 then 1 else 0;\nend M;\n");
  EXPECT_THAT(states_of(m), ElementsAre(0, 1, 2));
  const std::vector<double> x = {0.4, 0.8, 0.5, 3.0};
  std::vector<double> gradient(4);
  double rate = 1.0;
  ASSERT_TRUE(m.runner->gradient(0, 0.0, x, gradient, rate).ok());
  const double q = 1.4;
  EXPECT_NEAR(gradient[0], 1.0 / q, 1e-14);
  EXPECT_NEAR(gradient[1], 1.0 / q - 1.2 * 0.5 / (q * q), 1e-14);
  EXPECT_NEAR(gradient[2], -1.2 * 0.8 / (q * q), 1e-14);
  EXPECT_EQ(gradient[3], 0.0);
  EXPECT_EQ(rate, 0.0);
}

// n unknowns that need each other.
std::string ring(std::size_t n) {
  return "model M\n parameter Integer N = " + std::to_string(n) +
         ";\n Real x(start = 1), z[N](each start = 0.5), out;\nequation\n der(x) = -z[1];\n"
         " z[1] + 0.1*z[1]^3 = x + 0.1*z[N];\n for i in 2:N loop\n  z[i] + 0.1*z[i]^3 = 0.5*sin(z[i - 1]) + "
         "0.1*sin(z[mod(i, N) + 1]);\n end for;\n out = if z[1] > 0.1 then 1 else 0;\nend M;\n";
}

TEST(GuardClosure, LargeBlocksAreLeftToDifferences) {
  for (const std::size_t n : {std::size_t{8}, GuardCode::kMostClosed + 40}) {
    GuardedModel m(ring(n));
    std::vector<double> gradient(1);
    double rate = 0.0;
    ASSERT_TRUE(m.runner->gradient(0, 0.0, std::vector{0.7}, gradient, rate).ok());
    const double h = 1e-5;
    const double slope = (m.value(0, 0.0, {0.7 + h}) - m.value(0, 0.0, {0.7 - h})) / (2 * h);
    EXPECT_NEAR(gradient[0], slope, 1e-8) << n;
  }
}

TEST(GuardClosure, GuardsOverOneBlockShareIt) {
  GuardedModel m(
      "model M\n Real x(start = 1), z(start = 0.5), w(start = 0.5), out;\nequation\n der(x) = 1 - z;\n z + "
      "z^3 = "
      "x;\n w + w^3 = z;\n out = (if z > 0.25 then 1 else 0) + (if z > 0.75 then 1 else 0) + (if w > 0.3 "
      "then 1 "
      "else 0);\nend M;");
  EXPECT_EQ(m.set->code().closures().size(), 2U);
}

// A bridge in balance: s = p1 - p2 is zero whatever feeds it and whatever joins its sides. What is computed of it is rounding, and within the
// noise at every point.
TEST(GuardClosure, NoiseCoversWhatCancelsInABlock) {
  for (const std::string factor : {"1", "0.37", "113.7"}) {
    GuardedModel m(
        "model M\n Real x1(start = 1), x2(start = 1), p1, p2, s, i, out;\nequation\n der(x1) = 1;\n der(x2) "
        "= i;\n"
        " (x1 - p1)/(3*" +
        factor + ") = p1/" + factor + " + i;\n (x1 - p2)/(6*" + factor + ") + i = p2/(2*" + factor +
        ");\n x2*i = s;\n s = p1 - p2;\n out = if s > 0 then 1 else 0;\nend M;\n");
    std::size_t n_off = 0;
    for (int k = 1; k <= 400; ++k) {
      const std::vector<double> x = {std::sin(1.7 * k) * k, std::exp(std::sin(0.9 * k) * 6.0)};
      double value = 0.0;
      const Index guard = 0;
      ASSERT_TRUE(m.runner->values({&guard, 1}, 0.0, x, {&value, 1}).ok());
      const double noise = m.runner->noise(0, 0.0, x);
      EXPECT_LE(std::abs(value), noise) << factor << " at " << x[0] << ", " << x[1];
      EXPECT_LE(noise, 1e-12 * std::abs(x[0])) << factor << " at " << x[0] << ", " << x[1];
      n_off += value != 0.0 ? 1 : 0;
    }
    EXPECT_GE(n_off, 1U) << factor;
  }
}

// Unknowns of size 1 beside terms of 1e7: the equations say no more than those leave, however small the unknowns are.
TEST(GuardClosure, NoiseCoversTermsBesideSmallUnknowns) {
  for (const std::string large : {"1e5", "2e7", "1e9"}) {
    GuardedModel m(
        "model M\n parameter Real L = " + large +
        ";\n Real x1(start = 1), a(start = 0), y(start = 1.27), out;\nequation\n der(x1) = a;\n a + L = L + "
        "0.3*x1 + 0.1*y;\n 0.252*a + 0.252*L + atan(y) = 0.252*(L + 0.3*x1 + 0.1*y) + atan(1.5);\n"
        " out = if y > 1.5 then 1 else 0;\nend M;\n");
    std::size_t n_off = 0;
    for (int k = 1; k <= 200; ++k) {
      const std::vector<double> x = {std::sin(1.7 * k)};
      double value = 0.0;
      const Index guard = 0;
      ASSERT_TRUE(m.runner->values({&guard, 1}, 0.0, x, {&value, 1}).ok());
      const double noise = m.runner->noise(0, 0.0, x);
      EXPECT_LE(std::abs(value), noise) << large << " at " << x[0];
      EXPECT_LE(noise, 1e-14 * std::stod(large)) << large << " at " << x[0];
      n_off += std::abs(value) > 1e-12 ? 1 : 0;
    }
    EXPECT_GE(n_off, 20U) << large;
  }
}

}  // namespace
}  // namespace saltus::program
