// b' + c·y = cos t and the constraint b = sin t, q times the one added to the other and every term written out: index 2 that no name shows.
// Factors depend on time, on b, or are hidden in products (docs/math/index_reduction.md).
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

// `#` stands for the factor of the equation; y = cos 2t is the solution of each.
const std::vector<std::string> kForms = {"#*(2 + sin(time))*(y - cos(2*time))",
                                         "#*y^3 + #*y - #*(cos(2*time)^3 + cos(2*time))",
                                         "#*(2 + b)*y - #*(2 + sin(time))*cos(2*time)",
                                         "#*exp(y) - #*exp(cos(2*time))",
                                         "#*y*(1 + y^2/3) - #*cos(2*time)*(1 + cos(2*time)^2/3)",
                                         "#*(1 + time)*y - #*(1 + time)*cos(2*time)",
                                         "(2*# + #*sin(time))*y - #*(2 + sin(time))*cos(2*time)"};
const std::vector<std::array<std::string, 2>> kFactors = {{"1", "2"},
                                                          {"0.431", "0.683"},
                                                          {"2.917", "(-1.3)"},
                                                          {"0.7", "(0.3 + 0.3*time)"},
                                                          {"1.9", "(0.2*sin(time) - 2)"}};

std::string with(const std::string& form, const std::string& factor) {
  std::string result;
  for (const char c : form) {
    result += c == '#' ? factor : std::string(1, c);
  }
  return result;
}

class WrittenOut : public testing::TestWithParam<std::tuple<std::string, double>> {};

TEST_P(WrittenOut, HasTheConstraintThatIsHidden) {
  const auto& [method, tolerance] = GetParam();
  for (const std::string& form : kForms) {
    for (const auto& [p, q] : kFactors) {
      for (const bool is_reversed : {false, true}) {
        const std::string first = " " + p + "*der(b) + " + with(form, p) + " = " + p + "*cos(time);\n";
        const std::string second =
            " " + q + "*der(b) + " + with(form, q) + " + b = " + q + "*cos(time) + sin(time);\n";
        const std::string text =
            "model M\n Real b(start = 0), y(start = 0.9);\n discrete Integer n(start = 0);\nequation\n" +
            (is_reversed ? second + first : first + second) +
            " when y > 0.5 then n = pre(n) + 1; end when;\nend M;\n";
        SCOPED_TRACE(text);
        const HybridRun run =
            run_text(text, {{"stop", "8"}, {"method", method}, {"tolerance", number(tolerance)}});
        ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
        for (const RowRecord& row : run.rows) {
          ASSERT_NEAR(run.value(row, "b"), std::sin(row.time), 10 * tolerance) << "at " << row.time;
          // y is a rate of the constraint, and 1/(2 + b) of it
          ASSERT_NEAR(run.value(row, "y"), std::cos(2 * row.time), 200 * tolerance) << "at " << row.time;
        }
        EXPECT_EQ(run.final("n"), 2);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, WrittenOut,
                         testing::Combine(testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"),
                                          testing::Values(1e-4, 1e-6)));

}  // namespace
}  // namespace saltus::test
