#include "reduce/consistent/sparse_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus::reduce {
namespace {

// Stability against sparsity [DER86] 5.2.
constexpr double kPivotThreshold = 0.1;

}  // namespace

SparseElimination::SparseElimination(std::vector<SparseRow> rows, std::vector<std::uint8_t> is_eliminated,
                                     double least_pivot)
    : rows_(std::move(rows)),
      is_eliminated_(std::move(is_eliminated)),
      least_pivot_(least_pivot),
      rows_of_(is_eliminated_.size()) {
  const auto is_y = [this](Index column) { return is_eliminated_[static_cast<std::size_t>(column)] != 0; };
  size_.assign(rows_.size(), 0.0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (const auto& [column, value] : rows_[i]) {
      if (is_y(column)) {
        size_[i] = std::max(size_[i], std::abs(value));
        rows_of_[static_cast<std::size_t>(column)].insert(static_cast<Index>(i));
      }
    }
  }
  for (std::size_t j = 0; j < rows_of_.size(); ++j) {
    if (!rows_of_[j].empty()) {
      order_.emplace(rows_of_[j].size(), static_cast<Index>(j));
    }
  }
  while (!order_.empty()) {
    eliminate(order_.begin()->second);
  }
  for (SparseRow& row : rows_) {
    if (!row.empty()) {
      kept_.push_back(std::move(row));
    }
  }
}

Index SparseElimination::pivot_row(Index column) const {
  const std::set<Index>& rows = rows_of_[static_cast<std::size_t>(column)];
  const auto part = [&](Index row) {
    const auto i = static_cast<std::size_t>(row);
    return std::abs(rows_[i].at(column)) / size_[i];
  };
  double largest = 0.0;
  for (const Index row : rows) {
    largest = std::max(largest, part(row));
  }
  if (largest <= least_pivot_) {
    return -1;
  }
  Index best = -1;
  for (const Index row : rows) {
    const bool is_shorter = best < 0 || rows_[static_cast<std::size_t>(row)].size() <
                                            rows_[static_cast<std::size_t>(best)].size();
    best = part(row) >= kPivotThreshold * largest && is_shorter ? row : best;
  }
  return best;
}

void SparseElimination::eliminate(Index column) {
  order_.erase(order_.begin());
  const Index chosen = pivot_row(column);
  if (chosen < 0) {
    for (const Index row : rows_of_[static_cast<std::size_t>(column)]) {
      rows_[static_cast<std::size_t>(row)].erase(column);
    }
    rows_of_[static_cast<std::size_t>(column)].clear();
    return;
  }
  Pivot pivot{column, std::move(rows_[static_cast<std::size_t>(chosen)])};
  rows_[static_cast<std::size_t>(chosen)].clear();
  for (const auto& [other, value] : pivot.row) {
    if (is_eliminated_[static_cast<std::size_t>(other)] != 0 && other != column) {
      std::set<Index>& rows = rows_of_[static_cast<std::size_t>(other)];
      order_.erase({rows.size(), other});
      rows.erase(chosen);
    }
  }
  std::set<Index>& rows = rows_of_[static_cast<std::size_t>(column)];
  rows.erase(chosen);
  const double divisor = pivot.row.at(column);
  for (const Index row : rows) {
    SparseRow& changed = rows_[static_cast<std::size_t>(row)];
    const double factor = changed.at(column) / divisor;
    changed.erase(column);
    subtract(row, factor, pivot);
  }
  rows.clear();
  for (const auto& [other, value] : pivot.row) {
    count_again(other);
  }
  pivots_.push_back(std::move(pivot));
}

void SparseElimination::subtract(Index row, double factor, const Pivot& pivot) {
  SparseRow& changed = rows_[static_cast<std::size_t>(row)];
  for (const auto& [column, value] : pivot.row) {
    const auto j = static_cast<std::size_t>(column);
    if (column == pivot.column) {
      continue;
    }
    const double term = factor * value;
    const auto place = changed.find(column);
    const double before = place == changed.end() ? 0.0 : place->second;
    const double after = before - term;
    const bool is_zero = std::abs(after) <= kRoundedAway * std::max(std::abs(before), std::abs(term));
    if (is_zero && place != changed.end()) {
      changed.erase(place);
    } else if (!is_zero) {
      changed[column] = after;
    }
    if (is_eliminated_[j] != 0) {
      if (is_zero) {
        rows_of_[j].erase(row);
      } else {
        rows_of_[j].insert(row);
      }
    }
  }
}

void SparseElimination::count_again(Index column) {
  const auto j = static_cast<std::size_t>(column);
  if (is_eliminated_[j] != 0 && !rows_of_[j].empty()) {
    order_.emplace(rows_of_[j].size(), column);
  }
}

void SparseElimination::solve(std::span<double> values) const {
  for (std::size_t j = 0; j < is_eliminated_.size(); ++j) {
    if (is_eliminated_[j] != 0) {
      values[j] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  for (auto pivot = pivots_.rbegin(); pivot != pivots_.rend(); ++pivot) {
    double sum = 0.0;
    for (const auto& [column, value] : pivot->row) {
      sum += column == pivot->column ? 0.0 : value * values[static_cast<std::size_t>(column)];
    }
    values[static_cast<std::size_t>(pivot->column)] = -sum / pivot->row.at(pivot->column);
  }
}

}  // namespace saltus::reduce
