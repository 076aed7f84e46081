#include "structure/match/linear_terms.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

namespace saltus::structure {
namespace {

struct Factor {
  double sum = 0.0;
  double size = 0.0;
};

using Pending = std::map<std::uint32_t, Factor, std::greater<>>;

void add(Pending& pending, std::uint32_t node, double factor, double size) {
  Factor& known = pending[node];
  known.sum += factor;
  known.size = std::max({known.size, size, std::abs(known.sum)});
}

// Hands the factor of a sum or multiple to what it is made of. False: it is neither.
bool hand_down(const expr::Graph& graph, const expr::Node& node, const Factor& factor, Pending& pending) {
  const auto number = [&graph](std::uint32_t id) {
    const expr::Node& operand = graph[NodeId(id)];
    return operand.op == expr::Op::constant && std::isfinite(operand.value) ? &operand.value : nullptr;
  };
  switch (node.op) {
    case expr::Op::add:
    case expr::Op::subtract:
      add(pending, node.first, factor.sum, factor.size);
      add(pending, node.second, node.op == expr::Op::add ? factor.sum : -factor.sum, factor.size);
      return true;
    case expr::Op::negate: add(pending, node.first, -factor.sum, factor.size); return true;
    case expr::Op::multiply:
      if (const double* const left = number(node.first)) {
        add(pending, node.second, factor.sum * *left, std::abs(factor.size * *left));
        return true;
      }
      if (const double* const right = number(node.second)) {
        add(pending, node.first, factor.sum * *right, std::abs(factor.size * *right));
        return true;
      }
      return false;
    case expr::Op::divide:
      if (const double* const right = number(node.second); right != nullptr && *right != 0.0) {
        add(pending, node.first, factor.sum / *right, std::abs(factor.size / *right));
        return true;
      }
      return false;
    default: return false;
  }
}

std::vector<LinearTerm> terms_of(expr::Graph& graph, Pending pending) {
  const NodeId one = graph.constant(1.0);
  std::vector<LinearTerm> terms;
  LinearTerm numbers{.expression = one};
  while (!pending.empty()) {
    const auto [id, factor] = *pending.begin();
    pending.erase(pending.begin());
    const expr::Node& node = graph[NodeId(id)];
    if (node.op == expr::Op::constant) {
      numbers.factor += factor.sum * node.value;
      numbers.size = std::max(numbers.size, std::abs(factor.size * node.value));
    } else if (!hand_down(graph, node, factor, pending)) {
      terms.push_back({NodeId(id), factor.sum, factor.size});
    }
  }
  if (numbers.size > 0.0) {
    terms.push_back(numbers);
  }
  std::sort(terms.begin(), terms.end(), [](const LinearTerm& a, const LinearTerm& b) {
    return a.expression.index() < b.expression.index();
  });
  return terms;
}

bool has_cancelled(const LinearTerm& term) {
  return std::abs(term.factor) <= kFactorRounding * term.size;
}

}  // namespace

std::vector<LinearTerm> linear_terms(expr::Graph& graph, NodeId expression) {
  Pending pending;
  add(pending, static_cast<std::uint32_t>(expression.index()), 1.0, 1.0);
  return terms_of(graph, std::move(pending));
}

std::vector<LinearTerm> linear_terms(expr::Graph& graph, const flat::Equation& equation) {
  Pending pending;
  add(pending, static_cast<std::uint32_t>(equation.left.index()), 1.0, 1.0);
  add(pending, static_cast<std::uint32_t>(equation.right.index()), -1.0, 1.0);
  return terms_of(graph, std::move(pending));
}

NodeId sum_of(expr::Graph& graph, const std::vector<LinearTerm>& terms) {
  NodeId sum;
  for (const LinearTerm& term : terms) {
    const double size = std::abs(term.factor);
    NodeId product = term.expression;
    if (graph.is_constant(term.expression, 1.0)) {
      product = graph.constant(size);
    } else if (size != 1.0) {
      product = graph.multiply(graph.constant(size), term.expression);
    }
    if (!sum.valid()) {
      sum = term.factor < 0.0 ? graph.negate(product) : product;
    } else {
      sum = term.factor < 0.0 ? graph.subtract(sum, product) : graph.add(sum, product);
    }
  }
  return sum.valid() ? sum : graph.constant(0.0);
}

void drop_cancelled_terms(expr::Graph& graph, std::vector<flat::Equation>& equations) {
  for (flat::Equation& equation : equations) {
    std::vector<LinearTerm> terms = linear_terms(graph, equation);
    // What cancels exactly is seen by those who divide by it.
    const bool has_garbage = std::any_of(terms.begin(), terms.end(), [](const LinearTerm& term) {
      return term.factor != 0.0 && has_cancelled(term);
    });
    if (!has_garbage) {
      continue;
    }
    const auto kept = std::remove_if(terms.begin(), terms.end(), has_cancelled);
    // An equation of which nothing is left is for others to report.
    if (kept == terms.begin()) {
      continue;
    }
    terms.erase(kept, terms.end());
    equation.left = sum_of(graph, terms);
    equation.right = graph.constant(0.0);
  }
}

}  // namespace saltus::structure
