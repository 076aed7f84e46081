// Whole fits: what is found, how sure it is, and how fits end.
#include "saltus/fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "seeded_data.hpp"

namespace saltus {
namespace {

using test::ball_height;
using test::kBallText;
using test::kDecayText;
using test::noisy;
using test::times_to;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Model model_of(const std::string& text) {
  return Model::from_text("m.mo", text).value();
}

void expect_within(const FitResult& result, const std::string& name, double truth, double errors = 4.0) {
  const FittedParameter& parameter = result.parameter(name);
  EXPECT_GT(parameter.standard_error, 0.0) << name;
  EXPECT_LE(std::abs(parameter.value - truth), errors * parameter.standard_error)
      << name << " = " << parameter.value << " ± " << parameter.standard_error;
}

TEST(Fit, FindsTheRateAndTheStartOfADecay) {
  const Model model = model_of(kDecayText);
  const FitData data =
      noisy("x", times_to(4.0, 50), 0.02, 1, [](double t) { return 2.0 * std::exp(-0.7 * t); });
  const FitResult result = fit(model, {data}, {.parameters = {{"k"}, {"x"}}, .sigma = {{"x", 0.02}}}).value();
  EXPECT_EQ(result.status, FitStatus::converged) << result.message;
  EXPECT_TRUE(result.is_variance_known);
  expect_within(result, "k", 0.7);
  expect_within(result, "x", 2.0);
  EXPECT_NEAR(result.cost, 25.0, 15.0);  // half of a χ² of 48 degrees
  EXPECT_EQ(result.rows.size(), 50U);
  EXPECT_NEAR(result.rows[7].residual, (result.rows[7].model - result.rows[7].data) / 0.02, 1e-9);
  EXPECT_EQ(result.statistics.difference_columns, 0);
  EXPECT_LE(result.statistics.runs, 20);
  EXPECT_EQ(result.parameter("k").guess, 1.0);
}

// Standard errors in closed form: x = a·exp(-k·t), J by hand.
TEST(Fit, StandardErrorsAreThoseOfTheExactJacobian) {
  const Model model = model_of(kDecayText);
  const std::vector<double> times = times_to(4.0, 30);
  const FitData data = noisy("x", times, 0.05, 2, [](double t) { return 2.0 * std::exp(-0.7 * t); });
  const FitResult result =
      fit(model, {data},
          {.parameters = {{"k"}, {"x"}}, .sigma = {{"x", 0.05}}, .simulation = {.tolerance = 1e-10}})
          .value();
  ASSERT_EQ(result.status, FitStatus::converged);
  const double k = result.parameter("k").value;
  const double a = result.parameter("x").value;
  double kk = 0.0;
  double ka = 0.0;
  double aa = 0.0;
  for (const double t : times) {
    const double e = std::exp(-k * t) / 0.05;
    kk += a * t * e * a * t * e;
    ka += -a * t * e * e;
    aa += e * e;
  }
  const double determinant = kk * aa - ka * ka;
  EXPECT_NEAR(result.parameter("k").standard_error, std::sqrt(aa / determinant), 1e-7);
  EXPECT_NEAR(result.parameter("x").standard_error, std::sqrt(kk / determinant), 1e-7);
  EXPECT_NEAR(result.correlation[1], -ka / std::sqrt(kk * aa), 1e-6);
  EXPECT_NEAR(result.parameter("k").high - k, 1.959963984540054 * result.parameter("k").standard_error, 1e-9);
}

TEST(Fit, GoesThroughTheBouncesOfABall) {
  const Model model = model_of(kBallText);
  const FitData data =
      noisy("h", times_to(2.5, 80), 0.01, 3, [](double t) { return ball_height(t, 0.8, 9.81, 1.0); });
  const FitResult result = fit(model, {data}, {.parameters = {{"e"}, {"g"}}}).value();
  EXPECT_EQ(result.status, FitStatus::converged) << result.message;
  EXPECT_FALSE(result.is_variance_known);
  EXPECT_NEAR(std::sqrt(result.variance), 0.01, 0.003);
  expect_within(result, "e", 0.8);
  expect_within(result, "g", 9.81);
  EXPECT_LT(result.parameter("e").standard_error, 0.01);
  EXPECT_EQ(result.statistics.difference_columns, 0);
}

struct Coverage {
  int e = 0;
  int g = 0;
  int kinks = 0;
};

// How many intervals of 95 % hold the truth, of fits of a ball to 30 heights through three bounces.
Coverage coverage_of(unsigned n) {
  const Model model = model_of(kBallText);
  Coverage coverage;
  for (unsigned seed = 1; seed <= n; ++seed) {
    const FitData data = noisy("h", times_to(1.5, 30), 0.02, 1000U + seed,
                               [](double t) { return ball_height(t, 0.8, 9.81, 1.0); });
    const FitResult result = fit(model, {data}, {.parameters = {{"e"}, {"g"}}}).value();
    EXPECT_EQ(result.status, FitStatus::converged) << seed << ": " << result.message;
    const FittedParameter& e = result.parameter("e");
    const FittedParameter& g = result.parameter("g");
    coverage.e += e.low <= 0.8 && 0.8 <= e.high ? 1 : 0;
    coverage.g += g.low <= 9.81 && 9.81 <= g.high ? 1 : 0;
    coverage.kinks += render_text(result.diagnostics).find("[fit-kink]") != std::string::npos ? 1 : 0;
  }
  std::printf("of %u intervals: e %d, g %d; %d fits end at a kink\n", n, coverage.e, coverage.g,
              coverage.kinks);
  return coverage;
}

// The table of docs/math/fitting.md. Of 1000 intervals of 95 %, 950 hold the truth, with a deviation of 7.
TEST(Fit, IntervalsHoldTheTruthAsOftenAsTheySay) {
  const Coverage coverage = coverage_of(1000);
  EXPECT_NEAR(coverage.e, 950, 25);
  EXPECT_NEAR(coverage.g, 950, 25);
  EXPECT_GT(coverage.kinks, 0);  // data below the ground at a bounce
}

// A body on a spring with dry friction, shaken: it sticks and slips.
constexpr const char* kFriction = R"(model Friction
  parameter Real mu = 0.35, k = 1.7;
  Real x(start = 0, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = sin(time) - k*x - mu*sign(v);
end Friction;
)";

TEST(Fit, GoesThroughStickingAndSlipping) {
  const Model model = model_of(kFriction);
  const std::vector<double> times = times_to(15.0, 120);
  const SimulationResult truth =
      simulate(model, {.stop = 15.0, .tolerance = 1e-10, .set = {{"mu", 0.4}, {"k", 2.0}}}).value();
  ASSERT_GT(truth.events.size(), 5U);
  const FitData data = noisy("x", times, 0.005, 4, [&](double t) { return truth.trajectory.at(t, "x"); });
  const FitResult result =
      fit(model, {data}, {.parameters = {{"mu"}, {"k"}}, .sigma = {{"x", 0.005}}}).value();
  EXPECT_EQ(result.status, FitStatus::converged) << result.message;
  expect_within(result, "mu", 0.4);
  expect_within(result, "k", 2.0);
  EXPECT_EQ(result.statistics.difference_columns, 0);
}

TEST(Fit, PerfectDataGiveTheTruthToTheToleranceOfRuns) {
  const Model model = model_of(kBallText);
  const FitData data =
      noisy("h", times_to(2.0, 40), 0.0, 5, [](double t) { return ball_height(t, 0.8, 9.81, 1.0); });
  const FitResult result = fit(model, {data}, {.parameters = {{"e"}, {"g"}}}).value();
  EXPECT_EQ(result.status, FitStatus::converged) << result.message;
  EXPECT_NEAR(result.parameter("e").value, 0.8, 1e-5);
  EXPECT_NEAR(result.parameter("g").value, 9.81, 1e-4);
  EXPECT_THAT(render_text(result.diagnostics), HasSubstr("[fit-accuracy]"));
}

// Two drops of one ball, with other columns and gaps.
TEST(Fit, TakesSeveralExperimentsAndMissingValues) {
  const Model model = model_of(kBallText);
  const auto height = [](double t) { return ball_height(t, 0.8, 9.81, 1.0); };
  FitData first = noisy("h", times_to(2.0, 40), 0.01, 6, height);
  const FitData second = noisy("h", times_to(1.0, 10), 0.01, 7, height);
  first.columns[0].values[3] = std::nan("");
  first.columns.push_back({"v", std::vector<double>(40, std::nan(""))});
  first.columns[1].values[0] = -9.81 * 0.05;
  const FitResult result = fit(model, {first, second}, {.parameters = {{"e"}, {"g"}}}).value();
  EXPECT_EQ(result.status, FitStatus::converged) << result.message;
  EXPECT_EQ(result.rows.size(), 50U);
  EXPECT_EQ(result.degrees_of_freedom, 48);
  EXPECT_THAT(result.columns, ElementsAre("h", "v"));
  EXPECT_EQ(result.rows.back().experiment, 1U);
  expect_within(result, "e", 0.8);
}

// At the time of an event the value after it counts.
TEST(Fit, DataAtAnEventAreThoseAfterIt) {
  const Model model = model_of(R"(model Jump
  parameter Real a = 1;
  Real x(start = 0, fixed = true);
equation
  der(x) = 0;
  when time >= 1 then
    reinit(x, a);
  end when;
end Jump;
)");
  const FitData data{.source = "d", .times = {0.5, 1.0}, .columns = {{"x", {0.0, 3.0}}}};
  const FitResult result = fit(model, {data}, {.parameters = {{"a"}}}).value();
  EXPECT_EQ(result.status, FitStatus::converged) << result.message;
  EXPECT_NEAR(result.parameter("a").value, 3.0, 1e-6);
}

TEST(Fit, NamesACombinationThatTheDataDoNotSee) {
  const Model model = model_of(R"(model Product
  parameter Real a = 2, b = 0.5, c = 1, unused = 7;
  Real x(start = 1, fixed = true);
equation
  der(x) = -a*b*x + c;
  when x < 0.9 then
    reinit(x, 1.2);
  end when;
end Product;
)");
  const FitData data = noisy("x", times_to(3.0, 40), 0.0, 8, [](double t) { return 1.0 + 0.1 * t; });
  const FitResult result =
      fit(model, {data}, {.parameters = {{"a"}, {"c"}, {"b"}, {"unused"}}, .sigma = {{"x", 0.1}}}).value();
  EXPECT_EQ(result.status, FitStatus::unidentifiable) << result.message;
  EXPECT_FALSE(result.ok());
  ASSERT_EQ(result.unidentifiable.size(), 2U);
  EXPECT_THAT(result.unidentifiable[0].names, ElementsAre("unused"));
  EXPECT_THAT(result.unidentifiable[0].text, HasSubstr("the data do not depend on 'unused'"));
  const UnseenCombination& pair = result.unidentifiable[1];
  EXPECT_THAT(pair.names, ElementsAre("a", "b"));
  EXPECT_NEAR(pair.relative[0], -pair.relative[1], 1e-4);
  EXPECT_NEAR(std::abs(pair.relative[0]), 1.0, 1e-4);
  EXPECT_LT(pair.singular_value, 1e-6);
  EXPECT_TRUE(std::isnan(result.parameter("a").standard_error));
  EXPECT_GT(result.parameter("c").standard_error, 0.0);
}

// What only rounding sees is not seen: without it a step along it would lead to infinity.
TEST(Fit, RoundingIsNoSensitivity) {
  const Model model = model_of(R"(model Rounding
  parameter Real a = 1, k = 1;
  Real x(start = 1, fixed = true);
equation
  der(x) = -k*x + 1e-20*a;
end Rounding;
)");
  const FitData data = noisy("x", times_to(4.0, 50), 0.02, 13, [](double t) { return std::exp(-0.7 * t); });
  const FitResult result = fit(model, {data}, {.parameters = {{"a"}, {"k"}}, .sigma = {{"x", 0.02}}}).value();
  EXPECT_EQ(result.status, FitStatus::unidentifiable) << result.message;
  ASSERT_EQ(result.unidentifiable.size(), 1U);
  EXPECT_THAT(result.unidentifiable[0].names, ElementsAre("a"));
  EXPECT_NEAR(result.parameter("a").value, 1.0, 1e-12);
  expect_within(result, "k", 0.7);
}

TEST(Fit, StaysWithinItsBounds) {
  const Model model = model_of(kDecayText);
  const FitData data = noisy("x", times_to(4.0, 50), 0.02, 9, [](double t) { return std::exp(-0.7 * t); });
  const FitResult result = fit(model, {data}, {.parameters = {{"k", 0.3, 0.1, 0.5}, {"x"}}}).value();
  EXPECT_EQ(result.status, FitStatus::converged) << result.message;
  EXPECT_EQ(result.parameter("k").value, 0.5);
  EXPECT_TRUE(result.parameter("k").at_bound);
  EXPECT_TRUE(std::isnan(result.parameter("k").standard_error));
  EXPECT_GT(result.parameter("x").standard_error, 0.0);
}

TEST(Fit, TrialsThatCannotBeRunShortenTheStep) {
  // The root has no value below zero, where the first steps would lead.
  const Model model = model_of(R"(model Root
  parameter Real a = 4;
  Real x(start = 0, fixed = true);
equation
  der(x) = log(sqrt(a)) + 2;
end Root;
)");
  const FitData data{.source = "d", .times = {0.5, 1.0}, .columns = {{"x", {0.0, 0.0}}}};
  const FitResult result = fit(model, {data}, {.parameters = {{"a"}}, .sigma = {{"x", 0.1}}}).value();
  EXPECT_EQ(result.status, FitStatus::converged) << result.message;
  EXPECT_NEAR(result.parameter("a").value, std::exp(-4.0), 1e-5);
  EXPECT_GT(result.statistics.failed_runs, 0);
}

TEST(Fit, AGuessThatCannotBeRunIsAFailureWithItsReason) {
  const Model model = model_of(R"(model Ends
  parameter Real last = 1;
  Real x(start = 0, fixed = true);
equation
  der(x) = sqrt(last - time);
end Ends;
)");
  const FitData data{.source = "d", .times = {2.0}, .columns = {{"x", {1.0}}}};
  const FitResult result = fit(model, {data}, {.parameters = {{"last"}}}).value();
  EXPECT_EQ(result.status, FitStatus::failed);
  EXPECT_THAT(result.message, HasSubstr("sqrt"));
  EXPECT_TRUE(result.rows.empty());
  EXPECT_EQ(result.parameter("last").value, 1.0);
}

TEST(Fit, ARunThatTerminatesBeforeTheDataIsAFailure) {
  const Model model = model_of(R"(model Stops
  parameter Real a = 1;
  Real x(start = 0, fixed = true);
equation
  der(x) = a;
  when x > 1 then
    terminate("far enough");
  end when;
end Stops;
)");
  const FitData data{.source = "d", .times = {0.5, 2.0}, .columns = {{"x", {0.5, 1.0}}}};
  const FitResult result = fit(model, {data}, {.parameters = {{"a"}}}).value();
  EXPECT_EQ(result.status, FitStatus::failed);
  EXPECT_THAT(result.message, HasSubstr("there are data at time 2"));
}

// sin(w·t) has many minima in w: from one start a wrong one, from several the right one, whatever the number of threads.
TEST(Fit, SeveralStartsFindWhatOneMisses) {
  const Model model = model_of(R"(model Swing
  parameter Real w = 9;
  Real x(start = 0, fixed = true), y(start = 1, fixed = true);
equation
  der(x) = w*y;
  der(y) = -w*x;
end Swing;
)");
  const FitData data = noisy("x", times_to(3.0, 30), 0.05, 10, [](double t) { return std::sin(3.0 * t); });
  FitOptions options{.parameters = {{"w", 9.0, 0.5, 10.0}}, .sigma = {{"x", 0.05}}};
  const FitResult one = fit(model, {data}, options).value();
  EXPECT_GT(one.cost, 500.0);
  EXPECT_THAT(render_text(one.diagnostics), HasSubstr("[fit-misfit]"));
  options.starts = 12;
  options.threads = 1;
  const FitResult several = fit(model, {data}, options).value();
  expect_within(several, "w", 3.0);
  EXPECT_TRUE(several.diagnostics.empty()) << render_text(several.diagnostics);
  EXPECT_EQ(several.starts.size(), 12U);
  EXPECT_EQ(several.starts[0].from, std::vector<double>{9.0});
  options.threads = 3;
  const FitResult parallel = fit(model, {data}, options).value();
  EXPECT_EQ(parallel.parameter("w").value, several.parameter("w").value);
  EXPECT_EQ(parallel.statistics.runs, several.statistics.runs);
  options.seed = 2;
  EXPECT_NE(fit(model, {data}, options).value().starts[1].from, several.starts[1].from);
}

TEST(Fit, LossesHoldOutliersDown) {
  const Model model = model_of(kDecayText);
  FitData data = noisy("x", times_to(4.0, 50), 0.02, 11, [](double t) { return std::exp(-0.7 * t); });
  data.columns[0].values[20] += 1.0;
  data.columns[0].values[35] += 2.0;
  FitOptions options{.parameters = {{"k"}, {"x"}}, .sigma = {{"x", 0.02}}};
  const double plain = std::abs(fit(model, {data}, options).value().parameter("k").value - 0.7);
  for (const Loss loss : {Loss::huber, Loss::cauchy}) {
    options.loss = loss;
    const FitResult result = fit(model, {data}, options).value();
    EXPECT_EQ(result.status, FitStatus::converged) << result.message;
    expect_within(result, "k", 0.7);
    EXPECT_LT(std::abs(result.parameter("k").value - 0.7), 0.2 * plain);
    EXPECT_FALSE(result.is_variance_known);
  }
}

TEST(Fit, EndsAtLimits) {
  const Model model = model_of(kBallText);
  const FitData data =
      noisy("h", times_to(2.0, 40), 0.01, 12, [](double t) { return ball_height(t, 0.8, 9.81, 1.0); });
  FitOptions options{.parameters = {{"e"}, {"g"}}};
  options.max_iterations = 1;
  const FitResult limited = fit(model, {data}, options).value();
  EXPECT_EQ(limited.status, FitStatus::limit);
  EXPECT_THAT(limited.message, HasSubstr("within 1 iterations"));
  const std::atomic<bool> asked = true;
  options.simulation.stop_requested = &asked;
  const FitResult stopped = fit(model, {data}, options).value();
  EXPECT_EQ(stopped.status, FitStatus::failed);
}

}  // namespace
}  // namespace saltus
