// Guards and whole numbers that an instant brings to rest on their surfaces are as written there (docs/semantics.md 1.4, 1.5, 7.4).
#include <gtest/gtest.h>

#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

class ZeroAtRest : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, ZeroAtRest, ::testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"),
                         [](const auto& given) { return given.param; });

HybridRun run_of(const std::string& declarations, const std::string& equations, const std::string& method) {
  return run_text("model M\n" + declarations + "equation\n" + equations + "end M;\n",
                  {{"stop", "4"}, {"interval", "0.125"}, {"method", method}});
}

// v = min(x, 0) by a diode; behind it s2 is zero from t = 1 on, and s2 < 0 is false there, whatever it was before.
TEST_P(ZeroAtRest, ADiodeBehindOneThatStopsToBlock) {
  for (const std::string factor : {"1", "1.5", "0.3"}) {
    for (const std::string conducting : {"1", "0.5", "2"}) {
      const HybridRun run = run_of(
          " Real x(start = -1, fixed = true), y(start = 0, fixed = true), i, s, v, i2, s2, v2;\n Boolean "
          "off, "
          "off2;\n Integer n(start = 0, fixed = true);\n",
          " der(x) = 1;\n der(y) = if off2 then 1 else 2;\n x = i + v;\n off = s < 0;\n v = s*(if off then 1 "
          "else 0);\n i = s*(if off then 0 else 1);\n " +
              factor +
              "*v = i2 + v2;\n off2 = s2 < 0;\n i2 = s2*(if off2 then 0.25 else 1);\n v2 = s2*(if off2 then "
              "1 "
              "else " +
              conducting + ");\n when change(off2) then\n  n = pre(n) + 1;\n end when;\n",
          GetParam());
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
      EXPECT_EQ(run.final("off2"), 0) << factor << ", " << conducting << run.log();
      EXPECT_EQ(run.final("n"), 1) << factor << ", " << conducting << run.log();
      EXPECT_NEAR(run.final("y"), 7.0, 1e-6) << factor << ", " << conducting;
    }
  }
}

// s2 is zero by its equations all the time; the rate that rounding leaves of it in a block of equations is no motion.
TEST_P(ZeroAtRest, RoundingOfABlockIsNoMotion) {
  for (const std::string share : {"4", "3", "7"}) {
    const HybridRun run = run_of(
        " Real i, s1, v1, s2, v2, i3, s3, v3, w;\n Boolean off1, off2, off3;\n Integer n(start = 0, fixed = "
        "true);\n Real x(start = 0, fixed = true);\n",
        " der(x) = 0.75;\n w = mod(time, 1);\n time + 0.5 = i + v1 + v2;\n off1 = s1 < 0;\n off2 = s2 < 0;\n "
        "off3 = s3 < 0;\n i = s1*(if off1 then 0.25 else 1);\n i = s2*(if off2 then 0.25 else 1) + v2/" +
            share +
            ";\n v1 = s1*(if off1 then 1 else 0);\n v2 = s2*(if off2 then 1 else 0);\n v2 + v2 = i3 + v3;\n "
            "i3 "
            "= s3*(if off3 then 0.5 else 1);\n v3 = s3*(if off3 then 1 else 0.25);\n when change(off3) or w "
            "> "
            "2 then\n  n = pre(n) + 1;\n end when;\n when w > 0.5 then\n  reinit(x, 0);\n end when;\n",
        GetParam());
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
    EXPECT_EQ(run.final("n"), 0) << share << run.log();
    EXPECT_EQ(run.final("off3"), 0) << share << run.log();
  }
}

// A row of diodes, each fed by the voltage over the one before: with u = 0 all are at zero, and where u falls they leave it together, however
// long the row is. `fed` at the start as well as later: the first where u begins to fall, the others with it.
std::string row_of_diodes(std::size_t length) {
  std::string text;
  for (std::size_t k = 1; k <= length; ++k) {
    const std::string n = std::to_string(k);
    text += " " + (k == 1 ? "u" : "v" + std::to_string(k - 1)) + " = i" + n + " + v" + n + ";\n off" + n +
            " = s" + n + " < 0;\n v" + n + " = s" + n + "*(if off" + n + " then 1 else 0);\n i" + n + " = s" +
            n + "*(if off" + n + " then 0.25 else 1);\n";
  }
  return text;
}

TEST_P(ZeroAtRest, ARowOfDiodesLeavesZeroAtOnce) {
  for (const std::size_t length : {1U, 2U, 3U, 4U, 6U}) {
    for (const std::string source :
         {"-time", "-0.25*time^2", "1 - time", "if time < 1 then 0 else 1 - time"}) {
      std::string declarations =
          " Real u;\n Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\n Boolean all_off, "
          "some_off;\n";
      std::string all;
      std::string some;
      for (std::size_t k = 1; k <= length; ++k) {
        const std::string n = std::to_string(k);
        declarations += " Real i" + n + ", s" + n + ", v" + n + ";\n Boolean off" + n + ";\n";
        all += (all.empty() ? "" : " and ") + ("off" + n);
        some += (some.empty() ? "" : " or ") + ("off" + n);
      }
      const HybridRun run = run_of(declarations,
                                   " u = " + source + ";\n" + row_of_diodes(length) + " all_off = " + all +
                                       ";\n some_off = " + some +
                                       ";\n when some_off and not all_off then\n  n = pre(n) + 1;\n end "
                                       "when;\n when all_off and edge(off1) then\n  m = pre(m) + 1;\n end "
                                       "when;\n",
                                   GetParam());
      const std::string what = source + ", " + std::to_string(length) + run.log();
      ASSERT_EQ(run.result.status, SimulationStatus::success) << what << run.words();
      // Nothing sees one of them turned beside another that has not.
      EXPECT_EQ(run.final("n"), 0) << what;
      EXPECT_EQ(run.final("m"), 1) << what;
      EXPECT_EQ(run.final("all_off"), 1) << what;
      const double turns = source[0] == '-' ? 0.0 : 1.0;
      EXPECT_EQ(run.value(run.rows_at(turns).back(), "all_off"), 1) << what;
    }
  }
}

// v2 falls through zero, which turns x back: v2 is zero again, and its whole number with it.
TEST_P(ZeroAtRest, AWholeNumberThatIsTakenBack) {
  const HybridRun run = run_of(
      " Real x(start = 1.21875, fixed = true), v, w;\n Integer n(start = 0, fixed = true), k;\n Boolean b;\n",
      " der(x) = if mod(n, 2) == 1 then 0.75 else -0.5;\n v = if x < 0 then 2*x else 0;\n b = x < 0;\n w = "
      "mod(v, 1);\n k = integer(v);\n when edge(b) then\n  n = pre(n) + 1;\n end when;\n",
      GetParam());
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
  EXPECT_EQ(run.final("n"), 1) << run.log();
  EXPECT_EQ(run.final("k"), 0) << run.log();
  EXPECT_NEAR(run.final("w"), 0.0, 1e-9) << run.log();
}

}  // namespace
}  // namespace saltus::test
