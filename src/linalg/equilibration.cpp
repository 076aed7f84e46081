#include "linalg/equilibration.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::linalg {
namespace {

// Each sweep halves the logarithms of what is out of scale; ten reduce 1e300 to less than 2.
constexpr int kSweeps = 10;

std::size_t at_index(Index i) {
  return static_cast<std::size_t>(i);
}

double power_of_two_near_inverse_root(double value) {
  return std::isfinite(value) && value > 0.0 ? std::exp2(-std::round(0.5 * std::log2(value))) : 1.0;
}

}  // namespace

DenseMatrix scale_rows(const DenseMatrix& a, const std::vector<double>& scale) {
  DenseMatrix result = a;
  for (Index j = 0; j < a.columns(); ++j) {
    for (Index i = 0; i < a.rows(); ++i) {
      result(i, j) *= scale[at_index(i)];
    }
  }
  return result;
}

DenseMatrix scale_columns(const DenseMatrix& a, const std::vector<double>& scale) {
  DenseMatrix result = a;
  for (Index j = 0; j < a.columns(); ++j) {
    for (Index i = 0; i < a.rows(); ++i) {
      result(i, j) *= scale[at_index(j)];
    }
  }
  return result;
}

DenseMatrix Equilibration::apply(const DenseMatrix& a) const {
  return scale_columns(scale_rows(a, row_scale), column_scale);
}

Equilibration no_equilibration(const DenseMatrix& a) {
  return {std::vector<double>(at_index(a.rows()), 1.0), std::vector<double>(at_index(a.columns()), 1.0)};
}

Equilibration equilibrate(const DenseMatrix& a) {
  Equilibration result = no_equilibration(a);
  DenseMatrix scaled = a;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    std::vector<double> row(at_index(a.rows()), 0.0);
    std::vector<double> column(at_index(a.columns()), 0.0);
    for (Index j = 0; j < a.columns(); ++j) {
      for (Index i = 0; i < a.rows(); ++i) {
        const double size = std::abs(scaled(i, j));
        row[at_index(i)] = std::max(row[at_index(i)], size);
        column[at_index(j)] = std::max(column[at_index(j)], size);
      }
    }
    std::transform(row.begin(), row.end(), row.begin(), power_of_two_near_inverse_root);
    std::transform(column.begin(), column.end(), column.begin(), power_of_two_near_inverse_root);
    scaled = scale_columns(scale_rows(scaled, row), column);
    for (std::size_t i = 0; i < row.size(); ++i) {
      result.row_scale[i] *= row[i];
    }
    for (std::size_t j = 0; j < column.size(); ++j) {
      result.column_scale[j] *= column[j];
    }
  }
  return result;
}

}  // namespace saltus::linalg
