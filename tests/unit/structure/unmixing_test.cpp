#include "structure/index/unmixing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>

#include "structure/causalize.hpp"
#include "structure/match/linear_terms.hpp"
#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

// x1' = v1, x2' = v2, v1' = -v1 + λ, v2' = -x2 + 0.7·λ, g = 0: what the tests mix.
struct Parts {
  ModelMaker m;
  VariableId x1 = m.variable("x1");
  VariableId v1 = m.variable("v1");
  VariableId x2 = m.variable("x2");
  VariableId v2 = m.variable("v2");
  VariableId lambda = m.variable("lambda");
  std::vector<std::pair<NodeId, NodeId>> rows;

  explicit Parts(bool on_velocities = false) {
    const NodeId constraint = on_velocities
                                  ? m.add(m.multiply(m.number(1.35), m.value(v1)), m.value(v2))
                                  : m.add(m.multiply(m.number(1.35), m.value(x1)),
                                          m.add(m.multiply(m.number(0.1), m.sin(m.value(x1))), m.value(x2)));
    rows = {{m.der(x1), m.value(v1)},
            {m.der(x2), m.value(v2)},
            {m.der(v1), m.subtract(m.multiply(m.number(0.74), m.value(lambda)), m.value(v1))},
            {m.der(v2), m.subtract(m.multiply(m.number(0.7), m.value(lambda)), m.value(x2))},
            {constraint, m.sin(m.model.graph.time())}};
  }

  // Row i is Σ_j matrix[i][j]·row j.
  flat::Model& mixed(const std::vector<std::vector<double>>& matrix) {
    for (const std::vector<double>& factors : matrix) {
      NodeId left = m.number(0.0);
      NodeId right = m.number(0.0);
      for (std::size_t j = 0; j < factors.size(); ++j) {
        if (factors[j] == 0.0) {
          continue;
        }
        left = m.add(left, m.multiply(m.number(factors[j]), rows[j].first));
        right = m.add(right, m.multiply(m.number(factors[j]), rows[j].second));
      }
      m.equation(left, right);
    }
    return m.finish();
  }
};

const std::vector<std::vector<double>> kUnit = {
    {1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}};
const std::vector<std::vector<double>> kDense = {{0.31, -0.82, 0.57, 0.11, 0.93},
                                                 {-0.64, 0.27, 0.88, -0.39, 0.15},
                                                 {0.92, 0.41, -0.18, 0.73, -0.56},
                                                 {0.13, 0.97, 0.36, -0.71, 0.48},
                                                 {-0.45, 0.62, 0.29, 0.84, 0.67}};

TEST(Unmixing, MixedEquationsHaveTheStructureOfTheirParts) {
  for (const bool on_velocities : {false, true}) {
    SCOPED_TRACE(on_velocities);
    Parts plain(on_velocities);
    const auto expected = causalize(plain.mixed(kUnit));
    ASSERT_TRUE(expected);
    for (const double scale : {1.0, 1e-3, 1e3}) {
      std::vector<std::vector<double>> matrix = kDense;
      for (double& factor : matrix[2]) {
        factor *= scale;
      }
      Parts parts(on_velocities);
      const auto result = causalize(parts.mixed(matrix));
      ASSERT_TRUE(result);
      EXPECT_FALSE(result->needs_ranks);
      EXPECT_EQ(result->degrees_of_freedom, expected->degrees_of_freedom);
      EXPECT_EQ(result->constraints.size(), expected->constraints.size());
      EXPECT_EQ(result->states, expected->states);
      for (const Block& block : result->blocks) {
        EXPECT_FALSE(block.is_singular);
      }
    }
  }
}

TEST(Unmixing, SolutionsStay) {
  Parts parts;
  flat::Model& model = parts.mixed(kDense);
  const auto result = causalize(model);
  ASSERT_TRUE(result);
  // What the blocks give for any states satisfies the rows that were mixed, but for the constraint.
  Values values;
  at(values, parts.x1) = 0.3;
  at(values, parts.x2) = -0.4;
  at(values, parts.x1, 1) = at(values, parts.v1) = 1.7;
  at(values, parts.x2, 1) = at(values, parts.v2) = 0.6;
  BlockRunner runner(model, values);
  runner.run(result->blocks);
  for (std::size_t i = 0; i < 4; ++i) {
    at(values, parts.v1, 1) = at(values, parts.x1, 2);
    at(values, parts.v2, 1) = at(values, parts.x2, 2);
    EXPECT_NEAR(runner.evaluate(parts.rows[i].first), runner.evaluate(parts.rows[i].second), 1e-12) << i;
  }
}

// A fast equation, der(w) + speed·(w + 0.3·sin(w) - 0.5·v1) = 0 divided by its speed, in the sums: the other rows are known to some
// digits less. What the structure then says is what it says without mixing, or it says nothing.
TEST(Unmixing, FastRowsNeverMakeAnotherModel) {
  constexpr std::uint64_t kSeed = 20261116;
  int n_taken_apart = 0;
  int n_models = 0;
  for (const double speed : {1e2, 1e4, 6.7e4, 1e6, 1e8}) {
    std::mt19937_64 engine(kSeed);
    std::uniform_real_distribution<double> factor(-1.0, 1.0);
    for (int k = 0; k < 100; ++k) {
      SCOPED_TRACE(testing::Message() << "speed " << speed << ", matrices " << k << " of seed " << kSeed);
      const auto with_fast_row = [speed] {
        Parts parts;
        ModelMaker& m = parts.m;
        const VariableId w = m.variable("w");
        const NodeId rest = m.subtract(m.add(m.value(w), m.multiply(m.number(0.3), m.sin(m.value(w)))),
                                       m.multiply(m.number(0.5), m.value(parts.v1)));
        // … and w in an equation of motion, as its derivative too.
        NodeId& motion = parts.rows[3].first;
        motion = m.add(motion,
                       m.add(m.multiply(m.number(0.678), m.der(w)), m.multiply(m.number(0.76), m.value(w))));
        parts.rows.emplace_back(m.add(m.multiply(m.number(1.0 / speed), m.der(w)), rest), m.number(0.0));
        return parts;
      };
      using Matrix = std::vector<std::vector<double>>;
      Matrix unit(6, std::vector<double>(6, 0.0));
      Matrix first = unit;
      Matrix second = unit;
      Matrix product = unit;
      for (std::size_t i = 0; i < 6; ++i) {
        unit[i][i] = 1.0;
        for (std::size_t j = 0; j < 6; ++j) {
          first[i][j] = std::round(1000.0 * factor(engine)) / 1000.0;
          second[i][j] = std::round(1000.0 * factor(engine)) / 1000.0;
        }
      }
      for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < 6; ++j) {
          for (std::size_t l = 0; l < 6; ++l) {
            product[i][j] += second[i][l] * first[l][j];
          }
        }
      }
      Parts plain = with_fast_row();
      const auto expected = causalize(plain.mixed(unit));
      Parts parts = with_fast_row();
      const auto result = causalize(parts.mixed(product));
      ASSERT_TRUE(expected);
      ASSERT_TRUE(result);
      const bool is_left_to_ranks =
          result->needs_ranks || std::any_of(result->blocks.begin(), result->blocks.end(),
                                             [](const Block& block) { return block.is_singular; });
      ++n_models;
      if (!is_left_to_ranks) {
        ++n_taken_apart;
        EXPECT_EQ(result->degrees_of_freedom, expected->degrees_of_freedom);
      }
    }
  }
  // The first three speeds leave nine digits and more.
  EXPECT_GE(n_taken_apart, n_models / 2);
}

// Constraints of two levels added to each other: g(x) + h(v) = 0 and g(x) - h(v) = 0.
TEST(Unmixing, ConstraintsOfTwoLevelsComeApart) {
  ModelMaker m;
  std::array<VariableId, 3> x{};
  std::array<VariableId, 3> v{};
  for (std::size_t i = 0; i < 3; ++i) {
    x[i] = m.variable("x" + std::to_string(i));
    v[i] = m.variable("v" + std::to_string(i));
  }
  const NodeId a = m.value(m.variable("a"));
  const NodeId b = m.value(m.variable("b"));
  m.equation(m.der(x[0]), m.value(v[0]));
  m.equation(m.der(x[1]), m.value(v[1]));
  m.equation(m.der(x[2]), m.value(v[2]));
  m.equation(m.der(v[0]), a);
  m.equation(m.der(v[1]), m.subtract(b, a));
  m.equation(m.der(v[2]), m.add(b, m.multiply(m.number(0.3), a)));
  const NodeId g = m.add(m.value(x[0]), m.multiply(m.number(0.9), m.value(x[1])));
  const NodeId h = m.add(m.add(m.value(v[0]), m.value(v[2])), m.multiply(m.number(0.7), m.value(x[0])));
  m.equation(m.add(g, h), m.number(0.0));
  m.equation(m.subtract(g, h), m.number(1.0));
  const auto result = causalize(m.finish());
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->needs_ranks);
  // Six states, g with two and h with one constraint.
  EXPECT_EQ(result->degrees_of_freedom, 3);
  for (const Block& block : result->blocks) {
    EXPECT_FALSE(block.is_singular);
  }
}

TEST(Unmixing, CoefficientsOfTheStatesAreLeftToRanks) {
  Parts parts;
  ModelMaker& m = parts.m;
  for (std::size_t i = 0; i + 1 < parts.rows.size(); ++i) {
    m.equation(parts.rows[i].first, parts.rows[i].second);
  }
  // The constraint with cos(x1) times an equation of motion.
  const NodeId factor = m.sin(m.add(m.value(parts.x1), m.number(1.0)));
  m.equation(m.add(parts.rows[4].first, m.multiply(factor, parts.rows[2].first)),
             m.add(parts.rows[4].second, m.multiply(factor, parts.rows[2].second)));
  const auto result = causalize(m.finish());
  ASSERT_TRUE(result);
  bool has_singular = false;
  for (const Block& block : result->blocks) {
    has_singular = has_singular || block.is_singular;
  }
  EXPECT_TRUE(result->needs_ranks || has_singular);
}

TEST(Unmixing, RegularModelsKeepTheirEquations) {
  Parts parts;
  // Only the first two equations are mixed with the third: all is as it should be.
  std::vector<std::vector<double>> matrix = kUnit;
  matrix[3][2] = 0.5;
  flat::Model& model = parts.mixed(matrix);
  const std::vector<flat::Equation> before = model.equations;
  const auto result = causalize(model);
  ASSERT_TRUE(result);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(result->written[i].left, before[i].left) << i;
    EXPECT_EQ(result->written[i].right, before[i].right) << i;
  }
}

}  // namespace
}  // namespace saltus::structure
