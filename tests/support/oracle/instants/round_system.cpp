// The structure of a round: what each equation is solved for, and in which order.
#include "support/oracle/instants/round_system.hpp"

#include <algorithm>
#include <functional>

namespace saltus::test::instants {

RoundSystem::RoundSystem(const DiscreteModel& model, bool is_initial)
    : model_(model),
      is_initial_(is_initial),
      n_(model.variables.size()),
      owner_(2 * n_ + model.nodes.size(), kNobody) {
  add_items();
  match();
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    all.push_back(i);
  }
  blocks_ = sorted(all);
}

bool RoundSystem::is_known(Unknown unknown) const {
  if (unknown >= 2 * n_) {
    return false;
  }
  const Variable& variable = model_.variables[unknown % n_];
  if (unknown >= n_) {
    return !is_initial_ || variable.is_fixed;
  }
  return variable.role == Role::state && (!is_initial_ || variable.is_fixed);
}

/// An unknown of the start that keeps its start value if nothing else determines it.
bool RoundSystem::is_free(Unknown unknown) const {
  return is_initial_ && unknown < 2 * n_ && !is_known(unknown) &&
         (unknown >= n_ || model_.variables[unknown].role == Role::state);
}

std::string RoundSystem::name_of(Unknown unknown) const {
  return unknown >= 2 * n_ ? "relation " + std::to_string(unknown - 2 * n_)
         : unknown >= n_   ? "pre(" + model_.variables[unknown - n_].name + ")"
                           : model_.variables[unknown].name;
}

void RoundSystem::add_reads(std::size_t place, std::vector<Unknown>& reads) const {
  const Node& node = model_.nodes[place];
  const auto add = [&](Unknown unknown) {
    if (!is_known(unknown) && std::find(reads.begin(), reads.end(), unknown) == reads.end()) {
      reads.push_back(unknown);
    }
  };
  switch (node.op) {
    case Op::number:
    case Op::time:
    case Op::initial:
    case Op::sample: return;
    case Op::variable: add(node.which); return;
    case Op::pre:
      if (model_.variables[node.which].role == Role::discrete) {
        add(pre_of(node.which));
      } else if (is_initial_) {
        add(node.which);
      }
      return;
    case Op::greater:
    case Op::greater_equal:
    case Op::floor:
      if (node.is_held) {
        add(node_of(place));
        return;
      }
      if (const std::size_t twin = held_twin(model_, place); node.is_literal && twin != place) {
        add(node_of(twin));
      }
      break;
    default: break;
  }
  add_reads(node.a, reads);
  const bool has_one = node.op == Op::floor || node.op == Op::sine || node.op == Op::cosine ||
                       node.op == Op::exponential || node.op == Op::logical_not;
  if (!has_one) {
    add_reads(node.b, reads);
  }
  if (node.op == Op::select) {
    add_reads(node.c, reads);
  }
}

void RoundSystem::add_equation(const Equation& equation, bool is_of_start) {
  Item item{.kind = Kind::equation, .equation = equation};
  const auto lone = [&](std::size_t place, bool must_be_discrete) {
    const Node& node = model_.nodes[place];
    if (node.op == Op::variable && !is_known(node.which) &&
        (!must_be_discrete || model_.variables[node.which].role == Role::discrete)) {
      item.solvable.push_back(node.which);
    }
  };
  add_reads(equation.left, item.reads);
  add_reads(equation.right, item.reads);
  lone(equation.left, true);
  if (item.solvable.empty()) {
    lone(equation.right, true);
  }
  const bool is_discrete = !item.solvable.empty();
  if (!is_discrete) {
    lone(equation.left, false);
  }
  for (const Unknown unknown : item.reads) {
    const bool is_continuous = unknown < n_ && model_.variables[unknown].role != Role::discrete;
    const bool may_be = is_of_start ? unknown < 2 * n_ : is_free(unknown) || (!is_discrete && is_continuous);
    if (may_be) {
      item.solvable.push_back(unknown);
    }
  }
  items_.push_back(item);
}

void RoundSystem::add_clause_items() {
  for (std::size_t c = 0; c < model_.clauses.size(); ++c) {
    std::vector<std::size_t> targets;
    for (const Branch& branch : model_.clauses[c].branches) {
      for (const Assignment& assignment : branch.assignments) {
        if (std::find(targets.begin(), targets.end(), assignment.variable) == targets.end()) {
          targets.push_back(assignment.variable);
        }
      }
    }
    for (const std::size_t target : targets) {
      Item item{.kind = Kind::clause, .which = target, .clause = c, .solvable = {target}, .reads = {target}};
      bool is_past_active = false;
      for (const Branch& branch : model_.clauses[c].branches) {
        for (const std::size_t condition : branch.conditions) {
          if (!is_initial_) {
            add_reads(condition, item.reads);
          }
        }
        const bool is_active = is_initial_ ? branch.is_initial && !is_past_active : true;
        for (const Assignment& assignment : branch.assignments) {
          if (is_active && assignment.variable == target) {
            add_reads(assignment.value, item.reads);
          }
        }
        is_past_active = is_past_active || is_active;
      }
      if (is_initial_ && !is_known(pre_of(target))) {
        item.reads.push_back(pre_of(target));
      }
      for (const Unknown unknown : item.reads) {
        if (is_free(unknown)) {
          item.solvable.push_back(unknown);
        }
      }
      items_.push_back(item);
    }
  }
}

void RoundSystem::add_items() {
  for (std::size_t place = 0; place < model_.nodes.size(); ++place) {
    const Node& node = model_.nodes[place];
    if (node.is_held) {
      Item item{.kind = Kind::held, .which = place, .solvable = {node_of(place)}};
      add_reads(node.a, item.reads);
      if (node.op != Op::floor) {
        add_reads(node.b, item.reads);
      }
      items_.push_back(item);
    }
  }
  for (const Equation& equation : model_.equations) {
    add_equation(equation, false);
  }
  add_clause_items();
  if (!is_initial_) {
    return;
  }
  for (const Equation& equation : model_.initial_equations) {
    add_equation(equation, true);
  }
  for (const Clause& clause : model_.clauses) {
    const auto active = std::find_if(clause.branches.begin(), clause.branches.end(),
                                     [](const Branch& branch) { return branch.is_initial; });
    if (active == clause.branches.end()) {
      continue;
    }
    for (const Assignment& reinit : active->reinits) {
      // 8.6: reinit(x, e) in a clause that is active at the start is the initial equation x = e.
      for (std::size_t place = 0; place < model_.nodes.size(); ++place) {
        if (model_.nodes[place].op == Op::variable && model_.nodes[place].which == reinit.variable) {
          add_equation({place, reinit.value}, true);
        }
      }
    }
  }
}

bool RoundSystem::augment(std::size_t item, bool with_free, std::vector<bool>& seen) {
  for (const Unknown unknown : items_[item].solvable) {
    if (seen[unknown] || (is_free(unknown) && !with_free)) {
      continue;
    }
    seen[unknown] = true;
    if (owner_[unknown] == kNobody || augment(owner_[unknown], with_free, seen)) {
      owner_[unknown] = item;
      items_[item].unknown = unknown;
      return true;
    }
  }
  return false;
}

void RoundSystem::match() {
  // First everything as in any round; then initial equations find what is free.
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    std::vector<bool> seen(owner_.size(), false);
    if (!augment(i, false, seen)) {
      rest.push_back(i);
    }
  }
  for (const std::size_t i : rest) {
    std::vector<bool> seen(owner_.size(), false);
    if (!augment(i, true, seen)) {
      std::string text;
      for (const Unknown unknown : items_[i].reads) {
        text += " " + name_of(unknown);
      }
      throw Unsupported("an equation too many, over" + text);
    }
  }
  for (Unknown unknown = 0; unknown < n_; ++unknown) {
    if (!is_known(unknown) && !is_free(unknown) && owner_[unknown] == kNobody) {
      throw Unsupported("no equation for " + name_of(unknown));
    }
  }
}

/// Components by Tarjan's algorithm: each comes behind those that it reads.
std::vector<RoundSystem::Block> RoundSystem::sorted(const std::vector<std::size_t>& items) const {
  std::vector<std::size_t> number(items_.size(), 0);
  std::vector<std::size_t> low(items_.size(), 0);
  std::vector<bool> is_in(items_.size(), false);
  std::vector<bool> is_open(items_.size(), false);
  std::vector<std::size_t> stack;
  std::size_t next = 1;
  std::vector<Block> blocks;
  for (const std::size_t item : items) {
    is_in[item] = true;
  }
  const std::function<void(std::size_t)> visit = [&](std::size_t item) {
    number[item] = low[item] = next++;
    stack.push_back(item);
    is_open[item] = true;
    for (const Unknown unknown : items_[item].reads) {
      const std::size_t other = owner_[unknown];
      if (other == kNobody || !is_in[other]) {
        continue;
      }
      if (number[other] == 0) {
        visit(other);
        low[item] = std::min(low[item], low[other]);
      } else if (is_open[other]) {
        low[item] = std::min(low[item], number[other]);
      }
    }
    if (low[item] == number[item]) {
      std::vector<std::size_t> component;
      do {
        component.push_back(stack.back());
        is_open[stack.back()] = false;
        stack.pop_back();
      } while (component.back() != item);
      std::sort(component.begin(), component.end());
      blocks.push_back(block_of(component));
    }
  };
  for (const std::size_t item : items) {
    if (number[item] == 0) {
      visit(item);
    }
  }
  return blocks;
}

RoundSystem::Block RoundSystem::block_of(const std::vector<std::size_t>& items) const {
  Block block{.items = items, .cuts = {}, .inner = {}};
  std::vector<std::size_t> others;
  for (const std::size_t i : items) {
    (items_[i].kind == Kind::held ? block.cuts : others).push_back(i);
  }
  if (items.size() > 1 && !block.cuts.empty()) {
    constexpr std::size_t kMostCuts = 12;
    for (const std::size_t i : block.cuts) {
      if (model_.nodes[items_[i].which].op == Op::floor || block.cuts.size() > kMostCuts) {
        throw Unsupported("a loop through floor, or through too many relations");
      }
    }
    block.inner = sorted(others);
    return block;
  }
  const Item& item = items_[items[0]];
  const auto reads = [&](std::size_t node) {
    std::vector<Unknown> list;
    add_reads(node, list);
    return std::find(list.begin(), list.end(), item.unknown) != list.end();
  };
  if (items.size() == 1) {
    const Node& left = model_.nodes[item.equation.left];
    block.is_explicit =
        item.kind == Kind::held || (item.kind == Kind::equation && left.op == Op::variable &&
                                    left.which == item.unknown && !reads(item.equation.right));
    if (item.kind == Kind::clause && item.unknown == item.which) {
      block.is_explicit = true;
      for (const Branch& branch : model_.clauses[item.clause].branches) {
        for (const std::size_t condition : branch.conditions) {
          block.is_explicit = block.is_explicit && (is_initial_ || !reads(condition));
        }
        for (const Assignment& assignment : branch.assignments) {
          block.is_explicit =
              block.is_explicit && (assignment.variable != item.which || !reads(assignment.value));
        }
      }
    }
  }
  if (!block.is_explicit && !is_initial_) {
    for (const std::size_t i : items) {
      const Unknown unknown = items_[i].unknown;
      if (unknown < n_ && model_.variables[unknown].type != Type::real) {
        throw DiscreteCycle("the assignment of " + name_of(unknown) + " needs itself in the same round");
      }
    }
  }
  return block;
}

}  // namespace saltus::test::instants
