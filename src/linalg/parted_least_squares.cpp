#include "linalg/parted_least_squares.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/machine.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {

PartedLeastSquares::PartedLeastSquares(Index rows, std::span<const int> group, Index n_groups,
                                       std::span<const PartLists> parts)
    : n_groups_(n_groups),
      row_place_(at_index(rows), -1),
      column_place_(group.size(), -1),
      column_part_(group.size(), -1) {
  parts_.reserve(parts.size());
  for (const PartLists& lists : parts) {
    std::vector<Index> sizes(at_index(n_groups), 0);
    std::vector<Index> columns;
    for (Index g = 0; g < n_groups; ++g) {
      for (const Index column : lists.columns) {
        if (group[at_index(column)] == static_cast<int>(g)) {
          ++sizes[at_index(g)];
          column_place_[at_index(column)] = std::ssize(columns);
          column_part_[at_index(column)] = std::ssize(parts_);
          columns.push_back(column);
        }
      }
    }
    for (std::size_t i = 0; i < lists.rows.size(); ++i) {
      row_place_[at_index(lists.rows[i])] = static_cast<Index>(i);
    }
    const std::size_t n_columns = columns.size();
    parts_.push_back({.solver = TieredLeastSquares(std::ssize(lists.rows), std::move(sizes)),
                      .rows = {lists.rows.begin(), lists.rows.end()},
                      .columns = std::move(columns),
                      .b = std::vector<double>(lists.rows.size()),
                      .x = std::vector<double>(n_columns)});
  }
}

void PartedLeastSquares::clear() {
  for (Part& part : parts_) {
    std::fill(part.solver.matrix().begin(), part.solver.matrix().end(), 0.0);
  }
}

void PartedLeastSquares::set(Index row, Index column, double value) {
  Part& part = parts_[at_index(column_part_[at_index(column)])];
  part.solver
      .matrix()[at_index(row_place_[at_index(row)] + column_place_[at_index(column)] * part.solver.rows())] =
      value;
}

bool PartedLeastSquares::factorize(double threshold) {
  return std::all_of(parts_.begin(), parts_.end(),
                     [threshold](Part& part) { return part.solver.factorize(threshold); });
}

bool PartedLeastSquares::factorize(std::span<const Index> ranks) {
  SALTUS_EXPECT(ranks.size() == parts_.size() * at_index(n_groups_), "a rank for every part and group");
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (!parts_[p].solver.factorize(ranks.subspan(p * at_index(n_groups_), at_index(n_groups_)))) {
      return false;
    }
  }
  return true;
}

void PartedLeastSquares::ranks(std::vector<Index>& result) const {
  result.clear();
  for (const Part& part : parts_) {
    for (Index g = 0; g < n_groups_; ++g) {
      result.push_back(part.solver.rank(g));
    }
  }
}

Index PartedLeastSquares::rank(Index group) const {
  Index sum = 0;
  for (const Part& part : parts_) {
    sum += part.solver.rank(group);
  }
  return sum;
}

double PartedLeastSquares::smallest_pivot() const {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Part& part : parts_) {
    smallest = std::min(smallest, part.solver.smallest_pivot());
  }
  return smallest;
}

void PartedLeastSquares::solve(std::span<const double> b, std::span<double> x,
                               std::span<const std::uint8_t> from_zero) {
  for (Part& part : parts_) {
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      part.b[i] = b[at_index(part.rows[i])];
    }
    for (std::size_t j = 0; j < part.columns.size(); ++j) {
      part.x[j] = x[at_index(part.columns[j])];
    }
    part.solver.solve(part.b, part.x, from_zero);
    for (std::size_t j = 0; j < part.columns.size(); ++j) {
      x[at_index(part.columns[j])] = part.x[j];
    }
  }
}

}  // namespace saltus::linalg
