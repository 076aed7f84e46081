#include "reduce/consistent/state_choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/rank_decision.hpp"

namespace saltus::reduce {
namespace {

struct Place {
  Index row = -1;
  Index column = -1;
};

// The largest entry above `least` in the columns from `first` on and in rows that are not taken.
Place largest(const linalg::DenseMatrix& matrix, Index first, const std::vector<char>& is_taken,
              double least) {
  Place place;
  double size = least;
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = first; j < matrix.columns() && is_taken[static_cast<std::size_t>(i)] == 0; ++j) {
      if (std::abs(matrix(i, j)) > size) {
        size = std::abs(matrix(i, j));
        place = {i, j};
      }
    }
  }
  return place;
}

void eliminate(linalg::DenseMatrix& matrix, Index row, Index pivot_column) {
  for (Index j = pivot_column + 1; j < matrix.columns(); ++j) {
    const double factor = matrix(row, j) / matrix(row, pivot_column);
    for (Index i = 0; i < matrix.rows(); ++i) {
      matrix(i, j) -= factor * matrix(i, pivot_column);
    }
  }
}

}  // namespace

std::vector<Index> choose_states(linalg::DenseMatrix directions, const std::vector<char>& is_preferred) {
  std::vector<Index> chosen;
  std::vector<char> is_taken(static_cast<std::size_t>(directions.rows()), 0);
  std::vector<char> is_barred = is_taken;
  for (std::size_t i = 0; i < is_preferred.size(); ++i) {
    is_barred[i] = is_preferred[i] == 0 ? 1 : 0;
  }
  const double least = linalg::kRankTolerance * directions.largest_entry();
  for (Index step = 0; step < directions.columns(); ++step) {
    Place pivot = largest(directions, step, is_barred, least);
    if (pivot.row < 0) {
      is_barred = is_taken;
      pivot = largest(directions, step, is_barred, 0.0);
    }
    if (pivot.row < 0) {
      break;
    }
    is_barred[static_cast<std::size_t>(pivot.row)] = 1;
    for (Index i = 0; i < directions.rows(); ++i) {
      std::swap(directions(i, step), directions(i, pivot.column));
    }
    eliminate(directions, pivot.row, step);
    is_taken[static_cast<std::size_t>(pivot.row)] = 1;
    chosen.push_back(pivot.row);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<Index> moved_unknowns(const linalg::DenseMatrix& directions) {
  const double least = linalg::kRankTolerance * directions.largest_entry();
  std::vector<Index> moved;
  for (Index i = 0; i < directions.rows(); ++i) {
    double size = 0.0;
    for (Index j = 0; j < directions.columns(); ++j) {
      size = std::max(size, std::abs(directions(i, j)));
    }
    if (size > least) {
      moved.push_back(i);
    }
  }
  return moved;
}

}  // namespace saltus::reduce
