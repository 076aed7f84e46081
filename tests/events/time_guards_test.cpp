// Stretches of time without length: the side of a relation over time that nothing is left of is not asked for a value.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

// A trapezoid as in the Standard Library: with rise or fall of length zero, (time - begun)/0 stands in branches that never hold.
std::string trapezoid(double rising, double falling, double begin) {
  char values[160];
  std::snprintf(values, sizeof values, "  parameter Real rising = %.17g, falling = %.17g, begin = %.17g;\n",
                rising, falling, begin);
  return std::string("model M\n") + values +
         "  parameter Real width = 0.5, period = 1, amplitude = 2;\n"
         "  Real y, x(start = 0, fixed = true), begun;\n  Integer count;\n"
         "initial equation\n  count = integer((time - begin)/period);\n  begun = begin + count*period;\n"
         "equation\n"
         "  when integer((time - begin)/period) > pre(count) then\n    count = pre(count) + 1;\n    begun = "
         "time;\n  end when;\n"
         "  y = if time < begin then 0 else if time < begun + rising then amplitude*(time - begun)/rising\n"
         "      else if time < begun + rising + width then amplitude\n"
         "      else if time < begun + rising + width + falling then\n"
         "        amplitude*(begun + rising + width + falling - time)/falling else 0;\n"
         "  der(x) = y;\nend M;\n";
}

class TimeGuards : public ::testing::TestWithParam<std::string> {};

TEST_P(TimeGuards, StretchesWithoutLengthHaveNoValue) {
  for (const double rising : {0.0, 0.1}) {
    for (const double falling : {0.0, 0.2}) {
      for (const double begin : {0.0, 0.3, -0.25}) {
        const HybridRun run = run_text(trapezoid(rising, falling, begin),
                                       {{"stop", "4"}, {"method", GetParam()}, {"tolerance", "1e-8"}});
        SCOPED_TRACE(testing::Message() << rising << " " << falling << " " << begin);
        ASSERT_TRUE(run.result.ok()) << run.log();
        // The area of each pulse, and of the part that the run begins or ends in.
        const double area = 2.0 * (0.5 + 0.5 * (rising + falling));
        const auto primitive = [&](double t) {  // of the pulse that begins at 0
          const double up = std::clamp(t, 0.0, rising);
          const double flat = std::clamp(t - rising, 0.0, 0.5);
          const double down = std::clamp(t - rising - 0.5, 0.0, falling);
          return (rising > 0.0 ? up * up / rising : 0.0) + 2.0 * flat +
                 (falling > 0.0 ? 2.0 * down - down * down / falling : 0.0);
        };
        double exact = 0.0;
        for (int k = -1; k < 5; ++k) {
          const double start = begin + k;
          if (k >= 0 || begin < 0.0) {
            exact += primitive(4.0 - start) - primitive(-start);
          }
        }
        EXPECT_LE(std::abs(primitive(1.0) - area), 1e-12);
        EXPECT_NEAR(run.final("x"), exact, 1e-6);
      }
    }
  }
}

// The guard is over an algebraic variable that is constant, over an iterated one, together with another one of the same time.
TEST_P(TimeGuards, HoweverTheTimeIsGiven) {
  for (const char* const time_of : {"c = 0;", "c + 0.1*sin(c) = 0;", "c = d - 1; d = 1;"}) {
    const HybridRun run =
        run_text(std::string("model M\n  parameter Real r = 0;\n  Real c") +
                     (std::string(time_of).find('d') != std::string::npos ? ", d" : "") +
                     ", y, z, x(start = 0, fixed = true);\nequation\n  der(x) = y + z; " + time_of +
                     "\n  y = if time < c + r then (time - c)/r else 1;\n"
                     "  z = if time >= c - r then 2 else (c - time)/r;\nend M;\n",
                 {{"stop", "2"}, {"method", GetParam()}});
    ASSERT_TRUE(run.result.ok()) << time_of << run.log();
    EXPECT_NEAR(run.final("x"), 6.0, 1e-6) << time_of;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, TimeGuards, ::testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"),
                         [](const auto& given) { return given.param; });

}  // namespace
}  // namespace saltus::test
