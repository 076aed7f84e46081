#include "program/blocks/solution_store.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "program/blocks/block_sequence.hpp"
#include "unit/program/model_builder.hpp"

namespace saltus::program {
namespace {

// A block of two unknowns, a formula, and a block of one unknown.
std::vector<structure::Block> three_blocks() {
  std::vector<structure::Block> blocks(3);
  blocks[0].kind = structure::Block::Kind::linear;
  blocks[0].unknowns.resize(2);
  blocks[1].unknowns.resize(1);
  blocks[2].kind = structure::Block::Kind::nonlinear;
  blocks[2].unknowns.resize(1);
  return blocks;
}

TEST(SolutionStore, KnowsBlocksAtPointsToTheLastBit) {
  SolutionStore store(2, three_blocks());
  const std::array x{1.0, 2.0};
  const std::array beside{1.0, 2.0 + 4.0 * std::numeric_limits<double>::epsilon()};
  EXPECT_EQ(store.find(0.5, x.data()), SolutionStore::kNone);
  const std::size_t point = store.find_or_add(0.5, x.data());
  EXPECT_TRUE(store.known(point, 0).empty());
  store.keep(point, 0, std::array{3.0, 4.0});
  EXPECT_TRUE(store.known(point, 2).empty());
  store.keep(point, 2, std::array{5.0});
  ASSERT_EQ(store.find(0.5, x.data()), point);
  EXPECT_EQ(store.known(point, 0)[1], 4.0);
  EXPECT_EQ(store.known(point, 2)[0], 5.0);
  EXPECT_EQ(store.find(0.5, beside.data()), SolutionStore::kNone);
  EXPECT_EQ(store.find(0.25, x.data()), SolutionStore::kNone);
}

TEST(SolutionStore, WhatIsHeldBelongsToThePoint) {
  SolutionStore store(1, three_blocks());
  const double x = 1.0;
  const std::size_t first = store.find_or_add(0.0, &x);
  store.change_held(7, 0.0, 1.0);
  EXPECT_EQ(store.find(0.0, &x), SolutionStore::kNone);
  const std::size_t second = store.find_or_add(0.0, &x);
  EXPECT_NE(second, first);
  store.change_held(8, 0.0, 1.0);
  store.change_held(7, 1.0, 0.0);
  EXPECT_EQ(store.find(0.0, &x), SolutionStore::kNone);
  store.change_held(8, 1.0, 0.0);
  EXPECT_EQ(store.find(0.0, &x), first);
}

TEST(SolutionStore, TheOldestPointGivesWayAndTakesNothingAlong) {
  SolutionStore store(1, three_blocks());
  constexpr int kMany = 100;
  for (int i = 0; i < kMany; ++i) {
    const double x = i;
    const std::size_t point = store.find_or_add(0.0, &x);
    EXPECT_TRUE(store.known(point, 2).empty());
    store.keep(point, 2, std::array{10.0 * x});
  }
  const double first = 0.0;
  const double last = kMany - 1;
  EXPECT_EQ(store.find(0.0, &first), SolutionStore::kNone);
  ASSERT_NE(store.find(0.0, &last), SolutionStore::kNone);
  EXPECT_EQ(store.known(store.find(0.0, &last), 2)[0], 10.0 * last);
}

TEST(SolutionStore, PointsOfADroppedStepAreForgotten) {
  SolutionStore store(1, three_blocks());
  const std::array x{0.0, 1.0, 2.0, 3.0};
  const std::size_t kept = store.find_or_add(0.0, &x[0]);
  store.keep(kept, 2, std::array{5.0});
  store.keep_points();
  (void)store.find_or_add(0.0, &x[1]);
  (void)store.find_or_add(0.0, &x[2]);
  store.drop_points();
  EXPECT_EQ(store.find(0.0, &x[0]), kept);
  EXPECT_EQ(store.find(0.0, &x[1]), SolutionStore::kNone);
  EXPECT_EQ(store.find(0.0, &x[2]), SolutionStore::kNone);
  (void)store.find_or_add(0.0, &x[3]);
  store.keep_points();
  store.drop_points();
  EXPECT_NE(store.find(0.0, &x[3]), SolutionStore::kNone);
}

// z³ = x in two sequences over the same block: what one has solved the other has at once, unless it may only look.
TEST(SolutionStore, SequencesOfOneModeShareTheirBlocks) {
  test::ModelBuilder builder;
  const VariableId x = builder.variable("x");
  const VariableId z = builder.variable("z");
  expr::Graph& g = builder.g();
  const NodeId z_node = g.variable(z, 0);
  structure::Block block;
  block.kind = structure::Block::Kind::nonlinear;
  block.unknowns = {{.variable = z, .order = 0}};
  block.residual = {g.subtract(g.multiply(z_node, g.multiply(z_node, z_node)), g.variable(x, 0))};
  block.matrix = {{0, 0, g.multiply(g.constant(3.0), g.multiply(z_node, z_node))}};
  const structure::Unknown state{.variable = x, .order = 0};
  const BlockSequence sequence(
      std::make_shared<const SequenceCode>(g, SequenceRequest{.blocks = {&block, 1},
                                                              .states = {&state, 1},
                                                              .outputs = {&z_node, 1},
                                                              .n_frozen_inputs = 0,
                                                              .bindings = {},
                                                              .n_held = 0}),
      {}, [](const structure::Unknown&) { return UnknownScale{.guess = 1.0}; });
  SolutionStore store(1, {&block, 1});
  SequenceRunner first(sequence);
  SequenceRunner second(sequence);
  first.share(store, true);
  second.share(store, false);
  const double eight = 8.0;
  const double one = 1.0;
  double root = 0.0;
  ASSERT_TRUE(second.run(0.0, &eight, &root).ok());
  EXPECT_NEAR(root, 2.0, 1e-15);
  EXPECT_EQ(store.find(0.0, &eight), SolutionStore::kNone) << "it only looks";
  const std::size_t point = store.find_or_add(0.0, &one);
  store.keep(point, 0, std::array{-7.0});  // no solution: whoever gives it has it from the store
  ASSERT_TRUE(second.run(0.0, &one, &root).ok());
  EXPECT_EQ(root, -7.0);
  ASSERT_TRUE(first.run(0.0, &eight, &root).ok());
  ASSERT_NE(store.find(0.0, &eight), SolutionStore::kNone);
  EXPECT_EQ(store.known(store.find(0.0, &eight), 0)[0], root);
}

}  // namespace
}  // namespace saltus::program
