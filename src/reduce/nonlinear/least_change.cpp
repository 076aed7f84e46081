#include "reduce/nonlinear/least_change.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

// Of rows of length 1, for orthogonal factors: those of normal equations square it (normal_equations.hpp).
constexpr double kLeastDistance = 1e-7;
constexpr double kRegularisation = 1e-12;
// The rows of the regularised matrix have length about 1: pivots that reach down to δ are those of redundant rows.
constexpr double kRedundantPivotRatio = 10.0 * kRegularisation;

}  // namespace

LeastChange::LeastChange(const system::RectangularPattern& pattern, std::span<const double> scale,
                         Algebra algebra)
    : pattern_(&pattern),
      scale_(scale.begin(), scale.end()),
      row_scale_(static_cast<std::size_t>(pattern.n_rows), 0.0) {
  SALTUS_EXPECT(static_cast<Index>(scale.size()) == pattern.n_columns, "one scale for each unknown");
  const auto m = static_cast<double>(pattern.n_rows);
  const double work = m * m * static_cast<double>(pattern.n_columns);
  if (algebra == Algebra::dense || (algebra == Algebra::automatic && work <= kDenseWork)) {
    dense_.emplace(pattern.n_rows, pattern.n_columns);
    right_side_.resize(row_scale_.size());
    solution_.resize(scale_.size());
  } else {
    build_sparse_pattern();
    right_side_.resize(row_scale_.size() + scale_.size());
  }
}

// Unknowns first, then rows; columns of the KKT matrix have ascending rows because those of the pattern have.
void LeastChange::build_sparse_pattern() {
  const auto n = static_cast<std::size_t>(pattern_->n_columns);
  const auto m = static_cast<std::size_t>(pattern_->n_rows);
  linalg::SparsePattern kkt;
  kkt.n = pattern_->n_columns + pattern_->n_rows;
  kkt.column_starts.push_back(0);
  std::vector<std::vector<std::pair<Index, std::size_t>>> by_row(m);
  for (std::size_t j = 0; j < n; ++j) {
    diagonal_place_.push_back(kkt.rows.size());
    kkt.rows.push_back(static_cast<Index>(j));
    for (Index e = pattern_->column_starts[j]; e < pattern_->column_starts[j + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      lower_place_.push_back(kkt.rows.size());
      kkt.rows.push_back(pattern_->n_columns + pattern_->rows[entry]);
      by_row[static_cast<std::size_t>(pattern_->rows[entry])].emplace_back(static_cast<Index>(j), entry);
    }
    kkt.column_starts.push_back(static_cast<Index>(kkt.rows.size()));
  }
  upper_place_.resize(pattern_->n_entries());
  for (std::size_t i = 0; i < m; ++i) {
    for (const auto& [column, entry] : by_row[i]) {
      upper_place_[entry] = kkt.rows.size();
      kkt.rows.push_back(column);
    }
    diagonal_place_.push_back(kkt.rows.size());
    kkt.rows.push_back(static_cast<Index>(n + i));
    kkt.column_starts.push_back(static_cast<Index>(kkt.rows.size()));
  }
  values_.assign(kkt.n_entries(), 0.0);
  for (std::size_t i = 0; i < n + m; ++i) {
    values_[diagonal_place_[i]] = i < n ? 1.0 : -kRegularisation;
  }
  symbolic_ = std::make_shared<const linalg::SparseLuSymbolic>(std::move(kkt));
  sparse_.emplace(symbolic_);
}

void LeastChange::find_row_scale(std::span<const double> entries) {
  std::fill(row_scale_.begin(), row_scale_.end(), 0.0);
  for (std::size_t j = 0; j < scale_.size(); ++j) {
    for (Index e = pattern_->column_starts[j]; e < pattern_->column_starts[j + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      double& length = row_scale_[static_cast<std::size_t>(pattern_->rows[entry])];
      length = std::hypot(length, entries[entry] * scale_[j]);
    }
  }
  for (double& length : row_scale_) {
    length = length > 0.0 ? 1.0 / length : 0.0;
  }
}

bool LeastChange::factorize(std::span<const double> entries) {
  SALTUS_EXPECT(entries.size() == pattern_->n_entries(), "one number for each entry of the pattern");
  if (!std::all_of(entries.begin(), entries.end(), [](double entry) { return std::isfinite(entry); })) {
    return false;
  }
  find_row_scale(entries);
  return dense_ ? factorize_dense(entries) : factorize_sparse(entries);
}

bool LeastChange::factorize_dense(std::span<const double> entries) {
  const std::span<double> matrix = dense_->matrix();
  std::fill(matrix.begin(), matrix.end(), 0.0);
  for (std::size_t j = 0; j < scale_.size(); ++j) {
    for (Index e = pattern_->column_starts[j]; e < pattern_->column_starts[j + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      const auto row = static_cast<std::size_t>(pattern_->rows[entry]);
      matrix[row * scale_.size() + j] = row_scale_[row] * entries[entry] * scale_[j];
    }
  }
  const bool done = dense_->factorize(kLeastDistance);
  is_redundant_ = done && dense_->rank() < pattern_->n_rows;
  return done;
}

bool LeastChange::factorize_sparse(std::span<const double> entries) {
  for (std::size_t j = 0; j < scale_.size(); ++j) {
    for (Index e = pattern_->column_starts[j]; e < pattern_->column_starts[j + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      const double value =
          row_scale_[static_cast<std::size_t>(pattern_->rows[entry])] * entries[entry] * scale_[j];
      values_[lower_place_[entry]] = value;
      values_[upper_place_[entry]] = value;
    }
  }
  if (!sparse_->factorize(values_).ok()) {
    return false;
  }
  is_redundant_ = sparse_->reciprocal_condition() <= kRedundantPivotRatio;
  return true;
}

void LeastChange::solve(std::span<const double> residual, std::span<double> change) {
  SALTUS_EXPECT(residual.size() == row_scale_.size() && change.size() == scale_.size(),
                "one residual for each row and one change for each unknown");
  const std::size_t n = scale_.size();
  const std::size_t first_row = dense_ ? 0 : n;
  std::fill(right_side_.begin(), right_side_.begin() + static_cast<std::ptrdiff_t>(first_row), 0.0);
  for (std::size_t i = 0; i < residual.size(); ++i) {
    right_side_[first_row + i] = -row_scale_[i] * residual[i];
  }
  if (dense_) {
    dense_->solve(right_side_, solution_);
  } else {
    sparse_->solve(right_side_);
  }
  const std::span<const double> y = dense_ ? std::span<const double>(solution_) : std::span(right_side_);
  for (std::size_t j = 0; j < n; ++j) {
    change[j] = scale_[j] * y[j];
  }
}

}  // namespace saltus::reduce
