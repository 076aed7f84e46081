// saltus run --error-estimate: the file, the summary, the words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "program.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSwing = R"(model Swing
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -sin(x);
  when x < 0 and v < 0 then
    reinit(v, -0.9*pre(v));
  end when;
  annotation(experiment(StopTime = 6, Interval = 0.5, Tolerance = 1e-5));
end Swing;
)";

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

TEST(ErrorEstimateRun, WritesTheErrorsOfEveryRow) {
  const Program saltus;
  saltus.write("swing.mo", kSwing);
  const ProcessResult result = saltus({"run", "swing.mo", "--error-estimate", "-o", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("largest estimated errors (second run: tolerance x 0.01)"));
  EXPECT_THAT(result.out, HasSubstr("times of 2 events"));
  EXPECT_THAT(result.out, HasSubstr("error_estimate.csv"));
  const std::string errors = saltus.read("out/error_estimate.csv");
  const std::string rows = saltus.read("out/trajectory.csv");
  EXPECT_EQ(first_line(errors), first_line(rows));
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), std::count(rows.begin(), rows.end(), '\n'));
  const nlohmann::json estimate = saltus.json("out/summary.json")["error_estimate"];
  EXPECT_EQ(estimate["factor"], 0.01);
  EXPECT_EQ(estimate["events_compared"], 2);
  EXPECT_GT(estimate["largest"]["x"]["error"], 0.0);
  EXPECT_LT(estimate["largest"]["x"]["error"], 1e-2);
  EXPECT_LT(estimate["event_time"], 1e-2);
}

TEST(ErrorEstimateRun, IsNotThereUnlessAskedFor) {
  const Program saltus;
  saltus.write("swing.mo", kSwing);
  const ProcessResult result = saltus({"run", "swing.mo", "-o", "out"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, Not(HasSubstr("estimated")));
  EXPECT_FALSE(saltus.exists("out/error_estimate.csv"));
  EXPECT_FALSE(saltus.json("out/summary.json").contains("error_estimate"));
}

TEST(ErrorEstimateRun, WarnsWhereTheSecondRunHasOtherEventsOrEndsEarly) {
  const Program saltus;
  saltus.write("drift.mo",
               "model Drift\n  Real x(start = 1, fixed = true), v(start = 0, fixed = true);\n"
               "  Integer n(start = 0, fixed = true);\nequation\n  der(x) = v;\n  der(v) = -x;\n"
               "  when abs(x^2 + v^2 - 1) > 1e-4 then\n    n = pre(n) + 1;\n  end when;\n"
               "  annotation(experiment(StopTime = 50, Tolerance = 1e-3));\nend Drift;\n");
  const ProcessResult other = saltus({"run", "drift.mo", "--method", "dopri5", "--error-estimate"});
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_THAT(other.err, HasSubstr("[error-estimate-events]"));
  saltus.write("decay.mo", kDecay);
  const ProcessResult cut =
      saltus({"run", "decay.mo", "--tolerance", "1e-6", "--max-steps", "25", "--error-estimate"});
  EXPECT_EQ(cut.exit_code, 0) << cut.err;
  EXPECT_THAT(cut.err, HasSubstr("[error-estimate-incomplete]"));
}

}  // namespace
}  // namespace saltus::test
