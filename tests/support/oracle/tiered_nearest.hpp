/// The point that satisfies linear conditions in tiers as well as it can, in long double.
///
/// Method: y = y₀ + Z u with Z an orthonormal basis of what the tiers so far leave free. A tier A y ≈ r: u in the row space of A Z,
/// by the normal equations (the systems are small and the precision ample); what is orthogonal to it stays free.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "support/oracle/linear_flow.hpp"

namespace saltus::test::oracle {

class TieredNearest {
 public:
  explicit TieredNearest(std::size_t n) : y_(n, 0) {
    for (std::size_t i = 0; i < n; ++i) {
      free_.emplace_back(n, 0);
      free_[i][i] = 1;
    }
  }

  /// The largest of what is left of A y - r.
  Real add_tier(const Matrix& rows, const Vector& wanted) {
    Matrix projected;  // the rows within what is free, in its basis
    for (const Vector& row : rows) {
      projected.push_back(times(free_, row));
    }
    Matrix basis;
    for (const Vector& row : projected) {
      extend(basis, row);
    }
    const std::size_t rank = basis.size();
    // Normal equations of A Z V c ≈ r - A y₀.
    Matrix normal(rank, Vector(rank, 0));
    Matrix right(rank, Vector(1, 0));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Vector image = times(basis, projected[k]);
      const Real rest = wanted[k] - dot(rows[k], y_);
      for (std::size_t i = 0; i < rank; ++i) {
        right[i][0] += image[i] * rest;
        for (std::size_t j = 0; j < rank; ++j) {
          normal[i][j] += image[i] * image[j];
        }
      }
    }
    if (const std::optional<Matrix> c = solved(normal, right); c && rank > 0) {
      for (std::size_t i = 0; i < rank; ++i) {
        move(y_, basis[i], (*c)[i][0]);
      }
    }
    for (std::size_t i = 0; i < free_.size(); ++i) {
      Vector unit(free_.size(), 0);
      unit[i] = 1;
      extend(basis, unit);
    }
    Matrix left;
    for (std::size_t i = rank; i < basis.size(); ++i) {
      left.emplace_back(y_.size(), 0);
      move(left.back(), basis[i], 1);
    }
    free_ = left;
    Real rest = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      rest = std::max(rest, std::abs(wanted[k] - dot(rows[k], y_)));
    }
    return rest;
  }

  [[nodiscard]] const Vector& point() const { return y_; }
  /// Rows that are an orthonormal basis of the directions that the tiers leave free.
  [[nodiscard]] const Matrix& free() const { return free_; }

 private:
  static constexpr Real kDependent = 1e-12L;

  /// y += factor·Z u
  void move(Vector& y, const Vector& u, Real factor) const {
    for (std::size_t k = 0; k < u.size(); ++k) {
      for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] += factor * u[k] * free_[k][i];
      }
    }
  }

  /// Adds the part of the vector that is orthogonal to the basis, if there is one.
  static void extend(Matrix& basis, Vector v) {
    for (int pass = 0; pass < 2; ++pass) {
      for (const Vector& b : basis) {
        const Real part = dot(b, v);
        for (std::size_t i = 0; i < v.size(); ++i) {
          v[i] -= part * b[i];
        }
      }
    }
    const Real length = std::sqrt(dot(v, v));
    if (length > kDependent) {
      for (Real& value : v) {
        value /= length;
      }
      basis.push_back(std::move(v));
    }
  }

  Vector y_;
  Matrix free_;  ///< rows
};

}  // namespace saltus::test::oracle
