// Random graphs with loops in them, for tests of programs.
#pragma once

#include <random>
#include <vector>

#include "expr/graph.hpp"

namespace saltus::program::test {

struct RandomModel {
  expr::Graph graph;
  int n_states = 0;
  int n_parameters = 0;
  int n_conditions = 0;
  std::vector<NodeId> roots;
};

/// One expression over states k, k+shift, …, parameters, constants, time and conditions; the same seed gives
/// the same expression with other subscripts.
inline NodeId random_body(expr::Graph& g, std::uint32_t seed, int k, const RandomModel& m) {
  using expr::Op;
  std::mt19937 random(seed);
  const auto pick = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<NodeId> pool;
  const auto state = [&](int shift) {
    return g.variable(VariableId(static_cast<std::size_t>((k + shift) % m.n_states)));
  };
  for (int i = 0; i < 3; ++i) {
    pool.push_back(state(pick(3)));
  }
  pool.push_back(g.parameter(ParameterId(static_cast<std::size_t>((k * pick(2)) % m.n_parameters))));
  pool.push_back(g.constant(0.5 + pick(4)));
  pool.push_back(g.time());
  const Op unary[] = {Op::sin, Op::cos,    Op::exp,  Op::sqrt,  Op::log,
                      Op::abs, Op::negate, Op::tanh, Op::floor, Op::sign};
  const Op binary[] = {Op::add,     Op::subtract, Op::multiply, Op::divide, Op::minimum,
                       Op::maximum, Op::atan2,    Op::less,     Op::equal};
  const int n = 3 + pick(15);
  for (int i = 0; i < n; ++i) {
    const NodeId a = pool[static_cast<std::size_t>(pick(static_cast<int>(pool.size())))];
    const NodeId b = pool[static_cast<std::size_t>(pick(static_cast<int>(pool.size())))];
    switch (pick(6)) {
      case 0: pool.push_back(g.unary(unary[pick(10)], a)); break;
      case 1: pool.push_back(g.binary(Op::power_integer, a, g.constant(pick(9) - 4))); break;
      case 2:
        pool.push_back(
            g.select(g.condition(ConditionId(static_cast<std::size_t>(k % m.n_conditions))), a, b));
        break;
      default: pool.push_back(g.binary(binary[pick(9)], a, b));
    }
  }
  return pool.back();
}

inline RandomModel random_model(std::uint32_t seed) {
  std::mt19937 random(seed);
  RandomModel m;
  m.n_states = 4 + static_cast<int>(random() % 30);
  m.n_parameters = 1 + static_cast<int>(random() % 5);
  m.n_conditions = 1 + static_cast<int>(random() % 3);
  const int n_loops = 1 + static_cast<int>(random() % 4);
  for (int loop = 0; loop < n_loops; ++loop) {
    const auto body = static_cast<std::uint32_t>(random());
    for (int k = 0; k < m.n_states; ++k) {
      m.roots.push_back(random_body(m.graph, body, k, m));
    }
  }
  m.roots.push_back(m.roots.front());                     // one value, two outputs
  m.roots.push_back(m.graph.variable(VariableId(0U)));    // a leaf
  m.roots.push_back(m.graph.parameter(ParameterId(0U)));  // a parameter
  m.roots.push_back(m.graph.constant(42.0));
  return m;
}

}  // namespace saltus::program::test
