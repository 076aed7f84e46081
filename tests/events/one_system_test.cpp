// A round is one system: relations have the truth of the values of the same solution, clauses fire on these truths, and nothing is ever seen
// beside what it has just replaced (docs/semantics.md 5). Values by hand, after the Modelica Language Specification 3.6, 8.3.5, 8.3.6, 8.5.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

HybridRun with_ramp(const std::string& declarations, const std::string& equations,
                    const std::string& method = "auto", const std::string& stop = "3") {
  return run_text("model M\n Real x(start = 0, fixed = true);\n" + declarations + "equation\n der(x) = 1;\n" +
                      equations + "end M;\n",
                  {{"stop", stop}, {"method", method}});
}

std::string counted(const std::string& name, const std::string& condition) {
  return " when " + condition + " then\n  " + name + " = pre(" + name + ") + 1;\n end when;\n";
}

class OneSystem : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, OneSystem, ::testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"),
                         [](const auto& given) { return given.param; });

// Two guards located at one time, and the body of the first takes the second away; in either order, directly and by an algebraic variable.
TEST_P(OneSystem, ABodyMovesTheOtherGuardAway) {
  const std::string declarations =
      " Real y;\n discrete Real a(start = 0, fixed = true);\n Integer n(start = 0, fixed = true);\n";
  const std::string first = " when x > 1 then\n  a = 5;\n end when;\n";
  for (const std::string condition : {"y > 1", "x - a > 1", "2*y > 2", "not y <= 1"}) {
    const std::string second = counted("n", condition);
    for (const std::string& clauses : {first + second, second + first}) {
      const HybridRun run = with_ramp(declarations, " y = x - a;\n" + clauses, GetParam());
      EXPECT_EQ(run.final("n"), 0) << condition << run.log();
      EXPECT_THAT(run.times("when"), ElementsAre(DoubleNear(1.0, 1e-12))) << condition;
    }
  }
  // … and takes it along: y = 5 > 1 in the same solution, once.
  const HybridRun other =
      with_ramp(declarations, " y = x + a;\n" + first + counted("n", "y > 4"), GetParam());
  EXPECT_EQ(other.final("n"), 1) << other.log();
  EXPECT_THAT(other.times("when"), ElementsAre(DoubleNear(1.0, 1e-12), DoubleNear(1.0, 1e-12)));
}

// Chains: each clause reads what the one before sets; all fire in one round, in whatever order they are written.
TEST_P(OneSystem, ChainsOfClausesFireInOneRound) {
  const std::string declarations =
      " Integer a(start = 0, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);\n";
  const std::vector<std::string> clauses = {" when x > 1 then\n  a = 2;\n end when;\n",
                                            " when a > 1 then\n  b = a + 1;\n end when;\n",
                                            " when b > 2 then\n  c = b + pre(a);\n end when;\n"};
  for (const std::vector<std::size_t>& order :
       {std::vector<std::size_t>{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {2, 0, 1}}) {
    std::string text;
    for (const std::size_t k : order) {
      text += clauses[k];
    }
    const HybridRun run = with_ramp(declarations, text, GetParam());
    EXPECT_EQ(run.final("a"), 2) << run.log();
    EXPECT_EQ(run.final("b"), 3);
    EXPECT_EQ(run.final("c"), 3) << "pre(a) is the value before the round";
    EXPECT_EQ(run.rows_at(1.0, 1e-10).size(), 2U) << "one round";
  }
}

// A reset and what relations over the reset variable choose: 0 ≤ z ≤ 1/2 whenever the equations hold.
TEST_P(OneSystem, AResetShowsNoMixedValue) {
  const std::vector<std::string> spellings = {
      " z = if x > 0.5 then 1 - x else x;\n", " z = if x < 0.5 then x else 1 - x;\n",
      " z = if b then 1 - x else x;\n b = x > 0.5;\n", " z = min(x, 1 - x);\n"};
  for (const std::string& z : spellings) {
    const std::string boolean = z.find(" b = ") != std::string::npos ? " Boolean b;\n" : "";
    const HybridRun run = with_ramp(
        " Real z;\n Integer n(start = 0, fixed = true), r(start = 0, fixed = true);\n" + boolean,
        z + " when x > 1 then\n  reinit(x, 0);\n  r = pre(r) + 1;\n end when;\n" + counted("n", "z > 0.8"),
        GetParam(), "5.5");
    EXPECT_EQ(run.final("n"), 0) << z << run.log();
    EXPECT_EQ(run.final("r"), 5) << z << run.log();
    for (const RowRecord& row : run.rows) {
      EXPECT_LE(run.value(row, "z"), 0.5 + 1e-9) << z << " at " << row.time;
      EXPECT_GE(run.value(row, "z"), -1e-9) << z << " at " << row.time;
    }
  }
}

// Everything in the round of a reinit sees the old value; what it assigns is evaluated there; another round follows.
TEST_P(OneSystem, ReinitIsSeenAfterItsRound) {
  const HybridRun run = with_ramp(
      " Real v(start = 2, fixed = true), y;\n discrete Real w(start = 0, fixed = true), u(start = 0, fixed = "
      "true);\n"
      " Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\n",
      " der(v) = 0;\n y = 10*v + n;\n"
      " when x > 1 then\n  reinit(v, v + y);\n  w = v;\n  n = 1;\n end when;\n"
      " when y > 100 then\n  u = y;\n end when;\n" +
          counted("m", "v > 20"),
      GetParam());
  // In the round: v = 2, n = 1, y = 21. After it v = 23, y = 231: a second round fires on that.
  EXPECT_EQ(run.final("w"), 2) << run.log();
  EXPECT_EQ(run.final("v"), 23) << run.log();
  EXPECT_EQ(run.final("y"), 231);
  EXPECT_EQ(run.final("u"), 231);
  EXPECT_EQ(run.final("m"), 1);
  EXPECT_EQ(run.rows_at(1.0, 1e-10).size(), 3U) << "the left limit and two rounds";
}

// A threshold that its own clause moves: the condition is that of the values before, as with pre.
TEST_P(OneSystem, AClauseThatMovesItsOwnThreshold) {
  for (const std::string threshold : {"level", "pre(level)"}) {
    const HybridRun run = with_ramp(
        " discrete Real level(start = 0.25, fixed = true);\n Integer n(start = 0, fixed = true);\n",
        " when x > " + threshold + " then\n  level = pre(level) + 0.25;\n  n = pre(n) + 1;\n end when;\n",
        GetParam(), "1.1");
    EXPECT_EQ(run.final("n"), 4) << threshold << run.log();
    EXPECT_EQ(run.final("level"), 1.25);
    EXPECT_EQ(run.words().find("own-condition") != std::string::npos, threshold == "level") << run.words();
  }
}

// What jump equations move is part of the round: conditions over it see both or neither.
TEST_P(OneSystem, JumpEquationsArePartOfTheRound) {
  const HybridRun run = with_ramp(
      " Real v(start = 2, fixed = true), y;\n Integer n(start = 0, fixed = true), m(start = 0, fixed = "
      "true);\n"
      " Integer k(start = 0, fixed = true);\n",
      " der(v) = 0;\n y = v - 3*n;\n when x > 1 then\n  n = pre(n) + 1;\n  v = pre(v) + 3;\n end when;\n" +
          counted("m", "y < 1") + counted("k", "v > 4"),
      GetParam());
  EXPECT_EQ(run.final("n"), 1) << run.log();
  EXPECT_EQ(run.final("m"), 0) << "y is 2 throughout" << run.log();
  EXPECT_EQ(run.final("k"), 1) << "v is 5 in the same solution" << run.log();
  EXPECT_EQ(run.rows_at(1.0, 1e-10).size(), 2U) << "one round";
}

// Relations and whole numbers over what other relations choose: after a jump they are asked again, whether they rested at zero, were located
// at the same time, or hold a number. Values of y at the middle of each quarter.
TEST_P(OneSystem, WhatRestedAtZeroIsAskedAfterAJump) {
  struct Wave {
    std::string declarations;
    std::string equations;
    double (*y)(double);
  };
  const std::vector<Wave> waves = {
      {" Real u, y;\n", " u = if x < 1 then 0 else -1;\n y = if u < 0 then 0 else 1;\n",
       [](double t) { return t < 1 ? 1.0 : 0.0; }},
      {" Real u, y;\n", " u = if x < 1 then 0 else 1;\n y = if u <= 0 then 5 else 6;\n",
       [](double t) { return t < 1 ? 5.0 : 6.0; }},
      {" Real u;\n Integer y;\n", " u = if x < 0.5 then 0 else 1 - 2*x;\n y = integer(u);\n",
       [](double t) { return t < 0.5 ? 0.0 : std::floor(1 - 2 * t); }},
      {" Real y;\n", " y = mod(mod(x, 1), 0.5);\n", [](double t) { return t - 0.5 * std::floor(2 * t); }},
      {" Integer y;\n", " y = integer(1.5*mod(x, 1));\n",
       [](double t) { return std::floor(1.5 * (t - std::floor(t))); }},
      {" Real u, y;\n", " u = mod(x, 0.5);\n y = if u < 0.5 then 0 else 1;\n", [](double) { return 0.0; }},
      {" Real u;\n Integer y;\n", " u = mod(-x, 0.5);\n y = integer(2*u);\n", [](double) { return 0.0; }},
      {" Integer y;\n", " y = integer(-x);\n", [](double t) { return std::floor(-t); }},
  };
  for (const Wave& wave : waves) {
    const HybridRun run = run_text("model M\n Real x(start = 0, fixed = true);\n" + wave.declarations +
                                       "equation\n der(x) = 1;\n" + wave.equations + "end M;\n",
                                   {{"stop", "3.875"}, {"interval", "0.125"}, {"method", GetParam()}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << wave.equations << run.log();
    for (const RowRecord& row : run.rows) {
      const double quarters = 4.0 * row.time;
      if (std::abs(quarters - std::floor(quarters) - 0.5) < 1e-9) {
        EXPECT_NEAR(run.value(row, "y"), wave.y(row.time), 1e-6) << wave.equations << " at " << row.time;
      }
    }
  }
}

// A wave never reaches what it wraps at.
TEST_P(OneSystem, AWaveNeverReachesItsPeriod) {
  for (const std::string condition : {"mod(x, 1) >= 1", "x - floor(x) >= 1", "mod(2*x, 0.5) >= 0.5"}) {
    const HybridRun run =
        with_ramp(" Integer n(start = 0, fixed = true);\n", counted("n", condition), GetParam(), "3.3");
    EXPECT_EQ(run.final("n"), 0) << condition << run.log();
  }
}

// Assertions see solutions only: |tri| ≤ 1, by mod, floor and a reset.
TEST_P(OneSystem, AssertionsSeeSolutionsOnly) {
  const std::string wave =
      " tri = if tr < 0.5 then 4*tr - 1 else 3 - 4*tr;\n assert(abs(tri) <= 1.0001, \"peak\");\n";
  for (const std::string tr : {" tr = mod(x, 1);\n", " tr = x - floor(x);\n", " tr = x - integer(x);\n"}) {
    const HybridRun run = with_ramp(" Real tr, tri;\n Integer n(start = 0, fixed = true);\n",
                                    tr + wave + counted("n", "abs(tri) > 2"), GetParam(), "5.5");
    EXPECT_EQ(run.result.status, SimulationStatus::success) << tr << run.log();
    EXPECT_EQ(run.final("n"), 0) << tr << run.log();
  }
}

// Where the outer wave wraps, roundings of the state and of the location put the inner one beside a whole number: that is no value of it.
TEST_P(OneSystem, AWaveOverAWaveThatWrapsHasNoOtherNumber) {
  for (const double period : {1.0, 1.5, 2.5}) {
    for (int k = 0; k < 40; ++k) {
      const double start = -2.40625 - 0.1 * k;
      const double rate = 0.5 + 0.07 * (k % 5);
      const auto number = [](double value) { return std::to_string(value); };
      const HybridRun run =
          run_text("model M\n Real x(start = " + number(start) +
                       ", fixed = true), u, y;\n Integer n(start = 0, fixed = true);\nequation\n der(x) = " +
                       number(rate) + ";\n u = mod(x, " + number(period) +
                       ");\n y = mod(u, 1);\n when y > 0.75 then\n  n = pre(n) + 1;\n end when;\nend M;\n",
                   {{"stop", "4"}, {"interval", "1"}, {"method", GetParam()}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      // y rises through 0.75 wherever u does through 0.75 + j < period.
      int expected = 0;
      for (double level = 0.75; level < period; level += 1.0) {
        for (int wrap = -10; wrap < 10; ++wrap) {
          const double x = level + period * wrap;
          expected += x > start && x < start + 4 * rate ? 1 : 0;
        }
      }
      EXPECT_EQ(run.final("n"), expected) << period << ", " << start << ", " << rate << run.log();
      for (const RowRecord& row : run.rows) {
        ASSERT_LE(run.value(row, "y"), 1.0 + 1e-12) << row.time;
      }
    }
  }
}

// The wave touches the level of a whole number where it turns, at the instant at which its own argument wraps: the number stays.
TEST_P(OneSystem, AWaveThatTurnsOnAWholeNumber) {
  for (const std::string rate : {"-0.75", "0.75", "-1.3", "1.3"}) {
    for (const std::string start : {"-1.96875", "0.03125", "0.1", "-2.7"}) {
      const HybridRun run = run_text(
          "model M\n Real x(start = " + start +
              ", fixed = true), u, s, w, y;\n Integer m(start = 0, fixed = true);\n discrete Real k(start = "
              "0, "
              "fixed = true);\nequation\n der(x) = " +
              rate +
              ";\n u = if time < 5 then x else 7;\n s = mod(u, 1);\n w = if s < 0.5 then 4*s - 1 else 3 - "
              "4*s;\n y = mod(w, 1);\n when y > 0.9 and abs(s - 0.5) > 0.45 then\n  m = pre(m) + 1;\n end "
              "when;\n when y - pre(k) > 0.75 then\n  k = w;\n end when;\nend M;\n",
          {{"stop", "3"}, {"interval", "0.125"}, {"method", GetParam()}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      EXPECT_EQ(run.final("m"), 0) << rate << ", " << start << run.log();
      for (const RowRecord& row : run.rows) {
        // At the turn the wave is at -1, and y at zero.
        EXPECT_TRUE(std::abs(run.value(row, "w") + 1) > 1e-9 || run.value(row, "y") < 0.5) << row.time;
      }
    }
  }
}

// A wave is at its peak when its argument jumps away, to where it rests: the side of the peak is that of a value that it has not.
TEST_P(OneSystem, APeakThatItsArgumentLeaves) {
  for (const std::string clock : {"time", "x"}) {
    for (const double to : {-1.78125, 0.25, 7.125, 2.75}) {
      for (const std::string rate : {"0", "0.125"}) {
        const double share = to - std::floor(to);
        const double right = share < 0.5 ? 4 * share - 1 : 3 - 4 * share;
        const HybridRun run = run_text(
            "model M\n Real x(start = 0, fixed = true), y, s, w;\n Integer n(start = 0, fixed = "
            "true);\nequation\n der(x) = 1;\n y = if " +
                clock + " < 3.5 then " + clock + " else " + std::to_string(to) + " + " + rate + "*(" + clock +
                " - 3.5);\n s = mod(y, 1);\n w = if s < 0.5 then 4*s - 1 else 3 - 4*s;\n when abs(w) > 1.25 "
                "then\n  n = pre(n) + 1;\n end when;\nend M;\n",
            {{"stop", "3.75"}, {"interval", "0.125"}, {"method", GetParam()}});
        ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
        EXPECT_EQ(run.final("n"), 0) << clock << to << run.log();
        for (const RowRecord& row : run.rows) {
          ASSERT_LE(std::abs(run.value(row, "w")), 1.0 + 1e-9) << clock << to << " at " << row.time;
        }
        if (rate == "0") {
          EXPECT_NEAR(run.final("w"), right, 1e-9) << clock << to << run.log();
        }
      }
    }
  }
}

// A diode behind a wave over a wave that wraps: its current falls to zero and rises again. With the old number of the inner wave it would be
// negative, which it never is.
TEST_P(OneSystem, ADiodeBehindAWaveOverAWave) {
  for (const std::string clock : {"time", "x"}) {
    for (const std::string outer : {"2", "1.5", "3"}) {
      for (const std::string off : {"off = s < 0", "off = not s >= 0"}) {
        const HybridRun run = run_text(
            "model M\n Real x(start = 0, fixed = true), w, u, i, s, v;\n Boolean off;\n Integer n(start = 0, "
            "fixed = true);\nequation\n der(x) = 1;\n w = mod(" +
                clock + ", " + outer + ");\n u = mod(w, 1);\n u = i + v;\n " + off +
                ";\n i = s*(if off then 0.25 else 1);\n v = s*(if off then 1 else 0.25);\n when change(off) "
                "then\n  n = pre(n) + 1;\n end when;\nend M;\n",
            {{"stop", "6.25"}, {"interval", "0.125"}, {"method", GetParam()}});
        ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
        EXPECT_EQ(run.final("n"), 0) << clock << outer << run.log();
        for (const RowRecord& row : run.rows) {
          EXPECT_EQ(run.value(row, "off"), 0) << clock << outer << " at " << row.time;
        }
      }
    }
  }
}

// The wave falls to zero and wraps to its top there: the diode does not turn, and neither does the one behind it, which is at rest.
TEST_P(OneSystem, ADiodeThatWouldTurnWhereItsWaveWraps) {
  for (const std::string clock : {"2.5 - time", "x"}) {
    for (const std::string period : {"1", "0.75"}) {
      const HybridRun run = run_text(
          "model M\n Real x(start = 2.5, fixed = true), w, i, s, v, i2, s2, v2;\n Boolean off, off2;\n "
          "Integer n(start = 0, fixed = true);\nequation\n der(x) = -1;\n w = mod(" +
              clock + ", " + period +
              ");\n w = i + v;\n off = s < 0;\n i = s*(if off then 0 else 1);\n v = s*(if off then 1 else "
              "0);\n v = i2 + v2;\n off2 = s2 < 0;\n i2 = s2*(if off2 then 0.25 else 1);\n v2 = s2*(if off2 "
              "then 1 else 0);\n when {off, off2} then\n  n = pre(n) + 1;\n end when;\nend M;\n",
          {{"stop", "2.25"}, {"interval", "0.125"}, {"method", GetParam()}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      EXPECT_EQ(run.final("n"), 0) << clock << period << run.log();
      EXPECT_EQ(run.final("off2"), 0) << clock << period << run.log();
    }
  }
}

// A wave with a plateau or a peak at the level of a threshold: never above it, at it as written, whether time or a state makes the wave.
TEST_P(OneSystem, APlateauAtTheLevelOfAThreshold) {
  for (const std::string clock : {"time", "x", "time + 0.75", "x + 0.75"}) {
    for (const double plateau : {0.0, 1.0}) {
      const std::string end = std::to_string(0.5 + plateau);
      const HybridRun run = run_text(
          "model M\n Real x(start = 0, fixed = true), z(start = 0, fixed = true), s, w;\n Boolean above, "
          "below;\n Integer n(start = 0, fixed = true);\nequation\n der(x) = 1;\n der(z) = if w > 1 then 100 "
          "else 1;\n s = mod(" +
              clock + ", " + std::to_string(1.0 + plateau) + ");\n w = if s < 0.5 then 2*s elseif s < " +
              end + " then 1 else 2*(" + std::to_string(1.0 + plateau) +
              " - s);\n above = w > 1;\n below = w < 1;\n when w > 1 then\n  n = pre(n) + 1;\n end "
              "when;\nend M;\n",
          {{"stop", "4.25"}, {"interval", "0.0625"}, {"method", GetParam()}, {"verify", "full"}});
      const std::string what = clock + ", " + std::to_string(plateau) + run.log();
      ASSERT_EQ(run.result.status, SimulationStatus::success) << what;
      EXPECT_EQ(run.final("n"), 0) << what;
      EXPECT_NEAR(run.final("z"), 4.25, 1e-6) << what;
      for (const RowRecord& row : run.rows) {
        const double w = run.value(row, "w");
        EXPECT_EQ(run.value(row, "above"), 0) << what << " at " << row.time;
        EXPECT_TRUE(run.value(row, "below") == 1 || w > 1 - 1e-6) << what << " at " << row.time;
        EXPECT_TRUE(run.value(row, "below") == 0 || w < 1 || std::abs(w - 1) < 1e-6) << what;
      }
    }
  }
}

// A clause turns x back at the wrap of its wave: the wave has its number in the rounds and leaves it after them. b changes twice.
TEST_P(OneSystem, ANumberThatIsTurnedBackLeavesAfterTheRounds) {
  for (const std::string inner : {"mod(x, 2)", "mod(x, 1)"}) {
    const HybridRun run = run_text(
        "model M\n Real x(start = -0.25, fixed = true), w, s;\n Boolean b, back(start = false, fixed = "
        "true);\n Integer n(start = 0, fixed = true);\nequation\n der(x) = if back then -1 else 1;\n w = " +
            inner +
            ";\n s = mod(w, 1);\n b = s > 0.5;\n when not b then\n  back = true;\n end when;\n when "
            "change(b) then\n  n = pre(n) + 1;\n end when;\nend M;\n",
        {{"stop", "0.5"}, {"interval", "0.125"}, {"method", GetParam()}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    EXPECT_EQ(run.final("n"), 2) << inner << run.log();
    EXPECT_EQ(run.final("b"), 1) << inner << run.log();
    EXPECT_NEAR(run.final("s"), 0.75, 1e-6) << inner;
  }
}

}  // namespace
}  // namespace saltus::test
