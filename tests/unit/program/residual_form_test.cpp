// The residual form of modes: at the point that belongs to a state it vanishes and gives the derivatives of rhs().

#include "program/equations/residual_form.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/equation_check.hpp"
#include "support/text_system.hpp"

namespace saltus::program {
namespace {

using test::build_text;
using test::EquationCheck;

class Form {
 public:
  explicit Form(const std::string& text) {
    auto built = build_text(text);
    EXPECT_TRUE(built) << render_text(built.error());
    system = *built;
    locked = system->lock(ModeId(0U)).value();
    evaluator = locked->make_evaluator();
    equations = locked->residual_form();
  }

  /// At state x: y and ẏ agree with rhs(), the rows vanish, and the Jacobian is that of differences.
  void expect_consistent(double t, const std::vector<double>& x) {
    EquationCheck check(equations);
    check.runner = evaluator->residual_runner();
    ASSERT_NE(check.runner, nullptr);
    const auto n_y = static_cast<std::size_t>(equations->n_rows());
    ASSERT_EQ(check.slots.size(), n_y + x.size());
    ASSERT_TRUE(
        evaluator
            ->residual_point(t, x, std::span(check.slots).first(n_y), std::span(check.slots).subspan(n_y))
            .ok());
    std::vector<double> xdot(x.size());
    ASSERT_TRUE(evaluator->rhs(t, x, xdot).ok());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(check.slots[i], x[i]);
      EXPECT_NEAR(check.slots[n_y + i], xdot[i], 1e-13 * (1.0 + std::abs(xdot[i])))
          << locked->states()[i].name;
    }
    for (std::size_t i = 0; i < n_y; ++i) {
      EXPECT_NEAR(check.residual(t)[i], 0.0, 1e-12) << equations->rows()[i].text;
    }
    check.expect_jacobian_of_differences(t);
  }

  std::shared_ptr<const system::HybridSystem> system;
  std::shared_ptr<const system::LockedDae> locked;
  std::unique_ptr<system::Evaluator> evaluator;
  std::shared_ptr<const system::EquationSet> equations;
};

TEST(ResidualForm, OdeHasOneRowForEachState) {
  Form form(R"(
model M
  Real x(start = 1);
  Real v;
  Real force;
  Real power;
equation
  der(x) = v;
  der(v) = force;
  force = -x^3 - 0.1*v;
  power = force*v;
end M;)");
  ASSERT_EQ(form.equations->n_rows(), 2);
  EXPECT_EQ(form.equations->slots()[2].name, "der(x)");
  EXPECT_EQ(form.equations->rows()[1].text, "der(v) = force");
  form.expect_consistent(0.0, {0.7, -1.2});
}

TEST(ResidualForm, DerivativeThatIsAState) {
  Form form(R"(
model M
  Real x(start = 1);
equation
  der(der(x)) = -sin(x) + time;
end M;)");
  ASSERT_EQ(form.equations->n_rows(), 2);
  EXPECT_EQ(form.equations->slots()[1].name, "der(x)");
  EXPECT_EQ(form.equations->slots()[2].name, "der(x)");
  EXPECT_EQ(form.equations->slots()[3].name, "der(der(x))");
  form.expect_consistent(0.5, {0.7, -1.2});
}

// Two implicit blocks: a linear one that gives derivatives and a force, and a nonlinear one with an algebraic variable.
TEST(ResidualForm, ImplicitBlocks) {
  Form form(R"(
model M
  Real x(start = 1);
  Real v(start = 0.5);
  Real f;
  Real z(start = 1);
  Real unused;
equation
  2*der(v) + der(x) + f = -x*z;
  der(v) - 3*der(x) = v;
  f - der(x) = time*v;
  z + exp(z) = x + 5;
  unused + sin(unused) = z;
end M;)");
  // The states, f and z; `unused` does not matter.
  ASSERT_EQ(form.equations->n_rows(), 4);
  form.expect_consistent(0.3, {0.4, -0.8});
  form.expect_consistent(0.9, {2.0, 1.0});
}

TEST(ResidualForm, Pendulum) {
  Form form(R"(
model Pendulum
  Real x(start = 2);
  Real y;
  Real vx;
  Real vy;
  Real lambda;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - 10;
  x^2 + y^2 = 4;
end Pendulum;)");
  EXPECT_EQ(form.locked->states().size(), 4U);
  EXPECT_EQ(form.equations->n_rows(), 5);  // with λ, and no second name of an acceleration
  // Also off the constraints: the derivatives exist there.
  form.expect_consistent(0.0, {1.5, -1.0, 3.0, 2.0});
  form.expect_consistent(0.0, {0.0, -2.0, 1.0, 0.0});
}

TEST(ResidualForm, FollowsConfigurationAndWeights) {
  Form form(R"(
model M
  Real x(start = 1);
  Real z;
  discrete Real k(start = 2);
equation
  der(x) = if x > 0 then -z else 3*z;
  z + 0.1*z^3 = k*x;
  when x < -5 then
    k = 9;
  end when;
end M;)");
  system::Configuration configuration = form.system->initial(0.0)->configuration;
  form.evaluator->set_configuration(configuration);
  form.expect_consistent(0.0, {0.5});  // now the runner exists
  configuration.discrete = {4.0};
  std::fill(configuration.latched.begin(), configuration.latched.end(), -1.0);
  form.evaluator->set_configuration(configuration);
  form.expect_consistent(0.0, {0.5});
  form.evaluator->set_latched(0, 0.25);
  form.expect_consistent(0.0, {0.5});
  // One that is asked for later begins in the same state.
  const std::unique_ptr<system::Evaluator> other = form.locked->make_evaluator();
  other->set_configuration(configuration);
  other->set_latched(0, 0.25);
  form.evaluator->set_configuration(configuration);
  form.evaluator->set_latched(0, 0.25);
  const auto n = static_cast<std::size_t>(form.equations->n_slots());
  const std::vector<double> slots(n, 0.5);
  std::vector<double> one(static_cast<std::size_t>(form.equations->n_rows()));
  std::vector<double> two = one;
  ASSERT_TRUE(form.evaluator->residual_runner()->residual(0.0, slots, one).ok());
  ASSERT_TRUE(other->residual_runner()->residual(0.0, slots, two).ok());
  EXPECT_EQ(one, two);
}

// s[i] = s[i-1] + x[i] and every derivative reads its sum: substituted, the entries would be n²/2.
TEST(ResidualForm, SumsOfManyStatesStaySparse) {
  Form form(R"(
model M
  parameter Integer n = 2000;
  Real x[n](each start = 1);
  Real s[n];
equation
  s[1] = x[1];
  for i in 2:n loop
    s[i] = s[i-1] + x[i];
  end for;
  for i in 1:n loop
    der(x[i]) = -x[i]*sin(s[i]);
  end for;
end M;)");
  EXPECT_LT(form.equations->pattern().n_entries(), 2000U * 2U * kMostDependencies);
  EXPECT_LT(form.equations->n_rows(), 4000);
}

// A mean that all derivatives read is one unknown with a full row and a full column, not a full matrix.
TEST(ResidualForm, AMeanIsKept) {
  Form form(R"(
model M
  parameter Integer n = 500;
  Real x[n](each start = 1);
  Real mean;
equation
  mean = sum(x)/n;
  for i in 1:n loop
    der(x[i]) = mean - x[i]^3;
  end for;
end M;)");
  EXPECT_EQ(form.equations->n_rows(), 501);
  EXPECT_EQ(form.equations->pattern().n_entries(), 500U * 3U + 501U);
}

TEST(ResidualForm, AValueThatIsNotFiniteIsNamed) {
  Form form(R"(
model M
  Real x(start = 1);
  Real z(start = 1);
equation
  der(x) = z;
  z = sqrt(x);
end M;)");
  std::vector<double> y(static_cast<std::size_t>(form.equations->n_rows()));
  std::vector<double> ydot(1);
  const system::Evaluation evaluation = form.evaluator->residual_point(0.0, std::vector{-1.0}, y, ydot);
  EXPECT_EQ(evaluation.status, system::Evaluation::Status::not_finite);
  EXPECT_EQ(evaluation.culprit, 0);
  EXPECT_NE(form.evaluator->describe(evaluation, 0.0).find("sqrt(x)"), std::string::npos);
}

// Which of several solutions the evaluator is on is decided by the point that a method has found, not by where it was last.
TEST(ResidualForm, IterationsBeginAtThePointOfTheMethod) {
  Form form(R"(
model M
  Real x(start = 4);
  Real u(start = 2) "u^2 = x has two solutions";
equation
  der(x) = -u;
  u^2 + 1e-9*u^4 = x;
end M;)");
  std::vector<double> xdot(1);
  std::vector<double> values(2);
  const std::vector<double> x = {4.0};
  ASSERT_TRUE(form.evaluator->outputs(0.0, x, values).ok());
  EXPECT_NEAR(values[1], 2.0, 1e-6);
  // u is the derivative of x under another name with the other sign: the point has it in ẏ alone.
  ASSERT_EQ(form.equations->n_rows(), 1);
  const std::vector<double> ydot = {1.9};
  EXPECT_TRUE(form.evaluator->begin_at({x, ydot}));
  ASSERT_TRUE(form.evaluator->outputs(0.0, x, values).ok());
  EXPECT_NEAR(values[1], -2.0, 1e-6);
  ASSERT_TRUE(form.evaluator->rhs(0.0, x, xdot).ok());
  EXPECT_NEAR(xdot[0], 2.0, 1e-6);
}

TEST(ResidualForm, PointWithAlgebraicUnknownsIsTakenOver) {
  Form form(R"(
model M
  Real x(start = 4);
  Real u(start = 2);
  Real w;
equation
  der(x) = -u*x;
  u^2 + 1e-9*u^4 = x;
  w = 3*u;
end M;)");
  ASSERT_EQ(form.equations->n_rows(), 2);
  std::vector<double> values(3);
  const std::vector<double> y = {4.0, -1.9};
  const std::vector<double> ydot = {8.0};
  EXPECT_TRUE(form.evaluator->begin_at({y, ydot}));
  ASSERT_TRUE(form.evaluator->outputs(0.0, std::span(y).first(1), values).ok());
  EXPECT_NEAR(values[1], -2.0, 1e-6);
  EXPECT_NEAR(values[2], -6.0, 1e-5);
  EXPECT_FALSE(form.evaluator->begin_at({}));
}

TEST(ResidualForm, OutputsThatTheDerivativesDoNotNeedAreNotInThePoint) {
  Form form(R"(
model M
  Real x(start = 4);
  Real u(start = 2);
equation
  der(x) = -x;
  u^2 + 1e-9*u^4 = x;
end M;)");
  const std::vector<double> y = {4.0};
  const std::vector<double> ydot = {-4.0};
  EXPECT_FALSE(form.evaluator->begin_at({y, ydot})) << "u must be followed by its own iteration";
}

TEST(ResidualForm, DerivativesThatOccurNonlinearlyAreKnown) {
  const auto names = [](const std::string& equations) {
    const Form form("model M\n  Real a(start = 1), b(start = 1), c(start = 1), z(start = 1);\nequation\n" +
                    equations + "end M;\n");
    std::string list;
    for (const Index state : form.equations->nonlinear_derivatives()) {
      list += form.locked->states()[static_cast<std::size_t>(state)].name + " ";
    }
    return list;
  };
  EXPECT_EQ(names("der(a) = -a*b; der(b) = sin(a); (2 + a^2)*der(c) = exp(z); z^3 + z = a;\n"), "")
      << "linear with coefficients that depend on the states, and on algebraic unknowns besides";
  EXPECT_EQ(names("der(a)^3 + der(a) = -a; der(b) = sin(a); der(c) = z; z = c;\n"), "a ");
  EXPECT_EQ(names("der(a) + der(a)*der(b) = -a; der(b) + 0.1*sin(der(a)) = 1; der(c) = 1; z = a;\n"), "a b ");
  EXPECT_EQ(names("der(a) = -a; der(b) = -b; der(c)*(1 + z^2) = 1 - c; z + der(c) = 2*c;\n"), "c ")
      << "together with an algebraic unknown";
}

TEST(ResidualForm, KnowsTheRowsOfEachGuard) {
  Form form(R"(
model M
  Real x(start = 1), v, w, force "substituted";
equation
  der(x) = v;
  der(v) = -x + force;
  force = -sign(v - w);
  der(w) = (if x > 0.5 then 1 else w) - 2*force;
end M;)");
  const auto& guards = form.system->guards();
  ASSERT_EQ(guards.size(), 2U);
  const std::size_t friction = guards[0].condition == "x > 0.5" ? 1 : 0;
  EXPECT_EQ(form.equations->rows_over(static_cast<Index>(friction)), (std::vector<Index>{1, 2}));
  EXPECT_EQ(form.equations->rows_over(static_cast<Index>(1 - friction)), (std::vector<Index>{2}));
}

}  // namespace
}  // namespace saltus::program
