// Equations with several solutions: the run stays on the one it began with, and so does everything that is read from it.
#include <gtest/gtest.h>

#include <numbers>

#include "saltus/simulate.hpp"

namespace saltus {
namespace {

// sin(y - x) = 1/2 has the solutions y = x + π/6 + 2πk and y = x + 5π/6 + 2πk; y begins at π/6. While x grows by 50, y
// must grow by 50 as well, although Newton's iteration from far away ends anywhere.
constexpr double kPhase = std::numbers::pi / 6.0;

class SeveralSolutions : public testing::TestWithParam<const char*> {
 protected:
  // Steps of at most 0.5 are short enough to follow the solution; the grid has its two ends alone.
  SimulationResult run(double interval) {
    const std::string text = "model M Real x(start = 0, fixed = true), y(start = 0.5); equation der(x) = " +
                             std::string(GetParam()) + "; sin(y - x) = 0.5; end M;";
    return simulate(Model::from_text("m.mo", text).value(),
                    {.stop = 50.0, .interval = interval, .tolerance = 1e-9, .max_step = 0.5})
        .value();
  }
};

TEST_P(SeveralSolutions, RowsAndFinalValuesDoNotDependOnTheGrid) {
  for (const double interval : {50.0, 17.0, 0.1}) {
    const SimulationResult result = run(interval);
    ASSERT_TRUE(result.ok()) << result.message;
    EXPECT_NEAR(result.final_value("y") - result.final_value("x"), kPhase, 1e-12) << interval;
    for (std::size_t row = 0; row < result.trajectory.n_rows(); ++row) {
      const auto values = result.trajectory.row(row);
      ASSERT_NEAR(values[1] - values[0], kPhase, 1e-12) << "row " << row << " of interval " << interval;
    }
  }
}

TEST_P(SeveralSolutions, DenseValuesDoNotDependOnTheOrderOfQuestions) {
  const SimulationResult result = run(50.0);
  for (const double t : {49.5, 0.25, 31.0, 12.125, 50.0, 0.0, 44.0}) {
    const std::vector<double> values = result.trajectory.at(t);
    EXPECT_NEAR(values[1] - values[0], kPhase, 1e-12) << t;
  }
}

INSTANTIATE_TEST_SUITE_P(WhereItIsNeeded, SeveralSolutions,
                         testing::Values("1",                            // for outputs alone
                                         "1 + 0.001*(sin(y - x) - 0.5)"  // for the derivative too
                                         ));

}  // namespace
}  // namespace saltus
