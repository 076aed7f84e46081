#include "program/failure_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model_builder.hpp"
#include "program/compiled_system.hpp"

namespace saltus::program {
namespace {

using expr::Op;
using test::ModelBuilder;

struct Described {
  system::Evaluation::Status rhs_status = system::Evaluation::Status::ok;
  std::string rhs;
  std::string outputs;
};

Described describe(const ModelBuilder& b, double t, const std::vector<double>& x) {
  const auto hybrid = build_system(b.build(), {}).value();
  const auto locked = hybrid->lock({}).value();
  const auto evaluator = locked->make_evaluator();
  std::vector<double> xdot(x.size());
  std::vector<double> values(hybrid->variables().size());
  Described described;
  const system::Evaluation rhs = evaluator->rhs(t, x, xdot);
  described.rhs_status = rhs.status;
  described.rhs = evaluator->describe(rhs, t);
  described.outputs = evaluator->describe(evaluator->outputs(t, x, values), t);
  return described;
}

TEST(FailureReport, DerivativeThatIsNotFinite) {
  ModelBuilder b("model M\n  Real x;\nequation\n  der(x) = 1/(time - 2);\nend M;");
  auto& g = b.g();
  const VariableId x = b.state("x", 0.0);
  b.equation(g.variable(x, 1), g.divide(g.constant(1.0), g.subtract(g.time(), g.constant(2.0))),
             "der(x) = 1/(time - 2)");
  const Described described = describe(b, 2.0, {0.0});
  EXPECT_EQ(described.rhs_status, system::Evaluation::Status::not_finite);
  EXPECT_EQ(described.rhs, "'der(x)' is inf at time 2: line 4: 'der(x) = 1/(time - 2)'");
  EXPECT_EQ(described.outputs, "no failure");
}

// der(x) = 2·w, w = y + 1, y = log(x), and v = sqrt(x), which is not finite either but not to blame for der(x).
TEST(FailureReport, FirstCauseIsNamedNotItsFollowers) {
  ModelBuilder b("v = sqrt(x);\nder(x) = 2*w;\nw = y + 1;\ny = log(x);");
  auto& g = b.g();
  const VariableId v = b.variable("v");
  const VariableId x = b.state("x", 1.0);
  const VariableId w = b.variable("w");
  const VariableId y = b.variable("y");
  b.equation(g.variable(v), g.unary(Op::sqrt, g.variable(x)), "v = sqrt(x)");
  b.equation(g.variable(x, 1), g.multiply(g.constant(2.0), g.variable(w)), "der(x) = 2*w");
  b.equation(g.variable(w), g.add(g.variable(y), g.constant(1.0)), "w = y + 1");
  b.equation(g.variable(y), g.unary(Op::log, g.variable(x)), "y = log(x)");
  const Described described = describe(b, 1.2, {-0.25});
  EXPECT_EQ(described.rhs, "'y' is nan at time 1.2: line 4: 'y = log(x)' (x = -0.25)");
  EXPECT_EQ(described.outputs, "'v' is nan at time 1.2: line 1: 'v = sqrt(x)' (x = -0.25)");
}

// An infinite value that another equation makes finite again is no cause: u = 1/x, w = 1/u = 0, der(x) = log(w - 1).
TEST(FailureReport, InfinityThatVanishesIsNoCause) {
  ModelBuilder b("u = 1/x;\nw = 1/u;\nder(x) = log(w - 1) + w;");
  auto& g = b.g();
  const VariableId x = b.state("x", 1.0);
  const VariableId u = b.variable("u");
  const VariableId w = b.variable("w");
  b.equation(g.variable(u), g.divide(g.constant(1.0), g.variable(x)), "u = 1/x");
  b.equation(g.variable(w), g.divide(g.constant(1.0), g.variable(u)), "w = 1/u");
  b.equation(g.variable(x, 1),
             g.add(g.unary(Op::log, g.subtract(g.variable(w), g.constant(1.0))), g.variable(w)),
             "der(x) = log(w - 1) + w");
  EXPECT_EQ(describe(b, 0.0, {0.0}).rhs,
            "'der(x)' is nan at time 0: line 3: 'der(x) = log(w - 1) + w' (w = 0)");
}

TEST(FailureReport, StateThatIsNotFinite) {
  ModelBuilder b("der(x) = -x;");
  auto& g = b.g();
  const VariableId x = b.state("x", 1.0);
  b.equation(g.variable(x, 1), g.negate(g.variable(x)), "der(x) = -x");
  EXPECT_EQ(describe(b, 3.0, {std::numeric_limits<double>::infinity()}).rhs, "'x' is inf at time 3");
}

// a·i + v = x, i - v = 1 with a = 1/x: the coefficient, and what made it so.
ModelBuilder linear_block() {
  ModelBuilder b("a = 1/x;\na*i + v = x;\ni - v = 1;\nder(x) = i;");
  auto& g = b.g();
  const VariableId x = b.state("x", 1.0);
  const VariableId a = b.variable("a");
  const VariableId i = b.variable("i");
  const VariableId v = b.variable("v");
  b.equation(g.variable(a), g.divide(g.constant(1.0), g.variable(x)), "a = 1/x");
  b.equation(g.add(g.multiply(g.variable(a), g.variable(i)), g.variable(v)), g.variable(x), "a*i + v = x");
  b.equation(g.subtract(g.variable(i), g.variable(v)), g.constant(1.0), "i - v = 1");
  b.equation(g.variable(x, 1), g.variable(i), "der(x) = i");
  return b;
}

TEST(FailureReport, CauseBeforeAnImplicitBlock) {
  EXPECT_EQ(describe(linear_block(), 0.5, {0.0}).rhs, "'a' is inf at time 0.5: line 1: 'a = 1/x' (x = 0)");
}

TEST(FailureReport, SingularBlockNamesUnknownsAndLines) {
  const Described described = describe(linear_block(), 0.5, {-1.0});
  EXPECT_EQ(described.rhs_status, system::Evaluation::Status::singular_block);
  EXPECT_EQ(described.rhs,
            "the equations for i and v have no unique solution at time 0.5 (their matrix is singular): "
            "line 2: 'a*i + v = x'; line 3: 'i - v = 1'");
}

TEST(FailureReport, CoefficientThatIsNotFinite) {
  ModelBuilder b("i/x + v = x;\ni - v = 1;\nder(x) = i;");
  auto& g = b.g();
  const VariableId x = b.state("x", 1.0);
  const VariableId i = b.variable("i");
  const VariableId v = b.variable("v");
  b.equation(g.add(g.divide(g.variable(i), g.variable(x)), g.variable(v)), g.variable(x), "i/x + v = x");
  b.equation(g.subtract(g.variable(i), g.variable(v)), g.constant(1.0), "i - v = 1");
  b.equation(g.variable(x, 1), g.variable(i), "der(x) = i");
  EXPECT_EQ(
      describe(b, 0.5, {0.0}).rhs,
      "the equations for i and v cannot be solved at time 0.5: a coefficient is inf: line 1: 'i/x + v = x'");
}

TEST(FailureReport, NonlinearBlockThatCannotBeEvaluated) {
  // z + log(x) + z³ = 0 at x = -1: nan for every z.
  ModelBuilder b("z + log(x) + z^3 = 0;\nder(x) = z;");
  auto& g = b.g();
  const VariableId x = b.state("x", 1.0);
  const VariableId z = b.variable("z");
  const NodeId cube = g.binary(Op::power_integer, g.variable(z), g.constant(3.0));
  b.equation(g.add(g.add(g.variable(z), g.unary(Op::log, g.variable(x))), cube), g.constant(0.0),
             "z + log(x) + z^3 = 0");
  b.equation(g.variable(x, 1), g.variable(z), "der(x) = z");
  EXPECT_EQ(describe(b, 0.0, {-1.0}).rhs,
            "the equations for z cannot be solved at time 0: an equation at z = 0 is nan: "
            "line 1: 'z + log(x) + z^3 = 0'");
}

}  // namespace
}  // namespace saltus::program
