// Attributes min and max warn once and change nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/simulate.hpp"

namespace saltus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kText = R"(model Tank
  parameter Real top(min = 0, max = 2) = 1.5;
  parameter Real low = 0.5*top;
  Real x(start = 1, fixed = true, min = low, max = top);
  Real y[3](each max = 1) = {x, 2*x, 3*x};
  Real free(start = 0, fixed = true);
equation
  der(x) = -x;
  der(free) = 100;
end Tank;
)";

std::vector<std::string> warnings(const SimulationResult& result) {
  std::vector<std::string> list;
  for (const Diagnostic& item : result.diagnostics.items()) {
    EXPECT_EQ(item.severity, Severity::warning);
    EXPECT_EQ(item.code, "out-of-range");
    list.push_back(item.message);
  }
  return list;
}

TEST(Range, FirstRowOutsideIsToldOnceForEachVariable) {
  const Model model = Model::from_text("tank.mo", kText).value();
  const SimulationResult result = simulate(model, {.interval = 0.25, .method = "dopri5"}).value();
  EXPECT_EQ(result.status, SimulationStatus::success);
  // x = exp(-t) passes 0.75 at t = 0.29: the row at 0.5 is the first that shows it.
  const std::string x = std::to_string(std::exp(-0.5)).substr(0, 6);
  const std::vector<std::string> list = warnings(result);
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].rfind("'x' is " + x, 0), 0U) << list[0];
  EXPECT_THAT(list[0], ::testing::EndsWith("at time 0.5, below its minimum of 0.75"));
  EXPECT_EQ(list[1], "'y[2]' is 2 at time 0, above its maximum of 1");
  EXPECT_EQ(list[2], "'y[3]' is 3 at time 0, above its maximum of 1");
  ASSERT_TRUE(result.diagnostics.items()[0].span);
  EXPECT_NE(result.diagnostics.source(), nullptr);
}

TEST(Range, LimitsAreInsideAndFollowParametersThatAreSet) {
  const Model model = Model::from_text("tank.mo", kText).value();
  const SimulationResult result = simulate(model, {.stop = 0.0, .set = {{"top", 1.0}, {"x", 0.3}}}).value();
  EXPECT_THAT(warnings(result), ElementsAre("'x' is 0.3 at time 0, below its minimum of 0.5"));
  EXPECT_THAT(warnings(simulate(model, {.stop = 0.0, .set = {{"top", 0.6}, {"x", 0.3}}}).value()), IsEmpty());
}

TEST(Range, EndOfARunBetweenGridTimesIsLookedAt) {
  const Model model = Model::from_text("tank.mo", kText).value();
  const SimulationResult result =
      simulate(model, {.stop = 0.4, .interval = 10.0, .set = {{"x", 0.8}}}).value();
  const std::vector<std::string> list = warnings(result);
  ASSERT_FALSE(list.empty());
  EXPECT_THAT(list[0], ::testing::HasSubstr("at time 0.4, below"));
}

TEST(Range, ParametersOutsideAreToldBeforeTheRun) {
  const Model model = Model::from_text("tank.mo", kText).value();
  const SimulationResult result =
      simulate(model, {.stop = 0.0, .set = {{"top", 2.5}, {"x", 0.3}, {"low", 0.1}}}).value();
  EXPECT_THAT(warnings(result), ElementsAre("the parameter 'top' is 2.5, above its maximum of 2"));
}

TEST(Range, ManyWarningsAreCut) {
  const Model model =
      Model::from_text("m.mo",
                       "model M\n Real x[100](each start = 1, each fixed = true, each max = 0);\nequation\n"
                       " for i in 1:100 loop der(x[i]) = 0; end for;\nend M;\n")
          .value();
  const std::vector<std::string> list = warnings(simulate(model).value());
  ASSERT_EQ(list.size(), 21U);
  EXPECT_EQ(list[20], "80 more variables left the range of min and max");
}

}  // namespace
}  // namespace saltus
