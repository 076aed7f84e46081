#include "nonlinear/kept_newton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace saltus::nonlinear {
namespace {

// z² = a with a matrix that is kept; moves in correct(), as projections do, or in move().
struct Root {
  double a;
  double z;
  bool moves_at_once = false;
  double matrix = 0.0;
  double residual = 0.0;
  double change = 0.0;
  int n_matrices = 0;
  int n_values = 0;
  bool refuses_to_move = false;

  Rows evaluate() {
    ++n_values;
    residual = z * z - a;
    return std::isnan(residual) ? Rows::no_value : residual == 0.0 ? Rows::met : Rows::open;
  }
  [[nodiscard]] bool has_matrix() const { return matrix != 0.0; }
  bool refresh() {
    ++n_matrices;
    matrix = 2.0 * z;
    return matrix != 0.0;
  }
  double correct() {
    change = -residual / matrix;
    if (moves_at_once) {
      z += change;
    }
    return std::abs(change);
  }
  bool move() {
    if (!moves_at_once) {
      z += change;
    }
    return !refuses_to_move;
  }
  void drop_matrix() { matrix = 0.0; }
};

// Answers as they are written down.
struct Script {
  std::vector<KeptAnswer> answers;
  std::size_t next = 0;
  int n_fresh = 0;

  void begin() { next = 0; }
  void set_fresh() { ++n_fresh; }
  KeptAnswer look(double /*size*/) { return answers[next++]; }
};

TEST(KeptNewton, DoesWhatThePolicySays) {
  using enum KeptAnswer;
  Root problem{.a = 2.0, .z = 1.5};
  Script script{{go_on, go_on, refresh, go_on, converged}};
  EXPECT_EQ(kept_newton(problem, script), KeptEnd::converged);
  EXPECT_EQ(problem.n_matrices, 2);
  EXPECT_EQ(script.n_fresh, 2);
  EXPECT_EQ(problem.n_values, 5);
  EXPECT_NEAR(problem.z, std::sqrt(2.0), 1e-7) << "three moves: none by refresh or converged";
  Script lose{{go_on, lost}};
  EXPECT_EQ(kept_newton(problem, lose), KeptEnd::lost);
}

TEST(KeptNewton, AMatrixIsKeptFromCallToCall) {
  Root problem{.a = 2.0, .z = 1.5};
  HalvingPolicy policy(40);
  EXPECT_EQ(kept_newton(problem, policy), KeptEnd::converged);
  EXPECT_DOUBLE_EQ(problem.z, std::sqrt(2.0));
  problem.a = 2.0001;
  EXPECT_EQ(kept_newton(problem, policy), KeptEnd::converged);
  EXPECT_DOUBLE_EQ(problem.z, std::sqrt(2.0001));
  EXPECT_EQ(problem.n_matrices, 1);
}

TEST(KeptNewton, HowItFails) {
  HalvingPolicy policy(10);
  Root no_value{.a = std::nan(""), .z = 1.0};
  EXPECT_EQ(kept_newton(no_value, policy), KeptEnd::no_value);
  Root no_matrix{.a = 1.0, .z = 0.0};
  EXPECT_EQ(kept_newton(no_matrix, policy), KeptEnd::no_matrix);
  Root held{.a = 2.0, .z = 1.5, .refuses_to_move = true};
  EXPECT_EQ(kept_newton(held, policy), KeptEnd::lost);
  Root met{.a = 4.0, .z = 2.0};
  EXPECT_EQ(kept_newton(met, policy), KeptEnd::converged);
  EXPECT_EQ(met.n_matrices, 0) << "nothing was left to do";
}

TEST(HalvingPolicy, EndsWhereSizesNoLongerHalve) {
  HalvingPolicy policy(3);
  policy.begin();
  EXPECT_EQ(policy.look(1e3), KeptAnswer::go_on);
  EXPECT_EQ(policy.look(5e2), KeptAnswer::go_on);
  EXPECT_EQ(policy.look(2.6e2), KeptAnswer::converged);
  policy.begin();
  EXPECT_EQ(policy.look(std::nan("")), KeptAnswer::converged);
  policy.begin();
  EXPECT_EQ(policy.look(1.0), KeptAnswer::go_on);
  EXPECT_EQ(policy.look(0.1), KeptAnswer::go_on);
  EXPECT_EQ(policy.look(0.01), KeptAnswer::go_on);
  EXPECT_EQ(policy.look(0.001), KeptAnswer::converged) << "three steps";
}

}  // namespace
}  // namespace saltus::nonlinear
