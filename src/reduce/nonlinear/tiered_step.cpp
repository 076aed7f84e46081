#include "reduce/nonlinear/tiered_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "linalg/rank_decision.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

constexpr double kGrade = 1e2;
constexpr double kMostGrade = 1e4;
constexpr double kLastGrade = 1e8;
// Dense up to this many unknowns and rows: a step takes some milliseconds there.
constexpr Index kMostDense = 200;

}  // namespace

TieredStep::TieredStep(const system::RectangularPattern& pattern, std::span<const int> level,
                       std::span<const double> nominal, std::span<const std::uint8_t> counts,
                       LeastChange::Algebra algebra)
    : pattern_(&pattern),
      nominal_(nominal.begin(), nominal.end()),
      counts_(counts.begin(), counts.end()),
      row_scale_(static_cast<std::size_t>(pattern.n_rows)),
      place_(nominal.size(), -1),
      masked_entries_(pattern.n_entries()),
      right_side_(row_scale_.size()) {
  counts_.resize(row_scale_.size(), 1);
  const int n_levels = level.empty() ? 0 : 1 + *std::max_element(level.begin(), level.end());
  const bool is_small = std::max(pattern.n_rows, pattern.n_columns) <= kMostDense;
  if (algebra == LeastChange::Algebra::sparse || (algebra == LeastChange::Algebra::automatic && !is_small)) {
    std::vector<double> scale(nominal_.size(), 0.0);
    for (std::size_t j = 0; j < scale.size(); ++j) {
      if (level[j] != kHeldLevel) {
        const bool is_last = level[j] > 0 && level[j] == n_levels - 1;
        scale[j] = nominal_[j] * (is_last ? kLastGrade : std::min(std::pow(kGrade, level[j]), kMostGrade));
      }
    }
    sparse_.emplace(pattern, scale, LeastChange::Algebra::sparse);
    return;
  }
  std::vector<Index> sizes;
  Index n_placed = 0;
  for (int k = 0; k < n_levels; ++k) {
    const Index first = n_placed;
    for (std::size_t j = 0; j < level.size(); ++j) {
      if (level[j] == k) {
        place_[j] = n_placed++;
      }
    }
    sizes.push_back(n_placed - first);
  }
  from_zero_.resize(sizes.size());
  unknowns_.resize(static_cast<std::size_t>(n_placed));
  dense_.emplace(pattern.n_rows, std::move(sizes));
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
      masked_entries_[e] = counts_[static_cast<std::size_t>(pattern_->rows[e])] != 0 ? entries[e] : 0.0;
    }
    return sparse_->factorize(masked_entries_);
  }
  const std::span<double> matrix = dense_->matrix();
  std::fill(matrix.begin(), matrix.end(), 0.0);
  for (std::size_t j = 0; j < nominal_.size(); ++j) {
    for (Index e = pattern_->column_starts[j]; e < pattern_->column_starts[j + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      const auto row = static_cast<std::size_t>(pattern_->rows[entry]);
      if (place_[j] >= 0 && counts_[row] != 0) {
        matrix[row + static_cast<std::size_t>(place_[j]) * row_scale_.size()] =
            row_scale_[row] * entries[entry] * nominal_[j];
      }
    }
  }
  return dense_->factorize(linalg::kRankTolerance);
}

void TieredStep::fill_right_side(std::span<const double> residual) {
  for (std::size_t i = 0; i < residual.size(); ++i) {
    right_side_[i] = counts_[i] == 0 ? 0.0 : sparse_ ? residual[i] : -row_scale_[i] * residual[i];
  }
}

void TieredStep::solve(std::span<const double> residual, std::span<double> change) {
  fill_right_side(residual);
  if (sparse_) {
    sparse_->solve(right_side_, change);
    return;
  }
  std::fill(unknowns_.begin(), unknowns_.end(), 0.0);
  dense_->solve(right_side_, unknowns_);
  for (std::size_t j = 0; j < change.size(); ++j) {
    change[j] = place_[j] < 0 ? 0.0 : nominal_[j] * unknowns_[static_cast<std::size_t>(place_[j])];
  }
}

void TieredStep::toward(std::span<const double> residual, std::span<const double> moved, int n_levels,
                        std::span<double> change) {
  SALTUS_EXPECT(is_dense(), "the dense path");
  fill_right_side(residual);
  for (std::size_t j = 0; j < moved.size(); ++j) {
    if (place_[j] >= 0) {
      unknowns_[static_cast<std::size_t>(place_[j])] = moved[j] / nominal_[j];
    }
  }
  for (std::size_t k = 0; k < from_zero_.size(); ++k) {
    from_zero_[k] = static_cast<int>(k) < n_levels ? 1 : 0;
  }
  dense_->solve(right_side_, unknowns_, from_zero_);
  for (std::size_t j = 0; j < change.size(); ++j) {
    change[j] = place_[j] < 0 ? 0.0 : nominal_[j] * unknowns_[static_cast<std::size_t>(place_[j])] - moved[j];
  }
}

Index TieredStep::rank() const {
  SALTUS_EXPECT(is_dense(), "the dense path");
  Index sum = 0;
  for (Index k = 0; k < dense_->n_groups(); ++k) {
    sum += dense_->rank(k);
  }
  return sum;
}

}  // namespace saltus::reduce
