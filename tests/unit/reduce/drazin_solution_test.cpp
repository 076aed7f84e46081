#include "reduce/drazin_solution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "linalg/generalized_inverse.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;

// b_i(t) = c_i·e^(r t) + t²: all derivatives.
DrazinSolution::Forcing forcing(const std::vector<double>& c, double rate) {
  return [c, rate](int derivative, double t) {
    std::vector<double> b;
    for (const double factor : c) {
      const double power = derivative == 0 ? t * t : derivative == 1 ? 2.0 * t : derivative == 2 ? 2.0 : 0.0;
      b.push_back(factor * std::pow(rate, derivative) * std::exp(rate * t) + power);
    }
    return b;
  };
}

// Substituted into the equation, with ẋ by a central difference of high order.
double residual(const DrazinSolution& solution, const DenseMatrix& e, const DenseMatrix& a,
                const DrazinSolution::Forcing& b, double t, const std::vector<double>& w) {
  constexpr double kStep = 1e-3;
  std::vector<double> rate(w.size(), 0.0);
  const std::vector<std::pair<double, double>> stencil = {
      {-2.0, 1.0 / 12.0}, {-1.0, -2.0 / 3.0}, {1.0, 2.0 / 3.0}, {2.0, -1.0 / 12.0}};
  for (const auto& [offset, weight] : stencil) {
    const std::vector<double> x = solution.at(t + offset * kStep, w);
    for (std::size_t i = 0; i < x.size(); ++i) {
      rate[i] += weight / kStep * x[i];
    }
  }
  const std::vector<double> left = e * rate;
  const std::vector<double> right = a * solution.at(t, w);
  const std::vector<double> force = b(0, t);
  double largest = 0.0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    largest = std::max(largest, std::abs(left[i] - right[i] - force[i]));
  }
  return largest;
}

TEST(DrazinSolution, SatisfiesEquationsOfEveryIndex) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  for (const int index : {0, 1, 2, 3}) {
    // P·diag(I, N)·Q, P·diag(J, I)·Q with N nilpotent of the index.
    DenseMatrix e(5, 5);
    DenseMatrix a(5, 5);
    DenseMatrix p(5, 5);
    DenseMatrix q(5, 5);
    for (DenseMatrix* matrix : {&p, &q}) {
      for (double& value : matrix->entries()) {
        value = entry(random);
      }
      *matrix = *matrix + 2.0 * DenseMatrix::identity(5);
    }
    const Index differential = index == 0 ? 5 : 2;
    for (Index i = 0; i < 5; ++i) {
      e(i, i) = i < differential ? 1.0 : 0.0;
      a(i, i) = i < differential ? -0.5 * static_cast<double>(i + 1) : 1.0;
    }
    for (Index i = differential; i + 1 < differential + index; ++i) {
      e(i, i + 1) = 1.0;
    }
    e = p * e * q;
    a = p * a * q;
    const auto b = forcing({1.0, -0.5, 0.25, 2.0, 0.0}, -0.7);
    const auto solution = DrazinSolution::make(e, a, b, 0.5);
    ASSERT_TRUE(solution.has_value());
    EXPECT_EQ(solution->index(), index);
    for (const double t : {0.5, 1.3, 0.1}) {
      EXPECT_LT(residual(*solution, e, a, b, t, {1.0, 2.0, 3.0, 4.0, 5.0}), 1e-9) << index << " at " << t;
    }
  }
}

TEST(DrazinSolution, SingularPairHasNone) {
  EXPECT_FALSE(DrazinSolution::make(DenseMatrix(2, 2), {{1.0, 0.0}, {0.0, 0.0}}, {}, 0.0).has_value());
}

}  // namespace
}  // namespace saltus::reduce
