#include "program/shared_choices.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "expr/dependency.hpp"
#include "structure/match/linear_terms.hpp"

namespace saltus::program {
namespace {

using structure::LinearTerm;
using Terms = std::vector<LinearTerm>;  // ascending ids

// term + factor·choice = 0.
class Sum {
 public:
  Sum(expr::Graph& graph, const LinearTerm& term, double factor)
      : graph_(graph), term_(term), factor_(factor) {}

  bool cancels_in(NodeId node) {
    const auto [known, is_new] = cancels_.try_emplace(node.index(), false);
    if (!is_new) {
      return known->second;
    }
    const expr::Node& choice = graph_[node];
    bool does_cancel = false;
    if (choice.op == expr::Op::select) {
      const NodeId second(choice.second);
      const NodeId third(choice.third);
      does_cancel = cancels_in(second) || cancels_in(third);
    } else {
      const Terms sum = with(node);
      does_cancel = std::any_of(sum.begin(), sum.end(), [this](const LinearTerm& term) {
        return term.expression == term_.expression && has_cancelled(term);
      });
    }
    cancels_[node.index()] = does_cancel;
    return does_cancel;
  }

  NodeId shared_out(NodeId node) {
    if (const auto known = shared_.find(node.index()); known != shared_.end()) {
      return known->second;
    }
    const expr::Node choice = graph_[node];
    NodeId result;
    if (choice.op == expr::Op::select) {
      const NodeId if_true = shared_out(NodeId(choice.second));
      const NodeId if_false = shared_out(NodeId(choice.third));
      result = graph_.select(NodeId(choice.first), if_true, if_false);
    } else {
      Terms sum = with(node);
      std::erase_if(sum, has_cancelled);
      result = structure::sum_of(graph_, sum);
    }
    shared_.emplace(node.index(), result);
    return result;
  }

 private:
  static bool has_cancelled(const LinearTerm& term) {
    return std::abs(term.factor) <= structure::kFactorRounding * term.size;
  }

  Terms with(NodeId side) {
    Terms sum = structure::linear_terms(graph_, side);
    for (LinearTerm& term : sum) {
      term.factor *= factor_;
      term.size *= std::abs(factor_);
    }
    const auto same = std::find_if(sum.begin(), sum.end(), [this](const LinearTerm& term) {
      return term.expression == term_.expression;
    });
    if (same == sum.end()) {
      sum.push_back(term_);
    } else {
      same->factor += term_.factor;
      same->size = std::max(same->size, term_.size);
    }
    return sum;
  }

  expr::Graph& graph_;
  LinearTerm term_;
  double factor_;
  std::unordered_map<std::size_t, bool> cancels_;
  std::unordered_map<std::size_t, NodeId> shared_;
};

void share_out(flat::Model& model, flat::Equation& equation) {
  const Terms terms = structure::linear_terms(model.graph, equation);
  if (terms.size() != 2) {
    return;
  }
  const auto is_choice = [&](const LinearTerm& term) {
    return model.graph[term.expression].op == expr::Op::select;
  };
  const auto has_unknown = [&](const LinearTerm& term) {
    return has(expr::dependency_kinds(model.graph, term.expression),
               expr::Kinds::variable | expr::Kinds::derivative);
  };
  for (const std::size_t k : {0U, 1U}) {
    const LinearTerm& choice = terms[k];
    const LinearTerm& other = terms[1 - k];
    if (!is_choice(choice) || !has_unknown(other)) {
      continue;
    }
    Sum sum(model.graph, other, choice.factor);
    if (sum.cancels_in(choice.expression)) {
      equation.left = sum.shared_out(choice.expression);
      equation.right = model.graph.constant(0.0);
      return;
    }
  }
}

}  // namespace

void share_out_choices(flat::Model& model) {
  const auto share_out_all = [&model](std::vector<flat::Equation>& equations) {
    for (flat::Equation& equation : equations) {
      share_out(model, equation);
    }
  };
  share_out_all(model.equations);
  for (flat::Mode& mode : model.modes) {
    share_out_all(mode.equations);
  }
}

}  // namespace saltus::program
