#include "program/blocks/sequence_pullback.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dot_product.hpp"
#include "program/blocks/sequence_tangent.hpp"
#include "support/allocation_guard.hpp"

namespace saltus::program {
namespace {

using structure::Block;
using structure::Unknown;
using test::DotProduct;
using test::draw;
using Status = system::Evaluation::Status;

constexpr double kTime = 0.3;

// States x and y, parameters p and q, time, and implicit blocks over variables from number 2 on.
class Blocks {
 public:
  expr::Graph g;
  NodeId x = g.variable(VariableId(0U));
  NodeId y = g.variable(VariableId(1U));
  NodeId p = g.parameter(ParameterId(0U));
  NodeId q = g.parameter(ParameterId(1U));
  std::vector<Block> blocks;
  std::vector<NodeId> outputs;

  Block& add(Block::Kind kind) {
    blocks.emplace_back().kind = kind;
    return blocks.back();
  }
  NodeId unknown() {
    blocks.back().unknowns.push_back({.variable = VariableId(2 + n_unknowns_), .order = 0});
    return g.variable(VariableId(2 + n_unknowns_++));
  }
  NodeId c(double value) { return g.constant(value); }

  void compile(std::vector<double> parameters, std::vector<double> solution = {}) {
    const Unknown states[2] = {{.variable = VariableId(0U), .order = 0},
                               {.variable = VariableId(1U), .order = 0}};
    const auto code = std::make_shared<const SequenceCode>(
        g, SequenceRequest{
               .blocks = blocks, .states = states, .outputs = outputs, .n_frozen_inputs = 2, .bindings = {}});
    sequence =
        std::make_unique<BlockSequence>(code, parameters, [](const Unknown&) { return UnknownScale{}; });
    runner = std::make_unique<SequenceRunner>(*sequence, solution);
    pullback = std::make_unique<SequencePullback>(*sequence, std::span<const ParameterId>());
  }
  [[nodiscard]] bool solve(const std::vector<double>& at) const {
    std::vector<double> values(outputs.size());
    return runner->run(kTime, at.data(), values.data()).ok();
  }
  system::Evaluation pull(const std::vector<double>& at, const std::vector<double>& weights) const {
    return pullback->run(*runner, kTime, at.data(), weights);
  }

  std::unique_ptr<BlockSequence> sequence;
  std::unique_ptr<SequenceRunner> runner;
  std::unique_ptr<SequencePullback> pullback;

 private:
  std::size_t n_unknowns_ = 0;
};

// In random directions with random weights, several times.
void expect_transpose(const Blocks& s, const std::vector<double>& at) {
  constexpr std::size_t kDirections = 3;
  ASSERT_TRUE(s.solve(at));
  std::mt19937 random(5);
  for (int repetition = 0; repetition < 3; ++repetition) {
    const std::vector<double> x_moves = draw(2 * kDirections, random);
    const std::vector<double> t_moves = draw(kDirections, random);
    const std::vector<double> p_moves = draw(2 * kDirections, random);
    const std::vector<double> weights = draw(s.outputs.size(), random);
    SequenceTangents tangents(*s.sequence, p_moves, kDirections);
    std::vector<double> values(s.outputs.size());
    std::vector<double> found(s.outputs.size() * kDirections);
    ASSERT_TRUE(
        tangents.run(*s.runner, kTime, at.data(), {t_moves, x_moves.data()}, values.data(), found.data())
            .ok());
    const saltus::test::AllocationGuard guard;
    ASSERT_TRUE(s.pull(at, weights).ok());
    EXPECT_TRUE(guard.count() == 0 || repetition == 0);  // a sparse factorisation begins with its first one
    EXPECT_EQ(std::vector<double>(s.pullback->outputs().begin(), s.pullback->outputs().end()), values);
    std::vector<double> share(s.pullback->program().share_size());
    std::vector<double> parameters(2);
    s.pullback->program().add_share(share);
    s.pullback->to_parameters(share, parameters);
    for (std::size_t k = 0; k < kDirections; ++k) {
      DotProduct forward;
      DotProduct back;
      forward.add(weights, found, kDirections, k);
      back.add(s.pullback->time(), t_moves[k]);
      back.add(s.pullback->states(), x_moves, kDirections, k);
      back.add(parameters, p_moves, kDirections, k);
      test::expect_equal(forward, back, 1e-14, "direction " + std::to_string(k));
    }
  }
}

// (2 + x)·a + y·b = t, a + p·b = x: outputs a, b and a·b; then a nonlinear block over a, and a linear one over both.
TEST(SequencePullback, LinearAndNonlinearBlocksInTurn) {
  Blocks s;
  const NodeId t = s.g.time();
  s.add(Block::Kind::linear);
  const NodeId a = s.unknown();
  const NodeId b = s.unknown();
  const NodeId shared = s.g.multiply(s.y, s.g.unary(expr::Op::sin, s.p));
  s.blocks.back().matrix = {{0, 0, s.g.add(s.c(2.0), s.x)}, {0, 1, shared}, {1, 0, s.c(1.0)}, {1, 1, s.p}};
  s.blocks.back().right_side = {s.g.multiply(t, s.q), s.g.multiply(s.x, s.x)};
  s.add(Block::Kind::nonlinear);
  const NodeId z = s.unknown();
  const NodeId cube = s.g.power(z, s.c(3.0));
  s.blocks.back().residual = {
      s.g.subtract(s.g.add(cube, s.g.multiply(s.p, z)), s.g.add(shared, s.g.add(a, t)))};
  s.blocks.back().matrix = {{0, 0, s.g.add(s.g.multiply(s.c(3.0), s.g.power(z, s.c(2.0))), s.p)}};
  s.add(Block::Kind::linear);
  const NodeId e = s.unknown();
  s.blocks.back().matrix = {{0, 0, s.g.add(s.c(3.0), s.g.multiply(z, b))}};
  s.blocks.back().right_side = {s.g.add(cube, shared)};
  s.outputs = {a, s.g.multiply(a, b), s.g.multiply(shared, z), cube, s.g.add(e, s.x), s.p};
  s.compile({1.5, -0.8});
  expect_transpose(s, {0.7, -0.4});
}

// A chain of unknowns long enough for a sparse factorisation, without symmetry: x·aᵢ₋₁ - (2 + x)·aᵢ + p·aᵢ₊₁ = y.
TEST(SequencePullback, SparseBlock) {
  Blocks s;
  const int n = 60;
  s.add(Block::Kind::linear);
  for (int i = 0; i < n; ++i) s.outputs.push_back(s.unknown());
  for (int i = 0; i < n; ++i) {
    if (i > 0) s.blocks.back().matrix.push_back({i, i - 1, s.x});
    s.blocks.back().matrix.push_back({i, i, s.g.negate(s.g.add(s.c(2.0), s.x))});
    if (i + 1 < n) s.blocks.back().matrix.push_back({i, i + 1, s.p});
    s.blocks.back().right_side.push_back(i % 3 == 0 ? s.y : s.g.multiply(s.q, s.g.time()));
  }
  s.compile({0.3, 2.0});
  expect_transpose(s, {0.5, 1.0});
}

// A dense block with pivots away from the diagonal and rows of different sizes.
TEST(SequencePullback, DenseBlockThatNeedsPivots) {
  Blocks s;
  const int n = 12;
  s.add(Block::Kind::nonlinear);
  std::vector<NodeId> z;
  for (int i = 0; i < n; ++i) z.push_back(s.unknown());
  // 10ⁱ⁻⁶·(z_{i+1} + 0.1·sin(z_{i+5}) - x·i - p) = 0
  for (int i = 0; i < n; ++i) {
    const NodeId size = s.c(std::pow(10.0, i - 6));
    const auto first = static_cast<std::size_t>((i + 1) % n);
    const auto second = static_cast<std::size_t>((i + 5) % n);
    const NodeId given = s.g.add(s.g.multiply(s.x, s.c(i)), s.g.multiply(s.p, s.y));
    s.blocks.back().residual.push_back(s.g.multiply(
        size,
        s.g.subtract(s.g.add(z[first], s.g.multiply(s.c(0.1), s.g.unary(expr::Op::sin, z[second]))), given)));
    s.blocks.back().matrix.push_back({i, static_cast<int>(first), size});
    s.blocks.back().matrix.push_back(
        {i, static_cast<int>(second),
         s.g.multiply(size, s.g.multiply(s.c(0.1), s.g.unary(expr::Op::cos, z[second])))});
    s.outputs.push_back(s.g.multiply(z[first], z[second]));
  }
  s.compile({0.3, 2.0});
  expect_transpose(s, {0.5, 1.0});
}

// z² = x at x = 0 has no derivative, unless nobody asks for z.
TEST(SequencePullback, Fold) {
  Blocks s;
  s.add(Block::Kind::nonlinear);
  const NodeId z = s.unknown();
  s.blocks.back().residual = {s.g.subtract(s.g.power(z, s.c(2.0)), s.x)};
  s.blocks.back().matrix = {{0, 0, s.g.multiply(s.c(2.0), z)}};
  s.outputs = {z, s.y};
  s.compile({1.0, 1.0}, {0.0});
  const std::vector<double> at = {0.0, 1.0};
  const system::Evaluation evaluation = s.pull(at, {1.0, 2.0});
  EXPECT_EQ(evaluation.status, Status::singular_block);
  EXPECT_EQ(evaluation.culprit, 0);
  // What was broken off leaves nothing behind.
  ASSERT_TRUE(s.pull(at, {0.0, 2.0}).ok());
  EXPECT_EQ(s.pullback->states()[0], 0.0);
  EXPECT_EQ(s.pullback->states()[1], 2.0);
  // The other root.
  s.compile({1.0, 1.0}, {-2.0});
  ASSERT_TRUE(s.solve({4.0, 1.0}));
  ASSERT_TRUE(s.pull({4.0, 1.0}, {1.0, 0.0}).ok());
  EXPECT_EQ(s.pullback->states()[0], -0.25);
}

// What is broken off at a block leaves cotangents in registers that were to be passed before it: the next one begins without them.
TEST(SequencePullback, WhatWasBrokenOffLeavesNothingBehind) {
  Blocks s;
  const NodeId shared = s.g.unary(expr::Op::sin, s.g.multiply(s.x, s.y));
  s.add(Block::Kind::linear);
  const NodeId a = s.unknown();
  s.blocks.back().matrix = {{0, 0, s.g.add(s.c(2.0), shared)}};
  s.blocks.back().right_side = {s.y};
  s.add(Block::Kind::nonlinear);
  const NodeId z = s.unknown();
  s.blocks.back().residual = {s.g.subtract(s.g.power(z, s.c(2.0)), s.g.multiply(s.x, a))};
  s.blocks.back().matrix = {{0, 0, s.g.multiply(s.c(2.0), z)}};
  s.outputs = {s.g.add(z, s.g.multiply(shared, s.p)), s.x};
  s.compile({3.0, 1.0}, {0.5, 0.0});
  const std::vector<double> at = {0.0, 1.0};
  EXPECT_EQ(s.pull(at, {1.0, 0.0}).status, Status::singular_block);
  ASSERT_TRUE(s.pull(at, {0.0, 2.0}).ok());
  EXPECT_EQ(std::vector<double>(s.pullback->states().begin(), s.pullback->states().end()),
            (std::vector<double>{2.0, 0.0}));
  EXPECT_EQ(s.pullback->time(), 0.0);
}

// What is not finite reaches what it depends on, and nothing if it has no weight.
TEST(SequencePullback, WhatIsNotFinite) {
  Blocks s;
  s.add(Block::Kind::linear);
  const NodeId a = s.unknown();
  s.blocks.back().matrix = {{0, 0, s.c(3.0)}};
  s.blocks.back().right_side = {s.g.unary(expr::Op::sqrt, s.x)};
  s.outputs = {a, s.y};
  s.compile({1.0, 1.0});
  const std::vector<double> at = {0.0, 1.0};
  ASSERT_TRUE(s.solve(at));
  ASSERT_TRUE(s.pull(at, {1.0, 2.0}).ok());
  EXPECT_FALSE(std::isfinite(s.pullback->states()[0]));
  EXPECT_EQ(s.pullback->states()[1], 2.0);
  ASSERT_TRUE(s.pull(at, {0.0, 2.0}).ok());
  EXPECT_EQ(s.pullback->states()[0], 0.0);
}

// Constants have no share, and parameters that the code does not read get nothing.
TEST(SequencePullback, Shares) {
  Blocks s;
  const NodeId steep = s.g.unary(expr::Op::sqrt, s.g.binary(expr::Op::maximum, s.x, s.c(0.0)));
  const NodeId frozen = s.g.multiply(s.g.unary(expr::Op::exp, s.p), s.g.add(s.p, s.q));
  s.outputs = {steep, s.g.multiply(frozen, s.x), s.g.multiply(s.q, s.y)};
  s.compile({0.5, 2.0});
  // sqrt is infinitely steep at the constant, which is the larger one.
  const std::vector<double> at = {-3.0, 1.5};
  ASSERT_TRUE(s.pull(at, {1.0, 2.0, 4.0}).ok());
  EXPECT_TRUE(s.pullback->program().has_finite_share());
  std::vector<double> share(s.pullback->program().share_size());
  s.pullback->program().add_share(share);
  s.pullback->program().add_share(share);
  std::vector<double> parameters = {100.0, 200.0};
  s.pullback->to_parameters(share, parameters);
  const double e = std::exp(0.5);
  EXPECT_NEAR(parameters[0], 100.0 + 2.0 * 2.0 * -3.0 * (e * 2.5 + e), 1e-12);
  EXPECT_NEAR(parameters[1], 200.0 + 2.0 * (2.0 * -3.0 * e + 4.0 * 1.5), 1e-12);

  const ParameterId zero(0U);
  SequencePullback without(*s.sequence, {&zero, 1});
  EXPECT_LT(without.program().share_size(), share.size());
  ASSERT_TRUE(without.run(*s.runner, kTime, at.data(), std::vector<double>{1.0, 2.0, 4.0}).ok());
  std::vector<double> other_share(without.program().share_size());
  without.program().add_share(other_share);
  parameters = {100.0, 200.0};
  without.to_parameters(other_share, parameters);
  EXPECT_EQ(parameters[0], 100.0);
  EXPECT_NEAR(parameters[1], 200.0 + 2.0 * -3.0 * e + 4.0 * 1.5, 1e-12);
}

}  // namespace
}  // namespace saltus::program
