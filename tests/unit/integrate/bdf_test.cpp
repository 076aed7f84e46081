#include "integrate/bdf.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "integrate/advance.hpp"
#include "integrate/bdf_controller.hpp"
#include "support/implicit_fixture.hpp"
#include "support/integration_fixture.hpp"
#include "support/problems/stiff.hpp"

namespace saltus::integrate {
namespace {

using trajectory::CompensatedTime;

template <class Residual>
struct Solved {
  double error = 0.0;  // largest, relative to the size of each state
  Statistics statistics;
};

template <class Residual>
Solved<Residual> solve(double tolerance, Index n_y, double smallest_size, OrderChoice orders = {}) {
  const std::vector<double> x0 = Residual::start();
  const std::vector<double> end = Residual::at_end();
  const auto n = static_cast<Index>(x0.size());
  const test::GenericDae<Residual> dae({}, n, n_y, Residual::probe());
  const auto evaluator = dae.make_evaluator();
  Tolerances tolerances = test::tolerances(x0.size(), tolerance, tolerance * smallest_size);
  Bdf stepper(*evaluator, &dae, n, tolerances, orders);
  BdfController controller(stepper);
  Advance advance(stepper, controller, {});
  EXPECT_TRUE(stepper.restart(CompensatedTime(0.0), x0).ok());
  test::IgnoringSink sink;
  EXPECT_TRUE(advance.to(Residual::kEnd, sink).reached_end());
  Solved<Residual> result;
  for (std::size_t i = 0; i < end.size(); ++i) {
    result.error =
        std::max(result.error, std::abs(stepper.state()[i] - end[i]) / (std::abs(end[i]) + smallest_size));
  }
  result.statistics = stepper.statistics();
  return result;
}

TEST(Bdf, Robertson) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    EXPECT_LT(solve<test::RobertsonResidual>(tolerance, 3, 1e-6).error, 100 * tolerance);
  }
}

TEST(Bdf, Hires) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    EXPECT_LT(solve<test::HiresResidual>(tolerance, 8, 1e-4).error, 100 * tolerance);
  }
}

TEST(Bdf, VanDerPol) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    EXPECT_LT(solve<test::VanDerPolResidual>(tolerance, 2, 1.0).error, 100 * tolerance);
  }
}

}  // namespace
}  // namespace saltus::integrate
