// Gradients of functionals against differences of their values, and against closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>

#include "functional_problems.hpp"
#include "saltus/saltus.hpp"

namespace saltus::test {
namespace {

constexpr double kOracleTolerance = 1e-12;
constexpr double kWidth = 1e-3;

std::optional<GradientResult> find(const char* text, const std::string& functional,
                                   const GradientOptions& options) {
  const Result<Model> model = Model::from_text("m.saltus", text);
  if (!model) {
    ADD_FAILURE() << render_text(model.error());
    return std::nullopt;
  }
  Result<GradientResult> result = gradient(*model, functional, options);
  if (!result) {
    ADD_FAILURE() << functional << '\n' << render_text(result.error());
    return std::nullopt;
  }
  return *std::move(result);
}

// Of fourth order.
double difference(const FunctionalProblem& problem, const std::string& name, double value) {
  const double h = kWidth * std::max(std::abs(value), 1.0);
  constexpr std::array<double, 4> offsets{-2.0, -1.0, 1.0, 2.0};
  constexpr std::array<double, 4> weights{1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
  double sum = 0.0;
  for (std::size_t s = 0; s < offsets.size(); ++s) {
    GradientOptions options{.with = {name}};
    options.simulation = {.stop = problem.stop, .tolerance = kOracleTolerance};
    options.simulation.set.push_back({name, value + offsets[s] * h});
    const auto beside = find(problem.text, problem.functional, options);
    if (!beside || !beside->ok()) {
      ADD_FAILURE() << problem.name << ": " << (beside ? beside->problem : "");
      return std::nan("");
    }
    sum += weights[s] / h * beside->value;
  }
  return sum;
}

class Gradients : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Gradients, AreThoseOfDifferences) {
  for (const FunctionalProblem& problem : functional_problems()) {
    GradientOptions options{.with = problem.with, .by = std::get<1>(GetParam())};
    options.simulation = {.stop = problem.stop, .tolerance = 1e-9};
    options.simulation.method = std::get<0>(GetParam());
    const auto found = find(problem.text, problem.functional, options);
    ASSERT_TRUE(found) << problem.name;
    ASSERT_TRUE(found->ok()) << problem.name << ": " << found->problem;
    ASSERT_EQ(found->gradient.size(), problem.with.size());
    for (const GradientResult::Derivative& item : found->gradient) {
      const double right = difference(problem, item.name, item.at);
      EXPECT_NEAR(item.derivative, right, 2e-6 * std::max(1.0, std::abs(right)))
          << problem.name << " d/d " << item.name << render_text(found->diagnostics);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Gradients,
                         testing::Combine(testing::Values("auto", "radau5"),
                                          testing::Values("forward", "adjoint")),
                         [](const auto& way) {
                           return std::string(std::get<0>(way.param)) + '_' + std::get<1>(way.param);
                         });

constexpr const char* kFall = R"(
model Fall
  parameter Real g = 10; parameter Real e = 0.5;
  Real h(start = 5, fixed = true); Real v(start = 0, fixed = true);
equation
  der(h) = v; der(v) = -g;
  when h <= 0 then
    reinit(v, -e*pre(v));
  end when;
end Fall;)";

// From h₀ = 5 with g = 10: it falls for t₁ = √(2h₀/g) = 1, hits the ground with -g·t₁, flies for 2e·t₁.
TEST(GradientClosedForms, BouncingBall) {
  GradientOptions options{.with = {"g", "e", "h"}};
  options.simulation = {.stop = 2.5, .tolerance = 1e-10};
  const auto time = find(kFall, "event_time(2)", options);
  ASSERT_TRUE(time && time->ok());
  EXPECT_NEAR(time->value, 2.0, 1e-9);
  EXPECT_NEAR(time->derivative("g"), -0.1, 1e-8);  // (1 + 2e)·√(2h₀/g)
  EXPECT_NEAR(time->derivative("e"), 2.0, 1e-8);
  EXPECT_NEAR(time->derivative("h"), 0.2, 1e-8);
  const auto before = find(kFall, "before_event(2, v)", options);
  ASSERT_TRUE(before && before->ok());
  EXPECT_NEAR(before->value, -5.0, 1e-8);  // -e·√(2·g·h₀)
  EXPECT_NEAR(before->derivative("g"), -0.25, 1e-8);
  EXPECT_NEAR(before->derivative("e"), -10.0, 1e-8);
  EXPECT_NEAR(before->derivative("h"), -0.5, 1e-8);
  const auto after = find(kFall, "at_event(2, v)", options);
  ASSERT_TRUE(after && after->ok());
  EXPECT_NEAR(after->value, 2.5, 1e-8);  // e²·√(2·g·h₀)
  EXPECT_NEAR(after->derivative("e"), 10.0, 1e-8);
  EXPECT_NEAR(after->derivative("h"), 0.25, 1e-8);
  const auto height = find(kFall, "at_event(1, h) + before_event(2, h)", options);
  ASSERT_TRUE(height && height->ok());
  for (const GradientResult::Derivative& item : height->gradient) {
    EXPECT_NEAR(item.derivative, 0.0, 1e-8) << item.name;  // h(t*(p)) = 0 whatever p
  }
}

TEST(GradientClosedForms, EventExactlyAtTheStopHasNoDerivative) {
  GradientOptions options{.with = {"g", "e"}};
  options.simulation = {.stop = 1.0, .tolerance = 1e-10};
  const auto found = find(kFall, "final(v)", options);
  ASSERT_TRUE(found && found->ok());
  ASSERT_EQ(found->statistics.events, 1);
  EXPECT_TRUE(std::isnan(found->derivative("g"))) << found->derivative("g");
  EXPECT_NE(render_text(found->diagnostics).find("gradient-undefined"), std::string::npos);
}

TEST(GradientClosedForms, OfParametersThatDependOnOthers) {
  const char* const text = R"(
model M
  parameter Real a = 3; parameter Real b = a^2;
  Real x(start = b, fixed = true);
equation
  der(x) = 0;
end M;)";
  const auto found = find(text, "b*final(x)", {.with = {"a"}});
  ASSERT_TRUE(found && found->ok());
  EXPECT_NEAR(found->value, 81.0, 1e-9);
  EXPECT_NEAR(found->derivative("a"), 4.0 * 27.0, 1e-7);  // a⁴
}

TEST(Gradients, StartsDoNotNameWhatFunctionalsAdd) {
  const auto found = find(kFall, "integral(h)", {.with = {"starts"}, .simulation = {.stop = 0.5}});
  ASSERT_TRUE(found && found->ok());
  ASSERT_EQ(found->gradient.size(), 2U);
  EXPECT_NEAR(found->derivative("h"), 0.5, 1e-6);
  EXPECT_NEAR(found->derivative("v"), 0.125, 1e-6);
}

TEST(Gradients, ConditionsOfTheFunctionalCount) {
  // ∫ (h > 3.75) dt = time until h = 3.75 = √(2·1.25/g): 0.5, with respect to g: -0.025.
  const auto found = find(kFall, "integral(if h > 3.75 then 1 else 0)",
                          {.with = {"g"}, .simulation = {.stop = 0.9, .tolerance = 1e-9}});
  ASSERT_TRUE(found && found->ok());
  EXPECT_NEAR(found->value, 0.5, 1e-7);
  EXPECT_NEAR(found->derivative("g"), -0.025, 1e-7);
}

TEST(Gradients, ThereIsNoValueBeyondTheEvents) {
  const auto found = find(kFall, "at_event(3, v)", {.with = {"g"}, .simulation = {.stop = 2.2}});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->ok());
  EXPECT_EQ(found->problem, "'at_event(3, v)': the run has 2 instants with events");
  EXPECT_TRUE(std::isnan(found->value));
  EXPECT_NE(render_json(*found).find("\"value\": null"), std::string::npos);
}

TEST(Gradients, AreUndefinedAtAKinkOfTheFunctional) {
  const auto found = find(kFall, "max(final(g), g)", {.with = {"g"}, .simulation = {.stop = 0.5}});
  ASSERT_TRUE(found && found->ok());
  EXPECT_TRUE(std::isnan(found->derivative("g")));
}

struct Wrong {
  const char* functional;
  const char* part;  // of what is said
};

TEST(Gradients, WrongFunctionalsAreRefused) {
  const Wrong cases[] = {
      {"final(hh)", "unknown-name"},
      {"final(h", "--of:1:"},
      {"final(final(h))", "'final' within 'final'"},
      {"h + 1", "changes during the run"},
      {"final(h); Real y = 2", "one expression"},
      {"time*final(h)", "changes during the run"},
      {"at_event(0, h)", "1 or more"},
      {"at_event(k, h)", "1 or more"},
      {"at_event(h)", "at_event(k, e)"},
      {"event_time(1, h)", "event_time(k)"},
      {"Final(h)", "Final"},
      {"final({h, v})", "shape"},
      {"at_event(1, if h > 2 then 1 else 0)", "counts events"},
      {"", "--of"},
      {"final(h > 1)", "type"},
      {"{1, 2, 3}[integer(final(h))]", ""},
  };
  const Result<Model> model = Model::from_text("m.mo", kFall);
  ASSERT_TRUE(model);
  for (const Wrong& wrong : cases) {
    const Result<GradientResult> result = gradient(*model, wrong.functional, {.with = {"g"}});
    ASSERT_FALSE(result) << wrong.functional;
    EXPECT_NE(render_text(result.error()).find(wrong.part), std::string::npos) << wrong.functional << '\n'
                                                                               << render_text(result.error());
  }
  EXPECT_FALSE(gradient(*model, "final(h)", {}));
  EXPECT_FALSE(gradient(*model, "final(h)", {.with = {"gg"}}));
  EXPECT_FALSE(gradient(*model, "final(h)", {.with = {"g"}, .by = "reverse"}));
}

// Sizes are those of the run: x[4] is not there with the sizes of the text.
TEST(GradientsOfArrays, WhoseSizeIsSet) {
  constexpr const char* kChain =
      R"(model M parameter Integer n = 2; parameter Real k = 0.5;
Real x[n](each start = 1, each fixed = true); equation for i in 1:n loop der(x[i]) = -k*i*x[i]; end for; end M;)";
  const Result<Model> model = Model::from_text("m.saltus", kChain);
  ASSERT_TRUE(model) << render_text(model.error());
  GradientOptions options{.with = {"k"}};
  options.simulation = {.stop = 1.0, .tolerance = 1e-10};
  EXPECT_FALSE(gradient(*model, "final(x[4])", options));
  options.simulation.set = {{"n", 4.0}};
  const Result<GradientResult> result = gradient(*model, "final(x[4]) + final(sum(x))", options);
  ASSERT_TRUE(result) << render_text(result.error());
  double sum = 0.0;
  double slope = 0.0;
  for (int i = 1; i <= 4; ++i) {
    sum += std::exp(-0.5 * i);
    slope -= i * std::exp(-0.5 * i);
  }
  EXPECT_NEAR(result->value, std::exp(-2.0) + sum, 1e-8);
  EXPECT_NEAR(result->derivative("k"), -4.0 * std::exp(-2.0) + slope, 1e-7);
}

}  // namespace
}  // namespace saltus::test
