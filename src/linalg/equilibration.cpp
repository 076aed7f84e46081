#include "linalg/equilibration.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/machine.hpp"

namespace saltus::linalg {
namespace {

// Each sweep halves the logarithms of what is out of scale; ten reduce 1e300 to less than 2.
constexpr int kSweeps = 10;

double power_of_two_near_inverse_root(double value) {
  return std::isfinite(value) && value > 0.0 ? std::exp2(-std::round(0.5 * std::log2(value))) : 1.0;
}

void multiply(std::vector<double>& values, const std::vector<double>& factors) {
  std::transform(values.begin(), values.end(), factors.begin(), values.begin(), std::multiplies<>());
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
  std::vector<Index> own(at_index(a.columns()));
  std::iota(own.begin(), own.end(), Index{0});
  return equilibrate(a, {&own, 1});
}

Equilibration equilibrate(const DenseMatrix& a, std::span<const std::vector<Index>> labels) {
  Equilibration result = no_equilibration(a);
  DenseMatrix scaled = a;
  const auto size = [&](Index i, Index j) { return std::abs(scaled(i, j)); };
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    std::vector<double> row(at_index(a.rows()), 0.0);
    for (Index j = 0; j < a.columns(); ++j) {
      for (Index i = 0; i < a.rows(); ++i) {
        row[at_index(i)] = std::max(row[at_index(i)], size(i, j));
      }
    }
    std::transform(row.begin(), row.end(), row.begin(), power_of_two_near_inverse_root);
    scaled = scale_rows(scaled, row);
    multiply(result.row_scale, row);
    for (const std::vector<Index>& label : labels) {
      const Index n_factors = label.empty() ? 0 : *std::max_element(label.begin(), label.end()) + 1;
      std::vector<double> factor(at_index(n_factors), 0.0);
      for (Index j = 0; j < a.columns(); ++j) {
        double& largest = factor[at_index(label[at_index(j)])];
        for (Index i = 0; i < a.rows(); ++i) {
          largest = std::max(largest, size(i, j));
        }
      }
      std::transform(factor.begin(), factor.end(), factor.begin(), power_of_two_near_inverse_root);
      std::vector<double> column(at_index(a.columns()));
      std::transform(label.begin(), label.end(), column.begin(),
                     [&](Index group) { return factor[at_index(group)]; });
      scaled = scale_columns(scaled, column);
      multiply(result.column_scale, column);
    }
  }
  return result;
}

}  // namespace saltus::linalg
