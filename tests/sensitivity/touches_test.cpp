// Guards that touch their surfaces and turn back: where sides matter, parameters that lead over the surface have no derivative from there on.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "saltus/gradient.hpp"
#include "saltus/saltus.hpp"
#include "sided_runs.hpp"

namespace saltus::test {
namespace {

struct TouchProblem {
  const char* name;
  const char* text;
  std::vector<std::string> moving;
  std::vector<std::string> still;
  double at;  // the time of the touch
  double start = 0.0;
  double stop = 3.0;
};

const std::vector<TouchProblem>& problems() {
  static const std::vector<TouchProblem> all = {
      {"a parabola below",
       R"(model M parameter Real a = 1, k = 5; Real x(start = 0, fixed = true), z(start = 0, fixed = true);
equation der(x) = 2*(1 - time)*a; der(z) = if x > 1 then k else 1 - z; end M;)",
       {"a", "x"},
       {"k", "z"},
       1.0},
      {"a parabola above",
       R"(model M parameter Real c = 1, k = 5; Real x(start = 2, fixed = true), v(start = -2, fixed = true), z(start = 0, fixed = true);
equation der(x) = v; der(v) = 2; der(z) = if x < c then k else 1 - z; end M;)",
       {"c", "x", "v"},
       {"k", "z"},
       1.0},
      {"of time alone",
       R"(model M parameter Real a = 1, k = 5; Real x, z(start = 0, fixed = true);
equation x = a*sin(time); der(z) = if x > 1 then k else 1 - z; end M;)",
       {"a"},
       {"k", "z"},
       std::asin(1.0)},
      {"of a clause",
       R"(model M parameter Real a = 1, k = 5; Real x, z(start = 0, fixed = true); Integer n(start = 0, fixed = true);
equation x = a*sin(time); der(z) = k - z; when x > 1 then n = pre(n) + 1; end when; end M;)",
       {"a"},
       {"k", "z"},
       std::asin(1.0)},
      {"of a whole number",
       R"(model M parameter Real a = 0.5, k = 5; Real x, z(start = 0, fixed = true);
equation x = 1.5 + a*sin(time); der(z) = k*floor(x) - z; end M;)",
       {"a"},
       {"k", "z"},
       3.0 * std::asin(1.0),
       0.0,
       5.0},
      {"backwards in time",
       R"(model M parameter Real a = 1, k = 5; Real x(start = -3, fixed = true), z(start = 0, fixed = true);
equation der(x) = 2*(1 - time)*a; der(z) = if x > 1 then k else 1 - z; end M;)",
       {"a", "x"},
       {"k", "z"},
       1.0,
       3.0,
       0.0},
      {"of a variable that is given implicitly",
       R"(model M parameter Real c = 1, k = 5; Real x(start = 2, fixed = true), v(start = -2, fixed = true), y(start = 1), z(start = 0, fixed = true);
equation der(x) = v; der(v) = 2; y + 0.1*y^3 = x; der(z) = if y + 0.1*y^3 < c then k else 1 - z; end M;)",
       {"c", "x", "v"},
       {"k", "z"},
       1.0}};
  return all;
}

TEST(Touches, AreUndefinedWhereSidesMatter) {
  for (const TouchProblem& problem : problems()) {
    const Model model = model_of(problem.text);
    for (const char* method : {"dopri5", "radau5", "bdf", "sdirk4"}) {
      for (const double tolerance : {1e-5, 1e-6, 1e-8, 1e-10}) {
        SimulationOptions options{.start = problem.start, .stop = problem.stop, .tolerance = tolerance};
        options.method = method;
        options.sensitivities = problem.moving;
        options.sensitivities.insert(options.sensitivities.end(), problem.still.begin(), problem.still.end());
        const Result<SimulationResult> result = simulate(model, options);
        ASSERT_TRUE(result && result->ok()) << problem.name;
        const std::size_t n = options.sensitivities.size();
        const std::size_t z = [&] {
          std::size_t v = 0;
          while (result->variables[v].name != "z") {
            ++v;
          }
          return v;
        }();
        for (std::size_t k = 0; k < n; ++k) {
          const double found = result->sensitivities->final_values[z * n + k];
          EXPECT_EQ(std::isnan(found), k < problem.moving.size())
              << problem.name << ' ' << method << ' ' << tolerance << ' ' << options.sensitivities[k];
        }
        const std::string said = render_text(result->diagnostics);
        EXPECT_NE(said.find("surface"), std::string::npos) << problem.name << ' ' << said;
      }
    }
  }
}

// A little further away the derivative exists.
TEST(Touches, AreNoneBesideTheSurface) {
  for (const double distance : {1e-3, 1e-2}) {
    const Model model = model_of(
        "model M parameter Real c = " + std::to_string(1.0 - distance) +
        "; Real x(start = 2, fixed = true), v(start = -2, fixed = true), z(start = 0, fixed = true);\n"
        "equation der(x) = v; der(v) = 2; der(z) = if x < c then 5 else x - z; end M;");
    for (const char* method : kMethods) {
      SimulationOptions options{.stop = 3.0, .tolerance = 1e-6, .sensitivities = {"c", "x"}};
      options.method = method;
      const Result<SimulationResult> result = simulate(model, options);
      ASSERT_TRUE(result && result->ok());
      EXPECT_EQ(result->sensitivities->final_values[2 * 2], 0.0) << method;
      EXPECT_NEAR(result->sensitivities->final_values[2 * 2 + 1], 1.0 - std::exp(-3.0), 1e-5) << method;
    }
  }
}

// Kinks are continuous, and what nothing reads does not matter.
TEST(Touches, DoNotMatterWhereSidesAreTheSame) {
  for (const char* choice : {"abs(x - 1)", "max(x, 1)", "(if x < 1 then x else 2*x - 1)"}) {
    const Model model = model_of(std::string("model M Real x(start = 2, fixed = true), v(start = -2, fixed = "
                                             "true), z(start = 0, fixed = true);\n"
                                             "equation der(x) = v; der(v) = 2; der(z) = ") +
                                 choice + " - z; end M;");
    for (const char* method : kMethods) {
      SimulationOptions options{.stop = 3.0, .tolerance = 1e-8, .sensitivities = {"x"}};
      options.method = method;
      const Result<SimulationResult> result = simulate(model, options);
      ASSERT_TRUE(result && result->ok());
      EXPECT_FALSE(std::isnan(result->sensitivities->final_values[2])) << choice << ' ' << method;
    }
  }
}

// After a crossing the first steps are short, and the guard is still near its surface: it goes away from there.
TEST(Touches, AreNotCrossingsThatWereJustNow) {
  const Model model = model_of(
      R"(model M parameter Real g = 9.81, k = 400, c = 3; Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation der(h) = v; der(v) = if h < 0 then -k*h*(1 + k*h^2) - c*v - g + 5 else -g; end M;)");
  for (const char* method : {"dopri5", "radau5", "bdf", "sdirk4"}) {
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      SimulationOptions options{.stop = 2.0, .tolerance = tolerance, .sensitivities = {"g", "k", "c", "h"}};
      options.method = method;
      const Result<SimulationResult> result = simulate(model, options);
      ASSERT_TRUE(result && result->ok());
      for (const double value : result->sensitivities->final_values) {
        EXPECT_FALSE(std::isnan(value)) << method << ' ' << tolerance << render_text(result->diagnostics);
      }
    }
  }
}

// So flat that the run hardly tells, and the rates do not jump: nothing depends on when it crosses. One parameter moves the guard, one does not.
TEST(Touches, FlatCrossingsWithoutAJumpKeepAllColumns) {
  for (const char* choice : {"if x < c then x - c else 0", "if x < c then x else c"}) {
    const Model model = model_of(
        std::string("model M parameter Real c = 1.000000000001, k = 2; Real x(start = 2, fixed = true), "
                    "v(start = -2, fixed = true), z(start = 1, fixed = true);\n"
                    "equation der(x) = v; der(v) = 2; der(z) = -k*z + (") +
        choice + "); end M;");
    for (const char* method : kMethods) {
      for (const double tolerance : {1e-6, 1e-9}) {
        SimulationOptions options{.stop = 2.0, .tolerance = tolerance, .sensitivities = {"x", "k"}};
        options.method = method;
        const Result<SimulationResult> result = simulate(model, options);
        ASSERT_TRUE(result && result->ok());
        for (const double value : result->sensitivities->final_values) {
          EXPECT_FALSE(std::isnan(value)) << choice << ' ' << method << render_text(result->diagnostics);
        }
      }
    }
  }
}

TEST(Touches, EndTheWayBack) {
  for (const TouchProblem& problem : problems()) {
    const Model model = model_of(problem.text);
    for (const char* method : kMethods) {
      GradientOptions options{.with = problem.moving, .by = "adjoint"};
      options.simulation = {
          .start = problem.start, .stop = problem.stop, .tolerance = 1e-8, .method = method};
      const Result<GradientResult> found = gradient(model, "final(z)", options);
      ASSERT_TRUE(found) << problem.name;
      EXPECT_TRUE(std::isnan(found->gradient.front().derivative)) << problem.name << ' ' << method;
    }
  }
}

}  // namespace
}  // namespace saltus::test
