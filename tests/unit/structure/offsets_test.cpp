#include "structure/match/offsets.hpp"

#include <gtest/gtest.h>

#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

struct Analysis {
  Offsets offsets;
  long value = 0;
};

// Of all equations and variables of the model.
Analysis analyse(ModelMaker& m) {
  std::vector<std::uint32_t> columns;
  for (std::uint32_t i = 0; i < m.model.variables.size(); ++i) {
    columns.push_back(i);
  }
  const Signature signature =
      find_signature(m.model.graph, m.model.equations, columns, static_cast<std::uint32_t>(columns.size()));
  const auto assignment = highest_value_transversal(signature);
  if (!assignment) {
    ADD_FAILURE() << "no transversal";
    return {};
  }
  return {smallest_offsets(signature, assignment->matching), assignment->value};
}

// [Pry01], example 1 (PENDULUM): c = (0, 0, 2), d = (2, 2, 0), index 3, two degrees of freedom.
TEST(Offsets, Pendulum) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  const VariableId lambda = m.variable("lambda");
  m.equation(m.add(m.der(x, 2), m.multiply(m.value(x), m.value(lambda))), m.number(0.0));
  m.equation(m.add(m.der(y, 2), m.multiply(m.value(y), m.value(lambda))), m.number(-9.81));
  m.equation(m.add(m.multiply(m.value(x), m.value(x)), m.multiply(m.value(y), m.value(y))), m.number(1.0));
  const Analysis result = analyse(m);
  EXPECT_EQ(result.offsets.differentiations, (std::vector<int>{0, 0, 2}));
  EXPECT_EQ(result.offsets.highest_orders, (std::vector<int>{2, 2, 0}));
  EXPECT_EQ(result.offsets.structural_index(), 3);
  EXPECT_EQ(result.offsets.degrees_of_freedom(), 2);
}

// [Pry01], two pendulums of which the tension of the first is the length of the second: index 5, four degrees of freedom.
TEST(Offsets, APendulumWhoseLengthIsTheTensionOfAnother) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  const VariableId lambda = m.variable("lambda");
  const VariableId u = m.variable("u");
  const VariableId v = m.variable("v");
  const VariableId mu = m.variable("mu");
  const auto motion = [&](VariableId q, VariableId tension) {
    m.equation(m.add(m.der(q, 2), m.multiply(m.value(q), m.value(tension))), m.number(0.0));
  };
  const auto length = [&](VariableId p, VariableId q, NodeId l) {
    m.equation(m.add(m.multiply(m.value(p), m.value(p)), m.multiply(m.value(q), m.value(q))), l);
  };
  motion(x, lambda);
  motion(y, lambda);
  length(x, y, m.number(1.0));
  motion(u, mu);
  motion(v, mu);
  length(u, v, m.add(m.number(1.0), m.value(lambda)));
  const Analysis result = analyse(m);
  EXPECT_EQ(result.offsets.differentiations, (std::vector<int>{2, 2, 4, 0, 0, 2}));
  EXPECT_EQ(result.offsets.highest_orders, (std::vector<int>{4, 4, 2, 2, 2, 0}));
  EXPECT_EQ(result.offsets.structural_index(), 5);
  EXPECT_EQ(result.offsets.degrees_of_freedom(), 4);
}

// x1 = sin(t), x_(k+1) = der(x_k): index n, nothing is free.
TEST(Offsets, ChainOfDerivatives) {
  ModelMaker m;
  std::vector<VariableId> x;
  for (int i = 0; i < 5; ++i) {
    x.push_back(m.variable("x" + std::to_string(i + 1)));
  }
  m.equation(m.value(x[0]), m.sin(m.model.graph.time()));
  for (std::size_t i = 1; i < 5; ++i) {
    m.equation(m.value(x[i]), m.der(x[i - 1]));
  }
  const Analysis result = analyse(m);
  EXPECT_EQ(result.offsets.differentiations, (std::vector<int>{4, 3, 2, 1, 0}));
  EXPECT_EQ(result.offsets.highest_orders, (std::vector<int>{4, 3, 2, 1, 0}));
  EXPECT_EQ(result.offsets.structural_index(), 5);
  EXPECT_EQ(result.offsets.degrees_of_freedom(), 0);
}

// The structure of the car axis of the test set for initial value problems: four coordinates of second order, two
// constraints with multipliers, and the height of the right wheel yb = sin(t), xb = sqrt(l² - yb²) as variables.
TEST(Offsets, CarAxis) {
  ModelMaker m;
  std::vector<VariableId> q;
  for (const char* name : {"xl", "yl", "xr", "yr", "xb", "yb", "l1", "l2"}) {
    q.push_back(m.variable(name));
  }
  const auto squares = [&](NodeId a, NodeId b) { return m.add(m.multiply(a, a), m.multiply(b, b)); };
  const NodeId to_wheel =
      m.add(m.multiply(m.value(q[0]), m.value(q[4])), m.multiply(m.value(q[1]), m.value(q[5])));
  const NodeId length =
      squares(m.subtract(m.value(q[0]), m.value(q[2])), m.subtract(m.value(q[1]), m.value(q[3])));
  m.equation(m.der(q[0], 2),
             m.add(m.multiply(m.value(q[6]), m.value(q[4])), m.multiply(m.value(q[7]), m.value(q[0]))));
  m.equation(m.der(q[1], 2),
             m.add(m.multiply(m.value(q[6]), m.value(q[5])), m.multiply(m.value(q[7]), m.value(q[1]))));
  m.equation(m.der(q[2], 2), m.multiply(m.value(q[7]), m.subtract(m.value(q[2]), m.value(q[0]))));
  m.equation(m.der(q[3], 2), m.multiply(m.value(q[7]), m.subtract(m.value(q[3]), m.value(q[1]))));
  m.equation(to_wheel, m.number(0.0));
  m.equation(length, m.number(1.0));
  m.equation(m.value(q[5]), m.sin(m.model.graph.time()));
  m.equation(squares(m.value(q[4]), m.value(q[5])), m.number(1.0));
  const Analysis result = analyse(m);
  EXPECT_EQ(result.offsets.differentiations, (std::vector<int>{0, 0, 0, 0, 2, 2, 2, 2}));
  EXPECT_EQ(result.offsets.highest_orders, (std::vector<int>{2, 2, 2, 2, 2, 2, 0, 0}));
  EXPECT_EQ(result.offsets.structural_index(), 3);
  EXPECT_EQ(result.offsets.degrees_of_freedom(), 4);
}

// Five rate equations and one equilibrium, as in the chemical Akzo Nobel problem of the test set for initial value
// problems: index 1, five degrees of freedom.
TEST(Offsets, ReactionsWithOneEquilibrium) {
  ModelMaker m;
  std::vector<VariableId> y;
  for (int i = 0; i < 6; ++i) {
    y.push_back(m.variable("y" + std::to_string(i + 1)));
  }
  for (std::size_t i = 0; i < 5; ++i) {
    m.equation(m.der(y[i]), m.multiply(m.value(y[i]), m.value(y[5])));
  }
  m.equation(m.multiply(m.value(y[0]), m.value(y[3])), m.value(y[5]));
  const Analysis result = analyse(m);
  EXPECT_EQ(result.offsets.differentiations, std::vector<int>(6, 0));
  EXPECT_EQ(result.offsets.structural_index(), 1);
  EXPECT_EQ(result.offsets.degrees_of_freedom(), 5);
}

TEST(Offsets, DemandedOrdersAreReached) {
  // x = sin(t), der(der(x)) wanted from outside.
  ModelMaker m;
  const VariableId x = m.variable("x");
  m.equation(m.value(x), m.sin(m.model.graph.time()));
  const std::vector<std::uint32_t> columns = {0};
  const Signature signature = find_signature(m.model.graph, m.model.equations, columns, 1);
  const auto assignment = highest_value_transversal(signature);
  ASSERT_TRUE(assignment.has_value());
  const std::vector<int> demanded = {2};
  const Offsets offsets = smallest_offsets(signature, assignment->matching, demanded);
  EXPECT_EQ(offsets.differentiations, (std::vector<int>{2}));
  EXPECT_EQ(offsets.highest_orders, (std::vector<int>{2}));
}

}  // namespace
}  // namespace saltus::structure
