#include "reduce/linear/trimmed_form.hpp"

#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;

void add_block(DenseMatrix& into, const DenseMatrix& block, Index row, Index column, double factor = 1.0) {
  for (Index j = 0; j < block.columns(); ++j) {
    for (Index i = 0; i < block.rows(); ++i) {
      into(row + i, column + j) += factor * block(i, j);
    }
  }
}

}  // namespace

TrimmedForm trimmed_form(const Coefficients& coefficients, const ReducedOrder& reduced,
                         const DenseMatrix& top) {
  SALTUS_EXPECT(coefficients.size() == 3 && reduced.order() == 2, "equations of second order");
  SALTUS_EXPECT(top.rows() == reduced.n_equations && top.columns() == reduced.d(2),
                "a combination for each condition of second order");
  const Index m = reduced.n_equations;
  const Index n = reduced.n_unknowns;
  const Index d2 = top.columns();
  TrimmedForm form{.e = DenseMatrix(m + d2, n + d2),
                   .a = DenseMatrix(m + d2, n + d2),
                   .combine = DenseMatrix(m + d2, reduced.combine.columns())};
  // Conditions of first order and algebraic ones as they are; those of second order may belong to another Z₀.
  add_block(form.e, reduced.coefficients[1], 0, d2);
  add_block(form.a, reduced.coefficients[0], 0, d2, -1.0);
  add_block(form.combine, reduced.combine, 0, 0);
  for (Index i = 0; i < d2; ++i) {
    for (Index j = 0; j < n + d2; ++j) {
      form.e(i, j) = form.a(i, j) = 0.0;
    }
    for (Index j = 0; j < form.combine.columns(); ++j) {
      form.combine(i, j) = j < m ? top(j, i) : 0.0;
    }
  }
  const DenseMatrix mass = transpose_times(top, coefficients[2][0]);
  add_block(form.e, DenseMatrix::identity(d2), 0, 0);
  add_block(form.e, transpose_times(top, coefficients[1][0]), 0, d2);
  if (coefficients[2].size() > 1) {
    add_block(form.e, transpose_times(top, coefficients[2][1]), 0, d2, -1.0);
  }
  add_block(form.a, transpose_times(top, coefficients[0][0]), 0, d2, -1.0);
  add_block(form.e, mass, m, d2);
  add_block(form.a, DenseMatrix::identity(d2), m, 0);
  return form;
}

}  // namespace saltus::reduce
