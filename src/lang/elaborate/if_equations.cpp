// if-equations: decided at compile time, or merged equation by equation.
#include <unordered_map>

#include <fmt/format.h>

#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"

namespace saltus::lang {

Elaborator::BranchChoice Elaborator::choose_branch(const Statement& statement) {
  BranchChoice choice;
  const auto branches = ast_[statement.branches];
  for (std::size_t k = 0; k < branches.size(); ++k) {
    if (!branches[k].condition.valid()) {
      choice.decided = true;
      choice.chosen = k;
      return choice;
    }
    const Scalar condition = lower_condition(branches[k].condition, "the condition of 'if'");
    if (!condition.defined()) {
      choice.failed = true;
      return choice;
    }
    if (variability(condition) > flat::NodeVariability::parameter) {
      choice.chosen = k;  // the first that is decided while the model runs
      return choice;
    }
    const std::optional<double> holds =
        evaluate_now(condition, span_of(branches[k].condition), "the condition of 'if'");
    if (!holds) {
      choice.failed = true;
      return choice;
    }
    if (*holds != 0.0) {
      choice.decided = true;
      choice.chosen = k;
      return choice;
    }
  }
  choice.decided = true;
  return choice;
}

void Elaborator::lower_if(const Statement& statement, EquationSink& sink) {
  const BranchChoice choice = choose_branch(statement);
  if (choice.failed || (choice.decided && !choice.chosen)) {
    return;
  }
  if (choice.decided) {
    lower_equations(ast_[ast_[statement.branches][*choice.chosen].body], sink);
  } else {
    lower_runtime_if(statement, *choice.chosen, sink);
  }
}

void Elaborator::lower_runtime_if(const Statement& statement, std::size_t first, EquationSink& sink) {
  const auto all = ast_[statement.branches];
  std::vector<Scalar> conditions;
  std::vector<std::vector<flat::Equation>> branches;
  Scalar path = sink.path;
  const std::size_t n_errors = diagnostics_.n_errors();
  for (std::size_t k = first; k < all.size(); ++k) {
    Scalar condition = known_scalar(1.0);
    if (all[k].condition.valid()) {
      condition = lower_condition(all[k].condition, "the condition of 'if'");
      if (!condition.defined()) {
        return;
      }
      conditions.push_back(condition);
    }
    branches.emplace_back();
    EquationSink inner = sink;
    inner.equations = &branches.back();
    inner.in_branch = true;
    inner.path = all[k].condition.valid() ? arithmetic_.binary(expr::Op::logical_and, path, condition) : path;
    lower_equations(ast_[all[k].body], inner);
    path =
        arithmetic_.binary(expr::Op::logical_and, path, arithmetic_.unary(expr::Op::logical_not, condition));
  }
  if (diagnostics_.n_errors() == n_errors) {
    merge_branches(statement, conditions, branches, sink);
  }
}

namespace {

/// Puts the equations of a branch into the order of the first branch where their left sides agree.
void align(const std::vector<flat::Equation>& model, std::vector<flat::Equation>& branch) {
  std::unordered_map<std::uint32_t, std::size_t> place;
  for (std::size_t k = 0; k < model.size(); ++k) {
    place.emplace(model[k].left.value(), k);
  }
  std::vector<flat::Equation> ordered(branch.size());
  std::vector<bool> taken(branch.size(), false);
  std::vector<flat::Equation> rest;
  for (const flat::Equation& equation : branch) {
    const auto found = place.find(equation.left.value());
    if (found != place.end() && !taken[found->second]) {
      taken[found->second] = true;
      ordered[found->second] = equation;
    } else {
      rest.push_back(equation);
    }
  }
  std::size_t next = 0;
  for (std::size_t k = 0; k < ordered.size(); ++k) {
    if (!taken[k]) {
      ordered[k] = rest[next++];
    }
  }
  branch = std::move(ordered);
}

}  // namespace

void Elaborator::merge_branches(const Statement& statement, const std::vector<Scalar>& conditions,
                                std::vector<std::vector<flat::Equation>>& branches, EquationSink& sink) {
  const std::size_t n = branches.front().size();
  for (std::size_t k = 1; k < branches.size(); ++k) {
    if (branches[k].size() != n) {
      error(kBranchCount,
            fmt::format("the branches of 'if' have different numbers of equations: {} and {}", n,
                        branches[k].size()),
            statement.span);
      return;
    }
    align(branches.front(), branches[k]);
  }
  if (branches.size() == conditions.size() && n > 0) {
    error(kMissingElse, "an 'if' with equations that is decided while the model runs needs an 'else'",
          statement.span);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    bool same_left = true;
    for (const auto& branch : branches) {
      same_left = same_left && branch[i].left == branches.front()[i].left;
    }
    for (const auto& branch : branches) {
      const expr::Node& left = model_.graph[branch[i].left];
      const bool is_discrete =
          left.op == expr::Op::variable && model_.variables[left.first].type != flat::Type::real;
      if (!same_left && is_discrete) {
        error(kDiscreteEquation, fmt::format("every branch must set '{}'", model_.variables[left.first].name),
              branch[i].span);
        return;
      }
    }
    const auto side = [&](const flat::Equation& equation) {
      return same_left ? equation.right : model_.graph.subtract(equation.left, equation.right);
    };
    NodeId merged = side(branches.back()[i]);
    for (std::size_t k = branches.size() - 1; k-- > 0;) {
      merged = model_.graph.select(arithmetic_.node(conditions[k]), side(branches[k][i]), merged);
    }
    const flat::Equation equation{same_left ? branches.front()[i].left : merged,
                                  same_left ? merged : model_.graph.constant(0.0), branches.front()[i].span};
    const expr::Node& left = model_.graph[equation.left];
    const bool is_discrete = left.op == expr::Op::variable &&
                             model_.variables[left.first].variability == flat::Variability::discrete;
    if (!sink.in_branch && !sink.initial && is_discrete) {
      note_discrete_equation(equation, model_.variables[left.first].type == flat::Type::real);
    }
    sink.equations->push_back(equation);
  }
}

}  // namespace saltus::lang
