#include "reduce/nonlinear/tiered_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "linalg/rank_decision.hpp"
#include "reduce/nonlinear/pattern_parts.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

constexpr double kGrade = 1e2;
constexpr double kMostGrade = 1e4;
constexpr double kSpanOfGrades = 1e8;

}  // namespace

TieredStep::TieredStep(const system::RectangularPattern& pattern, std::span<const int> level,
                       std::span<const double> nominal, std::span<const std::uint8_t> counts,
                       LeastChange::Algebra algebra)
    : pattern_(&pattern),
      nominal_(nominal.begin(), nominal.end()),
      counts_(counts.begin(), counts.end()),
      row_scale_(static_cast<std::size_t>(pattern.n_rows)),
      is_sparse_row_(row_scale_.size(), 0),
      masked_entries_(pattern.n_entries()),
      right_side_(row_scale_.size()),
      unknowns_(nominal.size()) {
  counts_.resize(row_scale_.size(), 1);
  std::vector<std::uint8_t> changes(level.size());
  std::transform(level.begin(), level.end(), changes.begin(),
                 [](int of_unknown) { return of_unknown != kHeldLevel ? 1 : 0; });
  const PatternParts parts = find_parts(pattern, changes, counts_);
  std::vector<linalg::PartedLeastSquares::PartLists> dense;
  std::vector<double> scale(nominal_.size(), 0.0);
  for (const PatternParts::Part& part : parts.parts) {
    const auto size = static_cast<Index>(std::max(part.rows.size(), part.columns.size()));
    if (algebra == LeastChange::Algebra::dense ||
        (algebra == LeastChange::Algebra::automatic && size <= kMostDense)) {
      dense.push_back({part.rows, part.columns});
      continue;
    }
    int last = 0;
    for (const Index column : part.columns) {
      last = std::max(last, level[static_cast<std::size_t>(column)]);
    }
    for (const Index column : part.columns) {
      const auto j = static_cast<std::size_t>(column);
      const bool is_last = level[j] > 0 && level[j] == last;
      scale[j] = nominal_[j] * (is_last ? kSpanOfGrades : std::min(std::pow(kGrade, level[j]), kMostGrade));
    }
    for (const Index row : part.rows) {
      is_sparse_row_[static_cast<std::size_t>(row)] = 1;
    }
  }
  const int n_levels = level.empty() ? 0 : 1 + *std::max_element(level.begin(), level.end());
  if (dense.size() < parts.parts.size()) {
    sparse_.emplace(pattern, scale, LeastChange::Algebra::sparse);
  }
  dense_.emplace(pattern.n_rows, level, n_levels, dense);
  from_zero_.resize(static_cast<std::size_t>(n_levels));
}

void TieredStep::find_row_scale(std::span<const double> entries) {
  std::fill(row_scale_.begin(), row_scale_.end(), 0.0);
  for (std::size_t j = 0; j < nominal_.size(); ++j) {
    for (Index e = pattern_->column_starts[j]; e < pattern_->column_starts[j + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      double& length = row_scale_[static_cast<std::size_t>(pattern_->rows[entry])];
      length = std::hypot(length, entries[entry] * nominal_[j]);
    }
  }
  for (double& length : row_scale_) {
    length = length > 0.0 ? 1.0 / length : 1.0;
  }
}

bool TieredStep::factorize(std::span<const double> entries) {
  SALTUS_EXPECT(entries.size() == pattern_->n_entries(), "one number for each entry of the pattern");
  find_row_scale(entries);
  if (sparse_) {
    for (std::size_t e = 0; e < entries.size(); ++e) {
      masked_entries_[e] =
          is_sparse_row_[static_cast<std::size_t>(pattern_->rows[e])] != 0 ? entries[e] : 0.0;
    }
    if (!sparse_->factorize(masked_entries_)) {
      return false;
    }
  }
  dense_->clear();
  for (std::size_t j = 0; j < nominal_.size(); ++j) {
    if (!dense_->has_column(static_cast<Index>(j))) {
      continue;
    }
    for (Index e = pattern_->column_starts[j]; e < pattern_->column_starts[j + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      const auto row = static_cast<std::size_t>(pattern_->rows[entry]);
      if (counts_[row] != 0) {
        dense_->set(pattern_->rows[entry], static_cast<Index>(j),
                    row_scale_[row] * entries[entry] * nominal_[j]);
      }
    }
  }
  return dense_->factorize(linalg::kRankTolerance);
}

void TieredStep::fill_right_side(std::span<const double> residual) {
  for (std::size_t i = 0; i < residual.size(); ++i) {
    right_side_[i] = counts_[i] == 0 ? 0.0 : -row_scale_[i] * residual[i];
  }
}

void TieredStep::solve_sparse(std::span<const double> residual, std::span<double> change) {
  if (!sparse_) {
    std::fill(change.begin(), change.end(), 0.0);
    return;
  }
  for (std::size_t i = 0; i < residual.size(); ++i) {
    right_side_[i] = is_sparse_row_[i] != 0 ? residual[i] : 0.0;
  }
  sparse_->solve(right_side_, change);
}

void TieredStep::solve(std::span<const double> residual, std::span<double> change) {
  solve_sparse(residual, change);
  fill_right_side(residual);
  std::fill(unknowns_.begin(), unknowns_.end(), 0.0);
  dense_->solve(right_side_, unknowns_);
  for (std::size_t j = 0; j < change.size(); ++j) {
    if (dense_->has_column(static_cast<Index>(j))) {
      change[j] = nominal_[j] * unknowns_[j];
    }
  }
}

void TieredStep::toward(std::span<const double> residual, std::span<const double> moved, int n_levels,
                        std::span<double> change) {
  solve_sparse(residual, change);
  fill_right_side(residual);
  for (std::size_t j = 0; j < moved.size(); ++j) {
    unknowns_[j] = moved[j] / nominal_[j];
  }
  for (std::size_t k = 0; k < from_zero_.size(); ++k) {
    from_zero_[k] = static_cast<int>(k) < n_levels ? 1 : 0;
  }
  dense_->solve(right_side_, unknowns_, from_zero_);
  for (std::size_t j = 0; j < change.size(); ++j) {
    if (dense_->has_column(static_cast<Index>(j))) {
      change[j] = nominal_[j] * unknowns_[j] - moved[j];
    }
  }
}

Index TieredStep::rank() const {
  Index sum = 0;
  for (Index k = 0; k < dense_->n_groups(); ++k) {
    sum += dense_->rank(k);
  }
  return sum;
}

}  // namespace saltus::reduce
