// Diodes whose variable is zero because another one makes it so: their truths are those of a zero, and nothing turns them (docs/semantics.md 1.4,
// 7.3, 7.4).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

class DiodesAtRest : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, DiodesAtRest,
                         ::testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"),
                         [](const auto& given) { return given.param; });

/// A diode by its variable s: v = s·(a or b), i = s·(c or d), off or on; and what counts how often it changes.
std::string diode(const std::string& name, const std::string& off_v, const std::string& on_v,
                  const std::string& off_i, const std::string& on_i) {
  return " off" + name + " = s" + name + " < 0;\n v" + name + " = s" + name + "*(if off" + name + " then " +
         off_v + " else " + on_v + ");\n i" + name + " = s" + name + "*(if off" + name + " then " + off_i +
         " else " + on_i + ");\n when change(off" + name + ") then\n  n" + name + " = pre(n" + name +
         ") + 1;\n end when;\n";
}

std::string declared(const std::string& name) {
  return " Real s" + name + ", v" + name + ", i" + name + ";\n Boolean off" + name + ";\n Integer n" + name +
         "(start = 0, fixed = true);\n";
}

/// The first is ideal: while it conducts there is no voltage for the others, each of which is fed by the voltage or the current of the one
/// before.
std::string chain(int n, double start, double rate, bool by_current, bool is_reversed) {
  std::string text = "model M\n Real x(start = " + number(start) + ", fixed = true);\n";
  std::vector<std::string> equations = {" der(x) = " + number(rate) + ";\n", diode("1", "1", "0", "0", "1"),
                                        " x = i1 + v1;\n"};
  text += declared("1");
  for (int k = 2; k <= n; ++k) {
    const std::string name = std::to_string(k);
    const std::string fed = (k > 2 && by_current ? "i" : "v") + std::to_string(k - 1);
    text += declared(name);
    equations.push_back(diode(name, "1", "0.5", k % 2 == 0 ? "0.5" : "0.25", "1"));
    equations.push_back(" " + fed + " = i" + name + " + v" + name + ";\n");
  }
  if (is_reversed) {
    std::reverse(equations.begin(), equations.end());
  }
  text += "equation\n";
  for (const std::string& equation : equations) {
    text += equation;
  }
  return text + "end M;\n";
}

TEST_P(DiodesAtRest, AreOnBehindOneThatConducts) {
  for (const int n : {2, 3, 5}) {
    for (const double rate : {1.0, 2.0, -1.0, -2.0}) {
      for (const int spelling : {0, 1, 2, 3}) {
        const std::string text =
            chain(n, rate > 0 ? -1.09375 : 0.828125, rate, spelling % 2 == 1, spelling >= 2);
        const HybridRun run =
            run_text(text, {{"stop", "1.5"}, {"interval", "0.0625"}, {"method", GetParam()}});
        ASSERT_EQ(run.result.status, SimulationStatus::success) << text << run.log();
        for (int k = 1; k <= n; ++k) {
          const std::string name = std::to_string(k);
          EXPECT_EQ(run.final("n" + name), 1.0) << name << " of\n" << text << run.log();
          for (const RowRecord& row : run.rows) {
            const bool is_negative = run.value(row, "s" + name) < -1e-9;
            const bool is_before = rate > 0 ? run.value(row, "x") < -1e-9 : run.value(row, "x") > 1e-9;
            if (is_before || std::abs(run.value(row, "x")) > 1e-9) {
              EXPECT_EQ(run.value(row, "off" + name), is_negative ? 1.0 : 0.0)
                  << name << " at " << row.time << " of\n"
                  << text << run.log();
            }
          }
        }
      }
    }
  }
}

/// A diode by its variable s, with the current i through it and a resistor beside it.
std::string in_series(const std::string& name, const std::string& current, const std::string& beside) {
  return " " + current + " = s" + name + "*(if off" + name + " then 0.25 else 1)" + beside + ";\n v" + name +
         " = s" + name + "*(if off" + name + " then 1 else 0);\n off" + name + " = s" + name + " < 0;\n";
}

// Two diodes in series that conduct leave no voltage for two others. Instants of others do not turn these.
TEST_P(DiodesAtRest, StayAsTheyAreAtInstantsOfOthers) {
  for (const std::string factor : {"0.5", "0.25"}) {
    for (const std::string beside : {" + v2/4", " + v2/2"}) {
      for (const std::string clock : {"0.375, 1.125", "0.5, 0.25"}) {
        const std::string text =
            "model M\n Real x(start = 1.65625, fixed = true);\n Real i, j, s1, v1, s2, v2, s3, v3, s4, v4;\n"
            " Boolean off1, off2, off3, off4;\n Integer m(start = 0, fixed = true);\nequation\n der(x) = "
            "-0.75;\n"
            " x = i + v1 + v2;\n" +
            in_series("1", "i", "") + in_series("2", "i", beside) + " v2 - " + factor +
            "*v1 = j + v3 + v4;\n" + in_series("3", "j", "") + in_series("4", "j", " + v4/4") +
            " when sample(" + clock +
            ") then\n  m = pre(m) + 1;\n  reinit(x, 1.65625);\n end when;\nend M;\n";
        const HybridRun run = run_text(text, {{"stop", "2"}, {"method", GetParam()}});
        ASSERT_EQ(run.result.status, SimulationStatus::success) << text << run.log();
        EXPECT_EQ(run.count("condition"), 0U) << text << run.log();
        for (const RowRecord& row : run.rows) {
          EXPECT_EQ(run.value(row, "off3"), 0.0) << row.time << " of\n" << text << run.log();
          EXPECT_EQ(run.value(row, "off4"), 0.0) << row.time << " of\n" << text << run.log();
        }
        EXPECT_GE(run.final("m"), 2.0) << run.log();
        EXPECT_FALSE(run.says("chatter")) << run.log();
      }
    }
  }
}

// A voltage rises through zero while diodes behind it are at rest, and its rate depends on their truth. As written they are on, the rate is
// positive, and that is one change of the first diode; that they were off and the voltage fell would be a solution only if a zero were
// negative.
TEST_P(DiodesAtRest, HaveTheTruthOfZeroWhereTheyDecideTheMotion) {
  for (const double rate : {0.75, 0.5}) {
    for (const double back : {-0.5, -0.25}) {
      const std::string text =
          "model M\n Real x(start = -0.40625, fixed = true);\n Integer m(start = 0, fixed = true);\n" +
          declared("1") + declared("2") + declared("3") + "equation\n der(x) = if off2 then " + number(back) +
          " else " + number(rate) + ";\n x = i1 + v1;\n i1 = i2 + v2 + v3;\n i2 = i3;\n" +
          diode("1", "1", "0", "0", "1") + diode("2", "1", "0.25", "0.25", "1") +
          diode("3", "1", "0.25", "0.25", "1") +
          " when pre(off1) and x > -0.125 and x > -0.0625 then\n  m = pre(m) + 1;\n end when;\nend M;\n";
      const HybridRun run = run_text(text, {{"stop", "2"}, {"method", GetParam()}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << text << run.log();
      EXPECT_EQ(run.final("n1"), 1.0) << text << run.log();
      EXPECT_EQ(run.final("n2"), 0.0) << text << run.log();
      EXPECT_EQ(run.final("m"), 1.0) << text << run.log();
      EXPECT_NEAR(run.final("x"), -0.40625 + 2 * rate, 1e-9) << text << run.log();
    }
  }
}

}  // namespace
}  // namespace saltus::test
