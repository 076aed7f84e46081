#include "program/equations/equation_program.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model_builder.hpp"
#include "program/equations/equation_text.hpp"
#include "program/guards/parameter_values.hpp"

namespace saltus::program {
namespace {

using expr::Op;
using structure::Unknown;
using test::ModelBuilder;

// Equations of a hand-made model over its variables of order 0, and what a configuration gives it.
class Equations {
 public:
  explicit Equations(std::shared_ptr<const flat::Model> model)
      : model_(*model), parameters_(model_), conditions_(model_, parameters_) {
    EquationRequest request{.rows = {},
                            .describe_rows = {},
                            .slots = {},
                            .slot_infos = {},
                            .sized_as = {},
                            .n_frozen_inputs = model_.parameters.size(),
                            .bindings = {},
                            .n_discrete = 0,
                            .conditions = &conditions_};
    for (const flat::Equation& equation : model_.equations) {
      request.rows.push_back(model_.graph.subtract(equation.left, equation.right));
      sources_.push_back({.left = equation.left, .right = equation.right});
    }
    request.describe_rows = [this] { return describe_rows(model_, model_.graph, sources_); };
    for (std::size_t i = 0; i < model_.variables.size(); ++i) {
      request.slots.push_back({.variable = VariableId(i), .order = 0});
      request.sized_as.emplace_back(i);
      request.slot_infos.push_back({.name = model_.variables[i].name, .variable = static_cast<Index>(i)});
    }
    for (std::uint32_t i = 0; i < model_.conditions.size(); ++i) {
      request.bindings.bind_condition(ConditionId(i), {Binding::Kind::input, 1 + i});
    }
    Diagnostics diagnostics;
    const std::vector<double> frozen = parameters_.all(diagnostics);
    auto code = std::make_shared<const EquationCode>(model_.graph, std::move(request));
    set = std::make_unique<EquationProgram>(
        std::move(code), EquationNumbers{.frozen_inputs = frozen,
                                         .nominal_of = [](const structure::Unknown&) { return 1.0; }});
    runner = set->make_runner();
  }

  std::vector<double> residual(double t, const std::vector<double>& slots) {
    std::vector<double> values(static_cast<std::size_t>(set->n_rows()));
    EXPECT_TRUE(runner->residual(t, slots, values).ok());
    return values;
  }
  std::vector<std::vector<double>> dense_jacobian(double t, const std::vector<double>& slots) {
    std::vector<double> entries(set->pattern().n_entries());
    EXPECT_TRUE(runner->jacobian(t, slots, entries).ok());
    const system::RectangularPattern& pattern = set->pattern();
    std::vector<std::vector<double>> matrix(static_cast<std::size_t>(pattern.n_rows),
                                            std::vector<double>(slots.size(), 0.0));
    for (std::size_t column = 0; column < slots.size(); ++column) {
      for (auto k = pattern.column_starts[column]; k < pattern.column_starts[column + 1]; ++k) {
        matrix[static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)])][column] =
            entries[static_cast<std::size_t>(k)];
      }
    }
    return matrix;
  }

  std::unique_ptr<EquationProgram> set;
  std::unique_ptr<system::EquationRunner> runner;

 private:
  flat::Model model_;
  ParameterValues parameters_;
  ConditionInputs conditions_;
  std::vector<RowSource> sources_;
};

// x² + y² = L², x·z = if y > 0 then 2·y else -y, z = t·y
ModelBuilder three_rows() {
  ModelBuilder b;
  expr::Graph& g = b.g();
  const NodeId x = g.variable(b.variable("x"));
  const NodeId y = g.variable(b.variable("y"));
  const NodeId z = g.variable(b.variable("z"));
  const NodeId length = b.parameter("L", g.constant(3.0));
  const NodeId c = b.condition(y, "y > 0");
  b.equation(g.add(g.multiply(x, x), g.multiply(y, y)), g.multiply(length, length));
  b.equation(g.multiply(x, z), g.select(c, g.multiply(g.constant(2.0), y), g.negate(y)));
  b.equation(z, g.multiply(g.time(), y));
  return b;
}

TEST(EquationProgram, ResidualsAndEntriesFollowTheConfiguration) {
  Equations equations(three_rows().build());
  const std::vector<double> slots = {1.5, 2.0, -0.5};
  equations.runner->set_configuration({.mode = {}, .latched = {1.0}, .discrete = {}});
  EXPECT_EQ(equations.residual(4.0, slots), (std::vector<double>{-2.75, -4.75, -8.5}));
  EXPECT_EQ(equations.dense_jacobian(4.0, slots),
            (std::vector<std::vector<double>>{{3.0, 4.0, 0.0}, {-0.5, -2.0, 1.5}, {0.0, -4.0, 1.0}}));
  equations.runner->set_configuration({.mode = {}, .latched = {-1.0}, .discrete = {}});
  EXPECT_EQ(equations.residual(4.0, slots), (std::vector<double>{-2.75, 1.25, -8.5}));
  EXPECT_EQ(equations.dense_jacobian(4.0, slots)[1], (std::vector<double>{-0.5, 1.0, 1.5}));
  // A weight of 0 is half of both sides.
  equations.runner->set_latched(0, 0.0);
  EXPECT_EQ(equations.residual(4.0, slots)[1], -0.75 - 0.5 * (4.0 - 2.0));
  // A configuration with a side 0 is `y > 0` false.
  equations.runner->set_configuration({.mode = {}, .latched = {0.0}, .discrete = {}});
  EXPECT_EQ(equations.residual(4.0, slots)[1], 1.25);
}

TEST(EquationProgram, PatternHoldsWhatMayDiffer) {
  const Equations equations(three_rows().build());
  const system::RectangularPattern& pattern = equations.set->pattern();
  EXPECT_EQ(pattern.column_starts, (std::vector<Index>{0, 2, 5, 7}));
  EXPECT_EQ(pattern.rows, (std::vector<Index>{0, 1, 0, 1, 2, 1, 2}));
  EXPECT_FALSE(equations.set->is_linear());
  EXPECT_FALSE(equations.set->has_constant_jacobian());
  EXPECT_EQ(equations.set->rows()[0].text, "x*x + y*y = L*L");
  EXPECT_EQ(equations.set->rows()[1].text, "x*z = if (y > 0) then 2*y else -y");
}

TEST(EquationProgram, TellsLinearAndConstant) {
  const auto facts = [](auto build) {
    ModelBuilder b;
    const NodeId x = b.g().variable(b.variable("x"));
    const NodeId c = b.condition(x, "x > 0");
    b.equation(build(b.g(), x, c), b.g().constant(0.0));
    const Equations equations(b.build());
    return std::pair(equations.set->is_linear(), equations.set->has_constant_jacobian());
  };
  EXPECT_EQ(facts([](expr::Graph& g, NodeId x, NodeId c) { return g.select(c, x, g.time()); }),
            std::pair(true, true));
  EXPECT_EQ(facts([](expr::Graph& g, NodeId x, NodeId) { return g.multiply(g.time(), x); }),
            std::pair(true, false));
  EXPECT_EQ(facts([](expr::Graph& g, NodeId x, NodeId) { return g.unary(Op::sin, x); }),
            std::pair(false, false));
  // Its derivative is zero everywhere, but it is no straight line.
  EXPECT_EQ(facts([](expr::Graph& g, NodeId x, NodeId) { return g.unary(Op::sign, x); }),
            std::pair(false, false));
}

TEST(EquationProgram, NamesTheRowThatIsNotFinite) {
  ModelBuilder b;
  expr::Graph& g = b.g();
  const NodeId x = g.variable(b.variable("x"));
  const NodeId y = g.variable(b.variable("y"));
  b.equation(y, x);
  b.equation(y, g.unary(Op::sqrt, x));
  Equations equations(b.build());
  std::vector<double> values(2);
  const system::Evaluation negative = equations.runner->residual(0.0, std::vector{-1.0, 0.0}, values);
  EXPECT_EQ(negative.status, system::Evaluation::Status::not_finite);
  EXPECT_EQ(negative.culprit, 1);
  std::vector<double> entries(equations.set->pattern().n_entries());
  const system::Evaluation infinite = equations.runner->jacobian(0.0, std::vector{0.0, 0.0}, entries);
  EXPECT_EQ(infinite.status, system::Evaluation::Status::not_finite);
  EXPECT_EQ(infinite.culprit, 1);
}

// A chain: the entries are three for each row, whatever the number of rows.
TEST(EquationProgram, GrowsLinearlyWithTheRows) {
  constexpr std::size_t kRows = 20'000;
  ModelBuilder b;
  expr::Graph& g = b.g();
  std::vector<NodeId> x;
  for (std::size_t i = 0; i < kRows; ++i) {
    x.push_back(g.variable(b.variable("x")));
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    const NodeId left = i > 0 ? x[i - 1] : g.constant(1.0);
    const NodeId right = i + 1 < kRows ? x[i + 1] : g.constant(0.0);
    b.equation(g.multiply(x[i], g.unary(Op::exp, g.subtract(left, x[i]))), right);
  }
  Equations equations(b.build());
  EXPECT_EQ(equations.set->pattern().n_entries(), 3 * kRows - 2);
  // Loops are rolled up again: far fewer instructions than rows.
  EXPECT_LT(equations.set->code().residual().code.size(), kRows / 20);
  EXPECT_LT(equations.set->code().entries().code.size(), kRows / 20);
  EXPECT_LT(equations.set->code().entries().n_registers, kRows);
}

}  // namespace
}  // namespace saltus::program
