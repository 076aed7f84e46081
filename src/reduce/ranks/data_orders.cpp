#include "reduce/ranks/data_orders.hpp"

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"
#include "linalg/rank_decision.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;

// Column `to` of a += factor · column `from` of b.
void add_column(DenseMatrix& a, Index to, double factor, const DenseMatrix& b, Index from) {
  for (Index i = 0; i < a.rows(); ++i) {
    a(i, to) += factor * b(i, from);
  }
}

// Turns the columns from `first` on into each other so that only the first of them has an entry in this row. False: all are zero there.
bool gather_row(DenseMatrix& a, Index row, Index first) {
  double size = 0.0;
  for (Index j = first; j < a.columns(); ++j) {
    size = std::hypot(size, a(row, j));
  }
  if (size <= linalg::kRankTolerance) {
    return false;
  }
  for (Index j = first + 1; j < a.columns(); ++j) {
    const double length = std::hypot(a(row, first), a(row, j));
    if (a(row, j) == 0.0) {
      continue;
    }
    const double c = a(row, first) / length;
    const double s = a(row, j) / length;
    for (Index i = 0; i < a.rows(); ++i) {
      const double x = a(i, first);
      const double y = a(i, j);
      a(i, first) = c * x + s * y;
      a(i, j) = c * y - s * x;
    }
  }
  return true;
}

}  // namespace

DenseMatrix with_lowest_orders(DenseMatrix combinations, DenseMatrix implied) {
  Index used = 0;
  for (Index row = combinations.rows(); row-- > 0 && used < implied.columns();) {
    if (!gather_row(implied, row, used)) {
      continue;
    }
    for (Index j = 0; j < combinations.columns(); ++j) {
      add_column(combinations, j, -combinations(row, j) / implied(row, used), implied, used);
      combinations(row, j) = 0.0;
    }
    ++used;
  }
  return combinations;
}

void raise_data_orders(const DenseMatrix& combinations, std::vector<int>& orders) {
  const auto m = static_cast<Index>(orders.size());
  for (Index j = 0; j < combinations.columns(); ++j) {
    double largest = 0.0;
    for (Index i = 0; i < combinations.rows(); ++i) {
      largest = std::max(largest, std::abs(combinations(i, j)));
    }
    for (Index i = 0; i < combinations.rows(); ++i) {
      if (std::abs(combinations(i, j)) > linalg::kRankTolerance * largest) {
        int& order = orders[at_index(i % m)];
        order = std::max(order, static_cast<int>(i / m));
      }
    }
  }
}

}  // namespace saltus::reduce
