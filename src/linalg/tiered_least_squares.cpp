#include "linalg/tiered_least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/machine.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {}  // namespace

TieredLeastSquares::TieredLeastSquares(Index rows, std::vector<Index> group_sizes)
    : rows_(rows), groups_(group_sizes.size()) {
  for (std::size_t g = 0; g < group_sizes.size(); ++g) {
    groups_[g].size = group_sizes[g];
    groups_[g].first_column = columns_;
    groups_[g].factors.resize(rows, group_sizes[g]);
    columns_ += group_sizes[g];
  }
  a_.resize(at_index(rows * columns_));
  b_.resize(at_index(rows));
  correction_.resize(at_index(columns_));
  kernel_part_.resize(at_index(columns_));
}

std::span<double> TieredLeastSquares::column_below(Index column, Index first_row) {
  return std::span<double>(a_).subspan(at_index(column * rows_ + first_row), at_index(rows_ - first_row));
}

bool TieredLeastSquares::factorize(double threshold) {
  return factorize_groups(threshold, {});
}

bool TieredLeastSquares::factorize(std::span<const Index> ranks) {
  SALTUS_EXPECT(ranks.size() == groups_.size(), "a rank for every group");
  return factorize_groups(0.0, ranks);
}

bool TieredLeastSquares::factorize_groups(double threshold, std::span<const Index> ranks) {
  Index first_row = 0;
  for (Index g = n_groups() - 1; g >= 0; --g) {
    Group& group = groups_[at_index(g)];
    group.first_row = first_row;
    const Index rows = rows_ - first_row;
    group.factors.resize(rows, group.size);
    const std::span<double> target = group.factors.matrix();
    for (Index j = 0; j < group.size; ++j) {
      const std::span<double> column = column_below(group.first_column + j, first_row);
      for (Index i = 0; i < rows; ++i) {
        target[at_index(i * group.size + j)] = column[at_index(i)];
      }
    }
    if (!group.factors.factorize(threshold, ranks.empty() ? group.size : ranks[at_index(g)])) {
      return false;
    }
    for (Index j = 0; j < group.first_column; ++j) {
      group.factors.reflect(column_below(j, first_row));
    }
    first_row += group.factors.rank();
  }
  return true;
}

double TieredLeastSquares::smallest_pivot() const {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Group& group : groups_) {
    smallest = group.factors.rank() > 0 ? std::min(smallest, group.factors.smallest_pivot()) : smallest;
  }
  return smallest;
}

double TieredLeastSquares::neglected_pivot() const {
  double largest = 0.0;
  for (const Group& group : groups_) {
    largest = std::max(largest, group.factors.neglected_pivot());
  }
  return largest;
}

void TieredLeastSquares::solve(std::span<const double> b, std::span<double> x,
                               std::span<const std::uint8_t> from_zero) {
  SALTUS_EXPECT(static_cast<Index>(b.size()) == rows_ && static_cast<Index>(x.size()) == columns_,
                "sizes of the matrix");
  std::copy(b.begin(), b.end(), b_.begin());
  for (Index g = n_groups() - 1; g >= 0; --g) {
    const Group& group = groups_[at_index(g)];
    group.factors.reflect(std::span<double>(b_).subspan(at_index(group.first_row)));
  }
  Index used = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    used += groups_[g].factors.rank();
  }
  remaining_ = 0.0;
  for (Index i = used; i < rows_; ++i) {
    remaining_ = std::hypot(remaining_, b_[at_index(i)]);
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const std::span<double> right = std::span<double>(b_).subspan(at_index(group.first_row));
    const std::span<double> own = x.subspan(at_index(group.first_column), at_index(group.size));
    const std::span<double> change =
        std::span<double>(correction_).subspan(at_index(group.first_column), at_index(group.size));
    group.factors.solve_reflected(right, change);
    if (!from_zero.empty() && from_zero[g] != 0 && group.factors.rank() < group.size) {
      std::copy(own.begin(), own.end(), kernel_part_.begin());
      const std::span<double> part = std::span<double>(kernel_part_).first(own.size());
      group.factors.keep_kernel_part(part);
      for (std::size_t j = 0; j < part.size(); ++j) {
        change[j] -= part[j];
      }
    }
    // What this group takes is no longer left to the later ones.
    for (Index later = static_cast<Index>(g) + 1; later < n_groups(); ++later) {
      const Group& other = groups_[at_index(later)];
      for (Index j = 0; j < group.size; ++j) {
        const double amount = change[at_index(j)];
        for (Index i = 0; i < other.factors.rank(); ++i) {
          b_[at_index(other.first_row + i)] -=
              a_[at_index((group.first_column + j) * rows_ + other.first_row + i)] * amount;
        }
      }
    }
    for (std::size_t j = 0; j < own.size(); ++j) {
      own[j] += change[j];
    }
  }
}

}  // namespace saltus::linalg
