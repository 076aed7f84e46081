// Square-root laws: levels that meet in finite time and stay together, several at one instant, flows that turn (docs/semantics.md 7.9).
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

/// How a valve between the levels A and B may be written; K is its coefficient.
struct Law {
  const char* text;
  bool is_one_way;
};
const std::vector<Law> kLaws = {
    {"if A > B then K*sqrt(A - B) else 0", true},
    {"if A <= B then 0 else K*sqrt(A - B)", true},
    {"if A >= B then K*sqrt(A - B) else 0", true},
    {"K*sqrt(max(0, A - B))", true},
    {"K*max(0, A - B)^0.5", true},
    {"smooth(0, if A > B then K*sqrt(A - B) else 0)", true},
    {"if A > B then sqrt(K*K*(A - B)) else 0", true},
    {"K*sign(A - B)*sqrt(abs(A - B))", false},
    {"if A > B then K*sqrt(A - B) else -K*sqrt(B - A)", false},
};
const std::vector<std::string> kMethods = {"auto", "dopri5", "radau5", "sdirk4", "bdf"};

std::string with_levels(std::string law, const std::string& a, const std::string& b) {
  std::string text;
  for (std::size_t i = 0; i < law.size(); ++i) {
    const bool is_word = i + 1 < law.size() && (std::isalpha(static_cast<unsigned char>(law[i + 1])) != 0);
    text += law[i] == 'A' && !is_word   ? a
            : law[i] == 'B' && !is_word ? b
            : law[i] == 'K'             ? "0.2"
                                        : std::string(1, law[i]);
  }
  return text;
}

std::string row_of_tanks(const Law& law, const std::vector<double>& levels) {
  const std::string n = std::to_string(levels.size());
  std::string starts;
  for (const double level : levels) {
    starts += (starts.empty() ? "" : ", ") + number(level);
  }
  return "model M\n Real h[" + n + "](start = {" + starts + "}, each fixed = true), q[" + n +
         " + 1];\nequation\n q[1] = 0; q[" + n + " + 1] = 0;\n for i in 2:" + n +
         " loop\n  q[i] = " + with_levels(law.text, "h[i - 1]", "h[i]") + ";\n end for;\n for i in 1:" + n +
         " loop der(h[i]) = q[i] - q[i + 1]; end for;\nend M;\n";
}

/// Where all is at rest: one-way valves pool neighbours of which the first is above the second; others make all levels equal.
std::vector<double> rest_of(const Law& law, const std::vector<double>& levels) {
  if (!law.is_one_way) {
    const double mean =
        std::accumulate(levels.begin(), levels.end(), 0.0) / static_cast<double>(levels.size());
    return std::vector<double>(levels.size(), mean);
  }
  struct Pool {
    double sum;
    double n;
  };
  std::vector<Pool> pools;
  for (const double level : levels) {
    pools.push_back({level, 1.0});
    while (pools.size() > 1 &&
           pools[pools.size() - 2].sum / pools[pools.size() - 2].n > pools.back().sum / pools.back().n) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().n += last.n;
    }
  }
  std::vector<double> rest;
  for (const Pool& pool : pools) {
    rest.insert(rest.end(), static_cast<std::size_t>(pool.n), pool.sum / pool.n);
  }
  return rest;
}

void expect_rest(const Law& law, const std::vector<double>& levels, const std::string& method,
                 double tolerance, double stop) {
  const std::string text = row_of_tanks(law, levels);
  const HybridRun run =
      run_text(text, {{"stop", number(stop)}, {"method", method}, {"tolerance", number(tolerance)}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << method << " " << tolerance << "\n"
                                                          << text << run.words();
  const std::vector<double> rest = rest_of(law, levels);
  double volume = 0.0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double level = run.final("h[" + std::to_string(i + 1) + "]");
    volume += level - levels[i];
    EXPECT_NEAR(level, rest[i], 10.0 * tolerance) << method << " " << tolerance << "\n" << text;
  }
  EXPECT_NEAR(volume, 0.0, 10.0 * tolerance) << method << "\n" << text;
}

std::vector<double> random_levels(std::mt19937& engine, std::size_t n) {
  std::vector<double> levels;
  for (std::size_t i = 0; i < n; ++i) {
    levels.push_back(0.2 + 0.001 * static_cast<double>(engine() % 1800));
  }
  return levels;
}

TEST(RootLaws, LevelsInARowComeToRest) {
  const std::vector<std::vector<double>> starts = {
      {1.2, 1.4, 0.9, 0.5}, {0.82, 1.08, 1.36, 0.71}, {1.0, 0.2, 0.9, 0.4}};
  for (const Law& law : kLaws) {
    for (const std::vector<double>& levels : starts) {
      for (const std::string& method : kMethods) {
        expect_rest(law, levels, method, 1e-6, 60.0);
      }
    }
  }
}

TEST(RootLaws, LevelsInALongerRowComeToRestAtEveryTolerance) {
  std::mt19937 engine(7);
  for (std::size_t k = 0; k < 12; ++k) {
    const std::vector<double> levels = random_levels(engine, 10);
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      expect_rest(kLaws[k % kLaws.size()], levels, kMethods[k % kMethods.size()], tolerance, 2000.0);
    }
  }
}

TEST(RootLaws, AHundredLevelsComeToRest) {
  std::mt19937 engine(11);
  const std::vector<double> levels = random_levels(engine, 100);
  expect_rest(kLaws[0], levels, "auto", 1e-6, 20000.0);
  expect_rest(kLaws[3], levels, "bdf", 1e-6, 20000.0);
}

// d' = -0.4·√d from 0.25: d = (0.5 - 0.2 t)² up to 2.5, then 0.
TEST(RootLaws, TwoLevelsMeetWhenTheyShould) {
  for (const Law& law : kLaws) {
    for (const std::string& method : kMethods) {
      const HybridRun run =
          run_text(row_of_tanks(law, {1.25, 1.0}),
                   {{"stop", "5"}, {"interval", "0.1"}, {"method", method}, {"tolerance", "1e-8"}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << law.text << method << run.words();
      for (const RowRecord& row : run.rows) {
        const double root = std::max(0.0, 0.5 - 0.2 * row.time);
        EXPECT_NEAR(run.value(row, "h[1]") - run.value(row, "h[2]"), root * root, 2e-7)
            << law.text << " " << method << " at " << row.time;
      }
    }
  }
}

// What is at rest begins to move when something flows in, whether an event says so or not. Both levels then rise by half of it.
TEST(RootLaws, WhatRestsIsMovedByWhatFlowsIn) {
  const std::vector<std::string> inflows = {"if time > 10 then 0.1*(time - 10) else 0",
                                            "0.5*exp(-(time - 15)^2)", "if time > 10 then 0.1 else 0"};
  const std::vector<double> volumes = {45.0, 0.5 * std::sqrt(std::acos(-1.0)), 3.0};
  for (const Law& law : {kLaws[0], kLaws[3], kLaws[7]}) {
    for (std::size_t k = 0; k < inflows.size(); ++k) {
      for (const std::string& method : kMethods) {
        const std::string text =
            "model M\n Real a(start = 1.2, fixed = true), b(start = 1, fixed = true), q;\n"
            "equation\n q = " +
            with_levels(law.text, "a", "b") + ";\n der(a) = (" + inflows[k] +
            ") - q;\n der(b) = q;\nend M;\n";
        const HybridRun run = run_text(text, {{"stop", "40"}, {"method", method}, {"tolerance", "1e-7"}});
        ASSERT_EQ(run.result.status, SimulationStatus::success) << text << method << run.words();
        EXPECT_NEAR(run.final("a") + run.final("b"), 2.2 + volumes[k], 1e-5) << text << method;
        if (k == 2) {  // q = 0.05 in the end: a - b = (0.05/0.2)²
          EXPECT_NEAR(run.final("a") - run.final("b"), 0.0625, 2e-6) << text << method;
        }
        const RowRecord& before = run.rows[run.rows.size() / 5];
        EXPECT_NEAR(run.value(before, "a"), 1.1, 1e-7) << text << method;
        EXPECT_NEAR(run.value(before, "b"), 1.1, 1e-7) << text << method;
      }
    }
  }
}

// Levels that are equal at the start stay equal, and nothing happens.
TEST(RootLaws, EqualLevelsAtTheStartRest) {
  for (const Law& law : kLaws) {
    for (const std::string& method : kMethods) {
      const HybridRun run =
          run_text(row_of_tanks(law, {0.7, 0.7, 0.7}), {{"stop", "10"}, {"method", method}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << law.text << method << run.words();
      EXPECT_TRUE(run.events.empty()) << law.text << method << run.log();
      EXPECT_DOUBLE_EQ(run.final("h[2]"), 0.7) << law.text << method;
    }
  }
}

// The flow through a valve turns: its difference of levels passes zero, where it is steered by next to nothing.
TEST(RootLaws, AFlowThatTurnsPassesZero) {
  for (const Law& law : {kLaws[7], kLaws[8]}) {
    for (const std::string& method : kMethods) {
      const std::string text =
          "model M\n Real a(start = 1, fixed = true), b(start = 1, fixed = true), q;\n"
          "equation\n q = " +
          with_levels(law.text, "a", "b") +
          ";\n der(a) = 0.02*sin(time) - q;\n der(b) = q - 0.02*sin(time);\nend M;\n";
      const HybridRun run = run_text(text, {{"stop", "20"}, {"method", method}, {"tolerance", "1e-7"}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << text << method << run.words();
      EXPECT_NEAR(run.final("a") + run.final("b"), 2.0, 1e-9) << text << method;
      EXPECT_LE(run.events.size(), 14U) << text << method << run.log();
    }
  }
}

}  // namespace
}  // namespace saltus::test
