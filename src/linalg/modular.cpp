#include "linalg/modular.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/machine.hpp"
#include "base/work_watch.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg::modular {
namespace {

constexpr int kDigits = std::numeric_limits<double>::digits;

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

}  // namespace

std::uint64_t Field::power(std::uint64_t x, std::uint64_t exponent) const {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1U) {
    result = (exponent & 1U) != 0 ? times(result, x) : result;
    x = times(x, x);
  }
  return result;
}

std::uint64_t Field::residue(double number) const {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(number), &exponent);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, kDigits)) % p_;
  exponent -= kDigits;
  const std::uint64_t two = exponent < 0 ? inverse(2) : 2;
  const std::uint64_t size = times(mantissa, power(two, static_cast<std::uint64_t>(std::abs(exponent))));
  return number < 0.0 ? minus(0, size) : size;
}

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

Residues beside(const Residues& a, const Residues& b) {
  SALTUS_EXPECT(a.rows == b.rows, "matrices with as many rows");
  Residues result(a.rows, a.columns + b.columns);
  std::copy(b.entries.begin(), b.entries.end(),
            std::copy(a.entries.begin(), a.entries.end(), result.entries.begin()));
  return result;
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

Residues kernel_of(Residues a, const Field& field) {
  std::vector<Index> pivots;
  return kernel_of(std::move(a), pivots, field);
}

Residues corange_of(const Residues& a, const Field& field) {
  return kernel_of(transpose(a), field);
}

Index rank_of(Residues a, const Field& field) {
  return static_cast<Index>(eliminate(a, field).size());
}

}  // namespace saltus::linalg::modular
