#include "reduce/nonlinear/normal_equations.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/contract.hpp"

namespace saltus::reduce {

NormalEquations::NormalEquations(const system::RectangularPattern& pattern, std::span<const double> scale)
    : scale_(scale.begin(), scale.end()),
      row_scale_(static_cast<std::size_t>(pattern.n_rows)),
      scaled_(pattern.n_entries()),
      lower_(row_scale_.size() * row_scale_.size()),
      multipliers_(row_scale_.size()) {
  SALTUS_EXPECT(static_cast<Index>(scale.size()) == pattern.n_columns, "one scale for each unknown");
  const auto n_rows = static_cast<std::uint32_t>(pattern.n_rows);
  for (std::uint32_t column = 0; column < scale_.size(); ++column) {
    const auto begin = static_cast<std::uint32_t>(pattern.column_starts[column]);
    const auto end = static_cast<std::uint32_t>(pattern.column_starts[column + 1]);
    for (std::uint32_t e = begin; e < end; ++e) {
      const auto row = static_cast<std::uint32_t>(pattern.rows[e]);
      places_.push_back({.row = row, .column = column});
      // Rows of a column ascend.
      for (std::uint32_t f = begin; f <= e; ++f) {
        products_.push_back({.first = e, .second = f, .sum = row * n_rows + places_[f].row});
      }
    }
  }
}

// False where the square of a length is zero or not finite.
bool NormalEquations::scale_rows(std::span<const double> entries) {
  std::fill(row_scale_.begin(), row_scale_.end(), 0.0);
  for (std::size_t e = 0; e < places_.size(); ++e) {
    const double value = entries[e] * scale_[places_[e].column];
    scaled_[e] = value;
    row_scale_[places_[e].row] += value * value;
  }
  for (double& length : row_scale_) {
    if (!std::isnormal(length)) {
      return false;
    }
    length = 1.0 / std::sqrt(length);
  }
  return true;
}

bool NormalEquations::factorize(std::span<const double> entries) {
  SALTUS_EXPECT(entries.size() == scaled_.size(), "one number for each entry of the pattern");
  if (!scale_rows(entries)) {
    return false;
  }
  for (std::size_t e = 0; e < places_.size(); ++e) {
    scaled_[e] *= row_scale_[places_[e].row];
  }
  std::fill(lower_.begin(), lower_.end(), 0.0);
  for (const Product& product : products_) {
    lower_[product.sum] += scaled_[product.first] * scaled_[product.second];
  }
  return decompose();
}

bool NormalEquations::decompose() {
  const std::size_t m = row_scale_.size();
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double sum = lower(i, j);
      for (std::size_t k = 0; k < j; ++k) {
        sum -= lower(i, k) * lower(j, k);
      }
      lower(i, j) = sum * lower(j, j);
    }
    double pivot = lower(i, i);
    for (std::size_t k = 0; k < i; ++k) {
      pivot -= lower(i, k) * lower(i, k);
    }
    if (!(pivot > kLeastPivot)) {
      return false;
    }
    lower(i, i) = 1.0 / std::sqrt(pivot);
  }
  return true;
}

void NormalEquations::solve(std::span<const double> residual, std::span<double> change) {
  SALTUS_EXPECT(residual.size() == row_scale_.size() && change.size() == scale_.size(),
                "one residual for each row and one change for each unknown");
  const std::size_t m = row_scale_.size();
  for (std::size_t i = 0; i < m; ++i) {
    double sum = -row_scale_[i] * residual[i];
    for (std::size_t k = 0; k < i; ++k) {
      sum -= lower(i, k) * multipliers_[k];
    }
    multipliers_[i] = sum * lower(i, i);
  }
  for (std::size_t i = m; i-- > 0;) {
    double sum = multipliers_[i];
    for (std::size_t k = i + 1; k < m; ++k) {
      sum -= lower(k, i) * multipliers_[k];
    }
    multipliers_[i] = sum * lower(i, i);
  }
  std::fill(change.begin(), change.end(), 0.0);
  for (std::size_t e = 0; e < places_.size(); ++e) {
    change[places_[e].column] += scaled_[e] * multipliers_[places_[e].row];
  }
  for (std::size_t j = 0; j < scale_.size(); ++j) {
    change[j] *= scale_[j];
  }
}

}  // namespace saltus::reduce
