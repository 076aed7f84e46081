#include "program/blocks/sequence_tangent.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace saltus::program {
namespace {

using structure::Block;
using structure::Unknown;
using Status = system::Evaluation::Status;

// States x₀ and x₁, a parameter p, time, and one implicit block over variables from number 2 on.
class OneBlock {
 public:
  expr::Graph g;
  NodeId x = g.variable(VariableId(0U));
  NodeId y = g.variable(VariableId(1U));
  NodeId p = g.parameter(ParameterId(0U));
  Block block;
  std::vector<NodeId> outputs;

  NodeId unknown(std::size_t number) {
    block.unknowns.push_back({.variable = VariableId(2 + number), .order = 0});
    return g.variable(VariableId(2 + number));
  }

  // Tangents of the outputs in two directions, x, y, t and p moving by `moves` [quantity][direction].
  system::Evaluation run(std::vector<double> at, double parameter, std::vector<double> solution,
                         const std::vector<double>& moves, bool solves = true) {
    const Unknown states[2] = {{.variable = VariableId(0U), .order = 0},
                               {.variable = VariableId(1U), .order = 0}};
    const auto code = std::make_shared<const SequenceCode>(g, SequenceRequest{.blocks = {&block, 1},
                                                                              .states = states,
                                                                              .outputs = outputs,
                                                                              .n_frozen_inputs = 1,
                                                                              .bindings = {}});
    const BlockSequence sequence(code, {&parameter, 1}, [](const Unknown&) { return UnknownScale{}; });
    SequenceRunner runner(sequence, solution);
    const double t = 0.3;
    std::vector<double> from_runner(outputs.size());
    if (solves) {
      EXPECT_TRUE(runner.run(t, at.data(), from_runner.data()).ok());
    }
    SequenceTangents sequence_tangents(sequence, std::span(moves).subspan(6, 2), 2);
    values.assign(outputs.size(), 0.0);
    tangents.assign(outputs.size() * 2, 0.0);
    const system::Evaluation evaluation = sequence_tangents.run(
        runner, t, at.data(), {std::span(moves).subspan(4, 2), moves.data()}, values.data(), tangents.data());
    if (solves) {
      EXPECT_EQ(values, from_runner);
    }
    return evaluation;
  }
  std::vector<double> values;
  std::vector<double> tangents;
};

// (2 + x)·a + y·b = t, a + p·b = x: outputs a, b and a·b.
TEST(SequenceTangents, LinearBlock) {
  OneBlock s;
  const NodeId a = s.unknown(0);
  const NodeId b = s.unknown(1);
  s.block.kind = Block::Kind::linear;
  s.block.matrix = {
      {0, 0, s.g.add(s.g.constant(2.0), s.x)}, {0, 1, s.y}, {1, 0, s.g.constant(1.0)}, {1, 1, s.p}};
  s.block.right_side = {s.g.time(), s.x};
  s.outputs = {a, b, s.g.multiply(a, b)};
  const double x = 0.7;
  const double y = -0.4;
  const double p = 1.5;
  const double t = 0.3;
  ASSERT_TRUE(s.run({x, y}, p, {}, {1.0, 0.2, 0.5, -1.0, 0.3, 2.0, -0.7, 0.4}).ok());
  // By Cramer's rule, with the quotient rule.
  const double det = (2 + x) * p - y;
  const double directions[2][4] = {{1.0, 0.5, 0.3, -0.7}, {0.2, -1.0, 2.0, 0.4}};
  for (std::size_t k = 0; k < 2; ++k) {
    const auto [dx, dy, dt, dp] = directions[k];
    const double ddet = dx * p + (2 + x) * dp - dy;
    const double over_a = t * p - y * x;
    const double over_b = (2 + x) * x - t;
    const double da = (dt * p + t * dp - dy * x - y * dx) / det - over_a * ddet / (det * det);
    const double db = (dx * x + (2 + x) * dx - dt) / det - over_b * ddet / (det * det);
    EXPECT_NEAR(s.tangents[0 + k], da, 1e-15);
    EXPECT_NEAR(s.tangents[2 + k], db, 1e-15);
    EXPECT_NEAR(s.tangents[4 + k], da * over_b / det + over_a / det * db, 1e-15);
  }
}

// a - sin(x·y)·(…) is needed before the iteration and behind it: what the block shares with later parts has its tangents too.
TEST(SequenceTangents, NonlinearBlock) {
  OneBlock s;
  const NodeId a = s.unknown(0);
  const NodeId shared = s.g.unary(expr::Op::sin, s.g.multiply(s.x, s.y));
  s.block.kind = Block::Kind::nonlinear;
  // a³ + p·a = sin(x·y) + t
  const NodeId cube = s.g.power(a, s.g.constant(3.0));
  s.block.residual = {s.g.subtract(s.g.add(cube, s.g.multiply(s.p, a)), s.g.add(shared, s.g.time()))};
  s.block.matrix = {{0, 0, s.g.add(s.g.multiply(s.g.constant(3.0), s.g.power(a, s.g.constant(2.0))), s.p)}};
  s.outputs = {a, s.g.multiply(shared, a), cube};
  const double x = 0.7;
  const double y = 1.4;
  const double p = 1.5;
  ASSERT_TRUE(s.run({x, y}, p, {}, {1.0, 0.2, 0.5, -1.0, 0.3, 2.0, -0.7, 0.4}).ok());
  const double z = s.values[0];
  const double directions[2][4] = {{1.0, 0.5, 0.3, -0.7}, {0.2, -1.0, 2.0, 0.4}};
  for (std::size_t k = 0; k < 2; ++k) {
    const auto [dx, dy, dt, dp] = directions[k];
    const double dshared = std::cos(x * y) * (dx * y + x * dy);
    const double da = (dshared + dt - dp * z) / (3 * z * z + p);
    EXPECT_NEAR(s.tangents[0 + k], da, 1e-15);
    EXPECT_NEAR(s.tangents[2 + k], dshared * z + std::sin(x * y) * da, 1e-15);
    EXPECT_NEAR(s.tangents[4 + k], 3 * z * z * da, 1e-15);
  }
}

// a² = x at x = 0 has no derivative, unless x rests.
TEST(SequenceTangents, Fold) {
  OneBlock s;
  const NodeId a = s.unknown(0);
  s.block.kind = Block::Kind::nonlinear;
  s.block.residual = {s.g.subtract(s.g.power(a, s.g.constant(2.0)), s.x)};
  s.block.matrix = {{0, 0, s.g.multiply(s.g.constant(2.0), a)}};
  s.outputs = {s.g.add(a, s.y)};
  const system::Evaluation evaluation = s.run({0.0, 1.0}, 1.0, {0.0}, {0, 1, 0, 0, 0, 0, 0, 0}, false);
  EXPECT_EQ(evaluation.status, Status::singular_block);
  EXPECT_EQ(evaluation.culprit, 0);
  ASSERT_TRUE(s.run({0.0, 1.0}, 1.0, {0.0}, {0, 0, 3, 4, 0, 0, 0, 0}, false).ok());
  EXPECT_EQ(s.tangents, (std::vector<double>{3.0, 4.0}));
  // The other root.
  ASSERT_TRUE(s.run({4.0, 1.0}, 1.0, {-2.0}, {1, 0, 0, 0, 0, 0, 0, 0}).ok());
  EXPECT_EQ(s.tangents, (std::vector<double>{-0.25, 0.0}));
}

// A tangent that is not finite reaches what depends on it, in its direction, and nothing else.
TEST(SequenceTangents, WhatIsNotFinite) {
  OneBlock s;
  const NodeId a = s.unknown(0);
  s.block.kind = Block::Kind::linear;
  s.block.matrix = {{0, 0, s.g.constant(3.0)}};
  s.block.right_side = {s.g.unary(expr::Op::sqrt, s.x)};
  s.outputs = {a, s.y};
  ASSERT_TRUE(s.run({0.0, 1.0}, 1.0, {}, {0, 1, 2, 3, 0, 0, 0, 0}).ok());
  EXPECT_EQ(s.tangents[0], 0.0);
  EXPECT_FALSE(std::isfinite(s.tangents[1]));
  EXPECT_EQ(s.tangents[2], 2.0);
  EXPECT_EQ(s.tangents[3], 3.0);
}

// A chain of unknowns long enough for a sparse factorisation: aᵢ₋₁ - (2 + x)·aᵢ + aᵢ₊₁ = y.
TEST(SequenceTangents, SparseBlock) {
  OneBlock s;
  const int n = 60;
  std::vector<NodeId> unknowns;
  for (int i = 0; i < n; ++i) unknowns.push_back(s.unknown(static_cast<std::size_t>(i)));
  s.block.kind = Block::Kind::linear;
  for (int i = 0; i < n; ++i) {
    if (i > 0) s.block.matrix.push_back({i, i - 1, s.g.constant(1.0)});
    s.block.matrix.push_back({i, i, s.g.negate(s.g.add(s.g.constant(2.0), s.x))});
    if (i + 1 < n) s.block.matrix.push_back({i, i + 1, s.g.constant(1.0)});
    s.block.right_side.push_back(s.y);
  }
  s.outputs = unknowns;
  ASSERT_TRUE(s.run({0.5, 1.0}, 1.0, {}, {1, 0, 0, 1, 0, 0, 0, 0}).ok());
  const std::vector<double> along_x = s.tangents;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    // Linear in y; along x the residual of A·ȧ = a.
    EXPECT_NEAR(s.tangents[2 * i + 1], s.values[i], 1e-14);
    const double left = i > 0 ? along_x[2 * i - 2] : 0.0;
    const double right = i + 1 < static_cast<std::size_t>(n) ? along_x[2 * i + 2] : 0.0;
    EXPECT_NEAR(left - 2.5 * along_x[2 * i] + right, s.values[i], 1e-14);
  }
}

}  // namespace
}  // namespace saltus::program
