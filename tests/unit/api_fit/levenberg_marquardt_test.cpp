#include "api/fit/levenberg_marquardt.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace saltus::api {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using End = LeastSquaresResult::End;

class Functions final : public LeastSquaresProblem {
 public:
  using Call = std::function<PointOutcome(LeastSquaresPoint&)>;
  explicit Functions(Call call) : call_(std::move(call)) {}
  PointOutcome evaluate(LeastSquaresPoint& point) override {
    ++n_calls;
    point.accuracy = 1e-12;
    return call_(point);
  }
  int n_calls = 0;

 private:
  Call call_;
};

PointOutcome rosenbrock(LeastSquaresPoint& point) {
  const double a = point.x[0];
  const double b = point.x[1];
  point.residuals = {10.0 * (b - a * a), 1.0 - a};
  point.jacobian = linalg::DenseMatrix{{-20.0 * a, 10.0}, {-1.0, 0.0}};
  return PointOutcome::good;
}

LeastSquaresOptions unbounded(std::size_t n, int iterations = 100) {
  return {.lower = std::vector<double>(n, -kInfinity),
          .upper = std::vector<double>(n, kInfinity),
          .max_iterations = iterations};
}

TEST(LevenbergMarquardt, FollowsTheValleyOfRosenbrock) {
  Functions problem(rosenbrock);
  const LeastSquaresResult result = least_squares(problem, {-1.2, 1.0}, unbounded(2));
  EXPECT_EQ(result.end, End::converged);
  EXPECT_NEAR(result.point.x[0], 1.0, 1e-10);
  EXPECT_NEAR(result.point.x[1], 1.0, 1e-10);
  EXPECT_LE(problem.n_calls, 40);
  RecordProperty("calls", problem.n_calls);
}

// More, Garbow, Hillstrom 1981, problem 13: the Jacobian is singular at the minimum, so that convergence is linear.
TEST(LevenbergMarquardt, ReachesTheSingularMinimumOfPowell) {
  Functions problem([](LeastSquaresPoint& point) {
    const std::vector<double>& x = point.x;
    const double root5 = std::sqrt(5.0);
    const double root10 = std::sqrt(10.0);
    point.residuals = {x[0] + 10.0 * x[1], root5 * (x[2] - x[3]), std::pow(x[1] - 2.0 * x[2], 2),
                       root10 * std::pow(x[0] - x[3], 2)};
    const double p = 2.0 * (x[1] - 2.0 * x[2]);
    const double q = 2.0 * root10 * (x[0] - x[3]);
    point.jacobian = linalg::DenseMatrix{
        {1.0, 10.0, 0.0, 0.0}, {0.0, 0.0, root5, -root5}, {0.0, p, -2.0 * p, 0.0}, {q, 0.0, 0.0, -q}};
    return PointOutcome::good;
  });
  const LeastSquaresResult result = least_squares(problem, {3.0, -1.0, 0.0, 1.0}, unbounded(4));
  EXPECT_EQ(result.end, End::converged);
  EXPECT_LT(result.cost, 1e-22);
  for (const double value : result.point.x) {
    EXPECT_NEAR(value, 0.0, 1e-5);
  }
}

// Minimum of Rosenbrock's function with a ≤ 0.5 is on its bound: b = a², cost ½·0.25.
TEST(LevenbergMarquardt, StandsOnABoundToTheLastBit) {
  Functions problem(rosenbrock);
  LeastSquaresOptions options = unbounded(2);
  options.upper[0] = 0.5;
  const LeastSquaresResult result = least_squares(problem, {-1.2, 1.0}, options);
  EXPECT_EQ(result.end, End::converged);
  EXPECT_EQ(result.point.x[0], 0.5);
  EXPECT_NEAR(result.point.x[1], 0.25, 1e-6);
  EXPECT_NEAR(result.cost, 0.125, 1e-11);
  EXPECT_EQ(result.is_held, (std::vector<char>{1, 0}));
}

TEST(LevenbergMarquardt, LeavesABoundThatDoesNotHold) {
  Functions problem(rosenbrock);
  LeastSquaresOptions options = unbounded(2);
  options.lower = {-1.2, 0.0};
  options.upper = {2.0, 1.5};
  const LeastSquaresResult result = least_squares(problem, {-1.2, 1.5}, options);
  EXPECT_EQ(result.end, End::converged);
  EXPECT_NEAR(result.point.x[0], 1.0, 1e-10);
  EXPECT_EQ(result.is_held, (std::vector<char>{0, 0}));
}

TEST(LevenbergMarquardt, WithoutRoomNothingMoves) {
  Functions problem(rosenbrock);
  LeastSquaresOptions options = unbounded(2);
  options.lower[0] = options.upper[0] = -1.0;
  const LeastSquaresResult result = least_squares(problem, {-1.0, 5.0}, options);
  EXPECT_EQ(result.end, End::converged);
  EXPECT_EQ(result.point.x[0], -1.0);
  EXPECT_NEAR(result.point.x[1], 1.0, 1e-5);
}

// Only a·b is seen: the iteration ends on the curve a·b = 6, near where it began.
TEST(LevenbergMarquardt, RankDeficientProblemsConverge) {
  Functions problem([](LeastSquaresPoint& point) {
    const double a = point.x[0];
    const double b = point.x[1];
    point.residuals = {a * b - 6.0, 2.0 * (a * b - 6.0), 3.0 * (a * b - 6.0)};
    point.jacobian = linalg::DenseMatrix{{b, a}, {2.0 * b, 2.0 * a}, {3.0 * b, 3.0 * a}};
    return PointOutcome::good;
  });
  LeastSquaresOptions options = unbounded(2);
  options.least_pivot = 1e-10;
  const LeastSquaresResult result = least_squares(problem, {1.0, 2.0}, options);
  EXPECT_EQ(result.end, End::converged);
  EXPECT_NEAR(result.point.x[0] * result.point.x[1], 6.0, 1e-9);
}

// ln a cannot be computed for a ≤ 0, where the first full step would lead.
TEST(LevenbergMarquardt, APointThatIsImpossibleShortensTheStep) {
  int n_impossible = 0;
  Functions problem([&](LeastSquaresPoint& point) {
    const double a = point.x[0];
    if (a <= 0.0) {
      ++n_impossible;
      return PointOutcome::impossible;
    }
    point.residuals = {std::log(a) + 3.0};
    point.jacobian = linalg::DenseMatrix{{1.0 / a}};
    return PointOutcome::good;
  });
  const LeastSquaresResult result = least_squares(problem, {10.0}, unbounded(1));
  EXPECT_EQ(result.end, End::converged);
  EXPECT_NEAR(result.point.x[0], std::exp(-3.0), 1e-9);
  EXPECT_GT(n_impossible, 0);
}

TEST(LevenbergMarquardt, AnImpossibleStartIsSaidToBeOne) {
  Functions problem([](LeastSquaresPoint&) { return PointOutcome::impossible; });
  EXPECT_EQ(least_squares(problem, {1.0}, unbounded(1)).end, End::impossible);
  Functions halting([](LeastSquaresPoint&) { return PointOutcome::halted; });
  EXPECT_EQ(least_squares(halting, {1.0}, unbounded(1)).end, End::halted);
}

TEST(LevenbergMarquardt, EndsAtItsLimitAndNeverClimbs) {
  double last = kInfinity;
  Functions problem(rosenbrock);
  for (int limit = 0; limit < 12; ++limit) {
    const LeastSquaresResult result = least_squares(problem, {-1.2, 1.0}, unbounded(2, limit));
    EXPECT_EQ(result.end, End::limit);
    EXPECT_EQ(result.iterations, limit);
    EXPECT_LT(result.cost, last);
    last = result.cost;
  }
}

// |a - 0.3| has no derivative at its minimum: that zero lies between the slopes of both sides is what says that it is one.
TEST(LevenbergMarquardt, AMinimumAtAKinkIsOne) {
  Functions problem([](LeastSquaresPoint& point) {
    const double a = point.x[0];
    point.residuals = {1.0 + std::abs(a - 0.3), 1.0, 0.1 * a};
    point.jacobian = linalg::DenseMatrix{{a > 0.3 ? 1.0 : -1.0}, {0.0}, {0.1}};
    return PointOutcome::good;
  });
  const LeastSquaresResult result = least_squares(problem, {1.0}, unbounded(1));
  EXPECT_EQ(result.end, End::converged);
  EXPECT_TRUE(result.is_kink);
  EXPECT_NEAR(result.point.x[0], 0.3, 1e-2);
}

// A valley with a kink along a = b²: its minimum is at b = 1, along the kink.
TEST(LevenbergMarquardt, FollowsAKinkToItsMinimum) {
  Functions problem([](LeastSquaresPoint& point) {
    const double a = point.x[0];
    const double b = point.x[1];
    const double side = a > b * b ? 1.0 : -1.0;
    point.residuals = {2.0 + side * (a - b * b), b - 1.0, 1.0, -1.0};
    point.jacobian = linalg::DenseMatrix{{side, -2.0 * side * b}, {0.0, 1.0}, {0.0, 0.0}, {0.0, 0.0}};
    return PointOutcome::good;
  });
  const LeastSquaresResult result = least_squares(problem, {3.0, 0.2}, unbounded(2));
  EXPECT_EQ(result.end, End::converged);
  EXPECT_TRUE(result.is_kink);
  EXPECT_NEAR(result.point.x[1], 1.0, 5e-3);
  EXPECT_NEAR(result.cost, 3.0, 1e-2);
  RecordProperty("calls", problem.n_calls);
}

// A cost that jumps up wherever one goes has no minimum that could be shown to be one.
TEST(LevenbergMarquardt, AJumpIsNoMinimum) {
  Functions problem([](LeastSquaresPoint& point) {
    const double a = point.x[0];
    point.residuals = {1.0 + a + (a < 0.5 ? 10.0 : 0.0), 1.0};
    point.jacobian = linalg::DenseMatrix{{1.0}, {0.0}};
    return PointOutcome::good;
  });
  const LeastSquaresResult result = least_squares(problem, {1.0}, unbounded(1));
  EXPECT_EQ(result.end, End::stalled);
  EXPECT_NEAR(result.point.x[0], 0.5, 1e-6);
}

// A line through ten points, one of them far off: Huber's loss pulls less than the squares do.
TEST(LevenbergMarquardt, LossesHoldOutliersDown) {
  const auto slope_with = [](Loss loss) {
    Functions problem([](LeastSquaresPoint& point) {
      point.residuals.clear();
      point.jacobian = linalg::DenseMatrix(10, 1);
      for (int i = 0; i < 10; ++i) {
        const double t = i + 1;
        const double measured = i == 9 ? 60.0 : 2.0 * t + (i % 2 == 0 ? 0.5 : -0.5);
        point.residuals.push_back(point.x[0] * t - measured);
        point.jacobian(i, 0) = t;
      }
      return PointOutcome::good;
    });
    LeastSquaresOptions options = unbounded(1);
    options.loss = loss;
    options.loss_scale = 1.345;
    const LeastSquaresResult result = least_squares(problem, {0.0}, options);
    EXPECT_EQ(result.end, End::converged);
    return result.point.x[0];
  };
  const double plain = slope_with(Loss::none);
  const double huber = slope_with(Loss::huber);
  const double cauchy = slope_with(Loss::cauchy);
  EXPECT_GT(plain, 3.0);
  EXPECT_NEAR(huber, 2.0, 0.15);
  EXPECT_NEAR(cauchy, 2.0, 0.05);
}

}  // namespace
}  // namespace saltus::api
