#include "api/linear/matrix_rows.hpp"

#include <fmt/format.h>

#include <utility>

#include "api/model/diagnostic_codes.hpp"

namespace saltus::api {

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
      return wrong_matrix(kWrongMatrix, fmt::format("row {} of {} has {} entries, and the first row has {}",
                                                    i + 1, name, rows[i].size(), n_columns));
    }
    for (std::size_t j = 0; j < n_columns; ++j) {
      matrix(static_cast<Index>(i), static_cast<Index>(j)) = rows[i][j];
    }
  }
  if (!matrix.is_finite()) {
    return wrong_matrix(kWrongMatrix, fmt::format("an entry of {} is not a finite number", name));
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

}  // namespace saltus::api
