#include "lang/elaborate/condition_table.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "flat/contacts.hpp"
#include "flat/directions.hpp"
#include "flat/expression_printer.hpp"

namespace saltus::lang {

using flat::Condition;
using Kind = flat::Condition::Kind;

namespace {

/// Conditions whose surface has more nodes than this are named by their place in the text.
constexpr double kMaxNamedSize = 60.0;

Kind mirrored(Kind kind) {
  switch (kind) {
    case Kind::greater: return Kind::less;
    case Kind::greater_equal: return Kind::less_equal;
    case Kind::less: return Kind::greater;
    case Kind::less_equal: return Kind::greater_equal;
    default: return kind;
  }
}

std::string_view relation_sign(Kind kind) {
  switch (kind) {
    case Kind::greater: return " > ";
    case Kind::greater_equal: return " >= ";
    case Kind::less: return " < ";
    default: return " <= ";
  }
}

expr::Op plain_operation(Kind kind) {
  switch (kind) {
    case Kind::floor: return expr::Op::floor;
    case Kind::ceil: return expr::Op::ceil;
    case Kind::truncate: return expr::Op::truncate;
    case Kind::less:
    case Kind::greater: return expr::Op::less;
    default: return expr::Op::less_equal;
  }
}

}  // namespace

bool ConditionTable::is_watched(const Scalar& a, const Scalar& b, Watching watching) {
  const auto is_continuous = [&](const Scalar& s) {
    return !s.known && variability_.of(s.node) == flat::NodeVariability::continuous;
  };
  return watching != Watching::none && (is_continuous(a) || is_continuous(b));
}

GuardId ConditionTable::guard_of(NodeId expression, bool may_create) {
  const auto found = guards_.find(expression.value());
  if (found != guards_.end()) {
    return found->second;
  }
  if (!may_create) {
    return {};
  }
  const GuardId id(model_.guards.size());
  model_.guards.push_back({expression});
  guards_.emplace(expression.value(), id);
  return id;
}

ConditionId ConditionTable::condition_of(Condition condition, const RelationContext& context, Naming naming) {
  const std::uint32_t subject = condition.guard.valid()      ? condition.guard.value()
                                : condition.argument.valid() ? condition.argument.value()
                                                             : 0;
  const std::uint64_t key = (static_cast<std::uint64_t>(condition.kind) << 32U) | subject;
  const auto found = conditions_.find(key);
  if (found != conditions_.end()) {
    Condition& known = model_.conditions[found->second.index()];
    known.continuity = std::min(known.continuity, context.continuity);
    known.kink = known.continuity >= 0;
    return found->second;
  }
  const ConditionId id(model_.conditions.size());
  condition.continuity = context.continuity;
  condition.kink = context.continuity >= 0;
  condition.span = context.span;
  model_.conditions.push_back(std::move(condition));
  naming.repeated = context.repeated;
  namings_.push_back(naming);
  conditions_.emplace(key, id);
  return id;
}

Scalar ConditionTable::relation(Kind kind, const Scalar& left, const Scalar& right,
                                const RelationContext& context) {
  const auto plain = [&] {
    const bool exchange = kind == Kind::greater || kind == Kind::greater_equal;
    return exchange ? arithmetic_.binary(plain_operation(kind), right, left)
                    : arithmetic_.binary(plain_operation(kind), left, right);
  };
  if (!is_watched(left, right, context.watching)) {
    return plain();
  }
  const NodeId left_node = arithmetic_.node(left);
  const flat::CanonicalGuard canonical = canonicalizer_.canonical(left_node, arithmetic_.node(right));
  if (variability_.of(canonical.expression) != flat::NodeVariability::continuous) {
    // The continuous parts cancel: nothing to watch.
    const Scalar zero = known_scalar(0.0);
    const expr::Node& node = model_.graph[canonical.expression];
    const Scalar difference =
        node.op == expr::Op::constant ? known_scalar(node.value) : node_scalar(canonical.expression);
    return relation(canonical.flipped ? mirrored(kind) : kind, difference, zero, context);
  }
  Condition condition;
  condition.kind = canonical.flipped ? mirrored(kind) : kind;
  NodeId surface = canonical.expression;
  if (context.within.valid()) {
    const bool is_upper = condition.kind == Kind::greater || condition.kind == Kind::greater_equal;
    // Not a blend: while the solution slides on a surface of `within`, which then holds in part, the guard is asked for as it stands.
    const NodeId holds =
        arithmetic_.node(arithmetic_.binary(expr::Op::less, known_scalar(0.0), node_scalar(context.within)));
    surface = model_.graph.select(holds, surface, model_.graph.constant(is_upper ? -1.0 : 1.0));
  }
  const GuardId guard = guard_of(surface, context.watching == Watching::events);
  if (!guard.valid()) {
    return plain();
  }
  condition.guard = guard;
  const Naming naming{.repeated = false, .left = left_node, .right = arithmetic_.node(right), .kind = kind};
  return node_scalar(model_.graph.condition(condition_of(std::move(condition), context, naming)));
}

Scalar ConditionTable::absolute(const Scalar& a, RelationContext context) {
  context.continuity = std::max(context.continuity, 0);
  if (!is_watched(a, a, context.watching)) {
    return arithmetic_.unary(expr::Op::abs, a);
  }
  const Scalar positive = relation(Kind::greater_equal, a, known_scalar(0.0), context);
  return arithmetic_.select(positive, a, arithmetic_.unary(expr::Op::negate, a));
}

Scalar ConditionTable::sign(const Scalar& a, const RelationContext& context) {
  const Scalar zero = known_scalar(0.0);
  if (!is_watched(a, a, context.watching)) {
    return arithmetic_.unary(expr::Op::sign, a);
  }
  const Scalar positive = relation(Kind::greater, a, zero, context);
  const Scalar negative = relation(Kind::less, a, zero, context);
  // A difference and not a choice within a choice: with a blended guard it is 2α - 1 (DESIGN 2).
  const Scalar one = known_scalar(1.0);
  return arithmetic_.binary(expr::Op::subtract, arithmetic_.select(positive, one, zero),
                            arithmetic_.select(negative, one, zero));
}

// Of values that change at events only, or that nobody watches.
std::vector<Scalar> ConditionTable::plain_direction(std::span<const NodeId> v) {
  expr::Graph& graph = model_.graph;
  const NodeId norm = flat::length_of(graph, v);
  const NodeId zero = graph.constant(0.0);
  const NodeId moves = graph.binary(expr::Op::less, zero, norm);
  std::vector<Scalar> result;
  for (const NodeId element : v) {
    result.push_back(node_scalar(graph.select(moves, graph.divide(element, norm), zero)));
  }
  return result;
}

std::vector<Scalar> ConditionTable::direction(std::span<const Scalar> v, const RelationContext& context) {
  if (v.size() == 1) {
    return {sign(v.front(), context)};
  }
  std::vector<NodeId> elements;
  std::vector<std::uint32_t> key;
  bool is_any_watched = false;
  for (const Scalar& element : v) {
    elements.push_back(arithmetic_.node(element));
    key.push_back(elements.back().value());
    is_any_watched = is_any_watched || is_watched(element, element, context.watching);
  }
  const auto known = norms_.find(key);
  if (!is_any_watched || (context.watching != Watching::events && known == norms_.end())) {
    return plain_direction(elements);
  }
  std::vector<NodeId> nodes;
  if (known != norms_.end()) {
    nodes = flat::direction_of(model_, elements, known->second);
  } else {
    norms_.emplace(std::move(key), ConditionId(model_.conditions.size()));
    nodes = flat::add_direction(model_, elements, {}, context.span);
    namings_.resize(model_.conditions.size());
  }
  std::vector<Scalar> result;
  std::transform(nodes.begin(), nodes.end(), std::back_inserter(result), node_scalar);
  return result;
}

Scalar ConditionTable::contact(const Scalar& gap, const Scalar& force, const Scalar& restitution,
                               RelationContext context) {
  context.continuity = 0;
  const Scalar closed = relation(Kind::less_equal, gap, force, context);
  const bool is_condition = !closed.known && model_.graph[closed.node].op == expr::Op::condition;
  if (!is_condition) {
    return {};
  }
  const flat::Contact contact{arithmetic_.node(gap), arithmetic_.node(force), arithmetic_.node(restitution)};
  const NodeId node =
      flat::add_contact(model_, ConditionId(model_.graph[closed.node].first), contact, {}, context.span);
  const Naming naming{.repeated = context.repeated, .left = contact.gap, .right = contact.force};
  namings_.resize(model_.conditions.size(), naming);
  return node_scalar(node);
}

Scalar ConditionTable::minimum(const Scalar& a, const Scalar& b, RelationContext context) {
  context.continuity = std::max(context.continuity, 0);
  if (!is_watched(a, b, context.watching)) {
    return arithmetic_.binary(expr::Op::minimum, a, b);
  }
  return arithmetic_.select(relation(Kind::less_equal, a, b, context), a, b);
}

Scalar ConditionTable::maximum(const Scalar& a, const Scalar& b, RelationContext context) {
  context.continuity = std::max(context.continuity, 0);
  if (!is_watched(a, b, context.watching)) {
    return arithmetic_.binary(expr::Op::maximum, a, b);
  }
  return arithmetic_.select(relation(Kind::greater_equal, a, b, context), a, b);
}

Scalar ConditionTable::angle(const Scalar& y, const Scalar& x, const RelationContext& context) {
  const flat::Angle angle{arithmetic_.node(y), arithmetic_.node(x)};
  if (!is_watched(y, x, context.watching) || !flat::meets_cut(model_.graph, angle.x)) {
    return arithmetic_.binary(expr::Op::atan2, y, x);
  }
  const NodeId behind = arithmetic_.node(relation(Kind::less_equal, x, known_scalar(0.0), context));
  const Scalar side = node_scalar(flat::side_of_cut(model_.graph, angle, behind));
  const NodeId above = arithmetic_.node(relation(Kind::greater_equal, side, known_scalar(0.0), context));
  return node_scalar(flat::angle_of(model_.graph, angle, behind, above));
}

Scalar ConditionTable::held(Kind kind, NodeId argument, const RelationContext& context) {
  Condition condition;
  condition.kind = kind;
  condition.argument = argument;
  return node_scalar(model_.graph.condition(condition_of(std::move(condition), context, {})));
}

Scalar ConditionTable::whole_number(Kind kind, const Scalar& a, const RelationContext& context) {
  const std::uint64_t key = (static_cast<std::uint64_t>(kind) << 32U) | (a.known ? 0U : a.node.value());
  const bool watched = is_watched(a, a, context.watching) &&
                       (context.watching == Watching::events || conditions_.count(key) != 0);
  return watched ? held(kind, a.node, context) : arithmetic_.unary(plain_operation(kind), a);
}

Scalar ConditionTable::segment(const Scalar& argument, const Segments& segments,
                               const RelationContext& context) {
  if (!is_watched(argument, argument, context.watching) || context.watching != Watching::events) {
    return chosen(argument, *segments.knots, *segments.numbers, 0, segments.knots->size());
  }
  const auto [place, is_new] = segments_.try_emplace({argument.node.value(), segments.numbers.get()},
                                                     ConditionId(model_.conditions.size()));
  if (is_new) {
    Condition condition;
    condition.kind = Kind::segment;
    condition.argument = argument.node;
    condition.knots = segments.knots;
    condition.numbers = segments.numbers;
    condition.continuity = segments.continuity;
    condition.kink = segments.continuity > 0;  // a knot of a spline is no event that a person looks for
    condition.span = context.span;
    model_.conditions.push_back(std::move(condition));
    namings_.emplace_back().repeated = context.repeated;
  }
  return node_scalar(model_.graph.condition(place->second));
}

// Of segments first to last.
Scalar ConditionTable::chosen(const Scalar& argument, const Numbers& knots, const Numbers& numbers,
                              std::size_t first, std::size_t last) {
  if (first == last) {
    return known_scalar(numbers[first]);
  }
  const std::size_t middle = first + (last - first) / 2;
  const Scalar is_below = arithmetic_.binary(expr::Op::less, argument, known_scalar(knots[middle]));
  return arithmetic_.select(is_below, chosen(argument, knots, numbers, first, middle),
                            chosen(argument, knots, numbers, middle + 1, last));
}

Scalar ConditionTable::sample(NodeId start, NodeId interval, SourceSpan span) {
  const std::uint64_t key = (static_cast<std::uint64_t>(start.value()) << 32U) | interval.value();
  const auto [place, is_new] = samples_.try_emplace(key, ConditionId(model_.conditions.size()));
  if (is_new) {
    Condition condition;
    condition.kind = Kind::sample;
    condition.argument = start;
    condition.interval = interval;
    condition.span = span;
    model_.conditions.push_back(std::move(condition));
    namings_.emplace_back();
  }
  return node_scalar(model_.graph.condition(place->second));
}

Scalar ConditionTable::instant(Kind kind, SourceSpan span) {
  RelationContext context;
  context.span = span;
  return held(kind, NodeId(), context);
}

std::optional<flat::Angle> ConditionTable::find_angle(NodeId node) {
  return flat::find_angle(model_, model_.graph, canonicalizer_, node);
}

bool ConditionTable::is_continuous_choice(NodeId select) {
  const expr::Node choice = model_.graph[select];
  const NodeId if_true(choice.second);
  const NodeId if_false(choice.third);
  const expr::Node decision = model_.graph[NodeId(choice.first)];
  if (decision.op != expr::Op::condition) {
    return variability_.of(NodeId(choice.first)) != flat::NodeVariability::discrete;
  }
  const Condition condition = model_.conditions[decision.first];
  if (condition.kink) {
    return true;
  }
  if (!condition.guard.valid()) {
    return false;
  }
  const NodeId zero = model_.graph.constant(0.0);
  const bool opposite = model_.graph.negate(if_true) == if_false || model_.graph.negate(if_false) == if_true;
  const flat::CanonicalGuard difference = canonicalizer_.canonical(if_true, opposite ? zero : if_false);
  return difference.expression == model_.guards[condition.guard.index()].expression;
}

std::string ConditionTable::text_of(const Condition& condition, NodeId leaf, const Naming& naming,
                                    flat::ExpressionPrinter& printer) const {
  std::string text;
  if (condition.kind == Kind::gap || condition.kind == Kind::restitution) {
    text = "contact(";
    printer.write(naming.left, false, text, true);
    text += ", ";
    printer.write(naming.right, false, text, true);
    return text + ")";
  }
  if (!condition.guard.valid()) {
    printer.write(leaf, true, text);
    return text;
  }
  printer.write(naming.left, false, text, true);
  text += relation_sign(naming.kind);
  printer.write(naming.right, false, text, true);
  return text;
}

void ConditionTable::name_conditions() {
  std::optional<flat::ExpressionPrinter> printer;
  for (std::size_t i = 0; i < model_.conditions.size(); ++i) {
    Condition& condition = model_.conditions[i];
    condition.text = std::string(model_.source->text(condition.span));
    if (!namings_[i].repeated) {
      continue;
    }
    const NodeId leaf = model_.graph.condition(ConditionId(i));
    if (!printer) {
      printer.emplace(model_, flat::ExpressionPrinter::Form::readable);
    }
    if (printer->text_size(leaf) <= kMaxNamedSize) {
      condition.text = text_of(condition, leaf, namings_[i], *printer);
    }
  }
}

}  // namespace saltus::lang
