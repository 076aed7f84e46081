#include "structure/index/stabilization.hpp"

#include <cmath>
#include <vector>

#include "saltus/contract.hpp"

namespace saltus::structure {
namespace {

// (D + σ)ⁿ, ascending powers of D.
std::vector<double> power_of_sum(double rate, std::size_t n) {
  std::vector<double> factors{1.0};
  for (std::size_t k = 0; k < n; ++k) {
    factors.insert(factors.begin(), 0.0);
    for (std::size_t i = 0; i + 1 < factors.size(); ++i) {
      factors[i] += rate * factors[i + 1];
    }
  }
  return factors;
}

std::vector<double> factors_of(const flat::Formulation& formulation, std::size_t c) {
  std::vector<double> factors;
  switch (formulation.row) {
    case flat::Formulation::Row::differentiated: factors.assign(c + 1, 0.0); break;
    case flat::Formulation::Row::surface:
      factors = power_of_sum(formulation.rate, c - 1);
      factors.insert(factors.begin(), 0.0);
      break;
    case flat::Formulation::Row::damped: factors = power_of_sum(formulation.rate, c); break;
  }
  factors.back() = 1.0;
  return factors;
}

}  // namespace

flat::Equation stabilized(expr::Graph& graph, const flat::Formulation& formulation,
                          std::span<const flat::Equation> derivatives) {
  SALTUS_EXPECT(!derivatives.empty(), "the equation itself is the first");
  flat::Equation result = derivatives.back();
  if (derivatives.size() == 1) {
    return result;
  }
  const std::vector<double> factors = factors_of(formulation, derivatives.size() - 1);
  for (std::size_t k = 0; k + 1 < derivatives.size(); ++k) {
    if (factors[k] != 0.0) {
      const NodeId factor = graph.constant(factors[k]);
      result.left = graph.add(result.left, graph.multiply(factor, derivatives[k].left));
      result.right = graph.add(result.right, graph.multiply(factor, derivatives[k].right));
    }
  }
  return result;
}

}  // namespace saltus::structure
