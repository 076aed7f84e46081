// Linear complementarity problems as equations with kinks: w = M·z + q, w ≥ 0, z ≥ 0, w·z = 0, written over one parameter for each pair as an
// ideal diode is: s ≥ 0 is z, s ≤ 0 is -w. Against all 2ⁿ combinations.
#include "nonlinear/piecewise_path.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <vector>

namespace saltus::nonlinear {
namespace {

struct Diodes {
  Eigen::MatrixXd m;
  Eigen::VectorXd q;
  Eigen::VectorXd s;
  Eigen::VectorXd sides;
  Eigen::VectorXd r;
  Eigen::VectorXd ds;

  Diodes(Eigen::MatrixXd matrix, Eigen::VectorXd vector, Eigen::VectorXd start)
      : m(std::move(matrix)), q(std::move(vector)), s(std::move(start)), sides(s.size()) {
    for (Eigen::Index i = 0; i < s.size(); ++i) {
      sides[i] = s[i] > 0.0 ? 1.0 : -1.0;
    }
  }

  // M·z - w + q with z = s, w = 0 on the side +1 and z = 0, w = -s on the other.
  [[nodiscard]] Eigen::MatrixXd jacobian() const {
    Eigen::MatrixXd a = Eigen::MatrixXd::Identity(s.size(), s.size());
    for (Eigen::Index i = 0; i < s.size(); ++i) {
      if (sides[i] > 0.0) {
        a.col(i) = m.col(i);
      }
    }
    return a;
  }
  bool evaluate() {
    r = jacobian() * s + q;
    return true;
  }
  [[nodiscard]] bool is_solved() const { return r.norm() <= 1e-12 * (1.0 + q.norm()); }
  bool find_tangent(double& dlambda) {
    Eigen::MatrixXd augmented(s.size(), s.size() + 1);
    augmented << jacobian(), r;
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(augmented);
    if (lu.dimensionOfKernel() != 1) {
      return false;
    }
    const Eigen::VectorXd null = lu.kernel().col(0);
    ds = null.head(s.size());
    dlambda = null[s.size()];
    return true;
  }
  [[nodiscard]] std::size_t n_guards() const { return static_cast<std::size_t>(s.size()); }
  [[nodiscard]] double guard(std::size_t i) const { return s[static_cast<Eigen::Index>(i)]; }
  [[nodiscard]] double slope(std::size_t i) const { return ds[static_cast<Eigen::Index>(i)]; }
  [[nodiscard]] double side(std::size_t i) const { return sides[static_cast<Eigen::Index>(i)]; }
  void change_side(std::size_t i) { sides[static_cast<Eigen::Index>(i)] *= -1.0; }
  void advance(double tau) { s += tau * ds; }
};

// How many combinations solve it.
int n_solutions(const Diodes& problem) {
  int n = 0;
  for (unsigned pattern = 0; pattern < 1U << problem.s.size(); ++pattern) {
    Diodes trial = problem;
    for (Eigen::Index i = 0; i < trial.s.size(); ++i) {
      trial.sides[i] = (pattern >> static_cast<unsigned>(i) & 1U) != 0 ? 1.0 : -1.0;
    }
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(trial.jacobian());
    if (lu.isInvertible()) {
      const Eigen::VectorXd s = lu.solve(-trial.q);
      n += (s.array() * trial.sides.array() >= 0.0).all() ? 1 : 0;
    }
  }
  return n;
}

TEST(PiecewisePath, FindsTheSolutionOfPositiveDefiniteProblems) {
  std::mt19937 random(20261116);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 300; ++trial) {
    const Eigen::Index n = 1 + trial % 9;
    const auto number = [&] { return normal(random); };
    const Eigen::MatrixXd b = Eigen::MatrixXd::NullaryExpr(n, n, number);
    const Eigen::MatrixXd skew = Eigen::MatrixXd::NullaryExpr(n, n, number);
    Diodes problem(b * b.transpose() + 0.01 * Eigen::MatrixXd::Identity(n, n) + skew - skew.transpose(),
                   Eigen::VectorXd::NullaryExpr(n, number), Eigen::VectorXd::NullaryExpr(n, number));
    ASSERT_EQ(n_solutions(problem), 1) << trial;
    ASSERT_EQ(follow_pieces(problem, {}), PathEnd::arrived) << trial;
    EXPECT_TRUE((problem.s.array() * problem.sides.array() >= -1e-12).all()) << trial;
    EXPECT_TRUE(problem.evaluate() && problem.is_solved()) << trial;
  }
}

// n sources through ideal diodes onto one load: the highest conducts. Every piece with several that conduct is singular, those with more than
// two have no tangent: the path begins where all block.
TEST(PiecewisePath, PassesPiecesWithoutASolution) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int n = 2; n <= 12; ++n) {
    // Unknowns: currents or blocking voltages sᵢ of the diodes; M of the node voltage u = R·Σi: wᵢ = u - eᵢ, rank one.
    const Eigen::MatrixXd m = Eigen::MatrixXd::Constant(n, n, 5.0);
    const auto number = [&] { return normal(random); };
    Eigen::VectorXd e = Eigen::VectorXd::NullaryExpr(n, number);
    e = e.cwiseAbs();
    Diodes problem(m, -e, -Eigen::VectorXd::NullaryExpr(n, number).cwiseAbs());
    ASSERT_EQ(follow_pieces(problem, {}), PathEnd::arrived) << n;
    Eigen::Index highest = 0;
    const double u = e.maxCoeff(&highest);
    for (Eigen::Index i = 0; i < n; ++i) {
      EXPECT_EQ(problem.sides[i], i == highest ? 1.0 : -1.0) << n;
    }
    EXPECT_NEAR(problem.s[highest], u / 5.0, 1e-12);
  }
}

TEST(PiecewisePath, SaysWhereThereIsNoSolution) {
  // w = -1 - z: no z ≥ 0 makes it positive.
  Diodes problem(Eigen::MatrixXd::Constant(1, 1, -1.0), Eigen::VectorXd::Constant(1, -1.0),
                 Eigen::VectorXd::Constant(1, 0.3));
  EXPECT_NE(follow_pieces(problem, {}), PathEnd::arrived);
}

}  // namespace
}  // namespace saltus::nonlinear
