#include "program/blocks/block_matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace saltus::program {
namespace {

bool worth_sparse(Index n, std::size_t n_entries) {
  return n >= kSparseOrder && 2 * n_entries < static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
}

// The power of two that brings `largest` into [1/2, 1); 1 for zero. Kept away from the ends of the range.
double scale_for(double largest) {
  constexpr int kMaxExponent = 1000;  // away from the ends of the range, 1023
  constexpr int kBias = std::numeric_limits<double>::max_exponent - 1;
  constexpr int kMantissaBits = std::numeric_limits<double>::digits - 1;
  if (!(largest > 0.0) || !std::isfinite(largest)) {
    return 1.0;
  }
  // Of numbers too small to be normal the exponent field is 0, and they end at the clamp too.
  const auto field = static_cast<int>(std::bit_cast<std::uint64_t>(largest) >> kMantissaBits);
  const int exponent = std::clamp(field - kBias + 1, -kMaxExponent, kMaxExponent);
  return std::bit_cast<double>(static_cast<std::uint64_t>(kBias - exponent) << kMantissaBits);
}

void scales_from_largest(std::vector<double>& largest) {
  std::transform(largest.begin(), largest.end(), largest.begin(), scale_for);
}

}  // namespace

BlockPattern::BlockPattern(Index order, std::vector<Entry> places) : n(order), entries(std::move(places)) {
  if (!worth_sparse(n, entries.size())) {
    return;
  }
  std::vector<std::size_t> by_column(entries.size());
  std::iota(by_column.begin(), by_column.end(), 0U);
  std::sort(by_column.begin(), by_column.end(), [this](std::size_t a, std::size_t b) {
    return std::pair(entries[a].column, entries[a].row) < std::pair(entries[b].column, entries[b].row);
  });
  linalg::SparsePattern pattern{
      .n = n, .column_starts = std::vector<Index>(static_cast<std::size_t>(n) + 1, 0), .rows = {}};
  sparse_position.resize(entries.size());
  for (std::size_t k = 0; k < by_column.size(); ++k) {
    const Entry& entry = entries[by_column[k]];
    sparse_position[by_column[k]] = k;
    pattern.rows.push_back(entry.row);
    pattern.column_starts[static_cast<std::size_t>(entry.column) + 1] += 1;
  }
  std::partial_sum(pattern.column_starts.begin(), pattern.column_starts.end(), pattern.column_starts.begin());
  sparse = std::make_shared<const linalg::SparseLuSymbolic>(std::move(pattern));
}

BlockMatrix::BlockMatrix(const BlockPattern& pattern, std::span<const double> sizes)
    : pattern_(pattern),
      row_scales_(static_cast<std::size_t>(pattern.n), 1.0),
      column_scales_(static_cast<std::size_t>(pattern.n), 1.0) {
  if (std::any_of(sizes.begin(), sizes.end(), [](double size) { return size != 1.0; })) {
    sizes_.assign(sizes.begin(), sizes.end());
  }
  if (pattern.n == 1 && pattern.entries.size() == 1) {
    return;  // a division
  }
  factorized_.reserve(pattern.entries.size());
  if (pattern.sparse != nullptr) {
    sparse_.emplace(pattern.sparse);
    columns_.resize(pattern.entries.size());
  } else {
    dense_.emplace(pattern.n);
  }
}

void BlockMatrix::find_scales(std::span<const double> values) {
  std::fill(row_scales_.begin(), row_scales_.end(), 0.0);
  std::fill(column_scales_.begin(), column_scales_.end(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const BlockPattern::Entry& entry = pattern_.entries[k];
    const double size = sizes_.empty() ? 1.0 : sizes_[static_cast<std::size_t>(entry.column)];
    double& largest = row_scales_[static_cast<std::size_t>(entry.row)];
    largest = std::max(largest, std::abs(values[k]) * size);
  }
  scales_from_largest(row_scales_);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const BlockPattern::Entry& entry = pattern_.entries[k];
    double& largest = column_scales_[static_cast<std::size_t>(entry.column)];
    largest = std::max(largest, std::abs(values[k] * row_scales_[static_cast<std::size_t>(entry.row)]));
  }
  scales_from_largest(column_scales_);
}

linalg::FactorStatus BlockMatrix::factorize_scaled(std::span<const double> values) {
  const auto scaled = [&](std::size_t k) {
    const BlockPattern::Entry& entry = pattern_.entries[k];
    return values[k] * row_scales_[static_cast<std::size_t>(entry.row)] *
           column_scales_[static_cast<std::size_t>(entry.column)];
  };
  if (sparse_) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      columns_[pattern_.sparse_position[k]] = scaled(k);
    }
    return sparse_->factorize(columns_);
  }
  const std::span<double> matrix = dense_->matrix();
  std::fill(matrix.begin(), matrix.end(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const BlockPattern::Entry& entry = pattern_.entries[k];
    matrix[static_cast<std::size_t>(entry.row + entry.column * pattern_.n)] = scaled(k);
  }
  return dense_->factorize();
}

double BlockMatrix::pivot_ratio() const {
  return sparse_ ? sparse_->reciprocal_condition() : dense_->pivot_ratio();
}

linalg::FactorStatus BlockMatrix::factorize(std::span<const double> values) {
  if (is_number()) {
    number_ = values[0];
    const bool is_zero = number_ == 0.0;
    return {is_zero                  ? linalg::FactorStatus::Kind::singular
            : std::isfinite(number_) ? linalg::FactorStatus::Kind::ok
                                     : linalg::FactorStatus::Kind::not_finite,
            is_zero ? Index{0} : Index{-1}};
  }
  if (!is_known(values)) {
    status_ = factorize_anew(values);
  }
  return status_;
}

bool BlockMatrix::is_known(std::span<const double> values) {
  if (!factorized_.empty() && std::memcmp(factorized_.data(), values.data(), values.size_bytes()) == 0) {
    return true;
  }
  factorized_.assign(values.begin(), values.end());
  return false;
}

linalg::FactorStatus BlockMatrix::factorize_anew(std::span<const double> values) {
  find_scales(values);
  const linalg::FactorStatus status = factorize_scaled(values);
  const double threshold =
      kSmallestPivot * static_cast<double>(pattern_.n) * std::numeric_limits<double>::epsilon();
  if (status.ok() && !(pivot_ratio() > threshold)) {
    return {.kind = linalg::FactorStatus::Kind::singular};
  }
  return status;
}

// With Â = R·A·C: A⁻ᵀ = R·Â⁻ᵀ·C.
void BlockMatrix::solve_transposed(std::span<double> b) {
  if (is_number()) {
    b[0] /= number_;
    return;
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] *= column_scales_[i];
  }
  if (sparse_) {
    sparse_->solve_transposed(b);
  } else {
    dense_->solve_transposed(b);
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] *= row_scales_[i];
  }
}

// With Â = R·A·C: A⁻¹ = C·Â⁻¹·R.
void BlockMatrix::solve(std::span<double> b) {
  if (is_number()) {
    b[0] /= number_;
    return;
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] *= row_scales_[i];
  }
  if (sparse_) {
    sparse_->solve(b);
  } else {
    dense_->solve(b);
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] *= column_scales_[i];
  }
}

void BlockMatrix::solve_rows(std::span<double> b, std::size_t n_right) {
  if (is_number()) {
    std::transform(b.begin(), b.end(), b.begin(), [this](double value) { return value / number_; });
    return;
  }
  const auto scale = [&](const std::vector<double>& scales) {
    for (std::size_t i = 0; i < scales.size(); ++i) {
      for (double& value : b.subspan(i * n_right, n_right)) {
        value *= scales[i];
      }
    }
  };
  scale(row_scales_);
  if (sparse_) {
    sparse_->solve_rows(b, static_cast<Index>(n_right));
  } else {
    dense_->solve_rows(b, static_cast<Index>(n_right));
  }
  scale(column_scales_);
}

}  // namespace saltus::program
