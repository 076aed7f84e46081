#include "linalg/phi_functions.hpp"

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"
#include "base/work_watch.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

// With |Z| ≤ ½ the first term left out is 2⁻¹⁶/17!, below the roundings of the sum.
constexpr int kTermsOfSeries = 15;
constexpr double kSmallNorm = 0.5;

double inverse_factorial(int k) {
  return 1.0 / std::tgamma(static_cast<double>(k) + 1.0);
}

void add_to_diagonal(DenseMatrix& a, double value) {
  for (Index i = 0; i < a.rows(); ++i) {
    a(i, i) += value;
  }
}

}  // namespace

std::vector<DenseMatrix> phi_functions(const DenseMatrix& a, int count) {
  SALTUS_EXPECT(a.rows() == a.columns() && a.is_finite() && count >= 1, "a square matrix of finite numbers");
  const double norm = a.column_norm();
  const int doublings = norm > kSmallNorm ? static_cast<int>(std::ceil(std::log2(norm / kSmallNorm))) : 0;
  const DenseMatrix z = std::ldexp(1.0, -doublings) * a;
  const auto n_functions = static_cast<std::size_t>(count) + 1;
  std::vector<DenseMatrix> phi(n_functions, DenseMatrix(a.rows(), a.rows()));
  for (int j = kTermsOfSeries; j >= 0; --j) {
    count_work(a.rows() * a.rows() * a.rows());
    phi.back() = z * phi.back();
    add_to_diagonal(phi.back(), inverse_factorial(j + count));
  }
  for (int k = count - 1; k >= 0; --k) {
    phi[static_cast<std::size_t>(k)] = z * phi[static_cast<std::size_t>(k) + 1];
    add_to_diagonal(phi[static_cast<std::size_t>(k)], inverse_factorial(k));
  }
  for (int step = 0; step < doublings; ++step) {
    count_work(static_cast<Index>(n_functions) * a.rows() * a.rows() * a.rows());
    std::vector<DenseMatrix> twice;
    for (std::size_t k = 0; k < n_functions; ++k) {
      DenseMatrix sum = phi[0] * phi[k];
      for (std::size_t j = 1; j <= k; ++j) {
        sum = sum + inverse_factorial(static_cast<int>(k - j)) * phi[j];
      }
      twice.push_back(std::ldexp(1.0, -static_cast<int>(k)) * sum);
    }
    phi = std::move(twice);
  }
  return phi;
}

}  // namespace saltus::linalg
