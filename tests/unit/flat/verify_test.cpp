#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flat/verify.hpp"

namespace saltus::flat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Model decay() {
  Model model;
  model.name = "Decay";
  Variable x;
  x.name = "x";
  model.variables.push_back(x);
  const NodeId leaf = model.graph.variable(VariableId(0U));
  model.equations.push_back({model.graph.variable(VariableId(0U), 1), model.graph.negate(leaf), {}});
  return model;
}

TEST(Verify, AcceptsAnOde) {
  EXPECT_THAT(verify(decay()), IsEmpty());
}

TEST(Verify, FindsLeavesThatNameNothing) {
  Model model = decay();
  model.equations[0].right = model.graph.parameter(ParameterId(3U));
  EXPECT_THAT(verify(model), ElementsAre(HasSubstr("parameter 3")));
}

TEST(Verify, FindsAttributesThatDependOnVariables) {
  Model model = decay();
  model.variables[0].start = model.graph.variable(VariableId(0U));
  EXPECT_THAT(verify(model), ElementsAre(HasSubstr("start of x")));
}

TEST(Verify, FindsDuplicateNames) {
  Model model = decay();
  model.variables.push_back(model.variables[0]);
  EXPECT_THAT(verify(model), ElementsAre(HasSubstr("called x")));
}

TEST(Verify, FindsDerivativesOfDiscreteVariables) {
  Model model = decay();
  model.variables[0].variability = Variability::discrete;
  EXPECT_THAT(verify(model), ElementsAre(HasSubstr("derivative of the discrete variable x")));
}

TEST(Verify, FindsAssignmentsToContinuousVariables) {
  Model model = decay();
  WhenClause clause;
  clause.branches.emplace_back();
  clause.branches[0].condition = model.graph.constant(1.0);
  clause.branches[0].body.assignments.push_back({VariableId(0U), model.graph.constant(1.0), {}});
  model.when_clauses.push_back(clause);
  EXPECT_THAT(verify(model), ElementsAre(HasSubstr("assignment to x")));
}

TEST(Verify, FindsMissingInitialMode) {
  Model model = decay();
  model.modes.emplace_back();
  model.modes[0].name = "a";
  EXPECT_THAT(verify(model), ElementsAre(HasSubstr("initial mode")));
}

}  // namespace
}  // namespace saltus::flat
