#include "program/vm/interpreter.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "program/vm/slab_compiler.hpp"
#include "random_graph.hpp"

namespace saltus::program {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Interpreter, WideRunEqualsTheRunAtOnePointBitForBit) {
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    const test::RandomModel m = test::random_model(seed);
    LeafBindings bindings;
    for (int i = 0; i < m.n_states; ++i) {
      bindings.bind_variable(VariableId(static_cast<std::size_t>(i)), 0,
                             {Binding::Kind::state, static_cast<std::uint32_t>(i)});
    }
    for (int i = 0; i < m.n_conditions; ++i) {
      bindings.bind_condition(ConditionId(static_cast<std::size_t>(i)),
                              {Binding::Kind::input, static_cast<std::uint32_t>(1 + i)});
    }
    const SlabProgram program = compile_program(m.graph, bindings,
                                                {.n_states = static_cast<std::uint32_t>(m.n_states),
                                                 .n_inputs = static_cast<std::uint32_t>(1 + m.n_conditions),
                                                 .n_parameters = static_cast<std::uint32_t>(m.n_parameters),
                                                 .parts = {{.roots = m.roots}}});
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-3.0, 3.0);
    std::vector<double> p(program.n_parameters);
    for (double& v : p) v = uniform(random);
    std::vector<double> x(program.n_states * kLanes);
    for (double& v : x) v = uniform(random);
    std::vector<double> registers(program.n_registers * kLanes);
    for (std::size_t i = 0; i < program.n_inputs * kLanes; ++i) {
      registers[i] = static_cast<double>(random() % 5) / 4.0;  // blended conditions too
    }
    const std::vector<double> inputs(
        registers.begin(), registers.begin() + static_cast<std::ptrdiff_t>(program.n_inputs * kLanes));
    const std::vector<double> frozen = freeze(program, p);
    const std::vector<double> frozen_wide = replicate(frozen, kLanes);
    std::vector<double> out(m.roots.size() * kLanes);
    run_part_wide(program, 1, {registers.data(), x.data(), out.data(), frozen_wide.data()});
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::vector<double> one_x(program.n_states);
      std::vector<double> one_registers(program.n_registers);
      std::vector<double> one_out(m.roots.size());
      for (std::size_t i = 0; i < one_x.size(); ++i) one_x[i] = x[i * kLanes + lane];
      for (std::size_t i = 0; i < program.n_inputs; ++i) one_registers[i] = inputs[i * kLanes + lane];
      run_part(program, 1, {one_registers.data(), one_x.data(), one_out.data(), frozen.data()});
      for (std::size_t i = 0; i < one_out.size(); ++i) {
        const double wide = out[i * kLanes + lane];
        ASSERT_TRUE(std::bit_cast<std::uint64_t>(wide) == std::bit_cast<std::uint64_t>(one_out[i]) ||
                    (std::isnan(wide) && std::isnan(one_out[i])))
            << "seed " << seed << " output " << i << " lane " << lane;
      }
    }
  }
}

TEST(Interpreter, SelectDoesNotLeakTheOtherSide) {
  expr::Graph g;
  const NodeId c = g.condition(ConditionId(0U));
  const NodeId x = g.variable(VariableId(0U));
  const NodeId y = g.variable(VariableId(1U));
  LeafBindings bindings;
  bindings.bind_condition(ConditionId(0U), {Binding::Kind::input, 1});
  bindings.bind_variable(VariableId(0U), 0, {Binding::Kind::state, 0});
  bindings.bind_variable(VariableId(1U), 0, {Binding::Kind::state, 1});
  const SlabProgram program = compile_program(
      g, bindings,
      {.n_states = 2, .n_inputs = 2, .parts = {{.roots = {g.select(c, g.unary(expr::Op::sqrt, x), y)}}}});
  const std::vector<double> frozen = freeze(program, {});
  std::vector<double> registers(program.n_registers);
  double out = 0.0;
  for (const double bad : {-1.0, kNan, -kInfinity}) {
    registers[1] = 0.0;
    const double left_bad[2] = {bad, 5.0};
    run_part(program, 1, {registers.data(), left_bad, &out, frozen.data()});
    EXPECT_EQ(out, 5.0);
    registers[1] = 1.0;
    const double right_bad[2] = {9.0, bad};
    run_part(program, 1, {registers.data(), right_bad, &out, frozen.data()});
    EXPECT_EQ(out, 3.0);
  }
}

TEST(Interpreter, NegativeAndLargeStridesAndGathers) {
  // Reversal, every third element, and a permutation without runs.
  const int n = 48;
  expr::Graph g;
  LeafBindings bindings;
  const auto x = [&](int i) { return g.variable(VariableId(static_cast<std::size_t>(i))); };
  for (int i = 0; i < n; ++i) {
    bindings.bind_variable(VariableId(static_cast<std::size_t>(i)), 0,
                           {Binding::Kind::state, static_cast<std::uint32_t>(i)});
  }
  std::vector<NodeId> roots;
  for (int i = 0; i < 16; ++i) roots.push_back(g.unary(expr::Op::negate, x(n - 1 - i)));
  for (int i = 0; i < 16; ++i) roots.push_back(g.unary(expr::Op::cos, x(3 * i)));
  for (int i = 0; i < 16; ++i) roots.push_back(g.multiply(x((i * i * 7 + 3 * i) % 47), x((i * 29) % 48)));
  const SlabProgram program = compile_program(g, bindings, {.n_states = 48, .parts = {{.roots = roots}}});
  int n_gathers = 0;
  for (const Instruction& i : program.code) n_gathers += i.op == SlabOp::gather ? 1 : 0;
  EXPECT_GE(n_gathers, 1);
  EXPECT_LE(program.code.size(), 6U);
  std::vector<double> values(48);
  for (int i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = 0.1 * i + 1.0;
  std::vector<double> out(48);
  std::vector<double> registers(program.n_registers);
  run_part(program, 1, {registers.data(), values.data(), out.data(), nullptr});
  const auto v = [&](int i) { return values[static_cast<std::size_t>(i)]; };
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(i)], -v(n - 1 - i));
    EXPECT_EQ(out[static_cast<std::size_t>(16 + i)], std::cos(v(3 * i)));
    EXPECT_EQ(out[static_cast<std::size_t>(32 + i)], v((i * i * 7 + 3 * i) % 47) * v((i * 29) % 48));
  }
}

}  // namespace
}  // namespace saltus::program
