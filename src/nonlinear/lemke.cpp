#include "nonlinear/lemke.hpp"

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"
#include "saltus/contract.hpp"

namespace saltus::nonlinear {
namespace {

// Rows are scaled to 1: entries below this in the entering column are rounding errors, and ratios this close are equal.
constexpr double kPivotTolerance = 1e-11;
constexpr double kTieTolerance = 1e-12;
// Bases visited per unknown before the method is given up; a few are usual.
constexpr Index kMostPivots = 200;

// Columns of the tableau: w, y, z, λ, z₀, right side.
struct Columns {
  Index k;
  [[nodiscard]] Index z0() const { return 4 * k; }
  [[nodiscard]] Index right() const { return 4 * k + 1; }
  // w ↔ z and y ↔ λ.
  [[nodiscard]] Index complement(Index column) const {
    return column < 2 * k ? column + 2 * k : column - 2 * k;
  }
};

}  // namespace

void Lemke::resize(Index k) {
  SALTUS_EXPECT(k >= 0, "number of unknowns");
  k_ = k;
  width_ = 4 * k + 2;
  matrix_.resize(at_index(k * k));
  vector_.resize(at_index(k));
  tableau_.resize(at_index(2 * k * width_));
  basis_.resize(at_index(2 * k));
}

std::span<double> Lemke::matrix() {
  return matrix_;
}

std::span<double> Lemke::vector() {
  return vector_;
}

// w - A z - λ - z₀ = h, y + z = 2 with A = -c M c, h = c (M c + q); every row of w divided by its largest entry, which
// changes neither signs nor zeros of F.
void Lemke::build_tableau(std::span<const double> corner) {
  const Columns columns{k_};
  std::fill(tableau_.begin(), tableau_.end(), 0.0);
  for (Index i = 0; i < k_; ++i) {
    const double* const row = matrix_.data() + i * k_;
    const double c = corner[at_index(i)];
    double at_corner = vector_[at_index(i)];
    double largest = std::abs(at_corner);
    for (Index j = 0; j < k_; ++j) {
      at_corner += row[j] * corner[at_index(j)];
      largest = std::max(largest, std::abs(row[j]));
    }
    const double scale = largest > 0.0 ? 1.0 / largest : 0.0;
    at(i, i) = 1.0;
    for (Index j = 0; j < k_; ++j) {
      at(i, 2 * k_ + j) = scale * c * row[j] * corner[at_index(j)];
    }
    at(i, 3 * k_ + i) = -1.0;
    at(i, columns.z0()) = -1.0;
    at(i, columns.right()) = scale * c * at_corner;
    at(k_ + i, k_ + i) = 1.0;
    at(k_ + i, 2 * k_ + i) = 1.0;
    at(k_ + i, columns.right()) = 2.0;
    basis_[at_index(i)] = i;
    basis_[at_index(k_ + i)] = k_ + i;
  }
}

// Whether row/pivot comes before other/other_pivot in the lexicographic order of (right side, columns of the first basis).
bool Lemke::lexicographically_less(Index row, double row_pivot, Index other, double other_pivot) const {
  const auto compare = [&](Index column) {
    const double difference = at(row, column) / row_pivot - at(other, column) / other_pivot;
    const double size =
        std::max({1.0, std::abs(at(row, column) / row_pivot), std::abs(at(other, column) / other_pivot)});
    return std::abs(difference) <= kTieTolerance * size ? 0 : difference < 0.0 ? -1 : 1;
  };
  if (const int right = compare(Columns{k_}.right()); right != 0) {
    return right < 0;
  }
  // Of equal ratios z₀ leaves: then the problem is solved.
  const Index z0 = Columns{k_}.z0();
  if (basis_[at_index(row)] == z0 || basis_[at_index(other)] == z0) {
    return basis_[at_index(row)] == z0;
  }
  for (Index column = 0; column < 2 * k_; ++column) {
    if (const int order = compare(column); order != 0) {
      return order < 0;
    }
  }
  return false;
}

Index Lemke::leaving_row(Index entering) const {
  Index best = -1;
  for (Index row = 0; row < 2 * k_; ++row) {
    const double pivot = at(row, entering);
    if (pivot > kPivotTolerance &&
        (best < 0 || lexicographically_less(row, pivot, best, at(best, entering)))) {
      best = row;
    }
  }
  return best;
}

void Lemke::pivot(Index row, Index entering) {
  const double scale = 1.0 / at(row, entering);
  for (Index j = 0; j < width_; ++j) {
    at(row, j) *= scale;
  }
  at(row, entering) = 1.0;
  for (Index i = 0; i < 2 * k_; ++i) {
    const double factor = at(i, entering);
    if (i == row || factor == 0.0) {
      continue;
    }
    for (Index j = 0; j < width_; ++j) {
      at(i, j) -= factor * at(row, j);
    }
    at(i, entering) = 0.0;
  }
  basis_[at_index(row)] = entering;
  ++n_pivots_;
}

Lemke::Status Lemke::solve(std::span<const double> corner, std::span<double> s) {
  SALTUS_EXPECT(static_cast<Index>(corner.size()) == k_ && static_cast<Index>(s.size()) == k_, "k entries");
  n_pivots_ = 0;
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(matrix_.begin(), matrix_.end(), finite) ||
      !std::all_of(vector_.begin(), vector_.end(), finite)) {
    return Status::not_finite;
  }
  build_tableau(corner);
  const Columns columns{k_};
  std::copy(corner.begin(), corner.end(), s.begin());
  // z₀ enters where the right side is smallest, of equal ones the last: then every row is lexicographically positive.
  Index row = -1;
  for (Index i = 0; i < k_; ++i) {
    if (at(i, columns.right()) < 0.0 && (row < 0 || at(i, columns.right()) <= at(row, columns.right()))) {
      row = i;
    }
  }
  if (row < 0) {
    return Status::solved;
  }
  Index leaving = basis_[at_index(row)];
  pivot(row, columns.z0());
  while (leaving != columns.z0()) {
    if (n_pivots_ > kMostPivots * k_) {
      return Status::too_many_pivots;
    }
    const Index entering = columns.complement(leaving);
    row = leaving_row(entering);
    if (row < 0) {
      return Status::ray;
    }
    leaving = basis_[at_index(row)];
    pivot(row, entering);
  }
  // Where z is not basic s stays at the corner, where y is not basic it is at the opposite bound exactly.
  for (Index i = 0; i < 2 * k_; ++i) {
    const Index variable = basis_[at_index(i)];
    if (variable >= 2 * k_ && variable < 3 * k_) {
      const Index unknown = variable - 2 * k_;
      const bool at_bound = std::find(basis_.begin(), basis_.end(), k_ + unknown) == basis_.end();
      const double z = at_bound ? 2.0 : std::clamp(at(i, columns.right()), 0.0, 2.0);
      s[at_index(unknown)] = corner[at_index(unknown)] * (1.0 - z);
    }
  }
  return Status::solved;
}

}  // namespace saltus::nonlinear
