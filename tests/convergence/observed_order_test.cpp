// Observed orders: of the solution, of the dense outputs uniformly over the step, and of the error estimate.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "support/integration_fixture.hpp"
#include "support/order_estimate.hpp"
#include "support/problems/kepler.hpp"

namespace saltus::test {
namespace {

using integrate::DenseOutput;

// Sizes for which the global error of order `order` lies well above rounding and the next order matters little.
std::vector<double> step_sizes(int order) {
  const double coarsest = order >= 8 ? 0.4 : order == 5 ? 0.1 : order == 4 ? 0.08 : 0.05;
  std::vector<double> sizes;
  for (int i = 0; i < 6; ++i) {
    sizes.push_back(coarsest * std::pow(0.8, i));
  }
  return sizes;
}

// For single steps smaller sizes are within reach, and needed: the error terms of Dormand and Prince of order 7 are ten
// times those of order 6.
std::vector<double> local_step_sizes(int order) {
  std::vector<double> sizes = step_sizes(order);
  for (double& size : sizes) {
    size *= 0.3;
  }
  return sizes;
}

class ObservedOrder : public testing::TestWithParam<const integrate::Tableau*> {};

// The largest error at any step of the run, in three norms: at a single time the leading terms may happen to cancel.
class ErrorSink final : public integrate::StepSink {
 public:
  explicit ErrorSink(const Problem& problem) : problem_(problem) {}
  integrate::SinkAnswer accepted_step(integrate::Stepper& stepper) override {
    const std::vector<double> exact = problem_.exact(stepper.time().value());
    double total = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double error = std::abs(stepper.state()[i] - exact[i]);
      maximum = std::max(maximum, error);
      total += error;
      squares += error * error;
    }
    sum = std::max(sum, total);
    euclidean = std::max(euclidean, std::sqrt(squares));
    return integrate::SinkAnswer::go_on;
  }
  double maximum = 0.0;
  double sum = 0.0;
  double euclidean = 0.0;

 private:
  const Problem& problem_;
};

TEST_P(ObservedOrder, OfTheSolutionInThreeNorms) {
  const integrate::Tableau& table = *GetParam();
  const Problem problem = kepler();
  std::vector<double> sizes;
  std::vector<double> maximum;
  std::vector<double> sum;
  std::vector<double> euclidean;
  for (const double wanted : step_sizes(table.order)) {
    sizes.push_back(problem.t_end / std::round(problem.t_end / wanted));
    Integration run = fixed_step_integration(problem, table.name, sizes.back());
    ErrorSink sink(problem);
    ASSERT_TRUE(run.advance.to(problem.t_end, sink).reached_end());
    maximum.push_back(sink.maximum);
    sum.push_back(sink.sum);
    euclidean.push_back(sink.euclidean);
  }
  for (const auto* errors : {&maximum, &sum, &euclidean}) {
    EXPECT_NEAR(observed_order(sizes, *errors), table.order, 0.35);
  }
}

// Largest error over a fine grid of θ in every step of a run with fixed steps.
double dense_error(const Problem& problem, std::string_view method, double h, DenseOutput which) {
  Integration run = fixed_step_integration(problem, method, h);
  RecordingSink sink(which);
  EXPECT_TRUE(run.advance.to(problem.t_end, sink).reached_end());
  double largest = 0.0;
  std::vector<double> x(problem.size());
  for (Index i = 0; i < sink.trajectory.size(); ++i) {
    const trajectory::SegmentView segment = sink.trajectory.segment(i);
    for (int k = 1; k < 16; ++k) {
      const double theta = k / 16.0;
      segment.evaluate(theta, x);
      largest = std::max(largest, distance(x, problem.exact(segment.start_time() + theta * segment.step())));
    }
  }
  return largest;
}

// Where single steps start; several, lest the leading terms cancel at one of them.
constexpr std::array<double, 4> kStarts = {0.3, 1.1, 2.3, 3.4};

// Largest error of the extension within single steps started on the exact solution.
double local_dense_error(const Problem& problem, const integrate::Tableau& table, double h,
                         DenseOutput which) {
  FunctionEvaluator evaluator(problem.rhs);
  integrate::ExplicitRungeKutta stepper(table, evaluator, 4, no_error_test(4));
  double largest = 0.0;
  for (const double start : kStarts) {
    EXPECT_TRUE(stepper.restart(trajectory::CompensatedTime(start), problem.exact(start)).ok());
    EXPECT_TRUE(stepper.attempt(h).good());
    trajectory::SegmentView segment;
    EXPECT_TRUE(stepper.dense_output(which, segment).ok());
    std::vector<double> x(4);
    for (int k = 1; k < 32; ++k) {
      segment.evaluate(k / 32.0, x);
      largest = std::max(largest, distance(x, problem.exact(start + h * k / 32.0)));
    }
  }
  return largest;
}

// Order of one step, started on the exact solution, minus one: the uniform order of the extension by itself.
double local_dense_order(const Problem& problem, const integrate::Tableau& table, DenseOutput which) {
  const int order = table.dense.empty()          ? integrate::kHermiteOrder
                    : which == DenseOutput::full ? table.dense.back().order
                                                 : table.dense.front().order;
  const std::vector<double> sizes = local_step_sizes(order);
  std::vector<double> errors;
  for (const double h : sizes) {
    errors.push_back(local_dense_error(problem, table, h, which));
  }
  return observed_order(sizes, errors) - 1.0;
}

TEST_P(ObservedOrder, OfTheStandardDenseOutputOverOneStep) {
  const integrate::Tableau& table = *GetParam();
  const int order = table.dense.empty() ? integrate::kHermiteOrder : table.dense.front().order;
  EXPECT_NEAR(local_dense_order(kepler(), table, DenseOutput::standard), order, 0.3);
}

TEST_P(ObservedOrder, OfTheErrorEstimate) {
  const integrate::Tableau& table = *GetParam();
  if (table.embedded_order == 0) {
    return;
  }
  const Problem problem = kepler();
  const std::vector<double> sizes = local_step_sizes(table.embedded_order + 1);
  std::vector<double> estimates;
  for (const double h : sizes) {
    FunctionEvaluator evaluator(problem.rhs);
    integrate::ExplicitRungeKutta stepper(table, evaluator, 4, no_error_test(4));
    double largest = 0.0;
    for (const double start : kStarts) {
      ASSERT_TRUE(stepper.restart(trajectory::CompensatedTime(start), problem.exact(start)).ok());
      ASSERT_TRUE(stepper.attempt(h).good());
      for (const double error : stepper.error_estimate()) {
        largest = std::max(largest, std::abs(error));
      }
    }
    estimates.push_back(largest);
  }
  EXPECT_NEAR(observed_order(sizes, estimates), table.embedded_order + 1, 0.4);
}

INSTANTIATE_TEST_SUITE_P(AllMethods, ObservedOrder,
                         testing::ValuesIn(integrate::explicit_methods().begin(),
                                           integrate::explicit_methods().end()),
                         [](const auto& method) { return std::string(method.param->name); });

TEST(Dopri5DenseOutput, HasOrderFourOverAWholeRun) {
  const Problem problem = kepler();
  const std::vector<double> sizes = step_sizes(5);
  std::vector<double> errors;
  for (const double h : sizes) {
    errors.push_back(dense_error(problem, "dopri5", h, DenseOutput::standard));
  }
  // The local error of the extension is O(h⁵) and that of the steps adds up to O(h⁵): 5 is what a run shows.
  EXPECT_NEAR(observed_order(sizes, errors), 5.0, 0.35);
}

TEST(Dopri5DenseOutput, HasOrderFiveOverOneStepWithTheExtraStages) {
  EXPECT_NEAR(local_dense_order(kepler(), integrate::dopri5_table(), DenseOutput::full), 5.0, 0.4);
}

TEST(Dopri5DenseOutput, OfOrderFiveIsMuchBetterThanThatOfOrderFourForSmallSteps) {
  const integrate::Tableau& table = integrate::dopri5_table();
  EXPECT_LT(local_dense_error(kepler(), table, 0.02, DenseOutput::full),
            0.1 * local_dense_error(kepler(), table, 0.02, DenseOutput::standard));
}

}  // namespace
}  // namespace saltus::test
