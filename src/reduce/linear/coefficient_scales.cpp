#include "reduce/linear/coefficient_scales.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/machine.hpp"
#include "linalg/dense_lu.hpp"
#include "linalg/equilibration.hpp"

namespace saltus::reduce {
namespace {

// The square of a logarithm of a scale counts this much beside those of coefficients: it decides only what is left open.
constexpr double kWeightOfScale = 1e-9;

template <class Visit>
void for_entries(const Coefficients& coefficients, const Visit& visit) {
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    for (std::size_t j = 0; j < coefficients[i].size(); ++j) {
      const linalg::DenseMatrix& block = coefficients[i][j];
      for (Index column = 0; column < block.columns(); ++column) {
        for (Index row = 0; row < block.rows(); ++row) {
          if (block(row, column) != 0.0) {
            visit(row, column, static_cast<double>(i) - static_cast<double>(j),
                  std::log2(std::abs(block(row, column))));
          }
        }
      }
    }
  }
}

}  // namespace

CoefficientScales coefficient_scales(const Coefficients& coefficients, bool is_congruent) {
  const Index m = coefficients[0][0].rows();
  const Index n = coefficients[0][0].columns();
  // Unknowns: logarithms of rows, of columns from `first` on, and of time.
  const Index first = is_congruent ? 0 : m;
  const auto size = at_index(first + n + 1);
  linalg::DenseLu normal(first + n + 1);
  std::vector<double> scale(size, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    normal.matrix()[i + i * size] = kWeightOfScale;
  }
  // (log row + log column + order·log time + log |C|)² by its derivatives.
  for_entries(coefficients, [&](Index row, Index column, double order, double logarithm) {
    const std::array<std::size_t, 3> places{at_index(row), at_index(first + column), at_index(first + n)};
    const std::array<double, 3> factors{1.0, 1.0, order};
    for (std::size_t a = 0; a < places.size(); ++a) {
      for (std::size_t b = 0; b < places.size(); ++b) {
        normal.matrix()[places[a] + places[b] * size] += factors[a] * factors[b];
      }
      scale[places[a]] -= factors[a] * logarithm;
    }
  });
  if (normal.factorize().ok()) {
    normal.solve(scale);
  }
  const auto power = [](double logarithm) { return std::exp2(std::round(logarithm)); };
  std::transform(scale.begin(), scale.end(), scale.begin(), power);
  CoefficientScales result;
  result.row.assign(scale.begin(), scale.begin() + m);
  result.column.assign(scale.begin() + first, scale.begin() + first + n);
  result.time = scale.back();
  return result;
}

Coefficients in_units(const Coefficients& coefficients, const CoefficientScales& scales) {
  Coefficients result = coefficients;
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t j = 0; j < result[i].size(); ++j) {
      const int order = static_cast<int>(i) - static_cast<int>(j);
      result[i][j] =
          std::pow(scales.time, order) * scale_columns(scale_rows(result[i][j], scales.row), scales.column);
    }
  }
  return result;
}

}  // namespace saltus::reduce
