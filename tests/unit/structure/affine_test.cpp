#include "structure/affine.hpp"

#include <gtest/gtest.h>

#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

class Affine : public testing::Test {
 protected:
  ModelMaker m;
  VariableId u = m.variable("u");
  VariableId w = m.variable("w");
  VariableId x = m.variable("x");
  NodeId p = m.parameter("p", 3.0);

  AffineForm split(NodeId root) {
    const SlotTable slots(m.model.graph, {{u, 0}, {w, 0}}, {});
    AffineSplitter splitter(m.model.graph, slots);
    const std::vector<std::uint32_t> unknowns = {0, 1};
    splitter.set_unknowns(unknowns);
    return splitter.split(root);
  }
};

TEST_F(Affine, FindsCoefficientsAndRemainder) {
  // p·(u - x·w)/x + (u + 5) = (p/x + 1)·u - p·w + 5
  const NodeId root =
      m.add(m.model.graph.divide(m.multiply(p, m.subtract(m.value(u), m.multiply(m.value(x), m.value(w)))),
                                 m.value(x)),
            m.add(m.value(u), m.number(5.0)));
  const AffineForm form = split(root);
  ASSERT_TRUE(form.is_affine);
  ASSERT_EQ(form.terms.size(), 2U);
  Values values;
  at(values, x) = 2.0;
  const BlockRunner runner(m.model, values);
  EXPECT_DOUBLE_EQ(runner.evaluate(form.terms[0].coefficient), 2.5);
  EXPECT_DOUBLE_EQ(runner.evaluate(form.terms[1].coefficient), -3.0);
  EXPECT_EQ(form.remainder, m.number(5.0));
}

TEST_F(Affine, SeesWhatIsNotAffine) {
  EXPECT_FALSE(split(m.multiply(m.value(u), m.value(w))).is_affine);
  EXPECT_FALSE(split(m.sin(m.value(u))).is_affine);
  EXPECT_FALSE(split(m.model.graph.divide(p, m.value(u))).is_affine);
  EXPECT_FALSE(split(m.model.graph.select(m.value(u), p, m.value(x))).is_affine);
  EXPECT_TRUE(split(m.sin(m.value(x))).terms.empty());
}

TEST_F(Affine, KeepsTheSidesOfASelectApart) {
  // select(x, u/0-like, 2·w + p): the first side is not finite and must not leak.
  const NodeId bad = m.multiply(m.model.graph.divide(m.number(1.0), m.value(x)), m.value(u));
  const NodeId good = m.add(m.multiply(m.number(2.0), m.value(w)), p);
  const AffineForm form = split(m.model.graph.select(m.value(x), bad, good));
  ASSERT_TRUE(form.is_affine);
  ASSERT_EQ(form.terms.size(), 2U);
  Values values;
  at(values, x) = 0.0;
  const BlockRunner runner(m.model, values);
  EXPECT_EQ(runner.evaluate(form.terms[0].coefficient), 0.0);
  EXPECT_EQ(runner.evaluate(form.terms[1].coefficient), 2.0);
  EXPECT_EQ(runner.evaluate(form.remainder), 3.0);
}

TEST_F(Affine, LongSumsCostTheirLength) {
  std::vector<Unknown> unknowns;
  NodeId sum = m.number(0.0);
  constexpr int kSize = 20000;
  std::vector<std::uint32_t> columns;
  for (int i = 0; i < kSize; ++i) {
    const VariableId variable = m.variable("v");
    unknowns.push_back({variable, 0});
    columns.push_back(static_cast<std::uint32_t>(i));
    sum = m.add(sum, m.multiply(m.number(i + 1.0), m.value(variable)));
  }
  const SlotTable slots(m.model.graph, unknowns, {});
  AffineSplitter splitter(m.model.graph, slots);
  splitter.set_unknowns(columns);
  const AffineForm form = splitter.split(sum);
  ASSERT_EQ(form.terms.size(), static_cast<std::size_t>(kSize));
  EXPECT_EQ(form.terms[777].coefficient, m.number(778.0));
}

}  // namespace
}  // namespace saltus::structure
