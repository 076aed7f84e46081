#include "locate/step_ranges.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/explicit_method.hpp"
#include "support/guard_fixture.hpp"

namespace saltus::locate {
namespace {

// The stepper's ranges hold the standard extension, and with e the full one; they are not much wider than that.
TEST(StepRanges, HoldBothExtensions) {
  const auto rhs = [](double t, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = 10.0 * (x[1] - x[0]);
    xdot[1] = x[0] * (28.0 - x[2]) - x[1];
    xdot[2] = x[0] * x[1] - 8.0 / 3.0 * x[2] + std::sin(t);
  };
  for (const char* method : {"dopri5", "rk23", "fehlberg45"}) {
    for (const double h : {0.02, -0.01}) {
      test::FunctionEvaluator evaluator(rhs);
      integrate::ExplicitRungeKutta stepper(*test::find_explicit_method(method), evaluator, 3,
                                            test::tolerances(3, 1e-3, 1e-3));
      ASSERT_TRUE(
          stepper.restart(trajectory::CompensatedTime(1.0), std::vector<double>{1.0, 2.0, 20.0}).ok());
      StepRanges ranges(3);
      EXPECT_EQ(ranges.slot(2), 0U);
      EXPECT_EQ(ranges.slot(0), 1U);
      EXPECT_EQ(ranges.slot(2), 0U);
      for (int k = 0; k < 30 && stepper.attempt(h).good(); ++k) {
        ranges.bound(stepper);
        stepper.accept();
        for (const auto which : {integrate::DenseOutput::standard, integrate::DenseOutput::full}) {
          trajectory::SegmentView segment;
          ASSERT_TRUE(stepper.dense_output(which, segment).ok());
          std::vector<double> x(3);
          std::vector<Interval> seen(3, {1e9, -1e9});
          for (int point = 0; point <= 100; ++point) {
            segment.evaluate(point / 100.0, x);
            for (std::uint32_t slot = 0; slot < 2; ++slot) {
              const auto i = static_cast<std::size_t>(ranges.state(slot));
              const double e = which == integrate::DenseOutput::standard ? ranges.error(slot) : 0.0;
              ASSERT_GE(x[i], ranges.range(slot).lower + e) << method << ", state " << i;
              ASSERT_LE(x[i], ranges.range(slot).upper - e) << method << ", state " << i;
              seen[i] = {std::min(seen[i].lower, x[i]), std::max(seen[i].upper, x[i])};
            }
            ASSERT_TRUE(ranges.time().contains(segment.start_time() + point / 100.0 * h));
          }
          for (std::uint32_t slot = 0; slot < 2; ++slot) {
            const Interval& range = ranges.range(slot);
            const Interval& all = seen[static_cast<std::size_t>(ranges.state(slot))];
            EXPECT_LT(range.upper - range.lower, 2.0 * (all.upper - all.lower) + 3.0 * ranges.error(slot))
                << method;
          }
        }
      }
    }
  }
}

// The error test bounds a mean square: the only state that moves may be off by √n tolerances.
TEST(StepRanges, OneStateMayHaveTheErrorOfAll) {
  integrate::Tolerances tolerances;
  tolerances.rtol = 1e-6;
  const auto error = [&tolerances](std::size_t n) {
    return ExtensionError(tolerances, std::vector<double>(n, 0.0))(1e-6, 1.0, 0.0) / 2e-6;
  };
  EXPECT_DOUBLE_EQ(error(1), 2.0 * kExtensionError);
  EXPECT_DOUBLE_EQ(error(4), 2.0 * kExtensionError);
  EXPECT_DOUBLE_EQ(error(10000), 100.0 * kExtensionError);
}

}  // namespace
}  // namespace saltus::locate
