#include "reduce/linear/order_reduction.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "linalg/equilibration.hpp"
#include "reduce/linear/coefficient_scales.hpp"
#include "reduce/ranks/data_orders.hpp"
#include "reduce/ranks/rank_analysis.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;
using linalg::modular::Field;
using linalg::modular::Residues;

DenseMatrix first_rows(const DenseMatrix& matrix, Index n) {
  DenseMatrix result(n, matrix.columns());
  for (Index j = 0; j < matrix.columns(); ++j) {
    for (Index i = 0; i < n; ++i) {
      result(i, j) = matrix(i, j);
    }
  }
  return result;
}

DenseMatrix in_one(const std::vector<DenseMatrix>& by_order) {
  DenseMatrix all(by_order[0].rows(), 0);
  for (const DenseMatrix& block : by_order) {
    all = beside(all, block);
  }
  return all;
}

// Columns of an unknown share a factor, and those of an order.
std::vector<std::vector<Index>> labels_of(const std::vector<DenseMatrix>& by_order) {
  std::vector<std::vector<Index>> labels(2);
  for (std::size_t order = 0; order < by_order.size(); ++order) {
    for (Index j = 0; j < by_order[0].columns(); ++j) {
      labels[0].push_back(j);
      labels[1].push_back(static_cast<Index>(order));
    }
  }
  return labels;
}

// The array with rows and columns scaled by powers of 2: a factor for each row, unknown and order.
struct ScaledArray {
  std::vector<DenseMatrix> by_order;
  std::vector<double> row_scale;
  std::vector<double> unknown_scale;
};

ScaledArray scaled(const Coefficients& coefficients, int level) {
  // Units first, then what is left to be scaled in their array.
  const CoefficientScales units = coefficient_scales(coefficients);
  const std::vector<DenseMatrix> array = order_array(in_units(coefficients, units), level);
  const Index n = array[0].columns();
  const Index m = coefficients[0][0].rows();
  const DenseMatrix all = in_one(array);
  const linalg::Equilibration scale = linalg::equilibrate(all, labels_of(array));
  const DenseMatrix after = scale.apply(all);
  ScaledArray result;
  for (std::size_t order = 0; order < array.size(); ++order) {
    result.by_order.push_back(after.middle_columns(static_cast<Index>(order) * n, n));
  }
  // Row i of level l is in units of its equation over those of time, l times.
  result.row_scale = scale.row_scale;
  for (Index i = 0; i < all.rows(); ++i) {
    result.row_scale[at_index(i)] *=
        units.row[at_index(i % m)] * std::pow(units.time, -static_cast<double>(i / m));
  }
  for (Index j = 0; j < n; ++j) {
    result.unknown_scale.push_back(scale.column_scale[at_index(j)] * units.column[at_index(j)]);
  }
  return result;
}

RankAnalysis analyse(const ScaledArray& array, std::size_t order, Index n_equations,
                     std::vector<double>& top_scale) {
  ArrayBlocks blocks;
  blocks.by_order.assign(array.by_order.begin(), array.by_order.begin() + static_cast<std::ptrdiff_t>(order));
  blocks.leading = DenseMatrix(array.by_order[0].rows(), 0);
  for (std::size_t i = order; i < array.by_order.size(); ++i) {
    blocks.leading = beside(blocks.leading, array.by_order[i]);
  }
  blocks.top = first_rows(array.by_order[order], n_equations);
  top_scale.assign(array.row_scale.begin(), array.row_scale.begin() + n_equations);
  normalise_rows(blocks.top, top_scale);
  return analyse_ranks(blocks, {});
}

// The definitions of rank_analysis.hpp once more, modulo a prime.
LevelNumbers exact_numbers(const std::vector<Residues>& array, std::size_t order, Index n_equations,
                           const Field& field) {
  const ModularAlgebra algebra(field);
  Residues beyond(array[0].rows, 0);
  for (std::size_t i = order; i < array.size(); ++i) {
    beyond = ModularAlgebra::beside(beyond, array[i]);
  }
  std::vector<Residues> left;
  for (std::size_t i = order; i-- > 0;) {
    left.insert(left.begin(), algebra.corange(beyond));
    beyond = ModularAlgebra::beside(array[i], beyond);
  }
  LevelNumbers numbers;
  Residues kernel(0, 0);
  for (std::size_t i = 0; i < order; ++i) {
    const Residues seen =
        algebra.transpose_times(left[i], i == 0 ? array[0] : algebra.product(array[i], kernel));
    const Index rank = algebra.rank(seen);
    const Residues below = algebra.kernel(seen);
    if (i == 0) {
      numbers.algebraic = rank;
      numbers.redundant = left[0].columns - rank;
      kernel = below;
    } else {
      numbers.differential.push_back(rank);
      kernel = algebra.product(kernel, below);
    }
  }
  Residues top(n_equations, array[order].columns);
  for (Index j = 0; j < top.columns; ++j) {
    for (Index i = 0; i < n_equations; ++i) {
      top(i, j) = array[order](i, j);
    }
  }
  numbers.differential.push_back(algebra.rank(algebra.product(top, kernel)));
  return numbers;
}

// zᵀ·(rows of the array) below what is there; beyond its own order nothing but rounding is left.
void append_conditions(ReducedOrder& reduced, const std::vector<DenseMatrix>& array, const DenseMatrix& z,
                       std::size_t own_order, Index& row) {
  for (Index c = 0; c < z.columns(); ++c, ++row) {
    for (Index i = 0; i < z.rows(); ++i) {
      reduced.combine(row, i) = z(i, c);
    }
    for (std::size_t order = 0; order <= own_order; ++order) {
      for (Index j = 0; j < reduced.n_unknowns; ++j) {
        double sum = 0.0;
        for (Index i = 0; i < z.rows(); ++i) {
          sum += z(i, c) * array[order](i, j);
        }
        reduced.coefficients[order](row, j) = sum;
      }
    }
  }
}

ReducedOrder reduced_by(const RankAnalysis& ranks, const ScaledArray& scale,
                        const std::vector<double>& top_scale, const std::vector<DenseMatrix>& array,
                        std::size_t order, Index n_equations) {
  ReducedOrder reduced;
  reduced.n_equations = n_equations;
  reduced.n_unknowns = array[0].columns();
  reduced.numbers = {ranks.algebraic, ranks.differential, ranks.redundant};
  reduced.undetermined = reduced.n_unknowns - ranks.algebraic -
                         std::accumulate(ranks.differential.begin(), ranks.differential.end(), Index{0});
  reduced.data_orders.assign(at_index(n_equations), 0);
  const DenseMatrix algebraic = with_lowest_orders(ranks.z2, ranks.z3);
  raise_data_orders(algebraic, reduced.data_orders);
  reduced.top = scale_rows(ranks.z1, top_scale);
  reduced.algebraic = scale_rows(algebraic, scale.row_scale);
  reduced.redundant = scale_rows(ranks.z3, scale.row_scale);
  for (std::size_t i = 0; i < ranks.z_middle.size(); ++i) {
    const DenseMatrix middle = with_lowest_orders(ranks.z_middle[i], ranks.implied[i]);
    raise_data_orders(middle, reduced.data_orders);
    reduced.middle.push_back(scale_rows(middle, scale.row_scale));
  }
  reduced.kernel = linalg::orthonormal_columns(scale_rows(ranks.t2, scale.unknown_scale));
  reduced.coefficients.assign(order + 1, DenseMatrix(n_equations, reduced.n_unknowns));
  reduced.combine = DenseMatrix(n_equations, array[0].rows());
  Index row = 0;
  append_conditions(reduced, array, reduced.top, order, row);
  for (std::size_t i = order - 1; i > 0; --i) {
    append_conditions(reduced, array, reduced.middle[i - 1], i, row);
  }
  append_conditions(reduced, array, reduced.algebraic, 0, row);
  reduced.vanishing = n_equations - row;
  return reduced;
}

}  // namespace

OrderReduction reduce_order(const Coefficients& coefficients, const ReductionOptions& options) {
  check_coefficients(coefficients);
  const std::size_t order = coefficients.size() - 1;
  const Index m = coefficients[0][0].rows();
  OrderReduction result;
  Index redundant_before = 0;
  for (int level = 0; level <= options.max_level; ++level) {
    const std::vector<DenseMatrix> array = order_array(coefficients, level);
    const ScaledArray scale = scaled(coefficients, level);
    std::vector<double> top_scale;
    const RankAnalysis ranks = analyse(scale, order, m, top_scale);
    LevelDecision& decision = result.decisions.emplace_back();
    decision.level = level;
    decision.numbers = {ranks.algebraic, ranks.differential, ranks.redundant};
    decision.doubts = {ranks.is_unclear, ranks.smallest_gap, ranks.largest_dropped};
    decision.exact = linalg::modular::agreed([&](const Field& field) {
      return exact_numbers(exact_order_array(coefficients, level, field), order, m, field);
    });
    const bool is_rounding =
        options.is_rounded && decision.doubts.is_rounding(std::max(array[0].rows(), array[0].columns()));
    decision.is_clear = !ranks.is_unclear && (is_rounding || decision.exact == decision.numbers);
    if (!decision.is_clear) {
      return result;
    }
    const Index vanishing = ranks.redundant - std::exchange(redundant_before, ranks.redundant);
    const Index conditions =
        std::accumulate(ranks.differential.begin(), ranks.differential.end(), ranks.algebraic + vanishing);
    if (conditions == m) {
      result.reduced = reduced_by(ranks, scale, top_scale, array, order, m);
      result.reduced->level = level;
      return result;
    }
  }
  return result;
}

}  // namespace saltus::reduce
