// Starts whose equations have a singular matrix at the guess (docs/math/consistent_values.md, "Blocks from afar"). Solutions by construction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

HybridRun run_of(const std::string& declarations, const std::string& equations,
                 const std::string& method = "auto") {
  return run_text("model M\n" + declarations + "equation\n" + equations + "end M;\n",
                  {{"stop", "1"}, {"interval", "0.5"}, {"method", method}, {"verify", "full"}});
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return value < 0 ? "(" + std::string(text) + ")" : text;
}

struct Case {
  std::string equation;
  double x;
};

// Where unknowns are equal there is no value, and all guesses are equal: ideal supplies of an amplifier, i = p/(v₊ - v₋).
TEST(SingularGuess, DifferencesOfEqualGuesses) {
  const HybridRun run = run_of(" parameter Real p = 3; Real a, b, i;\n",
                               " a + 0.1*i = 5;\n b - 0.1*i = -5;\n i = p/(a - b);\n");
  EXPECT_TRUE((run.result.status == SimulationStatus::success)) << run.log();
  // 10·i - 0.2·i² = 3; the other root is 49.7.
  const double i = 25.0 - std::sqrt(610.0);
  EXPECT_NEAR(run.final("i"), i, 1e-12);
  EXPECT_NEAR(run.final("a"), 5.0 - 0.1 * i, 1e-12);
}

// Slopes are zero, or kinks turn, where the search begins: one solution, in whatever way it is written and scaled.
TEST(SingularGuess, OneUnknown) {
  const double root = std::sqrt(5.0);
  for (const Case& given :
       {Case{"x*abs(x) = -5", -root}, Case{"x*abs(x) = 5", root}, Case{"abs(x)*x + 5 = 0", -root},
        Case{"0 = 5 + x*noEvent(abs(x))", -root}, Case{"-5 = if x > 0 then x^2 else -x^2", -root},
        Case{"sign(x)*x^2 = -5", -root}, Case{"x*max(x, -x) = -5", -root},
        Case{"1e4*x*abs(x) = -5e-4", -root * 1e-4}, Case{"1e-9*x*abs(x) = -5e9", -root * 1e9},
        Case{"x^3 = 8", 2}, Case{"x^3 = -8", -2}, Case{"8 - x^3 = 0", 2}, Case{"x^5 + x^3 = -2", -1},
        Case{"x^3 = 8e12", 2e4}}) {
    for (const std::string method : {"auto", "radau5"}) {
      const HybridRun run = run_of(" Real x;\n", " " + given.equation + ";\n", method);
      EXPECT_TRUE((run.result.status == SimulationStatus::success)) << given.equation << run.log();
      EXPECT_NEAR(run.final("x"), given.x, 1e-12 * std::abs(given.x)) << given.equation;
      EXPECT_THAT(run.result.diagnostics.items(), ::testing::IsEmpty()) << run.words();
    }
    // The rate of a state, and a variable beside one that changes.
    const std::string rate = std::string(given.equation);
    std::string with_rate;
    for (const char c : rate) {
      with_rate += c == 'x' ? "der(s)" : std::string(1, c);
    }
    if (rate.find("max") == std::string::npos) {
      const HybridRun run = run_of(" Real s(start = 0, fixed = true);\n", " " + with_rate + ";\n");
      EXPECT_TRUE((run.result.status == SimulationStatus::success)) << with_rate << run.log();
      EXPECT_NEAR(run.final("s"), given.x, 1e-9 * (1 + std::abs(given.x))) << with_rate;
    }
  }
}

// Solutions far smaller than the nominal value: seen from the guess they are multiple roots, and what is computed from them must be right too.
TEST(SingularGuess, SmallSolutions) {
  for (const Case& given :
       {Case{"1e9*x*abs(x) = -5e-9", -std::sqrt(5e-18)}, Case{"1e9*x^2 = 5e-9", std::sqrt(5e-18)},
        Case{"1e-9*x^2 = 5e-27", std::sqrt(5e-18)}, Case{"5e-18 - x*x = 0", std::sqrt(5e-18)},
        Case{"x^2 = 5e-12", std::sqrt(5e-12)}, Case{"x^3 = 1e-27", 1e-9}, Case{"1e9*x^3 = 1e-21", 1e-10},
        Case{"x^3 + 1e-30 = 0", -1e-10}, Case{"x^5 = 1e-40", 1e-8}, Case{"(x - 1)^3 = 1e-27", 1 + 1e-9},
        Case{"x^3 + x^2 = 4e-18", 2e-9}}) {
    for (const std::string start : {"0.5", "1", "30"}) {
      for (const std::string method : {"auto", "radau5", "bdf", "sdirk4"}) {
        for (const std::string tolerance : {"1e-4", "1e-6", "1e-10"}) {
          const std::string sign = given.x < 0 ? "-" : "";
          const HybridRun run =
              run_text("model M\n Real x(start = " + sign + start + "), y;\nequation\n " + given.equation +
                           ";\n y = 1/x;\nend M;\n",
                       {{"stop", "1"}, {"interval", "0.5"}, {"method", method}, {"tolerance", tolerance}});
          const std::string what =
              given.equation + " from " + sign + start + ", " + method + ", " + tolerance;
          ASSERT_TRUE((run.result.status == SimulationStatus::success)) << what << run.log();
          EXPECT_NEAR(run.final("x"), given.x, 1e-8 * std::abs(given.x)) << what;
          EXPECT_NEAR(run.final("y"), 1 / given.x, 1e-8 / std::abs(given.x)) << what;
        }
      }
    }
  }
}

// Of two solutions that lie alike, one is taken, and both are named.
TEST(SingularGuess, AChoiceIsReported) {
  for (const std::string equation :
       {"x^2 = 4", "4 - x^2 = 0", "x*x - 4 = 0", "x^4 - 5*x^2 = -4", "cos(x) = 0.5"}) {
    const HybridRun run = run_of(" Real x;\n", " " + equation + ";\n");
    ASSERT_TRUE((run.result.status == SimulationStatus::success)) << run.log();
    EXPECT_GT(run.final("x"), 0) << equation;
    EXPECT_TRUE(run.says("start-not-unique")) << run.words();
    EXPECT_TRUE(run.says("is another")) << run.words();
  }
  const HybridRun near = run_of(" Real x(start = -1);\n", " x^2 = 4;\n");
  EXPECT_EQ(near.final("x"), -2) << near.log();
  EXPECT_FALSE(near.says("start-not-unique"));
}

// What has no solution ends by name, at once.
TEST(SingularGuess, NoSolutionFailsByName) {
  for (const std::string equation :
       {"x^2 = -1", "x^2 + abs(x) = -1", "x^4 + x^2 + 1e-6 = 0", "exp(x^2) = 0.5", "cosh(x) = 0"}) {
    const HybridRun run = run_of(" Real x;\n", " " + equation + ";\n");
    EXPECT_FALSE((run.result.status == SimulationStatus::success)) << equation << run.log();
    EXPECT_TRUE(run.says("initialization")) << run.words();
    EXPECT_TRUE(run.says(equation)) << run.words();
  }
  const HybridRun pair = run_of(" Real x, y;\n", " x^2 + y^2 = -1;\n x*y = 2;\n");
  EXPECT_FALSE((pair.result.status == SimulationStatus::success)) << pair.log();
}

// Flows through pipes with p = k·q·|q|: rows 0 … n-1 are sums over a diagonally dominant matrix of zⱼ·|zⱼ|, which has one solution; the
// matrix of the guess is zero. Torn by formulas in between or not, in any order, rows scaled.
TEST(SingularGuess, MonotoneSystems) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int n = 2; n <= 6; ++n) {
    for (int trial = 0; trial < 12; ++trial) {
      const bool is_torn = trial % 2 == 1;
      std::vector<double> z;
      for (int j = 0; j < n; ++j) {
        z.push_back(3 * uniform(random) + (uniform(random) > 0 ? 0.5 : -0.5));
      }
      std::vector<std::string> rows;
      std::string names;
      for (int i = 0; i < n; ++i) {
        names += " Real z" + std::to_string(i) + (is_torn ? ", s" + std::to_string(i) : "") + ";\n";
        std::string left;
        double right = 0;
        const double scale = std::pow(10.0, std::floor(4 * uniform(random)));
        for (int j = 0; j < n; ++j) {
          const double a = scale * (i == j ? n + 1.0 : uniform(random));
          const std::string name = std::to_string(j);
          left += (left.empty() ? "" : " + ") + number(a) + "*" +
                  (is_torn ? "s" + name : "z" + name + "*abs(z" + name + ")");
          right += a * z[static_cast<std::size_t>(j)] * std::abs(z[static_cast<std::size_t>(j)]);
        }
        rows.push_back(" " + left + " = " + number(right) + ";\n");
        if (is_torn) {
          const std::string name = std::to_string(i);
          rows.push_back(" s" + name + " = z" + name + "*abs(z" + name + ");\n");
        }
      }
      std::shuffle(rows.begin(), rows.end(), random);
      std::string equations;
      for (const std::string& row : rows) {
        equations += row;
      }
      const HybridRun run = run_of(names, equations);
      ASSERT_TRUE((run.result.status == SimulationStatus::success)) << names << equations << run.log();
      for (int j = 0; j < n; ++j) {
        const double expected = z[static_cast<std::size_t>(j)];
        EXPECT_NEAR(run.final("z" + std::to_string(j)), expected, 1e-9 * (1 + std::abs(expected)))
            << names << equations;
      }
    }
  }
}

// Products of unknowns: solutions come in pairs ±z. What is found solves the equations.
TEST(SingularGuess, ProductsOfUnknowns) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0.5, 2.0);
  int n_found = 0;
  for (int n = 2; n <= 6; ++n) {
    for (int trial = 0; trial < 6; ++trial) {
      std::vector<double> z;
      std::string names;
      for (int j = 0; j < n; ++j) {
        z.push_back(uniform(random) * (uniform(random) > 1.2 ? 1 : -1));
        names += " Real z" + std::to_string(j) + ";\n";
      }
      std::vector<std::string> rows;
      for (int i = 0; i < n; ++i) {
        const int k = (i + 1) % n;
        const double a = uniform(random);
        const double b = uniform(random);
        const auto zi = z[static_cast<std::size_t>(i)];
        const auto zk = z[static_cast<std::size_t>(k)];
        const std::string one = "z" + std::to_string(i);
        const std::string other = "z" + std::to_string(k);
        rows.push_back(" " + number(a) + "*" + one + "^2 + " + number(b) + "*" + one + "*" + other + " = " +
                       number(a * zi * zi + b * zi * zk) + ";\n");
      }
      std::shuffle(rows.begin(), rows.end(), random);
      std::string equations;
      for (const std::string& row : rows) {
        equations += row;
      }
      // The run verifies the equations as written at the start and at every end of a step.
      const HybridRun run = run_of(names, equations);
      n_found += (run.result.status == SimulationStatus::success) ? 1 : 0;
      if (!(run.result.status == SimulationStatus::success)) {
        EXPECT_TRUE(run.says("initialization")) << run.log();
      }
    }
  }
  EXPECT_GE(n_found, 27) << "of 30";
}

// A model with constraints: sides and values of the whole start are looked for together.
TEST(SingularGuess, BesideConstraints) {
  for (const std::string equation : {"q*abs(q) = -5", "0 = 5 + abs(q)*q"}) {
    const HybridRun run =
        run_of(" Real x(start = 1, fixed = true), y(start = 0), vx, vy(start = 0, fixed = true), l, q;\n",
               " der(x) = vx;\n der(y) = vy;\n der(vx) = -l*x;\n der(vy) = -l*y - 1;\n x^2 + y^2 = 1;\n " +
                   equation + ";\n");
    ASSERT_TRUE((run.result.status == SimulationStatus::success)) << run.log();
    EXPECT_NEAR(run.final("q"), -std::sqrt(5.0), 1e-12);
    EXPECT_NEAR(run.final("x") * run.final("x") + run.final("y") * run.final("y"), 1, 1e-9);
  }
}

}  // namespace
}  // namespace saltus::test
