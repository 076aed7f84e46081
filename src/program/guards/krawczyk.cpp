#include "program/guards/krawczyk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/machine.hpp"

namespace saltus::program {
namespace {

// Iterations for e: C is 0.1 in a good box and 0.5 in a usable one, which three and eighteen of them show; and one for each unknown,
// through a chain of which errors travel.
constexpr int kMostBoxIterations = 18;
// Every third of them widens e by this much, so that the inclusion becomes strict.
constexpr int kInflateEvery = 3;
constexpr double kInflation = 0.1;
// Refinements of m, and the last change that counts as none: what is left of it only widens the box.
constexpr int kMostRefinements = 16;
constexpr double kRefined = 1e-6;
// A box is never narrower: the inclusion must be strict where nothing is wide.
constexpr double kLeastRadius = std::numeric_limits<double>::min();

// Rounding errors of a sum of n products, in units of the sum of their sizes.
double rounding_of(std::size_t n) {
  return static_cast<double>(n + 2) * kEpsilon;
}

Interval widened_by_rounding(const Interval& a) {
  return {below(a.lower), above(a.upper)};
}

}  // namespace

Krawczyk::Krawczyk(std::span<const std::uint32_t> row_starts, std::span<const std::uint32_t> columns)
    : n_(row_starts.size() - 1),
      row_starts_(row_starts.begin(), row_starts.end()),
      columns_(columns.begin(), columns.end()),
      middle_(columns.size()),
      radius_(columns.size()),
      inverse_(n_ * n_),
      contraction_(n_ * n_),
      size_(n_),
      lu_(static_cast<Index>(n_)),
      column_(n_),
      centre_(n_),
      residual_(n_),
      rest_(n_),
      error_(n_),
      next_(n_),
      outer_(n_) {}

bool Krawczyk::invert() {
  has_preconditioner_ = false;
  const std::span<double> matrix = lu_.matrix();
  std::fill(matrix.begin(), matrix.end(), 0.0);
  for (std::size_t row = 0; row < n_; ++row) {
    for (std::uint32_t e = row_starts_[row]; e < row_starts_[row + 1]; ++e) {
      matrix[row + columns_[e] * n_] = middle_[e];
    }
  }
  if (!lu_.factorize().ok()) {
    return false;
  }
  for (std::size_t k = 0; k < n_; ++k) {
    std::fill(column_.begin(), column_.end(), 0.0);
    column_[k] = 1.0;
    lu_.solve(column_);
    for (std::size_t row = 0; row < n_; ++row) {
      if (!std::isfinite(column_[row])) {
        return false;
      }
      inverse_[row * n_ + k] = column_[row];
    }
  }
  has_preconditioner_ = true;
  is_new_ = true;
  return true;
}

bool Krawczyk::prepare(bool renews) {
  is_new_ = false;
  if ((renews || !has_preconditioner_) && !invert()) {
    return false;
  }
  const double rounding = rounding_of(n_);
  for (std::size_t row = 0; row < n_; ++row) {
    double* const c = contraction_.data() + row * n_;
    const double* const y = inverse_.data() + row * n_;
    std::fill_n(c, n_, 0.0);
    std::fill(size_.begin(), size_.end(), 0.0);
    std::fill(next_.begin(), next_.end(), 0.0);  // |Y|·radius
    for (std::size_t j = 0; j < n_; ++j) {
      if (y[j] == 0.0) {
        continue;
      }
      for (std::uint32_t e = row_starts_[j]; e < row_starts_[j + 1]; ++e) {
        const double product = y[j] * middle_[e];
        c[columns_[e]] += product;
        size_[columns_[e]] += std::abs(product);
        next_[columns_[e]] += std::abs(y[j]) * radius_[e];
      }
    }
    for (std::size_t k = 0; k < n_; ++k) {
      const double identity = k == row ? 1.0 : 0.0;
      c[k] = (std::abs(identity - c[k]) + next_[k]) * (1.0 + rounding) + rounding * (size_[k] + identity);
    }
  }
  return true;
}

void Krawczyk::step(std::span<const double> b, std::span<double> d) const {
  for (std::size_t row = 0; row < n_; ++row) {
    double sum = 0.0;
    for (std::size_t j = 0; j < n_; ++j) {
      sum -= inverse_[row * n_ + j] * b[j];
    }
    d[row] = sum;
  }
}

// r = mid[b] + mid[J]·m.
void Krawczyk::find_residual(std::span<const Interval> b) {
  for (std::size_t row = 0; row < n_; ++row) {
    residual_[row] = 0.5 * (b[row].lower + b[row].upper);
    for (std::uint32_t e = row_starts_[row]; e < row_starts_[row + 1]; ++e) {
      residual_[row] += middle_[e] * centre_[columns_[e]];
    }
  }
}

// m by iterated refinement: Y is of another matrix than mid[J] as a rule.
void Krawczyk::find_centre(std::span<const Interval> b) {
  std::fill(centre_.begin(), centre_.end(), 0.0);
  for (int refinement = 0; refinement < kMostRefinements; ++refinement) {
    find_residual(b);
    step(residual_, next_);
    double change = 0.0;
    double size = 0.0;
    for (std::size_t k = 0; k < n_; ++k) {
      centre_[k] += next_[k];
      change = std::max(change, std::abs(next_[k]));
      size = std::max(size, std::abs(centre_[k]));
    }
    if (is_new_ || change <= kRefined * size) {
      break;
    }
  }
  find_residual(b);
}

void Krawczyk::add_product(std::span<const double> d, std::span<Interval> to) const {
  for (std::size_t row = 0; row < n_; ++row) {
    for (std::uint32_t e = row_starts_[row]; e < row_starts_[row + 1]; ++e) {
      const Interval entry{middle_[e] - radius_[e], middle_[e] + radius_[e]};
      to[row] = add(to[row], multiply(widened_by_rounding(entry), {d[columns_[e]], d[columns_[e]]}));
    }
  }
}

// By row of b + J·m, for all of [b] and [J].
double Krawczyk::reach_of_row(std::size_t row, const Interval& b) const {
  const double of_b = 0.5 * (b.lower + b.upper);
  double sum = std::abs(residual_[row]) + std::max(b.upper - of_b, of_b - b.lower);
  double size = std::abs(of_b);
  for (std::uint32_t e = row_starts_[row]; e < row_starts_[row + 1]; ++e) {
    const double m = std::abs(centre_[columns_[e]]);
    sum += radius_[e] * m;
    size += std::abs(middle_[e]) * m;
  }
  return sum + rounding_of(n_) * size;
}

bool Krawczyk::solve(std::span<const Interval> b, std::span<const double> errors, std::span<Interval> box) {
  const double rounding = rounding_of(n_);
  find_centre(b);
  for (std::size_t row = 0; row < n_; ++row) {
    next_[row] = reach_of_row(row, b[row]);
  }
  for (std::size_t row = 0; row < n_; ++row) {
    double sum = 0.0;
    for (std::size_t j = 0; j < n_; ++j) {
      if (const double y = inverse_[row * n_ + j]; y != 0.0) {
        sum += std::abs(y) * next_[j];
      }
    }
    rest_[row] = sum * (1.0 + rounding) + (errors.empty() ? 0.0 : errors[row]) + kLeastRadius;
    if (!std::isfinite(rest_[row])) {
      return false;
    }
  }
  const auto times_contraction = [&](std::size_t row, std::span<const double> vector) {
    double sum = 0.0;
    for (std::size_t k = 0; k < n_; ++k) {
      sum += contraction_[row * n_ + k] * std::abs(vector[k]);
    }
    return sum * (1.0 + rounding);
  };
  for (std::size_t row = 0; row < n_; ++row) {
    error_[row] = (1.0 + kInflation) * rest_[row];
  }
  for (int iteration = 0; iteration < kMostBoxIterations + static_cast<int>(n_); ++iteration) {
    bool is_inside = true;
    for (std::size_t row = 0; row < n_; ++row) {
      next_[row] = (rest_[row] + times_contraction(row, error_)) * (1.0 + rounding);
      is_inside = is_inside && next_[row] < error_[row];
    }
    if (is_inside) {
      for (std::size_t row = 0; row < n_; ++row) {
        const double half = next_[row] + kEpsilon * std::abs(centre_[row]);
        box[row] = {centre_[row] - half, centre_[row] + half};
        const double far = std::max(error_[row], half) * (1.0 + kEpsilon);
        outer_[row] = {centre_[row] - far, centre_[row] + far};
      }
      return true;
    }
    const double widening = iteration % kInflateEvery == kInflateEvery - 1 ? 1.0 + kInflation : 1.0;
    for (std::size_t row = 0; row < n_; ++row) {
      error_[row] = widening * next_[row];
      if (!std::isfinite(error_[row])) {
        return false;
      }
    }
  }
  return false;
}

}  // namespace saltus::program
