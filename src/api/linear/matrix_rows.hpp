/// Matrices as users write them, row by row, and as algorithms take them.
///
/// Contract     A matrix without rows has no columns. Errors are `wrong-matrix`.
#pragma once

#include <string>
#include <string_view>

#include "linalg/dense_matrix.hpp"
#include "saltus/matrix_pair.hpp"
#include "saltus/result.hpp"

namespace saltus::api {

[[nodiscard]] Unexpected<Diagnostics> wrong_matrix(DiagnosticCode code, std::string message);
[[nodiscard]] Result<linalg::DenseMatrix> dense(const Matrix& rows, std::string_view name);
[[nodiscard]] Matrix in_rows(const linalg::DenseMatrix& matrix);

}  // namespace saltus::api
