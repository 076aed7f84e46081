// A method of order p solves ẋ = q tᵠ⁻¹ (x = tᵠ) exactly for q ≤ p and not for q = p + 1; a dense output of order p likewise
// within the step. (Fehlberg's 8(7) pair has no defect in its quadrature of order 9, so its q is larger: found by search.)
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/integration_fixture.hpp"

namespace saltus::test {
namespace {

Problem monomial(int power) {
  Problem problem;
  problem.name = "monomial";
  problem.x_start = {0.0};
  problem.rhs = [power](double t, std::span<const double> /*x*/, std::span<double> xdot) {
    xdot[0] = power * std::pow(t, power - 1);
  };
  problem.exact = [power](double t) { return std::vector<double>{std::pow(t, power)}; };
  return problem;
}

double error_after_one_step(const integrate::Tableau& table, int power) {
  Integration run = fixed_step_integration(monomial(power), table.name, 1.0);
  EXPECT_TRUE(run.stepper.attempt(1.0).good());
  return std::abs(run.stepper.step_end_state()[0] - 1.0);
}

class PolynomialExactness : public testing::TestWithParam<const integrate::Tableau*> {};

TEST_P(PolynomialExactness, UpToTheOrderAndNotBeyond) {
  const integrate::Tableau& table = *GetParam();
  int power = 1;
  for (; power <= table.order; ++power) {
    EXPECT_LT(error_after_one_step(table, power), 4e-15) << "power " << power;
  }
  // As a quadrature rule a method may be of higher order than as a method, never of unlimited order.
  const int highest_quadrature_order = 2 * table.n_stages();
  while (power <= highest_quadrature_order && error_after_one_step(table, power) < 4e-15) {
    ++power;
  }
  EXPECT_LE(power, table.order + 3);
  EXPECT_GT(error_after_one_step(table, power), 1e-6);
}

TEST_P(PolynomialExactness, OfTheDenseOutputs) {
  const integrate::Tableau& table = *GetParam();
  for (const auto which : {integrate::DenseOutput::standard, integrate::DenseOutput::full}) {
    for (int power = 1; power <= 7; ++power) {
      const Problem problem = monomial(power);
      Integration run = fixed_step_integration(problem, table.name, 1.0);
      ASSERT_TRUE(run.stepper.attempt(1.0).good());
      trajectory::SegmentView segment;
      ASSERT_TRUE(run.stepper.dense_output(which, segment).ok());
      double largest = 0.0;
      for (int k = 1; k < 10; ++k) {
        largest = std::max(largest, std::abs(segment.value(0, 0.1 * k) - std::pow(0.1 * k, power)));
      }
      const int order = run.stepper.dense_order(which);
      if (power <= order && power <= table.order) {
        // Factors of the stages are about ten up to order 5 and about 2000 in the one of order 7.
        EXPECT_LT(largest, order <= 5 ? 1e-14 : 5e-14) << "power " << power;
      } else if (power == order + 1) {
        EXPECT_GT(largest, 1e-4) << "power " << power;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllMethods, PolynomialExactness,
                         testing::ValuesIn(integrate::explicit_methods().begin(),
                                           integrate::explicit_methods().end()),
                         [](const auto& method) { return std::string(method.param->name); });

}  // namespace
}  // namespace saltus::test
