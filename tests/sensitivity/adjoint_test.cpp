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

}  // namespace
}  // namespace saltus::test
