// Coefficients of linear equations as users write them.

#include "saltus/linear_equations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/linear/matrix_rows.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "reduce/linear/local_triple.hpp"
#include "reduce/linear/order_reduction.hpp"
#include "reduce/linear/trimmed_form.hpp"
#include "reduce/structured/structured_pair.hpp"

namespace saltus {

using api::dense;
using api::in_rows;
using api::wrong_matrix;

namespace {

int as_count(Index value) {
  return static_cast<int>(value);
}

// Matrices of one shape, `letter` with the number of the coefficient.
Result<std::vector<linalg::DenseMatrix>> of_one_shape(const std::vector<Matrix>& list,
                                                      const std::string& name) {
  std::vector<linalg::DenseMatrix> result;
  for (std::size_t j = 0; j < list.size(); ++j) {
    auto matrix = dense(list[j], j == 0 ? name : fmt::format("derivative {} of {}", j, name));
    if (!matrix) {
      return Unexpected(matrix.error());
    }
    result.push_back(*std::move(matrix));
  }
  return result;
}

Result<reduce::Coefficients> dense_coefficients(const CoefficientList& coefficients) {
  if (coefficients.size() < 2) {
    return wrong_matrix(api::kWrongMatrix, "there have to be coefficients of x and of its derivative");
  }
  reduce::Coefficients result;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    auto list = of_one_shape(coefficients[i], fmt::format("C_{}", i));
    if (!list) {
      return Unexpected(list.error());
    }
    if (list->empty()) {
      return wrong_matrix(api::kWrongMatrix, fmt::format("C_{} has no matrix", i));
    }
    result.push_back(*std::move(list));
  }
  const linalg::DenseMatrix& first = result[0][0];
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (const linalg::DenseMatrix& one : result[i]) {
      if (one.rows() != first.rows() || one.columns() != first.columns()) {
        return wrong_matrix(api::kWrongMatrix,
                            fmt::format("C_0 is {} x {}, and C_{} or a derivative of it is {} x {}",
                                        first.rows(), first.columns(), i, one.rows(), one.columns()));
      }
    }
  }
  return result;
}

std::string doubt_of(const reduce::OrderReduction& found) {
  const reduce::LevelDecision& last = found.decisions.back();
  if (last.is_clear) {
    return fmt::format("the ranks do not add up after {} differentiations: they change at this point",
                       last.level);
  }
  return fmt::format(
      "a rank of the equations and {} derivatives of them is not clear: the smallest gap is {:.1e}, what "
      "counts as zero {:.1e} of the largest number{}",
      last.level, last.doubts.smallest_gap, last.doubts.largest_dropped,
      last.exact && *last.exact != last.numbers ? ", and the numbers exactly as they stand have other ranks"
                                                : "");
}

StructuredEquations equations_of(const reduce::StructuredForm& form) {
  return {in_rows(form.e),         in_rows(form.a),        in_rows(form.data),
          in_rows(form.data_rate), in_rows(form.unknowns), in_rows(form.unknowns_rate)};
}

reduce::StructureKind kind_of(PairKind kind) {
  return kind == PairKind::symmetric      ? reduce::StructureKind::symmetric
         : kind == PairKind::self_adjoint ? reduce::StructureKind::self_adjoint
                                          : reduce::StructureKind::none;
}

}  // namespace

Result<TripleValues> triple_values(const Matrix& m, const Matrix& c, const Matrix& k) {
  const auto matrices = dense_coefficients({{k}, {c}, {m}});
  if (!matrices) {
    return Unexpected(matrices.error());
  }
  const reduce::LocalTriple local =
      reduce::local_triple((*matrices)[2][0], (*matrices)[1][0], (*matrices)[0][0]);
  const reduce::TripleValues& found = local.values;
  TripleValues values;
  values.rank = as_count(found.rank);
  values.algebraic = as_count(found.algebraic);
  values.strangeness_mck = as_count(found.strangeness_mck);
  values.strangeness_ck = as_count(found.strangeness_ck);
  values.strangeness_mc = as_count(found.strangeness_mc);
  values.strangeness_mk = as_count(found.strangeness_mk);
  values.first_order = as_count(found.first_order);
  values.second_order = as_count(found.second_order);
  values.undetermined = as_count(found.undetermined);
  values.vanishing = as_count(found.vanishing);
  values.is_clear = local.is_clear;
  return values;
}

Result<ReducedEquations> reduce_equations(const CoefficientList& coefficients,
                                          const EquationOptions& options) {
  const auto matrices = dense_coefficients(coefficients);
  if (!matrices) {
    return Unexpected(matrices.error());
  }
  reduce::ReductionOptions how;
  how.is_rounded = options.is_rounded;
  const reduce::OrderReduction found = reduce::reduce_order(*matrices, how);
  if (!found.reduced) {
    return wrong_matrix(api::kUnclearRank, doubt_of(found));
  }
  const reduce::ReducedOrder& reduced = *found.reduced;
  ReducedEquations result;
  result.index = reduced.level;
  std::transform(reduced.numbers.differential.begin(), reduced.numbers.differential.end(),
                 std::back_inserter(result.differential), as_count);
  result.algebraic = as_count(reduced.numbers.algebraic);
  result.undetermined = as_count(reduced.undetermined);
  result.vanishing = as_count(reduced.vanishing);
  for (const linalg::DenseMatrix& one : reduced.coefficients) {
    result.coefficients.push_back(in_rows(one));
  }
  result.combine = in_rows(reduced.combine);
  result.data_orders = reduced.data_orders;
  if (reduced.order() == 2) {
    const reduce::TrimmedForm trimmed = reduce::trimmed_form(*matrices, reduced, reduced.top);
    result.trimmed_e = in_rows(trimmed.e);
    result.trimmed_a = in_rows(trimmed.a);
    result.trimmed_combine = in_rows(trimmed.combine);
  }
  return result;
}

Result<CoefficientList> companion_equations(const CoefficientList& coefficients) {
  const auto matrices = dense_coefficients(coefficients);
  if (!matrices) {
    return Unexpected(matrices.error());
  }
  CoefficientList result;
  for (const std::vector<linalg::DenseMatrix>& list : reduce::companion_form(*matrices)) {
    std::vector<Matrix>& derivatives = result.emplace_back();
    std::transform(list.begin(), list.end(), std::back_inserter(derivatives), in_rows);
  }
  return result;
}

Result<FoundStructure> find_structure(const CoefficientList& coefficients) {
  const auto matrices = dense_coefficients(coefficients);
  if (!matrices) {
    return Unexpected(matrices.error());
  }
  const reduce::StructureSearch found = reduce::find_structure(*matrices);
  FoundStructure result;
  result.kind = found.kind == reduce::StructureKind::symmetric      ? PairKind::symmetric
                : found.kind == reduce::StructureKind::self_adjoint ? PairKind::self_adjoint
                                                                    : PairKind::none;
  result.is_complete = found.is_complete;
  std::transform(found.assignment.unknown.begin(), found.assignment.unknown.end(),
                 std::back_inserter(result.unknown), as_count);
  std::transform(found.assignment.sign.begin(), found.assignment.sign.end(), std::back_inserter(result.sign),
                 [](double sign) { return sign < 0.0 ? -1 : 1; });
  return result;
}

Result<StructuredValues> structured_pair(const std::vector<Matrix>& e, const std::vector<Matrix>& a,
                                         PairKind kind, const EquationOptions& options) {
  const auto matrices = dense_coefficients({a, e});
  if (!matrices) {
    return Unexpected(matrices.error());
  }
  reduce::Coefficients coefficients = *matrices;
  for (linalg::DenseMatrix& one : coefficients[0]) {
    one = -1.0 * one;
  }
  if (kind == PairKind::none || !reduce::has_structure(coefficients, kind_of(kind))) {
    return wrong_matrix(api::kWrongMatrix, kind == PairKind::symmetric
                                               ? "E and A are not both symmetric"
                                               : "E and A are not self-adjoint: E = -Eᵀ, A = (A + Ė)ᵀ");
  }
  const auto found =
      reduce::structured_pair({(*matrices)[1], (*matrices)[0]}, kind_of(kind), options.is_rounded);
  if (!found) {
    return wrong_matrix(api::kUnclearRank, "a rank on the way to the condensed form is not clear");
  }
  StructuredValues values;
  values.rank = as_count(found->rank);
  values.algebraic = as_count(found->algebraic);
  values.strangeness = as_count(found->strangeness);
  values.differential = as_count(found->differential);
  values.undetermined = as_count(found->undetermined);
  values.p = in_rows(found->p);
  values.condensed_e = in_rows(found->condensed_e);
  values.condensed_a = in_rows(found->condensed_a);
  values.local_a = in_rows(found->local_a);
  values.is_semidefinite = found->is_semidefinite;
  values.index = found->index;
  if (found->strangeness_free) {
    values.strangeness_free = equations_of(*found->strangeness_free);
  }
  if (found->extended) {
    values.extended = equations_of(*found->extended);
  }
  values.reason = found->reason;
  return values;
}

}  // namespace saltus
