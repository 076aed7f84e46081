// Stretches that begin on surfaces, or rest on them: after the start and after instants that put states there.
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

struct OnSurface {
  const char* name;
  const char* text;
  std::vector<std::string> moving;
  std::map<std::string, double> still;
  double start = 0.0;
  double stop = 1.0;
};

void expect_sensitivities(const std::vector<OnSurface>& problems) {
  for (const OnSurface& problem : problems) {
    const Model model = model_of(problem.text);
    for (const char* method : kMethods) {
      SimulationOptions options{.start = problem.start, .stop = problem.stop};
      options.method = method;
      for (const std::string& name : problem.moving) {
        EXPECT_TRUE(are_undefined(sensitivities(model, options, name, SensitivitySide::both)))
            << problem.name << ' ' << method << ' ' << name;
      }
      for (const auto& [name, value] : problem.still) {
        const std::vector<double> found = sensitivities(model, options, name, SensitivitySide::both);
        for (const double sign : {1.0, -1.0}) {
          expect_near(found, quotients(model, options, name, value, sign),
                      std::string(problem.name) + ' ' + method + ' ' + name);
        }
      }
    }
  }
}

// The run touches the surface where it begins; columns that move it there to an order below that of the contact lead over it for one direction.
TEST(SurfaceStarts, ThatLeaveTheirSurfaceAlongIt) {
  expect_sensitivities(
      {{"second order",
        R"(model M parameter Real a = 1, k = 2; Real x(start = 0, fixed = true), v(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = v; der(v) = a; der(z) = if x > 0 then 2*k else -z; end M;)",
        {"x", "v"},
        {{"a", 1.0}, {"k", 2.0}, {"z", 1.0}}},
       {"downwards, by a sum",
        R"(model M parameter Real a = -3, b = 0; Real x(start = 0, fixed = true), v(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = v + b; der(v) = a*(1 + x); der(z) = if x + 0.5*v*time > 0 then 2 else -z; end M;)",
        {"x", "v", "b"},
        {{"a", -3.0}, {"z", 1.0}}},
       {"third order",
        R"(model M parameter Real a = 1; Real x(start = 0, fixed = true), v(start = 0, fixed = true), w(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = v; der(v) = w; der(w) = a; der(z) = if x > 0 then 2 else -z; end M;)",
        {"x", "v", "w"},
        {{"a", 1.0}, {"z", 1.0}}},
       {"backwards in time",
        R"(model M parameter Real a = 1; Real x(start = 0, fixed = true), v(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = v; der(v) = a; der(z) = if x > 0 then 2 else -z; end M;)",
        {"x", "v"},
        {{"a", 1.0}, {"z", 1.0}},
        1.0,
        0.0},
       {"large units",
        R"(model M parameter Real a = 1e3; Real x(start = 0, fixed = true, nominal = 1e3), v(start = 0, fixed = true, nominal = 1e3), z(start = 1, fixed = true);
equation der(x) = v; der(v) = a; der(z) = if x > 0 then 2 else -z; end M;)",
        {"x", "v"},
        {{"a", 1e3}, {"z", 1.0}}},
       {"it stays",
        R"(model M parameter Real p = 0, q = 0, k = 2; Real x(start = 0, fixed = true), w(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = p + w; der(w) = q*z; der(z) = if x <= 0 then -k*z else 1; end M;)",
        {"p", "q", "x", "w"},
        {{"k", 2.0}, {"z", 1.0}}}});
}

// A reset puts a state on a surface.
TEST(SurfaceStarts, AfterResets) {
  expect_sensitivities({
      {"that is left at once",
       R"(model M parameter Real p = 0, k = 2; Real x(start = -1, fixed = true), z(start = 1, fixed = true);
equation der(x) = 1; der(z) = if x > 0 then k else -z; when time > 0.5 then reinit(x, p); end when; end M;)",
       {"p"},
       {{"k", 2.0}, {"z", 1.0}}},
      {"that is the threshold itself",
       R"(model M parameter Real p = 0.5, k = 2; Real x(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = 1; der(z) = if x > 0.25 then k else -z; when x > p then reinit(x, 0.5*p); end when; end M;)",
       {"p"},
       {{"k", 2.0}, {"z", 1.0}},
       0.0,
       0.7},
      {"that moves with it",
       R"(model M parameter Real p = 0.5, k = 2; Real x(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = 1; der(z) = if x > 0.5*p then k else -z; when x > p then reinit(x, 0.5*p); end when; end M;)",
       {},
       {{"p", 0.5}, {"k", 2.0}},
       0.0,
       0.7},
      {"on which it stays",
       R"(model M parameter Real p = 0, k = 2; Real x(start = -1, fixed = true), z(start = 1, fixed = true);
equation der(x) = 0; der(z) = if x <= 0 then k else -z; when time > 0.5 then reinit(x, p); end when; end M;)",
       {"p"},
       {{"k", 2.0}, {"x", -1.0}}},
      {"that is left along it",
       R"(model M parameter Real p = 0, k = 2; Real x(start = -1, fixed = true), v(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = v; der(v) = 1; der(z) = if x > 0 then k else -z; when time > 0.5 then reinit(x, 0); reinit(v, p); end when; end M;)",
       {"p"},
       {{"k", 2.0}, {"x", -1.0}, {"v", 0.0}}},
      {"of a whole number",
       R"(model M parameter Real p = 2, k = 3; Real x(start = -0.8, fixed = true), z(start = 1, fixed = true);
equation der(x) = 1; der(z) = k*floor(x); when time > 0.5 then reinit(x, p); end when; end M;)",
       {"p"},
       {{"k", 3.0}, {"z", 1.0}}},
      {"of a clause",
       R"(model M parameter Real p = 0.2; Real x(start = 0, fixed = true), n(start = 0, fixed = true);
equation der(x) = 1; der(n) = 0; when x > 0.2 then reinit(n, pre(n) + time); end when; when x > 0.5 then reinit(x, p); end when; end M;)",
       {"p"},
       {{"n", 0.0}},
       0.0,
       0.6},
      {"whose sides do not matter",
       R"(model M parameter Real p = 0; Real x(start = -1, fixed = true), z(start = 1, fixed = true);
equation der(x) = 1; der(z) = -z + abs(x); when time > 0.5 then reinit(x, p); end when; end M;)",
       {},
       {{"p", 0.0}, {"z", 1.0}}},
      {"backwards in time",
       R"(model M parameter Real p = 0; Real x(start = -1, fixed = true), z(start = 1, fixed = true);
equation der(x) = -1; der(z) = if x > 0 then 2 else -z; when time < 0.5 then reinit(x, p); end when; end M;)",
       {"p"},
       {{"z", 1.0}},
       1.0,
       0.0},
      {"by its own arrival",
       R"(model M parameter Real p = 0; Real x(start = 0.5, fixed = true), z(start = 1, fixed = true);
equation der(x) = if x > 0 then -1 else p; der(z) = if x < 0 then 2 else -z; end M;)",
       {"p"},
       {{"z", 1.0}}},
  });
}

TEST(SurfaceStarts, AfterResetsToEachSide) {
  const Model model = model_of(
      R"(model M parameter Real p = 0; Real x(start = -1, fixed = true), z(start = 1, fixed = true);
equation der(x) = 1; der(z) = if x > 0 then 2 else -z; when time > 0.5 then reinit(x, p); end when; end M;)");
  for (const char* method : kMethods) {
    SimulationOptions options{.stop = 1.0};
    options.method = method;
    for (const auto& [side, sign] : {std::pair(SensitivitySide::plus, 1.0), {SensitivitySide::minus, -1.0}}) {
      expect_near(sensitivities(model, options, "p", side), quotients(model, options, "p", 0.0, sign),
                  std::string(method) + (sign > 0.0 ? " plus" : " minus"));
    }
  }
}

// It leaves at the time of the reset for larger values, later for smaller ones.
TEST(SurfaceStarts, TimesOfEventsThatLeave) {
  const Model model = model_of(
      R"(model M parameter Real p = 0; Real x(start = -1, fixed = true), z(start = 1, fixed = true);
equation der(x) = 1; der(z) = if x > 0 then 2 else -z; when time > 0.5 then reinit(x, p); end when; end M;)");
  const SimulationResult result = run(model, {.stop = 1.0, .sensitivities = {"p", "z"}});
  ASSERT_EQ(result.events.size(), 2U);
  EXPECT_EQ(result.events[0].sensitivities[0], 0.0);
  EXPECT_TRUE(std::isnan(result.events[1].sensitivities[0]));
  EXPECT_EQ(result.events[1].sensitivities[1], 0.0);
}

// What fires at the start does so later, or never, for other values.
TEST(SurfaceStarts, WhereClausesAndTransitionsFire) {
  const std::vector<const char*> texts = {
      R"(model M parameter Real p = 0; Real y(start = 1, fixed = true);
equation der(y) = y; when time > p then reinit(y, 2*pre(y) + 1); end when; end M;)",
      R"(model M parameter Real p = 0; Real x(start = p, fixed = true), y(start = 1, fixed = true);
equation der(x) = 1; der(y) = y; when x > 0 then reinit(y, 2*pre(y)); end when; end M;)",
      R"(model M parameter Real p = 0; Real y(start = 1, fixed = true); discrete Real u(start = 0, fixed = true);
equation der(y) = u; when sample(p, 0.25) then u = y; end when; end M;)",
      R"(model M parameter Real p = 1; Real x(start = p, fixed = true), y(start = 0, fixed = true); equation der(y) = x;
initial mode a equation der(x) = 1; transition to b when x > 1; end a;
mode b equation der(x) = -2*x; transition to a when x < 0.2; end b; end M;)"};
  for (const char* text : texts) {
    const Model model = model_of(text);
    for (const char* method : kMethods) {
      SimulationOptions options{.stop = 0.9};
      options.method = method;
      for (const SensitivitySide side :
           {SensitivitySide::both, SensitivitySide::plus, SensitivitySide::minus}) {
        EXPECT_TRUE(are_undefined(sensitivities(model, options, "p", side))) << text << method;
      }
    }
  }
}

// A mode that is entered and left at once lasts for values to one side.
TEST(SurfaceStarts, OfModesThatAreLeftAtOnce) {
  const std::vector<const char*> texts = {
      R"(model M parameter Real p = 1; Real x(start = 0, fixed = true), y(start = 0, fixed = true); equation der(y) = x;
initial mode a equation der(x) = 1; transition to b when x > 0.5 then reinit(x, p); end transition; end a;
mode b equation der(x) = 1; transition to c when x > 1; end b; mode c equation der(x) = -2*x; end c; end M;)",
      R"(model M parameter Real p = 1; Real x(start = 0, fixed = true), y(start = 0, fixed = true); equation der(y) = x;
initial mode a equation der(x) = 1; transition to b when x > 0.5; end a;
mode b equation der(x) = 1; transition to c when x > 0.5*p; end b; mode c equation der(x) = -2*x; end c; end M;)"};
  for (const char* text : texts) {
    const Model model = model_of(text);
    for (const char* method : kMethods) {
      SimulationOptions options{.stop = 1.0};
      options.method = method;
      for (const SensitivitySide side :
           {SensitivitySide::both, SensitivitySide::plus, SensitivitySide::minus}) {
        EXPECT_TRUE(are_undefined(sensitivities(model, options, "p", side))) << text << method;
      }
      // What does not move the guard goes on.
      expect_near(sensitivities(model, options, "y", SensitivitySide::both),
                  quotients(model, options, "y", 0.0, 1.0), method);
    }
  }
}

// Beside the surface by less than parameters are told apart: on the side that the configuration says, not on the one that it moves to.
TEST(SurfaceStarts, NextToTheSurface) {
  for (const double offset : {4e-16, 1e-14, 1e-12, 1e-10}) {
    const Model model = model_of(
        R"(model M parameter Real p = 1; Real x(start = p, fixed = true), y(start = 0, fixed = true);
equation der(x) = -1; der(y) = if x > 1 then 5 else 1 + y; end M;)");
    for (const char* method : kMethods) {
      SimulationOptions options{.stop = 1.0};
      options.method = method;
      options.set = {{"p", 1.0 + offset}};
      EXPECT_TRUE(std::isnan(sensitivities(model, options, "p", SensitivitySide::both)[1])) << offset;
      EXPECT_NEAR(sensitivities(model, options, "p", SensitivitySide::plus)[1], 4.0 * std::exp(1.0), 1e-6)
          << offset << method;
    }
  }
}

// At first nothing moves x with p; from time 1 on p does, by a higher order than is looked at where the stretch begins.
TEST(SurfaceStarts, ARestThatAParameterEndsLater) {
  const Model model = model_of(
      R"(model M parameter Real p = 0, k = 1; Real x(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = p*time^7; der(z) = if x <= 0 then -k*z else 1; end M;)");
  for (const char* method : kMethods) {
    SimulationOptions options{.stop = 2.0, .sensitivities = {"p", "k"}};
    options.method = method;
    const std::vector<double> s = run(model, options).sensitivities->final_values;
    EXPECT_TRUE(std::isnan(s[2])) << method;
    EXPECT_NEAR(s[3], -2.0 * std::exp(-2.0), 1e-8) << method;
  }
}

// The way back goes through rests that hold for all parameters that are asked for, and says where it does not.
TEST(SurfaceStarts, OnTheWayBack) {
  struct Case {
    const char* text;
    std::vector<std::string> names;
    bool is_defined;
  };
  const std::vector<Case> cases = {
      {R"(model M parameter Real p = 0, k = 2; Real x(start = 0, fixed = true), w(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = w; der(w) = 0; der(z) = if x <= 0 then -k*z else 1; when z < 0.5 then reinit(z, 2*pre(z)); end when; end M;)",
       {"k", "z"},
       true},
      {R"(model M parameter Real p = 0, k = 2; Real x(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = 0; der(z) = if x <= 0 then -k*z else 1; when z < 0.5 then reinit(z, 2*pre(z)); end when; end M;)",
       {"k", "x"},
       false},
      {R"(model M parameter Real p = 0.3, k = 2; Real x(start = 1, fixed = true), z(start = 1, fixed = true);
equation der(x) = 0; der(z) = if x <= 0.3 then -k*z else 1; when z > 1.5 then reinit(x, p); end when; end M;)",
       {"k", "z"},
       true},
      {R"(model M parameter Real p = 0.3, k = 2; Real x(start = 1, fixed = true), z(start = 1, fixed = true);
equation der(x) = 0; der(z) = if x <= 0.3 then -k*z else 1; when z > 1.5 then reinit(x, p); end when; end M;)",
       {"k", "p"},
       false},
      {R"(model M parameter Real p = 0.3, k = 2; Real x(start = 0, fixed = true), z(start = 1, fixed = true);
equation der(x) = k; der(z) = if x <= 0.3 then -k*z else 1; when x > 1 then reinit(x, p); end when; end M;)",
       {"k", "p"},
       false},
      {R"(model M parameter Real e = 0.8, g = 9.81; Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation der(h) = v; der(v) = -g; when h <= 0 then reinit(v, -e*pre(v)); end when; end M;)",
       {"e", "g", "h"},
       true}};
  for (const Case& model : cases) {
    for (const char* method : kMethods) {
      GradientOptions options{.with = model.names, .by = "forward"};
      options.simulation = {.stop = 1.0, .tolerance = 1e-10, .method = method};
      const char* of = std::string(model.text).find("Real h(") != std::string::npos ? "final(h)" : "final(z)";
      const Result<GradientResult> forward = gradient(model_of(model.text), of, options);
      options.by = "adjoint";
      const Result<GradientResult> adjoint = gradient(model_of(model.text), of, options);
      ASSERT_TRUE(forward && adjoint) << model.text;
      bool is_defined = true;
      for (std::size_t k = 0; k < model.names.size(); ++k) {
        const double found = adjoint->gradient[k].derivative;
        is_defined = is_defined && !std::isnan(found);
        if (model.is_defined) {
          EXPECT_NEAR(found, forward->gradient[k].derivative, 1e-7) << model.text << method;
        }
      }
      EXPECT_EQ(is_defined, model.is_defined) << model.text << method;
      const bool is_defined_forward = !std::isnan(forward->gradient.back().derivative);
      EXPECT_EQ(is_defined_forward, model.is_defined) << model.text << method;
    }
  }
}

}  // namespace
}  // namespace saltus::test
