// Reasons of runs that end because no step is possible, from text to words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "saltus/simulate.hpp"

namespace saltus {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

TEST(FailedSteps, AnIterationThatDoesNotConvergeNamesItsUnknown) {
  const Model model = Model::from_text("m.mo", R"(model Ending
  Real x(start = 0, fixed = true);
  Real z(start = 1);
equation
  der(x) = z^3 - x;
  z^2 + z^4 = 1 - time;
end Ending;
)")
                          .value();
  for (const std::string method : {"radau5", "sdirk4", "bdf"}) {
    const SimulationResult result = simulate(model, {.stop = 2.0, .method = method}).value();
    EXPECT_EQ(result.status, SimulationStatus::failed) << method;
    // The iteration of the step, that for z at its start, or the determinant of its equations, whichever is seen first; never the size of the
    // step.
    EXPECT_THAT(to_string(result.reason), AnyOf("iteration_failed", "no_convergence", "impasse")) << method;
    EXPECT_THAT(result.message, AnyOf(HasSubstr("does not converge for z"), HasSubstr("equations for z")))
        << method;
    EXPECT_NEAR(result.end, 1.0, 1e-5) << method;
  }
}

TEST(FailedSteps, AnErrorThatCannotBeKeptSmallNamesItsState) {
  const Model model = Model::from_text("m.mo", R"(model Growing
  Real x(start = 1, fixed = true);
  Real y(start = 1, fixed = true);
equation
  der(x) = -x;
  der(y) = y^2;
end Growing;
)")
                          .value();
  const SimulationResult result = simulate(model, {.stop = 2.0, .method = "dopri5"}).value();
  EXPECT_EQ(result.reason, "step_size_too_small");
  EXPECT_THAT(result.message, HasSubstr("because of y"));
}

}  // namespace
}  // namespace saltus
