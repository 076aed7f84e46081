#include "support/oracle/instants/discrete_model.hpp"

namespace saltus::test::instants {

std::size_t DiscreteModel::node(const Node& wanted) {
  const Key key{wanted.op, wanted.value, wanted.which, wanted.a, wanted.b, wanted.c, wanted.is_literal};
  const auto [place, is_new] = places_.try_emplace(key, nodes.size());
  if (is_new) {
    nodes.push_back(wanted);
  }
  return place->second;
}

std::size_t DiscreteModel::variable(const std::string& name) const {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].name == name) {
      return i;
    }
  }
  throw Unsupported("no variable " + name);
}

bool DiscreteModel::moves(std::size_t place) const {
  const Node& node = nodes[place];
  switch (node.op) {
    case Op::number:
    case Op::pre:
    case Op::initial:
    case Op::sample: return false;
    case Op::time: return true;
    case Op::variable: return variables[node.which].role != Role::discrete;
    // Their values are held.
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::floor: return false;
    case Op::sine:
    case Op::cosine:
    case Op::exponential:
    case Op::logical_not: return moves(node.a);
    case Op::select: return moves(node.a) || moves(node.b) || moves(node.c);
    default: return moves(node.a) || moves(node.b);
  }
}

}  // namespace saltus::test::instants
