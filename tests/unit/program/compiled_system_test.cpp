#include "program/compiled_system.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model_builder.hpp"

namespace saltus::program {
namespace {

using expr::Op;
using test::ModelBuilder;
using ::testing::HasSubstr;

struct Running {
  std::shared_ptr<const system::HybridSystem> hybrid;
  system::InitialPoint initial;
  std::shared_ptr<const system::LockedDae> locked;
  std::unique_ptr<system::Evaluator> evaluator;

  explicit Running(const ModelBuilder& b, const ParameterOverrides& overrides = {}, double t = 0.0)
      : hybrid(build_system(b.build(), overrides).value()),
        initial(hybrid->initial(t).value()),
        locked(hybrid->lock(initial.configuration.mode).value()),
        evaluator(locked->make_evaluator(initial.guess)) {}

  std::vector<double> rhs(double t, const std::vector<double>& x) {
    std::vector<double> xdot(x.size());
    EXPECT_TRUE(evaluator->rhs(t, x, xdot).ok());
    return xdot;
  }
  std::vector<double> outputs(double t, const std::vector<double>& x) {
    std::vector<double> values(hybrid->variables().size());
    EXPECT_TRUE(evaluator->outputs(t, x, values).ok());
    return values;
  }
};

std::string first_message(const Diagnostics& diagnostics) {
  return diagnostics.empty() ? ""
                             : diagnostics.items().front().code + ": " + diagnostics.items().front().message;
}

// der(x) = -k*x; y = 2*x
ModelBuilder decay() {
  ModelBuilder b;
  auto& g = b.g();
  const NodeId k = b.parameter("k", g.constant(0.5));
  const VariableId x = b.state("x", 3.0);
  const VariableId y = b.variable("y");
  b.equation(g.variable(x, 1), g.multiply(g.negate(k), g.variable(x)));
  b.equation(g.variable(y), g.multiply(g.constant(2.0), g.variable(x)));
  return b;
}

TEST(CompiledSystem, DecayWithOutput) {
  Running run(decay());
  EXPECT_EQ(run.initial.x, std::vector<double>{3.0});
  EXPECT_EQ(run.rhs(0.0, {3.0}), std::vector<double>{-1.5});
  EXPECT_EQ(run.outputs(0.0, {3.0}), (std::vector<double>{3.0, 6.0}));
}

TEST(CompiledSystem, OverridesOfParametersAndStarts) {
  Running run(decay(), {{"k", 2.0}, {"x", 7.0}});
  EXPECT_EQ(run.initial.x, std::vector<double>{7.0});
  EXPECT_EQ(run.rhs(0.0, {7.0}), std::vector<double>{-14.0});
  const auto unknown = build_system(decay().build(), {{"z", 1.0}});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(first_message(unknown.error()), HasSubstr("unknown-override"));
}

TEST(CompiledSystem, SecondOrderEquationHasTwoStates) {
  ModelBuilder b;
  auto& g = b.g();
  const VariableId x = b.state("x", 1.0);
  b.equation(g.variable(x, 2), g.negate(g.variable(x)));
  Running run(b);
  ASSERT_EQ(run.locked->states().size(), 2U);
  EXPECT_EQ(run.locked->states()[1].name, "der(x)");
  EXPECT_EQ(run.rhs(0.0, {0.25, 4.0}), (std::vector<double>{4.0, -0.25}));
}

// Two resistors and a source: i = v/R1 = (u - v)/R2 as a linear block in i, v.
TEST(CompiledSystem, LinearBlock) {
  ModelBuilder b;
  auto& g = b.g();
  const VariableId x = b.state("x", 1.0);
  const VariableId i = b.variable("i");
  const VariableId v = b.variable("v");
  b.equation(g.variable(x, 1), g.variable(i));
  b.equation(g.variable(v), g.multiply(g.constant(2.0), g.variable(i)));
  b.equation(g.subtract(g.variable(x), g.variable(v)), g.multiply(g.constant(3.0), g.variable(i)));
  Running run(b);
  EXPECT_DOUBLE_EQ(run.rhs(0.0, {10.0})[0], 2.0);
  const std::vector<double> values = run.outputs(0.0, {10.0});
  EXPECT_DOUBLE_EQ(values[1], 2.0);
  EXPECT_DOUBLE_EQ(values[2], 4.0);
}

// z + z³ = x and its use in the derivative; several points at once give the same bits as one by one.
ModelBuilder cubic() {
  ModelBuilder b("model M\n  der(x) = -z;\n  z + z^3 = x;\nend M;");
  auto& g = b.g();
  const VariableId x = b.state("x", 2.0);
  const VariableId z = b.variable("z");
  b.equation(g.variable(x, 1), g.negate(g.variable(z)), "der(x) = -z");
  const NodeId cube = g.binary(Op::power_integer, g.variable(z), g.constant(3.0));
  b.equation(g.add(g.variable(z), cube), g.variable(x), "z + z^3 = x");
  return b;
}

TEST(CompiledSystem, NonlinearBlock) {
  Running run(cubic());
  EXPECT_NEAR(run.rhs(0.0, {2.0})[0], -1.0, 1e-15);
  EXPECT_NEAR(run.rhs(0.0, {10.0})[0], -2.0, 4e-16);
  EXPECT_NEAR(run.rhs(0.0, {-1e6})[0], 99.996666666667901,
              1.5e-14);  // real root of z + z³ = -10⁶, 40-digit Newton
  const auto width = static_cast<std::size_t>(run.locked->block_width());
  std::vector<double> t(width);
  std::vector<double> x(width);
  std::vector<double> values(2 * width);
  for (std::size_t k = 0; k < width; ++k) {
    x[k] = 0.3 * static_cast<double>(k) - 1.0;
  }
  ASSERT_TRUE(run.evaluator->outputs_block(t, x, values).ok());
  for (std::size_t k = 0; k < width; ++k) {
    const double z = values[width + k];
    EXPECT_NEAR(z + z * z * z, x[k], 4e-16);
    EXPECT_EQ(values[k], x[k]);
  }
}

TEST(CompiledSystem, WideOutputsEqualSingleOnes) {
  Running run(decay());
  const auto width = static_cast<std::size_t>(run.locked->block_width());
  std::vector<double> t(width);
  std::vector<double> x(width);
  std::vector<double> values(2 * width);
  for (std::size_t k = 0; k < width; ++k) {
    x[k] = 1.0 / (1.0 + static_cast<double>(k));
  }
  ASSERT_TRUE(run.evaluator->outputs_block(t, x, values).ok());
  for (std::size_t k = 0; k < width; ++k) {
    EXPECT_EQ(run.outputs(0.0, {x[k]}), (std::vector<double>{values[k], values[width + k]}));
  }
}

TEST(CompiledSystem, BlockWithoutSolutionIsNamed) {
  ModelBuilder b("model M\n  z^2 + 1 = x;\nend M;");
  auto& g = b.g();
  const VariableId x = b.state("x", 5.0);
  const VariableId z = b.variable("z");
  b.model().variables[z.index()].start = g.constant(2.0);
  b.equation(g.variable(x, 1), g.variable(z));
  const NodeId square = g.binary(Op::power_integer, g.variable(z), g.constant(2.0));
  b.equation(g.add(square, g.constant(1.0)), g.variable(x), "z^2 + 1 = x");
  Running run(b);
  EXPECT_NEAR(run.rhs(0.0, {5.0})[0], 2.0, 1e-15);
  std::vector<double> xdot(1);
  const system::Evaluation evaluation = run.evaluator->rhs(1.5, std::vector<double>{0.5}, xdot);
  ASSERT_EQ(evaluation.status, system::Evaluation::Status::no_convergence);
  const std::string text = run.evaluator->describe(evaluation, 1.5);
  EXPECT_THAT(text, HasSubstr("z"));
  EXPECT_THAT(text, HasSubstr("at time 1.5"));
  EXPECT_THAT(text, HasSubstr("line 2: 'z^2 + 1 = x'"));
  EXPECT_NEAR(run.rhs(1.5, {5.0})[0], 2.0, 1e-15);  // the failure did no harm
}

// der(x) = if x > 1 then 1 else 2: the latched side decides, whatever x is; between the sides the choice is blended.
TEST(CompiledSystem, ConditionsAreInputs) {
  ModelBuilder b("model M\n  der(x) = if x > 1 then 1 else 2;\nend M;");
  auto& g = b.g();
  const VariableId x = b.state("x", 0.0);
  const NodeId c = b.condition(g.subtract(g.variable(x), g.constant(1.0)), "x > 1");
  b.equation(g.variable(x, 1), g.select(c, g.constant(1.0), g.constant(2.0)));
  Running run(b);
  ASSERT_EQ(run.hybrid->guards().size(), 1U);
  EXPECT_EQ(run.hybrid->guards()[0].condition, "x > 1");
  EXPECT_EQ(run.hybrid->guards()[0].span->offset, 22U);
  EXPECT_TRUE(run.hybrid->guards()[0].in_equations);
  EXPECT_FALSE(run.hybrid->guards()[0].in_rounds);
  EXPECT_TRUE(run.locked->watches(0));
  EXPECT_FALSE(run.hybrid->has_rounds());
  system::Configuration configuration = run.initial.configuration;
  EXPECT_EQ(configuration.latched, std::vector<double>{-1.0});
  run.evaluator->set_configuration(configuration);
  EXPECT_EQ(run.rhs(0.0, {5.0}), std::vector<double>{2.0});
  configuration.latched[0] = 1.0;
  run.evaluator->set_configuration(configuration);
  EXPECT_EQ(run.rhs(0.0, {0.0}), std::vector<double>{1.0});
  configuration.latched[0] = 0.0;  // stays zero: x > 1 is false
  run.evaluator->set_configuration(configuration);
  EXPECT_EQ(run.rhs(0.0, {1.0}), std::vector<double>{2.0});
  run.evaluator->set_latched(0, 0.0);  // slides with weight 0
  EXPECT_EQ(run.rhs(0.0, {1.0}), std::vector<double>{1.5});
  run.evaluator->set_latched(0, 0.5);
  EXPECT_EQ(run.rhs(0.0, {1.0}), std::vector<double>{1.25});
}

TEST(CompiledSystem, ConditionOnParametersIsNoEvent) {
  ModelBuilder b;
  auto& g = b.g();
  const NodeId p = b.parameter("p", g.constant(3.0));
  const VariableId x = b.state("x", 0.0);
  const NodeId c = b.condition(g.subtract(p, g.constant(1.0)), "p > 1");
  b.equation(g.variable(x, 1), g.select(c, g.constant(10.0), g.constant(20.0)));
  EXPECT_EQ(Running(b).rhs(0.0, {0.0}), std::vector<double>{10.0});
  EXPECT_EQ(Running(b, {{"p", 0.0}}).rhs(0.0, {0.0}), std::vector<double>{20.0});
}

TEST(CompiledSystem, ModelWithoutStatesRuns) {
  ModelBuilder b;
  auto& g = b.g();
  const VariableId y = b.variable("y");
  b.equation(g.variable(y), g.unary(Op::sin, g.time()));
  Running run(b);
  EXPECT_TRUE(run.initial.x.empty());
  EXPECT_TRUE(run.rhs(0.0, {}).empty());
  EXPECT_EQ(run.outputs(0.5, {}), std::vector<double>{std::sin(0.5)});
}

TEST(CompiledSystem, InitialEquationAndContradiction) {
  // der(x) = -x with the initial equation x + der(x) = 0 says nothing; x = 2 fixes it.
  ModelBuilder b;
  auto& g = b.g();
  const VariableId x = b.variable("x");
  b.equation(g.variable(x, 1), g.subtract(g.constant(4.0), g.variable(x)));
  b.model().initial_equations.push_back({g.variable(x, 1), g.constant(1.0), {}});
  EXPECT_DOUBLE_EQ(Running(b).initial.x[0], 3.0);

  b.model().variables[0].start = g.constant(5.0);
  b.model().variables[0].fixed = true;
  const auto system = build_system(b.build(), {}).value();
  const auto initial = system->initial(0.0);
  ASSERT_FALSE(initial);
  EXPECT_THAT(first_message(initial.error()), HasSubstr("initial-contradiction"));
}

TEST(CompiledSystem, ConstantCannotBeOverridden) {
  ModelBuilder b = decay();
  b.model().parameters[0].is_constant = true;
  const auto system = build_system(b.build(), {{"k", 1.0}});
  ASSERT_FALSE(system);
  EXPECT_EQ(first_message(system.error()), "override-refused: the value of 'k' cannot be changed any more");
}

TEST(CompiledSystem, AssertionOverParametersIsChecked) {
  ModelBuilder b = decay();
  const NodeId k = b.g().parameter(ParameterId(0U));
  flat::Assertion assertion;
  assertion.condition = b.condition(k, "k > 0");
  assertion.message = "k must be positive";
  b.model().assertions.push_back(assertion);
  EXPECT_TRUE(build_system(b.build(), {}));
  const auto system = build_system(b.build(), {{"k", -1.0}});
  ASSERT_FALSE(system);
  EXPECT_EQ(first_message(system.error()), "assertion-failed: assertion failed: k must be positive");
}

// z² = x with the start z = 1 would lead to z = √x; the initial equation z = -2 chooses the other root.
TEST(CompiledSystem, RunStaysOnTheRootOfTheInitialProblem) {
  ModelBuilder b;
  auto& g = b.g();
  const VariableId x = b.variable("x");
  const VariableId z = b.variable("z");
  b.model().variables[z.index()].start = g.constant(1.0);
  b.equation(g.variable(x, 1), g.multiply(g.constant(0.5), g.variable(z)));
  b.equation(g.binary(Op::power_integer, g.variable(z), g.constant(2.0)), g.variable(x));
  b.model().initial_equations.push_back({g.variable(z), g.constant(-2.0), {}});
  Running run(b);
  ASSERT_DOUBLE_EQ(run.initial.x[0], 4.0);
  EXPECT_DOUBLE_EQ(run.rhs(0.0, {4.0})[0], -1.0);
  EXPECT_DOUBLE_EQ(run.outputs(0.0, {4.0})[1], -2.0);
  run.evaluator = run.locked->make_evaluator();
  EXPECT_DOUBLE_EQ(run.rhs(0.0, {4.0})[0], 1.0);  // without the guess
  const std::vector<double> bad = {std::nan("")};
  run.evaluator = run.locked->make_evaluator(bad);
  EXPECT_DOUBLE_EQ(run.rhs(0.0, {4.0})[0], 1.0);  // a guess that is no number is none
}

// z³ - 3z = x has three roots for |x| < 2 and one beyond. From the upper root at x = 0 a trial at x = -3 falls down to
// the lower root; after restore_solutions() it never happened.
TEST(CompiledSystem, AttemptThatIsDroppedLeavesNoTrace) {
  ModelBuilder b;
  auto& g = b.g();
  const VariableId x = b.state("x", 0.0);
  const VariableId z = b.variable("z");
  b.model().variables[z.index()].start = g.constant(1.5);
  b.equation(g.variable(x, 1), g.multiply(g.constant(1.0 / 3.0), g.variable(z)));
  b.equation(g.subtract(g.binary(Op::power_integer, g.variable(z), g.constant(3.0)),
                        g.multiply(g.constant(3.0), g.variable(z))),
             g.variable(x));
  Running run(b);
  Running undisturbed(b);
  for (Running* each : {&run, &undisturbed}) {
    EXPECT_NEAR(each->rhs(0.0, {0.0})[0], 1.0 / std::sqrt(3.0), 1e-15);
    each->evaluator->keep_solutions();
  }
  std::vector<double> xdot(1);
  ASSERT_TRUE(run.evaluator->rhs(0.5, std::vector<double>{-3.0}, xdot).ok());
  EXPECT_LT(xdot[0], 0.0);
  EXPECT_FALSE(run.evaluator->rhs(0.5, std::vector<double>{std::nan("")}, xdot).ok());
  run.evaluator->restore_solutions();
  for (const double value : {-0.1, 0.2, -0.3}) {
    EXPECT_EQ(run.rhs(0.1, {value}), undisturbed.rhs(0.1, {value}));  // in every bit
  }
  EXPECT_GT(run.rhs(0.1, {-0.1})[0], 0.0);
}

TEST(CompiledSystem, StartThatCannotBeFoundIsNamed) {
  // der(x) = z, z² + 1 = x, fixed start x = 0: no real z; and a start value that is not finite.
  ModelBuilder b("model M\n  z^2 + 1 = x;\nend M;");
  auto& g = b.g();
  const VariableId x = b.variable("x");
  const VariableId z = b.variable("z");
  b.equation(g.variable(x, 1), g.variable(z));
  b.equation(g.add(g.binary(Op::power_integer, g.variable(z), g.constant(2.0)), g.constant(1.0)),
             g.variable(x), "z^2 + 1 = x");
  b.model().initial_equations.push_back({g.multiply(g.variable(z), g.variable(z)), g.constant(-1.0), {}});
  const auto initial = build_system(b.build(), {}).value()->initial(0.0);
  ASSERT_FALSE(initial);
  EXPECT_THAT(first_message(initial.error()), HasSubstr("initialization-failed"));

  ModelBuilder infinite;
  const VariableId y = infinite.state("y", std::numeric_limits<double>::infinity());
  infinite.equation(infinite.g().variable(y, 1), infinite.g().constant(1.0));
  const auto not_finite = build_system(infinite.build(), {}).value()->initial(0.0);
  ASSERT_FALSE(not_finite);
  EXPECT_THAT(first_message(not_finite.error()), HasSubstr("'y' is inf at time 0"));
}

}  // namespace
}  // namespace saltus::program
