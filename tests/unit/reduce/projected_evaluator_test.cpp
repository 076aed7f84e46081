#include "reduce/projected_evaluator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "reduce/project/constraint_projection.hpp"
#include "support/function_evaluator.hpp"
#include "support/problems/cartesian_pendulum.hpp"
#include "support/text_system.hpp"

namespace saltus::reduce {
namespace {

using Status = system::Evaluation::Status;

const std::vector<double> kOnes{1.0, 1.0, 1.0, 1.0};

std::unique_ptr<system::Evaluator> pendulum() {
  return std::make_unique<test::FunctionEvaluator>(test::pendulum_field);
}

TEST(ProjectedEvaluator, ProjectsResultsAndPassesOnTheRest) {
  ProjectedEvaluator evaluator(pendulum(),
                               std::make_unique<ConstraintProjection>(test::pendulum_constraints(), kOnes));
  EXPECT_EQ(evaluator.projection(), system::Projection::results);
  std::vector<double> x{1.01, 0.0, 0.1, 2.0};
  ASSERT_TRUE(evaluator.project(0.0, x).ok());
  EXPECT_NEAR(x[0] * x[0] + x[1] * x[1], 1.0, 3e-12);
  EXPECT_NEAR(x[0] * x[2] + x[1] * x[3], 0.0, 3e-12);
  std::vector<double> xdot(4);
  std::vector<double> expected(4);
  ASSERT_TRUE(evaluator.rhs(0.0, x, xdot).ok());
  test::pendulum_field(0.0, x, expected);
  EXPECT_EQ(xdot, expected);
}

TEST(ProjectedEvaluator, DescribesTheConstraintThatCannotBeMet) {
  std::vector<test::FunctionRow> rows = test::pendulum_constraint_rows();
  rows.push_back({"2*x*der(x) = 1", 1, {0, 2}, [](double, auto s) { return 2.0 * s[0] * s[2] - 1.0; }});
  rows.push_back({"2*x*der(x) = 2", 1, {0, 2}, [](double, auto s) { return 2.0 * s[0] * s[2] - 2.0; }});
  ProjectedEvaluator evaluator(
      pendulum(),
      std::make_unique<ConstraintProjection>(
          std::make_shared<const test::FunctionEquations>(test::pendulum_slots(false), rows), kOnes));
  std::vector<double> x{0.6, -0.8, 0.8, 0.6};
  const system::Evaluation evaluation = evaluator.project(0.5, x);
  ASSERT_EQ(evaluation.status, Status::no_projection);
  const std::string text = evaluator.describe(evaluation, 0.5);
  EXPECT_NE(text.find("at time 0.5"), std::string::npos) << text;
  EXPECT_NE(text.find("2*x*der(x) = "), std::string::npos) << text;
  EXPECT_NE(text.find("differentiated once"), std::string::npos) << text;
  EXPECT_EQ(evaluator.describe({Status::not_finite, 0}, 0.5), "the function failed");
}

// Those of the field at the point, on the constraints or beside them.
TEST(ProjectedEvaluator, TangentsOfTheField) {
  program::test::TextSystem text(R"(
model Pendulum
  parameter Real g = 9.81;
  Real x(start = 1, fixed = true), y(start = 0), u(start = 0), v(start = 0, fixed = true), f;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -f*x;
  der(v) = -f*y - g;
  x^2 + y^2 = 1;
end Pendulum;)");
  const auto evaluator = make_reduced_evaluator(*text.locked);
  ASSERT_EQ(evaluator->projection(), system::Projection::results);
  evaluator->set_configuration(text.configuration);
  const auto inner = text.locked->make_evaluator();
  inner->set_configuration(text.configuration);
  const std::size_t n = text.locked->states().size();
  const std::vector<double> x(n, 0.6);
  std::vector<double> seeds(n, 0.0);
  seeds[1] = 1.0;
  const double still = 0.0;
  std::vector<double> found(n);
  std::vector<double> expected(n);
  const auto tangents = evaluator->tangents({1, {1.0}});
  ASSERT_NE(tangents, nullptr);
  ASSERT_TRUE(tangents->rates(0.0, x, {{&still, 1}, seeds, {}}, found).ok());
  ASSERT_TRUE(inner->tangents({1, {1.0}})->rates(0.0, x, {{&still, 1}, seeds, {}}, expected).ok());
  EXPECT_EQ(found, expected);
  EXPECT_NE(found, std::vector<double>(n, 0.0));
}

}  // namespace
}  // namespace saltus::reduce
