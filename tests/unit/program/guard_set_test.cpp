#include "program/guards/guard_set.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "unit/program/guarded_model.hpp"

namespace saltus::program {
namespace {

using system::GuardDerivatives;
using system::GuardShape;
using test::GuardedModel;

// Models use the guard in a way that has no influence.
std::string oscillator(const std::string& declarations, const std::string& equations,
                       const std::string& condition) {
  return "model M\n  Real x(start = 1), v(start = 0);\n  Real out;\n" + declarations +
         "equation\n  der(x) = v;\n  der(v) = -x;\n" + equations + "  out = if " + condition +
         " then 1 else 0;\nend M;\n";
}

GuardDerivatives derivatives_of(GuardedModel& m, double t, const std::vector<double>& x) {
  GuardDerivatives d;
  EXPECT_TRUE(m.runner->derivatives(0, t, x, d).ok());
  return d;
}

void expect_derivatives(GuardedModel& m, double t, const std::vector<double>& x,
                        const std::vector<double>& expected) {
  const GuardDerivatives d = derivatives_of(m, t, x);
  ASSERT_GE(d.n_known, static_cast<int>(expected.size()));
  for (std::size_t k = 0; k < expected.size(); ++k) {
    // The closed form of the test has a few roundings of its own.
    EXPECT_NEAR(d.value[k], expected[k], d.noise[k] + 8e-16 * (1.0 + std::abs(expected[k])))
        << "order " << k + 1;
    EXPECT_LE(d.noise[k], 1e-13 * (1.0 + std::abs(expected[k]))) << "order " << k + 1;
  }
}

TEST(GuardSet, DerivativesOfAPolynomialThroughAnAlgebraicVariable) {
  GuardedModel m(oscillator("  Real w;\n", "  w = x*v;\n", "w > 0.25"));
  const double x = 0.7;
  const double v = -0.4;
  EXPECT_EQ(m.value(0, 0.0, {x, v}), x * v - 0.25);
  expect_derivatives(m, 0.0, {x, v}, {v * v - x * x, -4.0 * x * v, -4.0 * (v * v - x * x)});
}

TEST(GuardSet, DerivativesOfFunctionsAndTime) {
  GuardedModel m(oscillator("", "", "sin(x) + exp(time)*v > 0.5"));
  const double t = 0.3;
  const double x = 0.7;
  const double v = -0.4;
  const double e = std::exp(t);
  const double s = std::sin(x);
  const double c = std::cos(x);
  const double sign = m.value(0, t, {x, v}) * (s + e * v - 0.5) > 0.0 ? 1.0 : -1.0;
  expect_derivatives(m, t, {x, v},
                     {sign * (c * v + e * (v - x)), sign * (-s * v * v - c * x + e * (-2.0 * x)),
                      sign * (-c * v * v * v + 3.0 * s * v * x - c * v + e * (-2.0 * x - 2.0 * v))});
}

TEST(GuardSet, DerivativeInAGuardIsItsFormula) {
  GuardedModel m(oscillator("", "", "der(v) > -0.5"));
  const double sign = m.value(0, 0.0, {0.25, 0.5}) > 0.0 ? 1.0 : -1.0;  // -x + 0.5 or x - 0.5
  EXPECT_EQ(m.value(0, 0.0, {0.25, 0.5}), sign * 0.25);
  expect_derivatives(m, 0.0, {0.25, 0.5}, {-0.5 * sign, 0.25 * sign, 0.5 * sign});
}

TEST(GuardSet, ChoicesInTheFieldFollowTheirSidesAndWeights) {
  GuardedModel m(
      "model M\n Real x(start = 1), v(start = 0);\nequation\n der(x) = v;\n der(v) = -sign(x);\nend M;");
  for (const double s : {1.0, -1.0, 0.5}) {
    m.latch(0, s);
    expect_derivatives(m, 0.0, {0.0, 0.25}, {0.25, -s, 0.0});
  }
}

TEST(GuardSet, NoiseBoundsRoundingErrorsAndIsZeroWhereTheValueIsExact) {
  GuardedModel exact(oscillator("", "", "x > 2"));
  EXPECT_EQ(exact.runner->noise(0, 0.0, std::vector{2.5, 0.0}), 0.0);
  GuardedModel state(oscillator("", "", "x > 0"));
  EXPECT_EQ(state.runner->noise(0, 0.0, std::vector{0.1, 0.0}), 0.0);

  GuardedModel m(oscillator("", "", "(x - v)^3*sqrt(x + 2) - 3*exp(v)*x > 0.1*time"));
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  double largest_error = 0.0;
  for (int i = 0; i < 500; ++i) {
    const double t = uniform(engine);
    const std::vector<double> x = {uniform(engine), uniform(engine)};
    const double value = m.value(0, t, x);
    const long double xl = x[0];
    const long double vl = x[1];
    const long double d = xl - vl;
    long double expected = d * d * d * std::sqrt(xl + 2) - 3 * std::exp(vl) * xl - 0.1L * t;
    // 0.1 in the model is the double; the guard may have been written with the other sign.
    expected += (0.1L - static_cast<long double>(0.1)) * t;
    if (static_cast<double>(expected) * value < 0.0) {
      expected = -expected;
    }
    const double error = static_cast<double>(std::abs(expected - static_cast<long double>(value)));
    const double noise = m.runner->noise(0, t, x);
    ASSERT_LE(error, noise) << "sample " << i << " of seed 7";
    ASSERT_LE(noise, 3e-14) << "sample " << i << " of seed 7";
    largest_error = std::max(largest_error, error);
  }
  EXPECT_GT(largest_error, 1e-17) << "the test saw no rounding errors";
}

TEST(GuardSet, GradientAgainstClosedForm) {
  GuardedModel m(oscillator("  Real w;\n", "  w = x*v;\n", "w*w + atan2(x, v) > time^2"));
  constexpr Index guard = 2;  // after those of the angle
  m.latch(0, 1.0);
  m.latch(1, 1.0);
  const double x = 0.7;
  const double v = 0.4;
  const double r = x * x + v * v;
  std::vector<double> gradient(2);
  double rate = 0.0;
  ASSERT_TRUE(m.runner->gradient(guard, 0.5, std::vector{x, v}, gradient, rate).ok());
  const double sign = rate < 0.0 ? 1.0 : -1.0;
  EXPECT_NEAR(gradient[0], sign * (2.0 * x * v * v + v / r), 1e-15);
  EXPECT_NEAR(gradient[1], sign * (2.0 * x * x * v - x / r), 1e-15);
  EXPECT_NEAR(rate, -sign, 1e-15);
}

TEST(GuardSet, SideThatIsNotChosenDoesNotLeakIntoGradientAndRates) {
  GuardedModel m(
      "model M\n Real x(start = 1), y(start = 0), z;\nequation\n der(x) = 1;\n der(y) = 1;\n"
      " z = if y > 0 then sqrt(x) else 1/x;\n when z > 2 then reinit(y, 0); end when;\nend M;");
  const Index guard = 1;
  m.latch(0, 1.0);
  std::vector<double> gradient(2);
  double rate = 0.0;
  ASSERT_TRUE(m.runner->gradient(guard, 0.0, std::vector{4.0, 0.0}, gradient, rate).ok());
  EXPECT_EQ(gradient[0], 0.25);
  m.latch(0, -1.0);
  ASSERT_TRUE(m.runner->gradient(guard, 0.0, std::vector{-4.0, 0.0}, gradient, rate).ok());
  EXPECT_EQ(gradient[0], -1.0 / 16.0);
  const Interval x[] = {{-5.0, -4.0}, {0.0, 0.0}};
  const Interval xdot[] = {{1.0, 1.0}, {1.0, 1.0}};
  const Interval slope = m.runner->enclose_rate(guard, {0.0, 0.0}, x, xdot);
  EXPECT_LE(slope.lower, -1.0 / 16.0);
  EXPECT_GE(slope.upper, -1.0 / 25.0);
  EXPECT_LE(slope.upper - slope.lower, 0.04);
}

TEST(GuardSet, EnclosuresContainSampledValuesAndRates) {
  GuardedModel m(oscillator("  Real w;\n", "  w = x*v;\n", "w*cos(x) + v^3 - x/(v + 3) > 0.3*time"));
  std::mt19937_64 engine(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<double> gradient(2);
  for (int box = 0; box < 100; ++box) {
    const auto interval = [&] {
      const double a = uniform(engine);
      return Interval{a, a + 0.2 * unit(engine)};
    };
    const Interval t = interval();
    const Interval x[] = {interval(), interval()};
    const Interval xdot[] = {interval(), interval()};
    const Interval g = m.runner->enclose(0, t, x);
    const Interval rate = m.runner->enclose_rate(0, t, x, xdot);
    EXPECT_LE(g.upper - g.lower, 3.0);
    for (int sample = 0; sample < 20; ++sample) {
      const auto inside = [&](const Interval& i) { return i.lower + unit(engine) * (i.upper - i.lower); };
      const double time = inside(t);
      const std::vector<double> at = {inside(x[0]), inside(x[1])};
      ASSERT_TRUE(g.contains(m.value(0, time, at))) << "box " << box << " of seed 11";
      double partial = 0.0;
      ASSERT_TRUE(m.runner->gradient(0, time, at, gradient, partial).ok());
      const double slope = partial + gradient[0] * inside(xdot[0]) + gradient[1] * inside(xdot[1]);
      ASSERT_TRUE(slope >= rate.lower - 1e-15 && slope <= rate.upper + 1e-15)
          << "box " << box << " of seed 11";
    }
  }
}

TEST(GuardSet, AffineNumbersFollowTheConfiguration) {
  GuardedModel m(
      "model M\n parameter Real k = 3;\n Real x(start = 1), y(start = 0), z;\nequation\n der(x) = 1;\n"
      " der(y) = 1;\n z = if y > 0 then 2*x else 4*x - y;\n"
      " when k*z > 6*time + 5 then reinit(y, 0); end when;\nend M;");
  const Index guard = 1;
  ASSERT_EQ(m.runner->shape(guard).kind, GuardShape::Kind::polynomial);
  ASSERT_EQ(m.runner->shape(guard).degree, 1);
  const auto value_by_numbers = [&](double t, const std::vector<double>& x) {
    const system::AffineGuard affine = m.runner->affine(guard);
    double sum = affine.constant + affine.time_coefficient * t;
    for (std::size_t k = 0; k < affine.states.size(); ++k) {
      sum += affine.coefficients[k] * x[static_cast<std::size_t>(affine.states[k])];
    }
    return sum;
  };
  const std::vector<double> x = {0.5, 0.75};
  m.latch(0, 1.0);
  EXPECT_EQ(value_by_numbers(0.25, x), m.value(guard, 0.25, x));
  const double up = m.value(guard, 0.25, x);
  m.latch(0, -1.0);
  EXPECT_EQ(value_by_numbers(0.25, x), m.value(guard, 0.25, x));
  EXPECT_NE(up, m.value(guard, 0.25, x));
  m.latch(0, 0.5);
  EXPECT_EQ(value_by_numbers(0.25, x), m.value(guard, 0.25, x));
}

TEST(GuardSet, Shapes) {
  struct Row {
    const char* condition;
    GuardShape::Kind kind;
    int degree;
  };
  constexpr Row kRows[] = {
      {"x > 0", GuardShape::Kind::polynomial, 1},
      {"w > 2*x", GuardShape::Kind::polynomial, 2},
      {"x^2 + v^2 > 1", GuardShape::Kind::polynomial, 2},
      {"time > x", GuardShape::Kind::polynomial, 1},
      {"w*w*time > x", GuardShape::Kind::polynomial, 5},
      {"x/3 > v", GuardShape::Kind::polynomial, 1},
      {"3/x > v", GuardShape::Kind::enclosed, 0},
      {"sin(x) > v", GuardShape::Kind::enclosed, 0},
      {"x^(-2) > v", GuardShape::Kind::enclosed, 0},
      {"x^20 > v", GuardShape::Kind::enclosed, 0},
      {"x > noEvent(abs(v))", GuardShape::Kind::enclosed, 0},
      {"x > noEvent(sign(v))", GuardShape::Kind::opaque, 0},
      {"x > noEvent(if v > 0 then v else 0)", GuardShape::Kind::opaque, 0},
      {"der(v)*x > v", GuardShape::Kind::polynomial, 2},
  };
  for (const Row& row : kRows) {
    GuardedModel m(oscillator("  Real w;\n", "  w = x*v;\n", row.condition));
    const GuardShape shape = m.runner->shape(static_cast<Index>(m.model.guards.size()) - 1);
    EXPECT_EQ(shape.kind, row.kind) << row.condition;
    EXPECT_EQ(shape.degree, row.degree) << row.condition;
  }
}

// z + z³ = x, so dz/dx = 1/(1 + 3z²).
TEST(GuardSet, GuardOverAnImplicitBlockIsSolvedAndDifferentiatedByDifferences) {
  GuardedModel m(
      "model M\n Real x(start = 1), z(start = 0.5), out;\nequation\n der(x) = 1 - z;\n z + z^3 = x;\n"
      " out = if z > 0.25 then 1 else 0;\nend M;");
  const double z = 0.5;
  const std::vector<double> x = {z + z * z * z};
  EXPECT_EQ(m.runner->shape(0).kind, GuardShape::Kind::implicit);
  EXPECT_NEAR(m.value(0, 0.0, x), 0.25, 1e-15);
  EXPECT_GT(m.runner->noise(0, 0.0, x), 0.0);
  EXPECT_LT(m.runner->noise(0, 0.0, x), 1e-14);
  const double slope = 1.0 / (1.0 + 3.0 * z * z);
  std::vector<double> gradient(1);
  double rate = 0.0;
  ASSERT_TRUE(m.runner->gradient(0, 0.0, x, gradient, rate).ok());
  EXPECT_NEAR(gradient[0], slope, 1e-9);
  EXPECT_EQ(rate, 0.0);
  const GuardDerivatives d = derivatives_of(m, 0.0, x);
  ASSERT_EQ(d.n_known, 2);
  const double zdot = (1.0 - z) * slope;
  // d/dt (1-z)/(1+3z²) = ż·d/dz
  const double q = 1.0 + 3.0 * z * z;
  const double zddot = zdot * (-q - (1.0 - z) * 6.0 * z) / (q * q);
  EXPECT_NEAR(d.value[0], zdot, 1e-9);
  EXPECT_NEAR(d.value[1], zddot, 1e-6);
  EXPECT_LE(std::abs(d.value[0] - zdot), 4.0 * d.noise[0]);
}

TEST(GuardSet, FieldWithAnImplicitBlockGivesTheFirstDerivativeExactly) {
  GuardedModel m(
      "model M\n Real x(start = 1), z(start = 0.5), out;\nequation\n der(x) = 1 - z;\n z + z^3 = x;\n"
      " out = if x > 2 then 1 else 0;\nend M;");
  const double z = 0.5;
  const std::vector<double> x = {z + z * z * z};
  const GuardDerivatives d = derivatives_of(m, 0.0, x);
  ASSERT_EQ(d.n_known, 2);
  EXPECT_NEAR(d.value[0], 0.5, 1e-15);
  EXPECT_NEAR(d.value[1], -0.5 / 1.75, 1e-9);
}

// Nothing but a source says how fast the block moves: a diode of a rectifier without states. z + z³ = sin(ωt + 1).
TEST(GuardSet, DifferencesSeeSourcesOfEveryFrequency) {
  for (const double omega : {0.01, 1.0, 314.0, 1e5, 1.94e6, 3.7e7, 1e9, 2.2e10}) {
    GuardedModel m(
        "model M\n Real x(start = 1), z(start = 0.5), out;\nequation\n der(x) = 0;\n z + z^3 = sin(" +
        std::to_string(omega) + "*time + 1);\n out = if z + x > 2 then 1 else 0;\nend M;");
    for (const double t : {0.0, 0.3 / omega, 2.0 / omega}) {
      const double z = [&] {
        double root = 0.0;
        for (int k = 0; k < 100; ++k) {
          root -= (root + root * root * root - std::sin(omega * t + 1.0)) / (1.0 + 3.0 * root * root);
        }
        return root;
      }();
      const double slope = 1.0 + 3.0 * z * z;
      const double right = omega * std::cos(omega * t + 1.0) / slope;
      const double right2 = (-omega * omega * std::sin(omega * t + 1.0) - 6.0 * z * right * right) / slope;
      GuardDerivatives d;
      ASSERT_TRUE(m.runner->derivatives(0, t, std::vector{1.0}, d).ok());
      ASSERT_EQ(d.n_known, 2);
      EXPECT_NEAR(d.value[0], right, 1e-5 * omega) << omega << " at " << t;
      EXPECT_NEAR(d.value[1], right2, 1e-3 * omega * omega) << omega << " at " << t;
      EXPECT_LE(std::abs(d.value[0] - right), d.noise[0] + 1e-9 * omega) << omega << " at " << t;
    }
  }
}

TEST(GuardSet, ImplicitVariableThatRestsBetweenItsSteps) {
  GuardedModel m(
      "model M\n Real x(start = 1), z(start = 0.5), out;\nequation\n der(x) = 1 - z;\n z + z^3 = x;\n"
      " out = if noEvent(floor(4*z)) + x > 2 then 1 else 0;\nend M;");
  std::vector<double> gradient(1);
  double rate = 0.0;
  ASSERT_TRUE(m.runner->gradient(0, 0.0, std::vector{0.6}, gradient, rate).ok());
  EXPECT_NEAR(gradient[0], 1.0, 1e-9);
  EXPECT_EQ(m.runner->shape(0).kind, GuardShape::Kind::opaque);
}

TEST(GuardSet, ManyGuardsOneByOneAndAtOnce) {
  GuardedModel m(
      "model M\n parameter Integer N = 200;\n Real x[N](each start = 1), v[N](each start = 0);\nequation\n"
      " for i in 1:N loop\n der(x[i]) = v[i];\n der(v[i]) = -sign(x[i] - i*v[i]);\n end for;\nend M;");
  const std::size_t n = 200;
  ASSERT_EQ(m.model.guards.size(), n);
  std::vector<double> x(2 * n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::sin(static_cast<double>(i));
  }
  std::vector<Index> which(n);
  for (std::size_t i = 0; i < n; ++i) {
    which[i] = static_cast<Index>(i);
  }
  std::vector<double> all(n);
  ASSERT_TRUE(m.runner->values(which, 0.0, x, all).ok());
  for (const Index i : which) {
    EXPECT_EQ(all[static_cast<std::size_t>(i)], m.value(i, 0.0, x));
    EXPECT_LE((*m.set)[i].value.count, 2U);
  }
}

}  // namespace
}  // namespace saltus::program
