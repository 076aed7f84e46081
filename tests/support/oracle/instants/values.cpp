#include "support/oracle/instants/values.hpp"

namespace saltus::test::instants {

Values::Values(const DiscreteModel& model)
    : time{0},
      value(model.variables.size(), Series{0}),
      pre(model.variables.size(), 0),
      held(model.nodes.size(), 0),
      located(model.nodes.size(), false),
      came(model.nodes.size(), 0),
      is_due(model.clocks.size(), false),
      before(conditions_of(model).size(), false) {}

std::vector<std::size_t> conditions_of(const DiscreteModel& model) {
  std::vector<std::size_t> all;
  for (const Clause& clause : model.clauses) {
    for (const Branch& branch : clause.branches) {
      all.insert(all.end(), branch.conditions.begin(), branch.conditions.end());
    }
  }
  return all;
}

std::size_t held_twin(const DiscreteModel& model, std::size_t place) {
  const Node& node = model.nodes[place];
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const Node& other = model.nodes[i];
    if (other.is_held && other.op == node.op && other.a == node.a && other.b == node.b) {
      return i;
    }
  }
  return place;
}

Guard guard_of(const DiscreteModel& model, Values& at, std::size_t place) {
  const Node& node = model.nodes[place];
  const Series a = evaluate(model, at, node.a);
  const Series b = node.op == Op::floor ? Series{0} : evaluate(model, at, node.b);
  Guard guard{.value = a - b, .noise = kNoise * (1 + std::abs(a[0]) + std::abs(b[0]))};
  if (node.op == Op::floor) {
    guard.value[0] -= std::round(a[0]);
  }
  return guard;
}

namespace {

Series truth(bool value) {
  return {value ? Real(1) : Real(0)};
}

/// In a body: on the values there. On its surface a relation that the model also has elsewhere has the truth it has there.
Series literal(const DiscreteModel& model, Values& at, std::size_t place) {
  const Node& node = model.nodes[place];
  const Guard guard = guard_of(model, at, place);
  const bool is_whole = !model.moves(node.a) && (node.op == Op::floor || !model.moves(node.b));
  if (guard.is_zero() && !is_whole) {
    if (const std::size_t twin = held_twin(model, place); twin != place) {
      return {at.held[twin]};
    }
    at.doubt = "a relation of a body is on its surface";
  }
  if (node.op == Op::floor) {
    const Series argument = evaluate(model, at, node.a);
    return {guard.is_zero() ? std::round(argument[0]) : std::floor(argument[0])};
  }
  const Real g = guard.is_zero() ? 0 : guard.value[0];
  return truth(node.op == Op::greater ? g > 0 : g >= 0);
}

}  // namespace

Series evaluate(const DiscreteModel& model, Values& at, std::size_t place) {
  const Node& node = model.nodes[place];
  const auto a = [&] { return evaluate(model, at, node.a); };
  const auto b = [&] { return evaluate(model, at, node.b); };
  switch (node.op) {
    case Op::number: return {node.value};
    case Op::time: return at.time;
    case Op::variable: return at.value[node.which];
    case Op::pre: {
      // 8.6: at the start pre of what is not discrete is its value.
      const bool is_value = at.is_initial && model.variables[node.which].role != Role::discrete;
      return is_value ? at.value[node.which] : Series{at.pre[node.which]};
    }
    case Op::add: return a() + b();
    case Op::subtract: return a() - b();
    case Op::multiply: return a() * b();
    case Op::divide: return a() / b();
    case Op::sine:
    case Op::cosine: {
      Series s;
      Series c;
      sin_cos_of(a(), s, c);
      return node.op == Op::sine ? s : c;
    }
    case Op::exponential: return exp_of(a());
    case Op::greater:
    case Op::greater_equal:
    case Op::floor: return node.is_held ? Series{at.held[place]} : literal(model, at, place);
    case Op::equal: return truth(a()[0] == b()[0]);
    case Op::logical_and: return truth(a()[0] != 0 && b()[0] != 0);
    case Op::logical_or: return truth(a()[0] != 0 || b()[0] != 0);
    case Op::logical_not: return truth(a()[0] == 0);
    case Op::select: return a()[0] != 0 ? b() : evaluate(model, at, node.c);
    case Op::initial: return truth(at.is_initial);
    case Op::sample: return truth(at.is_due[node.which]);
  }
  return {0};
}

std::size_t active_branch(const DiscreteModel& model, Values& at, std::size_t wanted) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < wanted; ++i) {
    for (const Branch& branch : model.clauses[i].branches) {
      first += branch.conditions.size();
    }
  }
  const std::vector<Branch>& branches = model.clauses[wanted].branches;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    if (at.is_initial) {
      if (branches[i].is_initial) {
        return i;
      }
      continue;
    }
    for (const std::size_t condition : branches[i].conditions) {
      if (!at.before[first++] && is_true(model, at, condition)) {
        return i;
      }
    }
  }
  return branches.size();
}

}  // namespace saltus::test::instants
