// Matrices of linear equations, as users write them.

#include "saltus/matrix_pair.hpp"

#include <fmt/format.h>

#include "api/model/diagnostic_codes.hpp"
#include "linalg/generalized_inverse.hpp"
#include "reduce/drazin_solution.hpp"
#include "reduce/ranks/rank_analysis.hpp"
#include "saltus/contract.hpp"

namespace saltus {
namespace {

Unexpected<Diagnostics> wrong_matrix(DiagnosticCode code, std::string message) {
  Diagnostics problems;
  problems.error(code, std::move(message));
  return Unexpected(std::move(problems));
}

Result<linalg::DenseMatrix> dense(const Matrix& rows, std::string_view name) {
  const std::size_t n_columns = rows.empty() ? 0 : rows.front().size();
  linalg::DenseMatrix matrix(static_cast<Index>(rows.size()), static_cast<Index>(n_columns));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != n_columns) {
      return wrong_matrix(api::kWrongMatrix,
                          fmt::format("row {} of {} has {} entries, and the first row has {}", i + 1, name,
                                      rows[i].size(), n_columns));
    }
    for (std::size_t j = 0; j < n_columns; ++j) {
      matrix(static_cast<Index>(i), static_cast<Index>(j)) = rows[i][j];
    }
  }
  if (!matrix.is_finite()) {
    return wrong_matrix(api::kWrongMatrix, fmt::format("an entry of {} is not a finite number", name));
  }
  return matrix;
}

Matrix in_rows(const linalg::DenseMatrix& matrix) {
  Matrix rows(static_cast<std::size_t>(matrix.rows()));
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.columns(); ++j) {
      rows[static_cast<std::size_t>(i)].push_back(matrix(i, j));
    }
  }
  return rows;
}

struct Pair {
  linalg::DenseMatrix e;
  linalg::DenseMatrix a;
  [[nodiscard]] bool is_square() const { return e.rows() == e.columns(); }
};

Result<Pair> dense_pair(const Matrix& e, const Matrix& a) {
  Result<linalg::DenseMatrix> first = dense(e, "E");
  Result<linalg::DenseMatrix> second = dense(a, "A");
  if (!first || !second) {
    return Unexpected(first ? second.error() : first.error());
  }
  if (first->rows() != second->rows() || first->columns() != second->columns()) {
    return wrong_matrix(api::kWrongMatrix, fmt::format("E is {} x {}, and A is {} x {}", first->rows(),
                                                       first->columns(), second->rows(), second->columns()));
  }
  return Pair{*std::move(first), *std::move(second)};
}

}  // namespace

Result<Matrix> moore_penrose_inverse(const Matrix& a) {
  const Result<linalg::DenseMatrix> matrix = dense(a, "A");
  if (!matrix) {
    return Unexpected(matrix.error());
  }
  return in_rows(linalg::moore_penrose(*matrix));
}

Result<DrazinInverse> drazin_inverse(const Matrix& a) {
  const Result<linalg::DenseMatrix> matrix = dense(a, "A");
  if (!matrix) {
    return Unexpected(matrix.error());
  }
  if (matrix->rows() != matrix->columns()) {
    return wrong_matrix(api::kWrongMatrix,
                        fmt::format("A is {} x {} and not square", matrix->rows(), matrix->columns()));
  }
  const linalg::Drazin found = linalg::drazin(*matrix);
  return DrazinInverse{in_rows(found.inverse), in_rows(found.inverse * *matrix), found.index};
}

Result<PairValues> pair_values(const Matrix& e, const Matrix& a) {
  const Result<Pair> pair = dense_pair(e, a);
  if (!pair) {
    return Unexpected(pair.error());
  }
  const reduce::LocalValues local = reduce::local_values(pair->e, pair->a);
  PairValues values;
  values.rank = static_cast<int>(local.rank);
  values.algebraic = static_cast<int>(local.algebraic);
  values.strangeness = static_cast<int>(local.strangeness);
  values.differential = static_cast<int>(local.differential);
  values.undetermined = static_cast<int>(local.undetermined);
  values.vanishing = static_cast<int>(local.vanishing);
  values.index = pair->is_square() ? linalg::pair_index(pair->e, pair->a) : std::nullopt;
  return values;
}

struct LinearSolution::Data {
  reduce::DrazinSolution solution;
  std::size_t n = 0;
};

Result<LinearSolution> LinearSolution::of(const Matrix& e, const Matrix& a, Forcing b, double start) {
  const Result<Pair> pair = dense_pair(e, a);
  if (!pair) {
    return Unexpected(pair.error());
  }
  const std::size_t n = e.size();
  // A forcing of another size would be read beyond its end.
  Forcing checked = [b = std::move(b), n](int derivative, double t) {
    std::vector<double> values = b(derivative, t);
    SALTUS_EXPECT(values.size() == n, fmt::format("b has {} values for {} equations", values.size(), n));
    return values;
  };
  auto solution = pair->is_square()
                      ? reduce::DrazinSolution::make(pair->e, pair->a, std::move(checked), start)
                      : std::nullopt;
  if (!solution) {
    return wrong_matrix(
        api::kSingularPair,
        pair->is_square()
            ? "no factor λ makes λE - A nonsingular: the equations do not determine a solution"
            : fmt::format("there are {} equations for {} unknowns", pair->e.rows(), pair->e.columns()));
  }
  return LinearSolution(std::make_shared<const Data>(Data{*std::move(solution), n}));
}

int LinearSolution::index() const {
  return data_->solution.index();
}

std::vector<double> LinearSolution::at(double t, const std::vector<double>& w) const {
  SALTUS_EXPECT(w.size() == data_->n, fmt::format("{} values for {} unknowns", w.size(), data_->n));
  return data_->solution.at(t, w);
}

}  // namespace saltus
