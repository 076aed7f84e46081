// The times of the rows, whatever start, stop and interval: no row twice, none missing, the solution at each.
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/simulate.hpp"

namespace saltus {
namespace {

struct Grid {
  const char* name;
  double start;
  double stop;
  double interval;
  std::size_t n_rows;
};

class OutputTimesTest : public ::testing::TestWithParam<Grid> {};

TEST_P(OutputTimesTest, AreStartPlusMultiplesOfTheIntervalAndTheStop) {
  const auto& [name, start, stop, interval, n_rows] = GetParam();
  const Model model =
      Model::from_text("m.mo",
                       "model M\n  Real x(start = 1, fixed = true);\n  Real y = 2*x;\nequation\n  der(x) = "
                       "-x;\nend M;\n")
          .value();
  const SimulationResult result =
      simulate(model, {.start = start, .stop = stop, .interval = interval, .tolerance = 1e-10}).value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  const auto times = result.trajectory.times();
  ASSERT_EQ(times.size(), n_rows);
  EXPECT_EQ(result.statistics.output_rows, static_cast<std::int64_t>(n_rows));
  EXPECT_EQ(times.front(), start);
  EXPECT_EQ(times.back(), stop);
  EXPECT_EQ(result.end, stop);
  const double direction = stop < start ? -1.0 : 1.0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (k + 1 < times.size()) {
      EXPECT_GT(direction * (times[k + 1] - times[k]), 0.0) << "row " << k;
      EXPECT_EQ(times[k], std::fma(static_cast<double>(k), direction * interval, start)) << "row " << k;
    }
    const double x = result.trajectory.row(k)[0];
    EXPECT_NEAR(x / std::exp(-(times[k] - start)), 1.0, 1e-7) << "row " << k;
    EXPECT_EQ(result.trajectory.row(k)[1], 2 * x) << "row " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, OutputTimesTest,
                         ::testing::Values(Grid{"plain", 0.0, 1.0, 0.1, 11},  //
                                           Grid{"start_of_a_billion", 1e9, 1e9 + 3.0, 0.1, 31},
                                           Grid{"far_below_zero", -1e9, -1e9 + 3.0, 0.1, 31},
                                           Grid{"backwards", 2.0, -1.0, 0.5, 7},
                                           Grid{"backwards_from_a_billion", 1e9, 1e9 - 3.0, 0.1, 31},
                                           Grid{"nothing_passes", 3.0, 3.0, 0.5, 1},
                                           Grid{"interval_longer_than_the_run", 0.0, 1.0, 7.0, 2},
                                           Grid{"interval_of_the_run", 0.0, 1.0, 1.0, 2},
                                           Grid{"interval_does_not_divide", 0.0, 1.0, 0.3, 5},
                                           Grid{"interval_does_not_divide_backwards", 0.0, -1.0, 0.3, 5},
                                           Grid{"many_rows_in_a_step", 0.0, 1.0, 1e-4, 10001},
                                           Grid{"across_zero", -0.3, 0.3, 0.1, 7},
                                           Grid{"short_run", 0.0, 1e-12, 1e-13, 11},
                                           Grid{"denormal_run", 0.0, 5e-320, 1e-320, 6}),
                         [](const auto& chosen) { return chosen.param.name; });

TEST(OutputTimes, DefaultIntervalGivesFiveHundredAndOneRowsAnywhere) {
  const Model model =
      Model::from_text("m.mo",
                       "model M\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\nend M;\n")
          .value();
  for (const double start : {0.0, 0.1, -7.3, 1e6, 1e9}) {
    for (const double length : {1.0, -1.0, 0.7, 3.3}) {
      EXPECT_EQ(simulate(model, {.start = start, .stop = start + length}).value().trajectory.n_rows(), 501U)
          << start << " " << length;
    }
  }
}

}  // namespace
}  // namespace saltus
