#include "program/model_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/disjoint_sets.hpp"
#include "expr/dependency.hpp"

namespace saltus::program {
namespace {

using expr::Op;

// Numbers variables, then guards.
class PartFinder {
 public:
  explicit PartFinder(const SystemCode& data)
      : data_(data),
        model_(data.model),
        n_variables_(model_.variables.size()),
        sets_(n_variables_ + data.conditions.guards().size()),
        is_given_(n_variables_ + data.conditions.guards().size(), 0) {}

  system::ModelParts run() {
    collect();
    find_given();
    for (const std::vector<std::size_t>& members : together_) {
      join(members);
    }
    return numbered();
  }

 private:
  [[nodiscard]] std::vector<std::size_t> members(std::span<const NodeId> roots) const {
    std::vector<std::size_t> result;
    for (const NodeId leaf : expr::leaves_of(model_.graph, roots)) {
      const expr::Node& node = model_.graph[leaf];
      if (node.op == Op::variable || node.op == Op::previous) {
        result.push_back(node.first);
      } else if (node.op == Op::condition) {
        if (const Index guard = data_.conditions.guard_of(ConditionId(node.first)); guard >= 0) {
          result.push_back(n_variables_ + static_cast<std::size_t>(guard));
        }
      }
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  void add(std::span<const NodeId> roots) { together_.push_back(members(roots)); }
  void add(const std::vector<flat::Equation>& equations) {
    for (const flat::Equation& equation : equations) {
      add(std::vector<NodeId>{equation.left, equation.right});
    }
  }

  void collect() {
    add(model_.equations);
    n_equations_ = together_.size();
    add(model_.initial_equations);
    for (std::size_t guard = 0; guard < data_.conditions.guards().size(); ++guard) {
      const NodeId expression = data_.conditions.guards()[guard].expression;
      together_.push_back(members(std::span(&expression, 1)));
      together_.back().push_back(n_variables_ + guard);
    }
    first_clause_ = together_.size();
    for (const flat::WhenClause& clause : model_.when_clauses) {
      add_clause(clause);
    }
  }

  void add_clause(const flat::WhenClause& clause) {
    std::vector<NodeId> roots;
    std::vector<std::size_t> set;
    for (const flat::WhenBranch& branch : clause.branches) {
      roots.push_back(branch.condition);
      roots.insert(roots.end(), branch.vector_elements.begin(), branch.vector_elements.end());
      for (const auto* list : {&branch.body.assignments, &branch.body.reinits}) {
        for (const flat::Body::Assignment& assignment : *list) {
          roots.push_back(assignment.value);
          set.push_back(assignment.variable.index());
        }
      }
      for (const flat::Equation& equation : branch.body.jump_equations) {
        roots.push_back(equation.left);
        roots.push_back(equation.right);
      }
    }
    std::vector<std::size_t> all = members(roots);
    all.insert(all.end(), set.begin(), set.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    together_.push_back(std::move(all));
  }

  // One after the other: what stands alone beside others that are given, in an equation, as a guard, or in clauses.
  void find_given() {
    std::vector<std::vector<std::size_t>> uses(is_given_.size());
    std::vector<std::size_t> n_open(together_.size());
    for (std::size_t k = 0; k < together_.size(); ++k) {
      n_open[k] = together_[k].size();
      for (const std::size_t member : together_[k]) {
        uses[member].push_back(k);
      }
    }
    std::vector<std::size_t> ready;
    for (std::size_t k = 0; k < together_.size(); ++k) {
      if (n_open[k] == 1) {
        ready.push_back(k);
      }
    }
    while (!ready.empty()) {
      const std::size_t k = ready.back();
      ready.pop_back();
      const auto open = std::find_if(together_[k].begin(), together_[k].end(),
                                     [this](std::size_t member) { return is_given_[member] == 0; });
      if (open == together_[k].end()) {
        continue;
      }
      // A discrete variable is given where all clauses that set or read it contain nothing else.
      const bool is_set = k >= first_clause_ && *open < n_variables_ &&
                          model_.variables[*open].variability == flat::Variability::discrete &&
                          std::all_of(uses[*open].begin(), uses[*open].end(), [&](std::size_t use) {
                            return use < first_clause_ || n_open[use] == 1;
                          });
      if (!is_set && !determines(k, *open)) {
        continue;
      }
      is_given_[*open] = 1;
      for (const std::size_t use : uses[*open]) {
        if (--n_open[use] == 1) {
          ready.push_back(use);
        }
      }
    }
  }

  // Initial equations determine no variable by themselves.
  [[nodiscard]] bool determines(std::size_t k, std::size_t member) const {
    return member >= n_variables_ || k < n_equations_;
  }

  void join(const std::vector<std::size_t>& members) {
    std::size_t first = is_given_.size();
    for (const std::size_t member : members) {
      if (is_given_[member] != 0) {
        continue;
      }
      if (first < is_given_.size()) {
        sets_.join(first, member);
      }
      first = member;
    }
  }

  [[nodiscard]] system::ModelParts numbered() {
    system::ModelParts parts;
    std::vector<Index> number(is_given_.size(), -1);
    const auto number_of = [&](std::size_t member) {
      Index& of_set = number[sets_.of(member)];
      of_set = of_set < 0 ? parts.n_parts++ : of_set;
      return of_set;
    };
    parts.of_variable.assign(data_.columns.size(), -1);
    for (std::size_t i = 0; i < n_variables_; ++i) {
      if (const Index column = data_.column_of_variable[i]; column >= 0) {
        parts.of_variable[static_cast<std::size_t>(column)] = number_of(i);
      }
    }
    for (std::size_t guard = 0; guard < data_.conditions.guards().size(); ++guard) {
      parts.of_guard.push_back(number_of(n_variables_ + guard));
    }
    return parts;
  }

  const SystemCode& data_;
  const flat::Model& model_;
  std::size_t n_variables_;
  DisjointSets sets_;
  std::vector<std::uint8_t> is_given_;
  std::vector<std::vector<std::size_t>> together_;  // equations first
  std::size_t n_equations_ = 0;
  std::size_t first_clause_ = 0;
};

}  // namespace

system::ModelParts find_model_parts(const SystemCode& data) {
  if (data.model.modes.empty()) {
    return PartFinder(data).run();
  }
  system::ModelParts parts;
  parts.n_parts = 1;
  parts.of_variable.assign(data.columns.size(), 0);
  parts.of_guard.assign(data.conditions.guards().size(), 0);
  return parts;
}

std::vector<Index> find_choice_groups(const SystemCode& data, const ModeCode& mode) {
  const std::size_t n_guards = data.conditions.guards().size();
  const structure::Causalized& causalized = mode.causalized;
  std::vector<std::uint8_t> is_choice(n_guards, 0);
  for (const ConditionId condition : mode.choices.conditions) {
    if (const Index guard = data.conditions.guard_of(condition); guard >= 0) {
      is_choice[static_cast<std::size_t>(guard)] = 1;
    }
  }
  DisjointSets sets(n_guards);
  for (std::size_t b = 0; b < causalized.blocks.size();) {
    std::vector<NodeId> roots;
    // With the formulas that were taken out of it.
    const std::size_t end = std::min(b + 1 + causalized.blocks[b].n_formulas, causalized.blocks.size());
    for (; b < end; ++b) {
      for (const EquationId equation : causalized.blocks[b].equations) {
        roots.push_back(causalized.equations[equation.index()].left);
        roots.push_back(causalized.equations[equation.index()].right);
      }
    }
    std::size_t first = n_guards;
    for (const NodeId leaf : expr::leaves_of(data.model.graph, roots)) {
      const expr::Node& node = data.model.graph[leaf];
      const Index guard =
          node.op == Op::condition ? data.conditions.guard_of(ConditionId(node.first)) : Index{-1};
      if (guard < 0 || is_choice[static_cast<std::size_t>(guard)] == 0) {
        continue;
      }
      if (first < n_guards) {
        sets.join(first, static_cast<std::size_t>(guard));
      }
      first = static_cast<std::size_t>(guard);
    }
  }
  std::vector<Index> groups(n_guards, -1);
  for (std::size_t guard = 0; guard < n_guards; ++guard) {
    groups[guard] = is_choice[guard] != 0 ? static_cast<Index>(sets.of(guard)) : Index{-1};
  }
  return groups;
}

}  // namespace saltus::program
