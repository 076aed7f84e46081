#include "flat/angles.hpp"

#include <array>
#include <numbers>

namespace saltus::flat {

using expr::Op;
using Kind = Condition::Kind;

namespace {

// A relation with zero: held between events, or decided by parameters and constants.
bool is_relation(const Model& model, expr::Graph& scratch, GuardCanonicalizer& canonicalizer, NodeId relation,
                 NodeId argument, Kind kind) {
  const NodeId zero = scratch.constant(0.0);
  const expr::Node leaf = scratch[relation];
  if (leaf.op != Op::condition) {
    return kind == Kind::less_equal && scratch.binary(Op::less_equal, argument, zero) == relation;
  }
  const Condition& condition = model.conditions[leaf.first];
  const CanonicalGuard guard = canonicalizer.canonical(argument, zero);
  const Kind mirrored = kind == Kind::less_equal ? Kind::greater_equal : Kind::less_equal;
  return condition.guard.valid() && model[condition.guard].expression == guard.expression &&
         condition.kind == (guard.flipped ? mirrored : kind);
}

// Of atan2(-y, -x), what atan2 is taken of.
Angle opposite_of(expr::Graph& scratch, const expr::Node& atan2) {
  return {scratch.negate(NodeId(atan2.first)), scratch.negate(NodeId(atan2.second))};
}

}  // namespace

bool meets_cut(const expr::Graph& graph, NodeId x) {
  return graph[x].op != Op::constant || !(graph[x].value > 0.0);
}

NodeId side_of_cut(expr::Graph& graph, const Angle& angle, NodeId behind) {
  return graph.select(behind, angle.y, graph.add(angle.y, angle.x));
}

NodeId angle_of(expr::Graph& graph, const Angle& angle, NodeId behind, NodeId above) {
  const NodeId pi = graph.constant(std::numbers::pi);
  const NodeId half_turn = graph.select(above, pi, graph.constant(-std::numbers::pi));
  const NodeId opposite = graph.binary(Op::atan2, graph.negate(angle.y), graph.negate(angle.x));
  const NodeId turned = graph.add(opposite, half_turn);
  return graph.select(behind, turned, graph.binary(Op::atan2, angle.y, angle.x));
}

std::optional<Angle> find_angle(const Model& model, expr::Graph& scratch, GuardCanonicalizer& canonicalizer,
                                NodeId node) {
  const expr::Node choice = scratch[node];
  const bool has_ahead = choice.op == Op::select && scratch[NodeId(choice.third)].op == Op::atan2;
  const NodeId turned = has_ahead ? NodeId(choice.second) : node;
  if (scratch[turned].op != Op::add) {
    return std::nullopt;
  }
  const std::array<NodeId, 3> terms = scratch.operands(turned);
  for (const std::size_t k : {0U, 1U}) {
    const expr::Node half_turn = scratch[terms[k]];
    const expr::Node opposite = scratch[terms[1 - k]];
    if (half_turn.op != Op::select || opposite.op != Op::atan2 ||
        scratch[NodeId(half_turn.first)].op != Op::condition) {
      continue;
    }
    const expr::Node ahead = has_ahead ? scratch[NodeId(choice.third)] : expr::Node{};
    const Angle angle =
        has_ahead ? Angle{NodeId(ahead.first), NodeId(ahead.second)} : opposite_of(scratch, opposite);
    const NodeId above(half_turn.first);
    const NodeId behind =
        has_ahead ? NodeId(choice.first) : scratch.binary(Op::less_equal, angle.x, scratch.constant(0.0));
    if (angle_of(scratch, angle, behind, above) == node &&
        is_relation(model, scratch, canonicalizer, behind, angle.x, Kind::less_equal) &&
        is_relation(model, scratch, canonicalizer, above, side_of_cut(scratch, angle, behind),
                    Kind::greater_equal)) {
      return angle;
    }
  }
  return std::nullopt;
}

}  // namespace saltus::flat
