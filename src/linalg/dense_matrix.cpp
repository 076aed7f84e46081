#include "linalg/dense_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

void expect_same_shape(const DenseMatrix& a, const DenseMatrix& b) {
  SALTUS_EXPECT(a.rows() == b.rows() && a.columns() == b.columns(), "matrices of one shape");
}

}  // namespace

DenseMatrix::DenseMatrix(Index rows, Index columns) : rows_(rows), columns_(columns) {
  SALTUS_EXPECT(rows >= 0 && columns >= 0, "sizes of a matrix");
  entries_.assign(static_cast<std::size_t>(rows * columns), 0.0);
}

DenseMatrix::DenseMatrix(std::initializer_list<std::initializer_list<double>> rows)
    : DenseMatrix(static_cast<Index>(rows.size()),
                  rows.size() == 0 ? 0 : static_cast<Index>(rows.begin()->size())) {
  Index i = 0;
  for (const auto& row : rows) {
    SALTUS_EXPECT(static_cast<Index>(row.size()) == columns_, "rows of one length");
    Index j = 0;
    for (const double entry : row) {
      (*this)(i, j) = entry;
      ++j;
    }
    ++i;
  }
}

DenseMatrix DenseMatrix::identity(Index n) {
  DenseMatrix result(n, n);
  for (Index i = 0; i < n; ++i) {
    result(i, i) = 1.0;
  }
  return result;
}

std::span<const double> DenseMatrix::column(Index j) const {
  return std::span<const double>(entries_).subspan(static_cast<std::size_t>(j * rows_),
                                                   static_cast<std::size_t>(rows_));
}

DenseMatrix DenseMatrix::middle_columns(Index first, Index count) const {
  SALTUS_EXPECT(first >= 0 && count >= 0 && first + count <= columns_, "columns of the matrix");
  DenseMatrix result(rows_, count);
  std::copy_n(entries_.begin() + first * rows_, rows_ * count, result.entries_.begin());
  return result;
}

DenseMatrix DenseMatrix::transposed() const {
  DenseMatrix result(columns_, rows_);
  for (Index j = 0; j < columns_; ++j) {
    for (Index i = 0; i < rows_; ++i) {
      result(j, i) = (*this)(i, j);
    }
  }
  return result;
}

double DenseMatrix::largest_entry() const {
  double largest = 0.0;
  for (const double entry : entries_) {
    largest = std::max(largest, std::abs(entry));
  }
  return largest;
}

double DenseMatrix::column_norm() const {
  double largest = 0.0;
  for (Index j = 0; j < columns(); ++j) {
    double sum = 0.0;
    for (const double entry : column(j)) {
      sum += std::abs(entry);
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

bool DenseMatrix::is_finite() const {
  return std::all_of(entries_.begin(), entries_.end(), [](double entry) { return std::isfinite(entry); });
}

DenseMatrix operator*(const DenseMatrix& a, const DenseMatrix& b) {
  SALTUS_EXPECT(a.columns() == b.rows(), "matrices that can be multiplied");
  DenseMatrix result(a.rows(), b.columns());
  for (Index j = 0; j < b.columns(); ++j) {
    for (Index k = 0; k < a.columns(); ++k) {
      const double factor = b(k, j);
      if (factor == 0.0) {
        continue;
      }
      for (Index i = 0; i < a.rows(); ++i) {
        result(i, j) += a(i, k) * factor;
      }
    }
  }
  return result;
}

DenseMatrix operator*(double factor, const DenseMatrix& a) {
  DenseMatrix result = a;
  for (double& entry : result.entries()) {
    entry *= factor;
  }
  return result;
}

DenseMatrix operator+(const DenseMatrix& a, const DenseMatrix& b) {
  expect_same_shape(a, b);
  DenseMatrix result = a;
  for (std::size_t i = 0; i < b.entries().size(); ++i) {
    result.entries()[i] += b.entries()[i];
  }
  return result;
}

DenseMatrix operator-(const DenseMatrix& a, const DenseMatrix& b) {
  return a + (-1.0) * b;
}

std::vector<double> operator*(const DenseMatrix& a, const std::vector<double>& x) {
  SALTUS_EXPECT(a.columns() == static_cast<Index>(x.size()), "a vector that the matrix can be applied to");
  std::vector<double> result(static_cast<std::size_t>(a.rows()), 0.0);
  for (Index j = 0; j < a.columns(); ++j) {
    for (Index i = 0; i < a.rows(); ++i) {
      result[static_cast<std::size_t>(i)] += a(i, j) * x[static_cast<std::size_t>(j)];
    }
  }
  return result;
}

DenseMatrix transpose_times(const DenseMatrix& a, const DenseMatrix& b) {
  SALTUS_EXPECT(a.rows() == b.rows(), "matrices with as many rows");
  DenseMatrix result(a.columns(), b.columns());
  for (Index j = 0; j < b.columns(); ++j) {
    for (Index i = 0; i < a.columns(); ++i) {
      double sum = 0.0;
      for (Index k = 0; k < a.rows(); ++k) {
        sum += a(k, i) * b(k, j);
      }
      result(i, j) = sum;
    }
  }
  return result;
}

DenseMatrix beside(const DenseMatrix& a, const DenseMatrix& b) {
  SALTUS_EXPECT(a.rows() == b.rows(), "matrices with as many rows");
  DenseMatrix result(a.rows(), a.columns() + b.columns());
  std::copy(a.entries().begin(), a.entries().end(), result.entries().begin());
  std::copy(b.entries().begin(), b.entries().end(),
            result.entries().begin() + static_cast<std::ptrdiff_t>(a.entries().size()));
  return result;
}

}  // namespace saltus::linalg
