// saltus optimize: the file, exit codes, messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "program.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kDecay = R"(model Decay
  parameter Real a = 1;
  Real x(start = 0.5, fixed = true);
equation
  der(x) = -a*x;
end Decay;
)";

nlohmann::json optimum(const Program& saltus) {
  return saltus.json("decay_optimum/optimum.json");
}

TEST(OptimizeCommand, WritesItsFile) {
  const Program saltus("decay.mo", kDecay);
  const ProcessResult result = saltus({"optimize", "decay.mo", "--minimize", "a^2", "--params", "a=1:0:5",
                                       "--subject", "final(x) <= 0.1", "--tolerance", "1e-8"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("Decay: converged"));
  const auto json = optimum(saltus);
  EXPECT_EQ(json["status"], "converged");
  EXPECT_NEAR(json["parameters"]["a"]["value"].get<double>(), std::log(5.0), 1e-4);
  EXPECT_EQ(json["constraints"][0]["active"], true);
  EXPECT_EQ(json["failed_trials"].size(), 0U);
  EXPECT_GT(json["statistics"]["runs"].get<int>(), 2);
}

TEST(OptimizeCommand, SaysWhatDoesNotConverge) {
  const Program saltus("decay.mo", kDecay);
  ProcessResult result = saltus(
      {"optimize", "decay.mo", "--minimize", "a^2", "--params", "a=1:0:5", "--subject", "final(x) <= -0.1"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("error: infeasible: the constraints cannot be met near this point"));
  EXPECT_THAT(result.err, HasSubstr("[no-optimum]"));
  EXPECT_EQ(optimum(saltus)["status"], "infeasible");
  result =
      saltus({"optimize", "decay.mo", "--minimize", "(a - 3)^2", "--params", "a", "--max-iterations", "1"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(optimum(saltus)["status"], "limit");
}

TEST(OptimizeCommand, RefusesWrongInput) {
  const Program saltus("decay.mo", kDecay);
  ProcessResult result = saltus({"optimize", "decay.mo", "--minimize", "final(y)", "--params", "a"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("there is no 'y'"));
  result = saltus({"optimize", "decay.mo", "--params", "a"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--minimize is required"));
  result = saltus({"optimize", "decay.mo", "--minimize", "final(x)", "--params", "a=1:2"});
  EXPECT_EQ(result.exit_code, 2);
  result = saltus(
      {"optimize", "decay.mo", "--minimize", "final(x)", "--params", "a", "--subject", "final(x) < 2"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("a constraint is two functionals"));
}

}  // namespace
}  // namespace saltus::test
