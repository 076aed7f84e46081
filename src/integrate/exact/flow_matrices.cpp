#include "integrate/exact/flow_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/machine.hpp"
#include "linalg/eigenvalues.hpp"
#include "linalg/phi_functions.hpp"

namespace saltus::integrate {
namespace {

// Sizes of one run are powers of two and last steps before a time; a few dozen serve.
constexpr std::size_t kMostSizes = 48;

}  // namespace

FlowMatrices::FlowMatrices(const linalg::DenseMatrix& a) : a_(a), balanced_(a) {
  scale_ = linalg::balance(balanced_);
  for (const std::complex<double>& value : linalg::eigenvalues(a)) {
    turning_ = std::max(turning_, std::abs(value.imag()));
  }
}

std::span<const linalg::DenseMatrix> FlowMatrices::of_size(double h, int count) {
  const auto wanted = static_cast<std::size_t>(count) + 1;
  auto found = std::find_if(sizes_.begin(), sizes_.end(), [&](const Size& size) { return size.h == h; });
  if (found != sizes_.end() && found->matrices.size() >= wanted) {
    return found->matrices;
  }
  if (found == sizes_.end()) {
    if (sizes_.size() < kMostSizes) {
      sizes_.emplace_back();
      found = sizes_.end() - 1;
    } else {
      found = sizes_.begin() + static_cast<std::ptrdiff_t>(next_place_);
      next_place_ = (next_place_ + 1) % kMostSizes;
    }
  }
  found->h = h;
  found->matrices = linalg::phi_functions(h * balanced_, count);
  for (linalg::DenseMatrix& matrix : found->matrices) {
    const double factor = &matrix == &found->matrices.front() ? 1.0 : h;
    for (Index j = 0; j < matrix.columns(); ++j) {
      for (Index i = 0; i < matrix.rows(); ++i) {
        matrix(i, j) *= factor * (scale_[at_index(i)] / scale_[at_index(j)]);
      }
    }
  }
  return found->matrices;
}

void add_product(const linalg::DenseMatrix& a, std::span<const double> x, std::span<double> y) {
  for (Index j = 0; j < a.columns(); ++j) {
    const std::span<const double> column = a.column(j);
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] += column[i] * x[at_index(j)];
    }
  }
}

void add_absolute_product(const linalg::DenseMatrix& a, std::span<const double> x, std::span<double> y) {
  for (Index j = 0; j < a.columns(); ++j) {
    const std::span<const double> column = a.column(j);
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] += std::abs(column[i] * x[at_index(j)]);
    }
  }
}

}  // namespace saltus::integrate
