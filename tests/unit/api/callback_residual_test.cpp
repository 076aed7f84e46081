// Residuals given by C++ functions: any index and shape, derivatives given or by differences, beside the same models as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/callback_model.hpp"
#include "saltus/model.hpp"
#include "support/source_folder.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

Model example(const std::string& file) {
  return Model::load(test::source_folder() + "/examples/" + file).value();
}

bool has_code(const Diagnostics& diagnostics, std::string_view code) {
  return std::any_of(diagnostics.items().begin(), diagnostics.items().end(),
                     [code](const Diagnostic& item) { return item.code == code; });
}

// The example cartesian_pendulum: index 3.
CallbackModel pendulum() {
  CallbackModel model;
  model.name = "Pendulum";
  model.states = {{.name = "x"},
                  {.name = "y", .start = -1.0},
                  {.name = "vx", .start = 7.0},
                  {.name = "vy"},
                  {.name = "lambda"}};
  model.parameters = {{.name = "L", .start = 1.0}, {.name = "g", .start = 9.81}};
  model.residual.names = {"x' = vx", "y' = vy", "force in x", "force in y", "rod"};
  model.residual.values = [](const CallbackPoint& at, std::span<const double> xdot,
                             std::span<double> values) {
    const std::span<const double> z = at.x;
    values[0] = xdot[0] - z[2];
    values[1] = xdot[1] - z[3];
    values[2] = xdot[2] + z[4] * z[0];
    values[3] = xdot[3] + z[4] * z[1] + at.parameters[1];
    values[4] = z[0] * z[0] + z[1] * z[1] - at.parameters[0] * at.parameters[0];
  };
  return model;
}

void jacobian_of_pendulum(const CallbackPoint& at, std::span<const double> /*xdot*/,
                          const CallbackJacobian& into) {
  const auto row = [](std::span<double> matrix, std::size_t i) { return matrix.subspan(5 * i, 5); };
  row(into.x, 0)[2] = -1.0;
  row(into.x, 1)[3] = -1.0;
  row(into.x, 2)[0] = at.x[4];
  row(into.x, 2)[4] = at.x[0];
  row(into.x, 3)[1] = at.x[4];
  row(into.x, 3)[4] = at.x[1];
  row(into.x, 4)[0] = 2.0 * at.x[0];
  row(into.x, 4)[1] = 2.0 * at.x[1];
  for (std::size_t i = 0; i < 4; ++i) {
    row(into.xdot, i)[i] = 1.0;
  }
}

// Total derivatives by Leibniz' rule.
void array_of_pendulum(const CallbackPoint& at, int order, std::span<const double> derivatives,
                       std::span<double> values) {
  const auto slot = [&](int k, std::size_t j) {
    return k == 0 ? at.x[j] : derivatives[5 * static_cast<std::size_t>(k - 1) + j];
  };
  const auto product = [&](int k, std::size_t i, std::size_t j) {
    double sum = 0.0;
    double binomial = 1.0;
    for (int l = 0; l <= k; ++l) {
      sum += binomial * slot(l, i) * slot(k - l, j);
      binomial = binomial * (k - l) / (l + 1);
    }
    return sum;
  };
  for (int k = 0; k <= order; ++k) {
    const std::span<double> rows = values.subspan(5 * static_cast<std::size_t>(k), 5);
    rows[0] = slot(k + 1, 0) - slot(k, 2);
    rows[1] = slot(k + 1, 1) - slot(k, 3);
    rows[2] = slot(k + 1, 2) + product(k, 4, 0);
    rows[3] = slot(k + 1, 3) + product(k, 4, 1) + (k == 0 ? at.parameters[1] : 0.0);
    rows[4] = product(k, 0, 0) + product(k, 1, 1) - (k == 0 ? at.parameters[0] * at.parameters[0] : 0.0);
  }
}

double largest_difference(const SimulationResult& a, const SimulationResult& b, std::size_t n) {
  double difference = 0.0;
  for (std::size_t k = 0; k < a.trajectory.n_rows(); ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      difference = std::max(difference, std::abs(a.trajectory.row(k)[j] - b.trajectory.row(k)[j]));
    }
  }
  return difference;
}

TEST(CallbackResidual, PendulumOfIndexThreeIsThatOfTheText) {
  CallbackModel by_array = pendulum();
  by_array.residual.array = array_of_pendulum;
  by_array.residual.array_order = 3;
  CallbackModel by_jacobian = pendulum();
  by_jacobian.residual.jacobian = jacobian_of_pendulum;
  for (const std::string method : {"dopri5", "radau5", "bdf"}) {
    const SimulationOptions options{.stop = 1.0, .interval = 0.1, .tolerance = 1e-9, .method = method};
    const SimulationResult text = simulate(example("cartesian_pendulum.mo"), options).value();
    for (const CallbackModel* model : {&by_array, &by_jacobian}) {
      const SimulationResult result = simulate(*model, options).value();
      ASSERT_EQ(result.status, SimulationStatus::success) << method << result.message;
      ASSERT_EQ(result.trajectory.n_rows(), text.trajectory.n_rows());
      EXPECT_LT(largest_difference(result, text, 5), 5e-6) << method;  // the multiplier; it is 50 in size
      EXPECT_EQ(result.modes[0].index, 2);
      EXPECT_EQ(result.modes[0].d, 2);
      EXPECT_EQ(result.modes[0].a, 3);
      const double x = result.final_value("x");
      const double y = result.final_value("y");
      EXPECT_NEAR(x * x + y * y, 1.0, 1e-12);
    }
  }
}

TEST(CallbackResidual, StatedCharacteristicValuesAreVerified) {
  CallbackModel model = pendulum();
  model.residual.array = array_of_pendulum;
  model.residual.array_order = 3;
  EXPECT_TRUE(simulate(model, {.stop = 0.1, .expect_index = {{.index = 2, .d = 2, .a = 3}}}).value().ok());
  const SimulationResult wrong =
      simulate(model, {.stop = 0.1, .expect_index = {{.index = 1, .d = 2, .a = 3}}}).value();
  EXPECT_EQ(wrong.reason, "index_mismatch");
  EXPECT_THAT(wrong.message, HasSubstr("(2, 2, 3, 0, 0)"));
}

TEST(CallbackResidual, WhatIsTakenByDifferencesIsSaid) {
  CallbackModel model = pendulum();
  model.residual.jacobian = jacobian_of_pendulum;
  const SimulationResult result = simulate(model, {.stop = 0.1}).value();
  EXPECT_TRUE(has_code(result.diagnostics, "taken-by-differences"));
  EXPECT_FALSE(has_code(result.diagnostics, "jacobian-mismatch"));
  EXPECT_THAT(render_text(result.diagnostics), HasSubstr("total derivatives of the residual"));
}

// Index 3 from values of F alone would need third derivatives of differences.
TEST(CallbackResidual, AnIndexThatDifferencesDoNotGiveIsRefused) {
  const SimulationResult result = simulate(pendulum(), {.stop = 1.0}).value();
  EXPECT_EQ(result.status, SimulationStatus::failed);
  EXPECT_EQ(result.reason, "initialization_failed");
  EXPECT_THAT(result.message, HasSubstr("total derivatives of its residual of order 3"));
  EXPECT_THAT(result.message, HasSubstr("ranks cannot be decided"));
  CallbackModel short_array = pendulum();
  short_array.residual.array = array_of_pendulum;
  short_array.residual.array_order = 2;
  EXPECT_THAT(simulate(short_array, {.stop = 1.0}).value().message, HasSubstr("given up to order 2"));
}

TEST(CallbackResidual, ParametersAreSetAndReachEveryFunction) {
  CallbackModel model = pendulum();
  model.residual.array = array_of_pendulum;
  model.residual.array_order = 3;
  const SimulationOptions options{
      .stop = 0.5, .tolerance = 1e-9, .set = {{"L", 2.0}, {"g", 5.0}, {"y", -2.0}, {"vx", 1.0}}};
  const SimulationResult result = simulate(model, options).value();
  const SimulationResult text = simulate(example("cartesian_pendulum.mo"), options).value();
  ASSERT_TRUE(result.ok()) << result.message;
  for (const char* name : {"x", "y", "vx", "vy", "lambda"}) {
    EXPECT_NEAR(result.final_value(name), text.final_value(name), 1e-7) << name;
  }
}

// x' = -2x + z, z + z³ = x: index 1, from values alone.
TEST(CallbackResidual, IndexOneFromValuesAlone) {
  CallbackModel model;
  model.states = {{.name = "x", .start = 2.0}, {.name = "z", .start = 0.7}};
  model.residual.values = [](const CallbackPoint& at, std::span<const double> xdot,
                             std::span<double> values) {
    values[0] = xdot[0] + 2.0 * at.x[0] - at.x[1];
    values[1] = at.x[1] + std::pow(at.x[1], 3) - at.x[0];
  };
  const Model text = Model::from_text("one.mo", R"--(model One
  Real x(start = 2, fixed = true), z(start = 0.7);
equation
  der(x) = -2*x + z;
  z + z^3 = x;
end One;
)--")
                         .value();
  const SimulationOptions options{.stop = 2.0, .interval = 0.1, .tolerance = 1e-9};
  const SimulationResult result = simulate(model, options).value();
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_LT(largest_difference(result, simulate(text, options).value(), 2), 1e-8);
  EXPECT_NEAR(result.trajectory.row(0)[1], 1.0, 1e-9) << "z is consistent at the start";
  EXPECT_EQ(result.modes[0].index, 0);
  EXPECT_EQ(result.modes[0].a, 1);
}

// An implicit law for the rate: x' + x'³ = -x.
TEST(CallbackResidual, DerivativesMayOccurNonlinearly) {
  CallbackModel model;
  model.states = {{.name = "x", .start = 2.0}};
  model.residual.values = [](const CallbackPoint& at, std::span<const double> xdot,
                             std::span<double> values) {
    values[0] = xdot[0] + std::pow(xdot[0], 3) + at.x[0];
  };
  const SimulationResult result = simulate(model, {.stop = 1.5, .tolerance = 1e-10}).value();
  ASSERT_TRUE(result.ok()) << result.message;
  // With p = x', x = -p - p³ and dt = dx/p: t = -ln|p| - 3p²/2 + c, p(0) = -1.
  const double x = result.final_value("x");
  double p = -0.5;
  for (int i = 0; i < 50; ++i) {
    p -= (p + p * p * p + x) / (1.0 + 3.0 * p * p);
  }
  EXPECT_NEAR(-std::log(-p) - 1.5 * p * p + 1.5, 1.5, 1e-8);
}

TEST(CallbackResidual, MoreEquationsThanUnknowns) {
  CallbackModel model;
  model.states = {{.name = "x", .start = 1.0}, {.name = "y"}};
  model.residual.n_equations = 3;
  model.residual.values = [](const CallbackPoint& at, std::span<const double> xdot,
                             std::span<double> values) {
    values[0] = xdot[0] + at.x[1];
    values[1] = xdot[1] - at.x[0];
    values[2] = at.x[0] * at.x[0] + at.x[1] * at.x[1] - 1.0;
  };
  const SimulationResult result = simulate(model, {.stop = 3.0, .tolerance = 1e-9}).value();
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_NEAR(result.final_value("x"), std::cos(3.0), 1e-7);
  // Linear ones that contradict each other are met by least squares, which is said.
  model.residual.is_linear = true;
  model.residual.values = [](const CallbackPoint& at, std::span<const double> xdot,
                             std::span<double> values) {
    values[0] = xdot[0] + at.x[0];
    values[1] = at.x[1] - 1.0;
    values[2] = at.x[1] - 2.0;
  };
  const SimulationResult least = simulate(model, {.stop = 1.0, .tolerance = 1e-9}).value();
  ASSERT_TRUE(least.ok()) << least.message;
  EXPECT_NEAR(least.final_value("y"), 1.5, 1e-9);
  EXPECT_NEAR(least.final_value("x"), std::exp(-1.0), 1e-8);
  EXPECT_TRUE(has_code(least.diagnostics, "least-squares"));
}

TEST(CallbackResidual, StartValuesAreConsistent) {
  CallbackModel model = pendulum();
  model.residual.array = array_of_pendulum;
  model.residual.array_order = 3;
  // Off the circle: x is held, y gives way, which is reported.
  model.states[0] = {.name = "x", .start = 0.6, .is_fixed = true};
  model.states[1].start = -1.0;
  model.states[2].start = 0.0;
  const SimulationResult result = simulate(model, {.stop = 0.1}).value();
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.trajectory.row(0)[0], 0.6);
  EXPECT_NEAR(result.trajectory.row(0)[1], -0.8, 1e-10);
  EXPECT_NEAR(result.trajectory.row(0)[4], 9.81 * 0.8, 1e-8);
  EXPECT_THAT(render_text(result.diagnostics), HasSubstr("y"));
  model.states[1].is_fixed = true;
  const SimulationResult contradicted = simulate(model, {.stop = 0.1}).value();
  EXPECT_EQ(contradicted.reason, "initialization_failed");
  EXPECT_THAT(contradicted.message, HasSubstr("rod"));
}

// The example pendulum_wall: an impact under a constraint of index 3.
TEST(CallbackResidual, ResetsUnderConstraintsAreThoseOfTheText) {
  CallbackModel model = pendulum();
  model.residual.array = array_of_pendulum;
  model.residual.array_order = 3;
  model.states[0] = {.name = "x", .start = -0.8, .is_fixed = true};
  model.states[1].start = -0.6;
  model.states[2] = {.name = "vx", .is_fixed = true};
  model.discrete = {{.name = "impacts"}};
  CallbackGuard wall;
  wall.name = "x - wall";
  wall.affine = CallbackGuard::Affine{{1.0, 0.0, 0.0, 0.0, 0.0}, 0.0, -0.3};
  wall.in_equations = false;
  wall.reset_side = 1.0;
  wall.reset = [](const CallbackPoint& at, std::span<double> x, std::span<double> discrete) {
    x[2] = -0.8 * at.x[2];
    x[3] = -0.8 * at.x[3];
    discrete[0] += 1.0;
  };
  model.guards = {wall};
  const SimulationOptions options{.stop = 3.0, .tolerance = 1e-8};
  const SimulationResult result = simulate(model, options).value();
  const SimulationResult text = simulate(example("pendulum_wall.mo"), options).value();
  ASSERT_TRUE(result.ok()) << result.message;
  ASSERT_EQ(result.events.size(), text.events.size());
  for (std::size_t k = 0; k < text.events.size(); ++k) {
    EXPECT_NEAR(result.events[k].time, text.events[k].time, 1e-6) << k;
    EXPECT_EQ(result.events[k].kind, text.events[k].kind);
  }
  EXPECT_EQ(result.final_value("impacts"), static_cast<double>(text.events.size()));
  EXPECT_NEAR(result.final_value("x"), text.final_value("x"), 1e-5);
}

// Two resets at one time, each with states of its own: what one leaves it does not take from the other.
TEST(CallbackResidual, TwoResetsAtOneTimeBothCount) {
  CallbackModel model;
  model.states = {{.name = "a", .start = 1.0}, {.name = "b", .start = 1.0}, {.name = "sum"}};
  model.residual.values = [](const CallbackPoint& at, std::span<const double> xdot,
                             std::span<double> values) {
    values[0] = xdot[0] + 1.0;
    values[1] = xdot[1] + 1.0;
    values[2] = at.x[2] - at.x[0] - at.x[1];
  };
  for (const std::size_t i : {0, 1}) {
    CallbackGuard guard;
    guard.name = i == 0 ? "a" : "b";
    guard.affine = CallbackGuard::Affine{{0.0, 0.0, 0.0}, 0.0, 0.0};
    guard.affine->coefficients[i] = 1.0;
    guard.in_equations = false;
    guard.reset_side = -1.0;
    guard.reset = [i](const CallbackPoint&, std::span<double> x, std::span<double>) {
      x[i] = static_cast<double>(i + 2);
    };
    model.guards.push_back(guard);
  }
  const SimulationResult result = simulate(model, {.stop = 1.5, .tolerance = 1e-9}).value();
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_NEAR(result.final_value("a"), 1.5, 1e-8);
  EXPECT_NEAR(result.final_value("b"), 2.5, 1e-8);
  EXPECT_NEAR(result.final_value("sum"), 4.0, 1e-8);
}

TEST(CallbackResidual, WrongEntriesOfTheJacobianAreNamed) {
  CallbackModel model = pendulum();
  model.residual.jacobian = [](const CallbackPoint& at, std::span<const double> xdot,
                               const CallbackJacobian& into) {
    jacobian_of_pendulum(at, xdot, into);
    into.x[5 * 3 + 4] = -at.x[1];
  };
  const Result<SimulationResult> result = simulate(model, {.stop = 0.1});
  ASSERT_TRUE(result);
  ASSERT_TRUE(has_code(result->diagnostics, "jacobian-mismatch"));
  EXPECT_THAT(render_text(result->diagnostics),
              HasSubstr("in the row of 'force in y' and the column of lambda"));
}

TEST(CallbackResidual, FunctionsThatAreNotRepeatableAreRefused) {
  CallbackModel model;
  model.states = {{.name = "x", .start = 1.0}};
  int calls = 0;
  model.residual.values = [&calls](const CallbackPoint& at, std::span<const double> xdot,
                                   std::span<double> values) {
    values[0] = xdot[0] + at.x[0] + 1e-12 * ++calls;
  };
  const Result<SimulationResult> result = simulate(model, {.stop = 1.0});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().items()[0].code, "callback-not-repeatable");
}

TEST(CallbackResidual, WrongShapesAreNamed) {
  CallbackModel model = pendulum();
  model.rhs = [](const CallbackPoint&, std::span<double>) {};
  model.residual.names = {"one"};
  model.residual.array_jacobian = array_of_pendulum;
  model.rhs_chooses_sides = true;
  const std::string all = render_text(validate(model));
  for (const char* part : {"a function rhs and a residual", "5 equations and 1 names of equations",
                           "no derivative array", "rhs_chooses_sides is for right-hand sides only"}) {
    EXPECT_THAT(all, HasSubstr(part));
  }
  CallbackModel said = pendulum();
  said.states[0].role = CallbackVariable::Role::algebraic;
  const Result<SimulationResult> refused = simulate(said, {.stop = 1.0});
  ASSERT_FALSE(refused);
  EXPECT_THAT(render_text(refused.error()), HasSubstr("'x' is said to be algebraic"));
}

TEST(CallbackResidual, ValuesThatAreNotFiniteEndTheRunByName) {
  CallbackModel model;
  model.states = {{.name = "x", .start = 1.0}};
  model.residual.names = {"decay"};
  model.residual.values = [](const CallbackPoint& at, std::span<const double> xdot,
                             std::span<double> values) { values[0] = xdot[0] + 1.0 + std::sqrt(at.x[0]); };
  const SimulationResult result = simulate(model, {.stop = 3.0}).value();
  EXPECT_EQ(result.status, SimulationStatus::failed);
  EXPECT_GT(result.end, 0.5);
  EXPECT_LT(result.end, 1.0);
  EXPECT_FALSE(result.message.empty());
}

}  // namespace
}  // namespace saltus
