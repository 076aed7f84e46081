#include "reduce/drazin_solution.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "linalg/generalized_inverse.hpp"
#include "linalg/matrix_exponential.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;

// Gauss-Legendre with five points: exact to degree 9; panels keep |Ê^D Â|·h ≤ 1/8.
constexpr std::array<double, 5> kNodes = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831,
                                          0.9061798459386640};
constexpr std::array<double, 5> kWeights = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                            0.4786286704993665, 0.2369268850561891};
constexpr double kPanelSize = 0.125;  // of the time constant: Gauss with 5 points is then exact to rounding
constexpr int kLeastPanels = 16;      // for forcings that are faster than the flow

void add(std::vector<double>& sum, double factor, const std::vector<double>& x) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] += factor * x[i];
  }
}

}  // namespace

std::optional<DrazinSolution> DrazinSolution::make(const DenseMatrix& e, const DenseMatrix& a, Forcing b,
                                                   double t0) {
  const std::optional<linalg::CommutingPair> pair = linalg::commuting_pair(e, a);
  if (!pair) {
    return std::nullopt;
  }
  const linalg::Drazin of_e = linalg::drazin(pair->e);
  DrazinSolution solution;
  solution.index_ = of_e.index;
  solution.t0_ = t0;
  solution.b_ = std::move(b);
  solution.inverse_ = pair->inverse;
  solution.e_drazin_ = of_e.inverse;
  solution.flow_ = of_e.inverse * pair->a;
  solution.differential_ = of_e.inverse * pair->e;
  solution.a_drazin_ = linalg::drazin(pair->a).inverse;
  solution.shift_ = pair->e * solution.a_drazin_;
  return solution;
}

std::vector<double> DrazinSolution::integral(double t) const {
  const double speed = flow_.largest_entry() * static_cast<double>(flow_.rows());
  const double span = t - t0_;
  const int panels = std::max(kLeastPanels, static_cast<int>(std::ceil(std::abs(span) * speed / kPanelSize)));
  const double half = 0.5 * span / panels;
  std::vector<double> sum(static_cast<std::size_t>(flow_.rows()), 0.0);
  for (int panel = 0; panel < panels; ++panel) {
    for (std::size_t k = 0; k < kNodes.size(); ++k) {
      const double s = t0_ + half * (2.0 * panel + 1.0 + kNodes[k]);
      add(sum, half * kWeights[k],
          linalg::exponential((t - s) * flow_) * (e_drazin_ * (inverse_ * b_(0, s))));
    }
  }
  return sum;
}

std::vector<double> DrazinSolution::at(double t, const std::vector<double>& w) const {
  std::vector<double> x = linalg::exponential((t - t0_) * flow_) * (differential_ * w);
  add(x, 1.0, integral(t));
  DenseMatrix power = DenseMatrix::identity(flow_.rows());
  for (int i = 0; i < index_; ++i) {
    const std::vector<double> term = power * (a_drazin_ * (inverse_ * b_(i, t)));
    add(x, -1.0, term);
    add(x, 1.0, differential_ * term);
    power = power * shift_;
  }
  return x;
}

}  // namespace saltus::reduce
