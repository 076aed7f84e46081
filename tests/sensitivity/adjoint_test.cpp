// Adjoint gradients against forward sensitivities: of every problem that has these, with every kind of method.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "problems.hpp"
#include "saltus/saltus.hpp"

namespace saltus::test {
namespace {

constexpr double kTolerance = 1e-11;
// What two ways of solving at that tolerance may differ by, in the size of the sum of what they are made of.
constexpr double kAgreement = 1e-8;
constexpr unsigned kSeed = 17;

std::string number(double value) {
  return std::to_string(value);
}

// Variables of single modes cannot be named outside of these.
bool can_be_named(const Model& model, const std::string& name, const SensitivityProblem& problem) {
  GradientOptions options{.with = {problem.parameters.front()}};
  options.simulation = {.start = problem.start, .stop = problem.start};
  return gradient(model, "final(" + name + ")", options).has_value();
}

// A sum over all Real variables at the end, and at the first instant with events, with weights that cancel nothing.
std::string functional_of(const Model& model, const SensitivityProblem& problem, const SimulationResult& run,
                          std::size_t n_instants, std::mt19937& random) {
  std::uniform_real_distribution<double> weight(0.5, 1.5);
  std::string text = "1";
  const auto add = [&](const std::string& term) { text += " + " + number(weight(random)) + "*" + term; };
  for (std::size_t v = 0; v < run.variables.size(); ++v) {
    if (run.variables[v].type == ValueType::real && std::isfinite(run.final_values[v]) &&
        can_be_named(model, run.variables[v].name, problem)) {
      add("final(" + run.variables[v].name + ")");
    }
  }
  if (n_instants > 0) {
    add("event_time(1)");
    for (const VariableInfo& variable : run.variables) {
      if (variable.type == ValueType::real && can_be_named(model, variable.name, problem)) {
        add("before_event(1, " + variable.name + ")");
        add("at_event(1, " + variable.name + ")");
        break;
      }
    }
  }
  return text;
}

std::size_t count_instants(const SimulationResult& run) {
  std::size_t n = 0;
  for (std::size_t e = 0; e < run.events.size(); ++e) {
    n += e == 0 || run.events[e].time != run.events[e - 1].time ? 1 : 0;
  }
  return n;
}

std::optional<GradientResult> by(const Model& model, const std::string& functional,
                                 const SensitivityProblem& problem, const std::string& method,
                                 const std::string& way, std::size_t tape_numbers = 0) {
  GradientOptions options{.with = problem.parameters, .by = way, .tape_numbers = tape_numbers};
  options.simulation = {.start = problem.start, .stop = problem.stop, .tolerance = kTolerance};
  options.simulation.method = method;
  Result<GradientResult> found = gradient(model, functional, options);
  if (!found) {
    ADD_FAILURE() << problem.name << ' ' << functional << '\n' << render_text(found.error());
    return std::nullopt;
  }
  if (!found->ok()) {
    ADD_FAILURE() << problem.name << ' ' << found->problem;
    return std::nullopt;
  }
  EXPECT_EQ(found->by, way);
  return *std::move(found);
}

void compare(const SensitivityProblem& problem, const std::string& method, std::mt19937& random,
             std::size_t& n_compared) {
  const Result<Model> model = Model::from_text("m.saltus", problem.text);
  ASSERT_TRUE(model) << problem.name;
  SimulationOptions options{.start = problem.start, .stop = problem.stop, .tolerance = kTolerance};
  options.method = method;
  const Result<SimulationResult> run = simulate(*model, options);
  ASSERT_TRUE(run && run->ok()) << problem.name;
  const std::string functional = functional_of(*model, problem, *run, count_instants(*run), random);
  const auto forward = by(*model, functional, problem, method, "forward");
  const auto adjoint = by(*model, functional, problem, method, "adjoint");
  ASSERT_TRUE(forward && adjoint);
  EXPECT_EQ(forward->value, adjoint->value) << problem.name;
  double size = 0.0;
  for (const GradientResult::Derivative& item : forward->gradient) {
    size = std::max(size, std::abs(item.derivative) * std::max(std::abs(item.at), 1.0));
  }
  for (std::size_t k = 0; k < forward->gradient.size(); ++k) {
    const GradientResult::Derivative& right = forward->gradient[k];
    if (std::isnan(right.derivative)) {
      EXPECT_TRUE(std::isnan(adjoint->gradient[k].derivative)) << problem.name << ' ' << method;
      continue;
    }
    ++n_compared;
    const double allowed = kAgreement * std::max(size / std::max(std::abs(right.at), 1.0), 1.0);
    EXPECT_NEAR(adjoint->gradient[k].derivative, right.derivative, allowed)
        << problem.name << ' ' << method << " d/d " << right.name << '\n'
        << render_text(adjoint->diagnostics);
  }
}

class AdjointGradients : public testing::TestWithParam<const char*> {
 protected:
  std::mt19937 random{kSeed};
  std::size_t n_compared = 0;
};

TEST_P(AdjointGradients, OfSmoothProblems) {
  for (const SensitivityProblem& problem : smooth_problems()) {
    compare(problem, GetParam(), random, n_compared);
  }
  EXPECT_GE(n_compared, smooth_problems().size());
}

TEST_P(AdjointGradients, OfSwitchingProblems) {
  for (const SensitivityProblem& problem : switching_problems()) {
    compare(problem, GetParam(), random, n_compared);
  }
  EXPECT_GE(n_compared, switching_problems().size());
}

TEST_P(AdjointGradients, OfStructuralProblems) {
  for (const SensitivityProblem& problem : structural_problems()) {
    compare(problem, GetParam(), random, n_compared);
  }
  EXPECT_GE(n_compared, structural_problems().size());
}

// A tape of some hundred numbers is one of a few steps: all pieces but the last are recorded again, from inside of stretches and across instants.
TEST_P(AdjointGradients, AreTheSameInPieces) {
  std::size_t most_pieces = 0;
  for (const auto& problems : {smooth_problems(), switching_problems(), structural_problems()}) {
    for (const SensitivityProblem& problem : problems) {
      const Result<Model> model = Model::from_text("m.saltus", problem.text);
      ASSERT_TRUE(model) << problem.name;
      SimulationOptions options{.start = problem.start, .stop = problem.stop, .tolerance = kTolerance};
      options.method = GetParam();
      const Result<SimulationResult> run = simulate(*model, options);
      ASSERT_TRUE(run && run->ok()) << problem.name;
      const std::string functional = functional_of(*model, problem, *run, 0, random);
      const auto whole = by(*model, functional, problem, GetParam(), "adjoint");
      const auto pieces = by(*model, functional, problem, GetParam(), "adjoint", 100);
      ASSERT_TRUE(whole && pieces);
      EXPECT_EQ(whole->tape_pieces, 1U);
      most_pieces = std::max(most_pieces, pieces->tape_pieces);
      for (std::size_t k = 0; k < whole->gradient.size(); ++k) {
        const double right = whole->gradient[k].derivative;
        EXPECT_NEAR(pieces->gradient[k].derivative, right, 0.1 * kAgreement * std::max(1.0, std::abs(right)))
            << problem.name << ' ' << GetParam() << " d/d " << whole->gradient[k].name << " in "
            << pieces->tape_pieces << " pieces\n"
            << render_text(pieces->diagnostics);
      }
    }
  }
  EXPECT_GT(most_pieces, 10U);
}

INSTANTIATE_TEST_SUITE_P(Methods, AdjointGradients, testing::Values("auto", "dopri5", "radau5", "bdf"),
                         [](const auto& method) { return std::string(method.param); });

// The run stands still and takes long steps; what a start value would do oscillates.
TEST(AdjointClosedForms, HaveAnErrorControlOfTheirOwn) {
  const Result<Model> model = Model::from_text(
      "m.mo",
      "model M parameter Real w = 20; Real x(start = 0, fixed = true), v(start = 0, fixed = true);\n"
      "equation der(x) = v; der(v) = -w^2*x; end M;");
  ASSERT_TRUE(model);
  for (const char* method : {"dopri5", "radau5", "bdf"}) {
    GradientOptions options{.with = {"x", "v", "w"}, .by = "adjoint"};
    options.simulation = {.stop = 2.0, .tolerance = 1e-8, .method = method};
    const Result<GradientResult> found = gradient(*model, "final(x)", options);
    ASSERT_TRUE(found && found->ok());
    EXPECT_NEAR(found->derivative("x"), std::cos(40.0), 1e-5) << method;
    EXPECT_NEAR(found->derivative("v"), std::sin(40.0) / 20.0, 1e-6) << method;
    EXPECT_NEAR(found->derivative("w"), 0.0, 1e-12) << method;
  }
}

// A falling ball on a floor, and the time of its third impact: t₃ = √(2h/g)·(1 + 2e + 2e²).
TEST(AdjointClosedForms, ABallBounces) {
  const Result<Model> model = Model::from_text(
      "m.mo",
      "model M parameter Real g = 9.81, e = 0.7, h0 = 2; Real h(start = h0, fixed = true), v(start = 0, "
      "fixed = "
      "true);\nequation der(h) = v; der(v) = -g; when h < 0 then reinit(v, -e*pre(v)); end when; end M;");
  ASSERT_TRUE(model);
  GradientOptions options{.with = {"g", "e", "h0"}, .by = "adjoint"};
  options.simulation = {.stop = 2.5, .tolerance = 1e-10};
  const Result<GradientResult> found = gradient(*model, "event_time(3)", options);
  ASSERT_TRUE(found && found->ok());
  const double fall = std::sqrt(2.0 * 2.0 / 9.81);
  const double factor = 1.0 + 2.0 * 0.7 + 2.0 * 0.49;
  EXPECT_NEAR(found->value, fall * factor, 1e-9);
  EXPECT_NEAR(found->derivative("e"), fall * (2.0 + 4.0 * 0.7), 1e-8);
  EXPECT_NEAR(found->derivative("h0"), 0.5 * fall * factor / 2.0, 1e-8);
  EXPECT_NEAR(found->derivative("g"), -0.5 * fall * factor / 9.81, 1e-8);
}

// The first structure in which an instant is done again has other states than the run began with.
TEST(AdjointClosedForms, InstantsBetweenStructuresOfOtherStates) {
  const Result<Model> model = Model::from_text(
      "m.mo",
      "model M parameter Real C = 1e-3, R = 100, V = 10, w = 50; Real v(start = 0, fixed = true), vd, i;\n"
      "equation V*sin(w*time) = vd + v; C*der(v) = i - v/R; 0 = min(i, -vd); end M;");
  ASSERT_TRUE(model);
  for (const char* method : {"dopri5", "radau5", "sdirk4", "bdf"}) {
    GradientOptions options{.with = {"C", "R", "V", "w"}, .by = "adjoint"};
    options.simulation = {.stop = 0.5, .tolerance = 1e-9, .method = method};
    const Result<GradientResult> adjoint = gradient(*model, "final(v)", options);
    ASSERT_TRUE(adjoint) << render_text(adjoint.error());
    options.by = "forward";
    const Result<GradientResult> forward = gradient(*model, "final(v)", options);
    ASSERT_TRUE(forward && forward->ok());
    for (const std::string& name : options.with) {
      const double right = forward->derivative(name);
      EXPECT_NEAR(adjoint->derivative(name), right, 1e-5 * std::max(1.0, std::abs(right)))
          << method << ' ' << name;
    }
  }
}

// One way back needs derivatives in all directions: where it has none, forward sensitivities are taken unless adjoint was asked for.
TEST(AdjointClosedForms, WhatIsUndefinedIsSaid) {
  const Result<Model> model = Model::from_text(
      "m.mo",
      "model M parameter Real a = 1; Real x(start = 0, fixed = true), y(start = 0, fixed = true);\n"
      "equation der(x) = 1; der(y) = if x > 1 then a else (if time > 1 then 3*a else 0); end M;");
  ASSERT_TRUE(model);
  GradientOptions options{.with = {"a"}, .by = "adjoint"};
  options.simulation = {.stop = 2.0};
  const Result<GradientResult> adjoint = gradient(*model, "final(y)", options);
  ASSERT_TRUE(adjoint && adjoint->ok());
  EXPECT_TRUE(std::isnan(adjoint->derivative("a")));
  EXPECT_NE(render_text(adjoint->diagnostics).find("by adjoint there is no gradient"), std::string::npos);
  options.by = "forward";
  const Result<GradientResult> forward = gradient(*model, "final(y)", options);
  ASSERT_TRUE(forward && forward->ok());
  EXPECT_NEAR(forward->derivative("a"), 1.0, 1e-6);
}

}  // namespace
}  // namespace saltus::test
