#include "linalg/pencil/modular_staircase.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/machine.hpp"
#include "base/work_watch.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

// The largest below 2³¹ - 1.
constexpr std::array<std::uint64_t, 4> kPrimes{2147483629, 2147483587, 2147483579, 2147483563};
constexpr int kDigits = std::numeric_limits<double>::digits;

// Arithmetic modulo p.
class Field {
 public:
  explicit Field(std::uint64_t p) : p_(p) {}

  [[nodiscard]] std::uint64_t times(std::uint64_t x, std::uint64_t y) const { return x * y % p_; }
  [[nodiscard]] std::uint64_t minus(std::uint64_t x, std::uint64_t y) const {
    return x >= y ? x - y : x + p_ - y;
  }
  [[nodiscard]] std::uint64_t plus(std::uint64_t x, std::uint64_t y) const { return (x + y) % p_; }
  [[nodiscard]] std::uint64_t power(std::uint64_t x, std::uint64_t exponent) const {
    std::uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1U) {
      result = (exponent & 1U) != 0 ? times(result, x) : result;
      x = times(x, x);
    }
    return result;
  }
  [[nodiscard]] std::uint64_t inverse(std::uint64_t x) const { return power(x, p_ - 2); }

  [[nodiscard]] std::uint64_t residue(double number) const {
    int exponent = 0;
    const double fraction = std::frexp(std::abs(number), &exponent);
    const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, kDigits)) % p_;
    exponent -= kDigits;
    const std::uint64_t two = exponent < 0 ? inverse(2) : 2;
    const std::uint64_t size = times(mantissa, power(two, static_cast<std::uint64_t>(std::abs(exponent))));
    return number < 0.0 ? minus(0, size) : size;
  }

 private:
  std::uint64_t p_;
};

struct Residues {
  Index rows = 0;
  Index columns = 0;
  std::vector<std::uint64_t> entries;

  Residues(Index m, Index n) : rows(m), columns(n), entries(at_index(m * n)) {}
  std::uint64_t& operator()(Index i, Index j) { return entries[at_index(i + j * rows)]; }
  std::uint64_t operator()(Index i, Index j) const { return entries[at_index(i + j * rows)]; }
};

Residues residues_of(const DenseMatrix& a, bool transposed, const Field& field) {
  Residues result(transposed ? a.columns() : a.rows(), transposed ? a.rows() : a.columns());
  for (Index i = 0; i < result.rows; ++i) {
    for (Index j = 0; j < result.columns; ++j) {
      result(i, j) = field.residue(transposed ? a(j, i) : a(i, j));
    }
  }
  return result;
}

Residues transpose(const Residues& a) {
  Residues result(a.columns, a.rows);
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j = 0; j < a.columns; ++j) {
      result(j, i) = a(i, j);
    }
  }
  return result;
}

Residues product(const Residues& a, const Residues& b, const Field& field) {
  Residues result(a.rows, b.columns);
  for (Index j = 0; j < b.columns; ++j) {
    for (Index k = 0; k < a.columns; ++k) {
      for (Index i = 0; b(k, j) != 0 && i < a.rows; ++i) {
        result(i, j) = field.plus(result(i, j), field.times(a(i, k), b(k, j)));
      }
    }
  }
  return result;
}

// Reduced echelon form, and the columns of its pivots.
std::vector<Index> eliminate(Residues& a, const Field& field) {
  std::vector<Index> pivots;
  count_work(a.rows * a.columns * std::min(a.rows, a.columns));
  for (Index column = 0; column < a.columns && static_cast<Index>(pivots.size()) < a.rows; ++column) {
    const auto top = static_cast<Index>(pivots.size());
    Index found = top;
    while (found < a.rows && a(found, column) == 0) {
      ++found;
    }
    if (found == a.rows) {
      continue;
    }
    const std::uint64_t factor = field.inverse(a(found, column));
    for (Index j = column; j < a.columns; ++j) {
      std::swap(a(found, j), a(top, j));
      a(top, j) = field.times(a(top, j), factor);
    }
    for (Index i = 0; i < a.rows; ++i) {
      const std::uint64_t entry = i == top ? 0 : a(i, column);
      for (Index j = column; entry != 0 && j < a.columns; ++j) {
        a(i, j) = field.minus(a(i, j), field.times(entry, a(top, j)));
      }
    }
    pivots.push_back(column);
  }
  return pivots;
}

// A basis of the kernel in columns; `pivots`: unit vectors of these complete it to one of the whole space.
Residues kernel_of(Residues a, std::vector<Index>& pivots, const Field& field) {
  pivots = eliminate(a, field);
  Residues kernel(a.columns, a.columns - static_cast<Index>(pivots.size()));
  Index next = 0;
  std::size_t passed = 0;
  for (Index column = 0; column < a.columns; ++column) {
    if (passed < pivots.size() && pivots[passed] == column) {
      ++passed;
      continue;
    }
    kernel(column, next) = 1;
    for (std::size_t k = 0; k < pivots.size(); ++k) {
      kernel(pivots[k], next) = field.minus(0, a(static_cast<Index>(k), column));
    }
    ++next;
  }
  return kernel;
}

Residues columns_of(const Residues& a, const std::vector<Index>& columns) {
  Residues result(a.rows, static_cast<Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (Index i = 0; i < a.rows; ++i) {
      result(i, static_cast<Index>(j)) = a(i, columns[j]);
    }
  }
  return result;
}

std::vector<StairStep> descend(Residues& e, Residues& a, const Field& field) {
  std::vector<StairStep> steps;
  while (true) {
    std::vector<Index> rest;
    const Residues kernel = kernel_of(e, rest, field);
    StairStep step{.rows = e.rows, .columns = e.columns, .kernel = kernel.columns, .image = 0};
    if (step.kernel == 0) {
      steps.push_back(step);
      return steps;
    }
    std::vector<Index> images;
    const Residues others = transpose(kernel_of(transpose(product(a, kernel, field)), images, field));
    step.image = static_cast<Index>(images.size());
    steps.push_back(step);
    e = product(others, columns_of(e, rest), field);
    a = product(others, columns_of(a, rest), field);
  }
}

ExactStaircase staircase_modulo(const DenseMatrix& e, const DenseMatrix& a, std::uint64_t p) {
  const Field field(p);
  Residues left = residues_of(e, true, field);
  Residues right = residues_of(a, true, field);
  ExactStaircase result;
  result.transposed = descend(left, right, field);
  left = transpose(left);
  right = transpose(right);
  result.rest = descend(left, right, field);
  return result;
}

}  // namespace

std::optional<ExactStaircase> exact_staircase(const DenseMatrix& e, const DenseMatrix& a) {
  SALTUS_EXPECT(e.is_finite() && a.is_finite() && e.rows() == a.rows() && e.columns() == a.columns(),
                "two matrices of finite numbers and of one shape");
  std::vector<ExactStaircase> found;
  for (const std::uint64_t p : kPrimes) {
    ExactStaircase next = staircase_modulo(e, a, p);
    for (const ExactStaircase& before : found) {
      if (before == next) {
        return next;
      }
    }
    found.push_back(std::move(next));
  }
  return std::nullopt;
}

}  // namespace saltus::linalg
