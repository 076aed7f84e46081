#include "program/vm/slab_compiler.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "expr/evaluate.hpp"
#include "program/vm/interpreter.hpp"
#include "random_graph.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

using expr::Graph;
using test::random_model;
using test::RandomModel;

std::uint64_t bits(double value) {
  return std::isnan(value) ? 0x7ff8ULL : std::bit_cast<std::uint64_t>(value);
}

VariableId variable(int i) {
  return VariableId(static_cast<std::size_t>(i));
}

std::vector<double> run_at(const SlabProgram& program, double t, const std::vector<double>& x,
                           const std::vector<double>& inputs, const std::vector<double>& parameters) {
  std::vector<double> registers(program.n_registers);
  registers[0] = t;
  std::copy(inputs.begin(), inputs.end(), registers.begin() + 1);
  const std::vector<double> frozen = freeze(program, parameters);
  std::vector<double> out;
  for (std::size_t s = 0; s < program.parts.size(); ++s) {
    out.assign(program.parts[s].n_outputs, -1.0);
    run_part(program, s, {registers.data(), x.data(), out.data(), frozen.data()});
  }
  return out;
}

// Random programs against the evaluation of nodes one by one, with strips so short that values cross them.
TEST(SlabCompiler, RandomGraphsGiveTheValuesOfTheGraphBitForBit) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    const RandomModel m = random_model(seed);
    LeafBindings bindings;
    for (int i = 0; i < m.n_states; ++i) {
      bindings.bind_variable(variable(i), 0, {Binding::Kind::state, static_cast<std::uint32_t>(i)});
    }
    for (int i = 0; i < m.n_conditions; ++i) {
      bindings.bind_condition(ConditionId(static_cast<std::size_t>(i)),
                              {Binding::Kind::input, static_cast<std::uint32_t>(1 + i)});
    }
    ProgramRequest request{.n_states = static_cast<std::uint32_t>(m.n_states),
                           .n_inputs = static_cast<std::uint32_t>(1 + m.n_conditions),
                           .n_parameters = static_cast<std::uint32_t>(m.n_parameters),
                           .parts = {{.roots = m.roots}}};
    request.limits.strip_nodes = seed % 3 == 0 ? 7 : seed % 3 == 1 ? 40 : 4096;
    const SlabProgram program = compile_program(m.graph, bindings, request);

    std::mt19937 random(seed + 1000);
    std::uniform_real_distribution<double> uniform(-3.0, 3.0);
    std::vector<double> x(static_cast<std::size_t>(m.n_states));
    std::vector<double> p(static_cast<std::size_t>(m.n_parameters));
    std::vector<double> c(static_cast<std::size_t>(m.n_conditions));
    for (double& v : x) v = uniform(random);
    for (double& v : p) v = uniform(random);
    for (double& v : c) v = static_cast<double>(random() % 2);
    const std::vector<double> got = run_at(program, 0.7, x, c, p);
    const std::vector<double> expected =
        expr::evaluate(m.graph, m.roots, {.time = 0.7, .variables = x, .parameters = p, .conditions = c});
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(bits(got[i]), bits(expected[i])) << "seed " << seed << " output " << i;
    }
  }
}

// Conditions and every other variable are held: what depends on nothing else is run once, then the parts at two points, which
// must not overwrite it.
TEST(SlabCompiler, HeldCodeServesSeveralRuns) {
  std::size_t n_held_instructions = 0;
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    const RandomModel m = random_model(seed);
    const auto first_held_variable = static_cast<std::uint32_t>(1 + m.n_conditions);
    const auto n_held = static_cast<std::uint32_t>(m.n_conditions + m.n_states);
    LeafBindings bindings;
    for (int i = 0; i < m.n_states; ++i) {
      const auto place = static_cast<std::uint32_t>(i);
      bindings.bind_variable(variable(i), 0,
                             i % 2 == 0 ? Binding{Binding::Kind::state, place}
                                        : Binding{Binding::Kind::input, first_held_variable + place});
    }
    for (int i = 0; i < m.n_conditions; ++i) {
      bindings.bind_condition(ConditionId(static_cast<std::size_t>(i)),
                              {Binding::Kind::input, static_cast<std::uint32_t>(1 + i)});
    }
    ProgramRequest request{.n_states = static_cast<std::uint32_t>(m.n_states),
                           .n_inputs = 1 + n_held,
                           .n_held = n_held,
                           .n_parameters = static_cast<std::uint32_t>(m.n_parameters),
                           .parts = {{.roots = m.roots}}};
    request.limits.strip_nodes = seed % 2 == 0 ? 7 : 4096;
    const SlabProgram program = compile_program(m.graph, bindings, request);
    n_held_instructions += program.held_code.size();

    std::mt19937 random(seed + 2000);
    std::uniform_real_distribution<double> uniform(-3.0, 3.0);
    std::vector<double> p(static_cast<std::size_t>(m.n_parameters));
    for (double& v : p) v = uniform(random);
    const std::vector<double> frozen = freeze(program, p);
    std::vector<double> registers(program.n_registers);
    std::vector<double> c(static_cast<std::size_t>(m.n_conditions));
    std::vector<double> x(static_cast<std::size_t>(m.n_states));
    for (int run = 0; run < 4; ++run) {
      if (run % 2 == 0) {
        for (double& v : c) v = static_cast<double>(random() % 2);
        for (std::size_t i = 1; i < x.size(); i += 2) x[i] = uniform(random);
        std::copy(c.begin(), c.end(), registers.begin() + 1);
        std::copy(x.begin(), x.end(), registers.begin() + first_held_variable);
        run_code(program.held_code, program.indices.data(),
                 {registers.data(), nullptr, nullptr, frozen.data()});
      }
      for (std::size_t i = 0; i < x.size(); i += 2) x[i] = uniform(random);
      registers[0] = uniform(random);
      std::vector<double> got(m.roots.size());
      run_part(program, 1, {registers.data(), x.data(), got.data(), frozen.data()});
      const std::vector<double> expected = expr::evaluate(
          m.graph, m.roots, {.time = registers[0], .variables = x, .parameters = p, .conditions = c});
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(bits(got[i]), bits(expected[i])) << "seed " << seed << " run " << run << " output " << i;
      }
    }
  }
  EXPECT_GT(n_held_instructions, 500U);
}

struct Chain {
  Graph g;
  std::vector<NodeId> roots;
  LeafBindings bindings;
};

// u'_i = (k(u_{i+1}, u_i)(u_{i+1} - u_i) - k(u_i, u_{i-1})(u_i - u_{i-1}))/h², u_0 and u_{n+1} at rest.
Chain heat_chain(int n) {
  Chain c;
  Graph& g = c.g;
  const NodeId a = g.parameter(ParameterId(0U));
  const NodeId h2 = g.binary(expr::Op::power_integer, g.parameter(ParameterId(1U)), g.constant(2.0));
  const auto u = [&g](int i) { return g.variable(variable(i)); };
  const auto flux = [&](int i, int j) {
    const NodeId k = g.add(g.constant(1.0), g.divide(g.multiply(a, g.add(u(i), u(j))), g.constant(2.0)));
    return g.multiply(k, g.subtract(u(i), u(j)));
  };
  for (int i = 0; i < n; ++i) {
    const bool interior = i > 0 && i < n - 1;
    c.roots.push_back(interior ? g.divide(g.subtract(flux(i + 1, i), flux(i, i - 1)), h2) : g.constant(0.0));
    c.bindings.bind_variable(variable(i), 0, {Binding::Kind::state, static_cast<std::uint32_t>(i)});
  }
  return c;
}

TEST(SlabCompiler, LoopIsRolledUpWhateverItsLength) {
  std::size_t length[2];
  for (const int n : {100, 200}) {
    Chain c = heat_chain(n);
    const SlabProgram program = compile_program(
        c.g, c.bindings,
        {.n_states = static_cast<std::uint32_t>(n), .n_parameters = 2, .parts = {{.roots = c.roots}}});
    length[n == 200 ? 1 : 0] = program.code.size();
    EXPECT_EQ(program.prologue.size(), 1U);  // h² once per set of parameters
  }
  EXPECT_EQ(length[0], length[1]);
  EXPECT_LE(length[0], 10U);  // 8 operations of a body, 2 boundary values
}

TEST(SlabCompiler, WorkingSetOfALongChainIsBoundedByTheStrip) {
  Chain c = heat_chain(20000);
  const SlabProgram program =
      compile_program(c.g, c.bindings, {.n_states = 20000, .n_parameters = 2, .parts = {{.roots = c.roots}}});
  EXPECT_LT(program.n_registers, 6000U);
  EXPECT_LT(program.code.size(), 20000U / 20U);
}

TEST(SlabCompiler, LeafBoundToItsFormulaIsComputedOnce) {
  Graph g;
  const NodeId x = g.variable(variable(0));
  const NodeId z = g.variable(variable(1));
  const NodeId root = g.add(g.unary(expr::Op::sin, z), g.multiply(z, z));  // created before the formula of z
  const NodeId formula = g.unary(expr::Op::exp, g.multiply(x, g.constant(3.0)));
  LeafBindings bindings;
  bindings.bind_variable(variable(0), 0, {Binding::Kind::state, 0});
  bindings.bind_variable(variable(1), 0, {Binding::Kind::node, formula.value()});
  const SlabProgram program = compile_program(g, bindings, {.n_states = 1, .parts = {{.roots = {root, z}}}});
  const std::vector<double> out = run_at(program, 0.0, {0.3}, {}, {});
  const double e = std::exp(0.3 * 3.0);
  EXPECT_EQ(out[0], std::sin(e) + e * e);
  EXPECT_EQ(out[1], e);
  int n_exp = 0;
  for (const Instruction& i : program.code) {
    n_exp += i.op == SlabOp::exp ? 1 : 0;
  }
  EXPECT_EQ(n_exp, 1);
}

TEST(SlabCompiler, UnboundLeafAndCycleOfBindingsAreRefused) {
  Graph g;
  const NodeId x = g.variable(variable(0));
  const NodeId y = g.variable(variable(1));
  LeafBindings bindings;
  EXPECT_THROW((void)compile_program(g, bindings, {.n_states = 1, .parts = {{.roots = {x}}}}),
               ContractViolation);
  bindings.bind_variable(variable(0), 0, {Binding::Kind::node, g.unary(expr::Op::sin, y).value()});
  bindings.bind_variable(variable(1), 0, {Binding::Kind::node, g.unary(expr::Op::cos, x).value()});
  EXPECT_THROW((void)compile_program(g, bindings, {.n_states = 1, .parts = {{.roots = {x}}}}),
               ContractViolation);
}

// Part 1 is run three times with other values of its input; what it reads from part 0 must survive, and
// what it computed from the input must be computed anew by part 2.
TEST(SlabCompiler, IteratedPartCanBeRepeated) {
  Graph g;
  const NodeId x = g.variable(variable(0));
  const NodeId z = g.variable(variable(1));
  const NodeId q = g.unary(expr::Op::sin, x);
  const NodeId qz = g.multiply(q, z);
  const NodeId r0 = g.add(g.unary(expr::Op::exp, q), g.unary(expr::Op::cos, qz));
  const NodeId r1 = g.subtract(g.multiply(qz, qz), g.unary(expr::Op::exp, q));
  LeafBindings bindings;
  bindings.bind_variable(variable(0), 0, {Binding::Kind::state, 0});
  bindings.bind_variable(variable(1), 0, {Binding::Kind::input, 1});
  const SlabProgram program = compile_program(
      g, bindings,
      {.n_states = 1,
       .n_inputs = 2,
       .parts = {{.roots = {q}}, {.roots = {r0, r1}, .iterated_inputs = {1}}, {.roots = {qz, r0}}}});
  ASSERT_EQ(program.parts.size(), 6U);
  std::vector<double> registers(program.n_registers);
  const std::vector<double> frozen = freeze(program, {});
  const double x0 = 0.4;
  double out[2] = {0.0, 0.0};
  const Memory memory{registers.data(), &x0, out, frozen.data()};
  for (const std::size_t s : {0U, 1U, 2U}) {
    run_part(program, s, memory);
  }
  const double sine = std::sin(x0);
  for (const double value : {1.0, -2.0, 5.0}) {
    registers[1] = value;
    run_part(program, 3, memory);
    EXPECT_EQ(out[0], std::exp(sine) + std::cos(sine * value));
    EXPECT_EQ(out[1], sine * value * (sine * value) - std::exp(sine));
  }
  registers[1] = 7.0;  // changed after the last repetition
  run_part(program, 4, memory);
  run_part(program, 5, memory);
  EXPECT_EQ(out[0], sine * 7.0);
  EXPECT_EQ(out[1], std::exp(sine) + std::cos(sine * 7.0));
}

TEST(SlabCompiler, DeepGraphNeedsNoStack) {
  Graph g;
  NodeId node = g.variable(variable(0));
  for (int i = 0; i < 200000; ++i) {
    node = g.unary(expr::Op::sin, g.add(node, g.constant(i + 1)));
  }
  LeafBindings bindings;
  bindings.bind_variable(variable(0), 0, {Binding::Kind::state, 0});
  const SlabProgram program = compile_program(g, bindings, {.n_states = 1, .parts = {{.roots = {node}}}});
  EXPECT_EQ(program.code.size(), 400000U);
  EXPECT_LE(program.n_registers, 4U);
}

}  // namespace
}  // namespace saltus::program
