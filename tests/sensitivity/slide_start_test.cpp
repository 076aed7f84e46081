// Stretches that slide where they begin: another value of a parameter begins beside the surface and arrives on it.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "saltus/gradient.hpp"
#include "saltus/saltus.hpp"
#include "sided_runs.hpp"

namespace saltus::test {
namespace {

struct SlideStart {
  const char* name;
  const char* text;
  std::map<std::string, double> parameters;
  double start = 0.0;
  double stop = 1.0;
};

const std::vector<SlideStart>& problems() {
  static const std::vector<SlideStart> all = {
      {"a threshold that is a number",
       R"(model M parameter Real p = 0.3; Real x(start = p, fixed = true), y(start = 0, fixed = true);
equation der(x) = if x > 0.3 then -1 else 2; der(y) = if x > 0.3 then 5 else 1; end M;)",
       {{"p", 0.3}}},
      {"a threshold that is another parameter",
       R"(model M parameter Real p = 0.3, q = 0.3; Real x(start = p, fixed = true), y(start = 0, fixed = true);
equation der(x) = if x > q then -1 else 2; der(y) = if x > q then 3 + y else -y + 1; end M;)",
       {{"p", 0.3}, {"q", 0.3}}},
      {"a surface that moves with the start",
       R"(model M parameter Real p = 0.3; Real x(start = p, fixed = true), y(start = 0, fixed = true);
equation der(x) = if x > p then -1 else 2; der(y) = (if x > p then 3 + y else -y + 1) + p*x; end M;)",
       {{"p", 0.3}}},
      {"a surface that moves in time",
       R"(model M parameter Real p = 0; Real x(start = p, fixed = true), y(start = 0, fixed = true);
equation der(x) = -1.5*sign(x - 0.1*sin(time)); der(y) = x + y; end M;)",
       {{"p", 0.0}}},
      {"a surface across the states",
       R"(model M parameter Real p = 0; Real x(start = p, fixed = true), y(start = 1, fixed = true);
equation der(x) = y - 2*sign(x + 0.3*(y - 1)); der(y) = -x - 0.5*sign(x + 0.3*(y - 1)); end M;)",
       {{"p", 0.0}, {"y", 1.0}}},
      {"friction that holds and lets go",
       R"(model M parameter Real p = 0, F = 1.5; Real v(start = p, fixed = true), x(start = 0, fixed = true);
equation der(v) = F*sin(time) - 0.8*sign(v); der(x) = v; end M;)",
       {{"p", 0.0}, {"F", 1.5}},
       0.0,
       2.0},
      {"a guard over an algebraic variable",
       R"(model M parameter Real p = 1; Real x(start = 1, fixed = true), z, y(start = 0, fixed = true);
equation z = x - p; der(x) = if z > 0 then -1 else 1; der(y) = if z > 0 then 2 else -3 + y; end M;)",
       {{"p", 1.0}, {"x", 1.0}}},
      {"an initial equation",
       R"(model M parameter Real p = 0.3; Real x, y(start = 0, fixed = true); initial equation x = p;
equation der(x) = if x > 0.3 then -1 else 2; der(y) = if x > 0.3 then 5 else 1; end M;)",
       {{"p", 0.3}}},
      {"two modes",
       R"(model M parameter Real p = 1; Real x(start = p, fixed = true), y(start = 0, fixed = true);
initial mode a equation der(x) = 1; der(y) = 2; transition to b when x > 1; end a;
mode b equation der(x) = -2; der(y) = 7 + y; transition to a when x < 1; end b; end M;)",
       {{"p", 1.0}}},
      {"a reset that puts it there",
       R"(model M parameter Real p = 0, k = 1; Real v(start = -1, fixed = true), y(start = 0, fixed = true);
equation der(v) = -0.5*k*sign(v); der(y) = if v > 0 then 3 else -1 + y; when time > 0.5 then reinit(v, p); end when; end M;)",
       {{"p", 0.0}, {"k", 1.0}}},
      {"beside another surface",
       R"(model M parameter Real p = 0, q = 0; Real x(start = p, fixed = true), w(start = q, fixed = true), y(start = 0, fixed = true);
equation der(x) = -sign(x); der(w) = -2*sign(w); der(y) = x + (if w > 0 then 2 else 5); end M;)",
       {{"p", 0.0}, {"q", 0.0}}},
      {"backwards in time",
       R"(model M parameter Real p = 0; Real x(start = p, fixed = true), y(start = 0, fixed = true);
equation der(x) = 2*sign(x) + 0.3; der(y) = if x > 0 then 5 else 1; end M;)",
       {{"p", 0.0}},
       1.0,
       0.0},
  };
  return all;
}

TEST(SlideStarts, HaveTheDerivativesOfRunsThatBeginBesideThem) {
  for (const SlideStart& problem : problems()) {
    const Model model = model_of(problem.text);
    for (const char* method : kMethods) {
      SimulationOptions options{.start = problem.start, .stop = problem.stop};
      options.method = method;
      for (const auto& [name, value] : problem.parameters) {
        const std::string what = std::string(problem.name) + ' ' + method + ' ' + name;
        for (const auto& [side, sign] : {std::pair(SensitivitySide::both, 1.0),
                                         {SensitivitySide::both, -1.0},
                                         {SensitivitySide::plus, 1.0},
                                         {SensitivitySide::minus, -1.0}}) {
          expect_near(sensitivities(model, options, name, side), quotients(model, options, name, value, sign),
                      what);
        }
      }
    }
  }
}

// A parameter that moves two of them off is refused; a clause that hears of the side, too.
TEST(SlideStarts, AreUndefinedWhereMoreThanArrivalDependsOnThem) {
  const std::vector<const char*> texts = {
      R"(model M parameter Real p = 0; Real x(start = p, fixed = true), w(start = -p, fixed = true), y(start = 0, fixed = true);
equation der(x) = -sign(x); der(w) = -2*sign(w); der(y) = (if x > 0 then 1 else 3)*(if w > 0 then 2 else 5); end M;)",
      R"(model M parameter Real p = 0; Real x(start = p, fixed = true); discrete Real n(start = 0, fixed = true);
equation der(x) = -sign(x); when x > 0 then n = pre(n) + 1; end when; end M;)"};
  for (const char* text : texts) {
    const Model model = model_of(text);
    for (const char* method : kMethods) {
      SimulationOptions options{.stop = 1.0, .sensitivities = {"p"}};
      options.method = method;
      EXPECT_TRUE(std::isnan(run(model, options).sensitivities->final_values[0])) << text << method;
    }
  }
}

TEST(SlideStarts, OnTheWayBack) {
  for (const SlideStart& problem : problems()) {
    if (problem.start != 0.0 || std::string(problem.text).find(" y(") == std::string::npos) {
      continue;
    }
    const Model model = model_of(problem.text);
    for (const char* method : kMethods) {
      GradientOptions options{.by = "adjoint"};
      for (const auto& [name, value] : problem.parameters) {
        options.with.push_back(name);
      }
      options.simulation = {.stop = problem.stop, .tolerance = 1e-10, .method = method};
      const Result<GradientResult> found = gradient(model, "final(y)", options);
      ASSERT_TRUE(found) << render_text(found.error());
      for (const auto& [name, value] : problem.parameters) {
        SimulationOptions runs{.stop = problem.stop};
        const std::vector<double> right = quotients(model, runs, name, value, 1.0);
        const SimulationResult result = run(model, runs);
        std::size_t y = 0;
        while (result.variables[y].name != "y") {
          ++y;
        }
        const double derivative = found->derivative(name);
        // What cannot be followed backwards is refused.
        if (!std::isnan(derivative)) {
          EXPECT_NEAR(derivative, right[y], kAccuracy * std::max(1.0, std::abs(right[y])))
              << problem.name << ' ' << method << ' ' << name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
