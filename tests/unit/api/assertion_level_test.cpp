// assert(c, m, AssertionLevel.warning): the run goes on, and the failure is reported once, with its time.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "saltus/simulate.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

SimulationResult run(const std::string& text) {
  return simulate(Model::from_text("m.mo", text).value(), {.stop = 10.0}).value();
}

std::vector<std::string> warnings_of(const SimulationResult& result, const std::string& code) {
  std::vector<std::string> found;
  for (const Diagnostic& item : result.diagnostics.items()) {
    if (item.code == code && item.severity == Severity::warning) {
      found.push_back(item.message);
    }
  }
  return found;
}

TEST(AssertionLevel, AWarningIsToldOnceAtTheTimeOfTheFirstFailure) {
  const SimulationResult result =
      run("model M Real x(start = 0, fixed = true); equation der(x) = cos(time); "
          "assert(x < 0.5, \"x is large\", AssertionLevel.warning); end M;");
  ASSERT_TRUE(result.ok()) << result.message;
  const std::vector<std::string> told = warnings_of(result, "assertion-warning");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0], HasSubstr("x is large"));
  EXPECT_THAT(told[0], HasSubstr("t = 0.523598"));  // arcsin 1/2
}

TEST(AssertionLevel, AnErrorEndsTheRun) {
  const SimulationResult result =
      run("model M Real x(start = 0, fixed = true); equation der(x) = 1; "
          "assert(condition = x < 0.5, message = \"x is large\", level = AssertionLevel.error); end M;");
  EXPECT_EQ(result.status, SimulationStatus::failed);
  EXPECT_NEAR(result.end, 0.5, 1e-9);
}

TEST(AssertionLevel, BodiesOfClausesWarnToo) {
  const SimulationResult result = run(
      "model M discrete Integer n(start = 0, fixed = true); equation when sample(1, 1) then n = pre(n) + 1; "
      "assert(n < 3, \"many\", AssertionLevel.warning); end when; end M;");
  ASSERT_TRUE(result.ok()) << result.message;
  const std::vector<std::string> told = warnings_of(result, "assertion-warning");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0], HasSubstr("t = 3"));
}

TEST(AssertionLevel, ParametersAreToldWithoutTime) {
  const SimulationResult result =
      run("model M parameter Real p = 2; Real x = p*time; equation assert(p < 1, \"p is large\", "
          "AssertionLevel.warning); end M;");
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(warnings_of(result, "assertion-warning").size(), 1U);
}

TEST(AssertionLevel, ALevelThatIsNoneIsAnError) {
  const auto model = Model::from_text(
      "m.mo", "model M Real x = time; equation assert(x < 1, \"m\", AssertionLevel.loud); end M;");
  ASSERT_FALSE(model);
  EXPECT_THAT(render_text(model.error()), HasSubstr("AssertionLevel.warning"));
}

}  // namespace
}  // namespace saltus
