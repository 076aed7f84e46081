// What ends work from outside, and by want of memory, is a value: an error with the word for it, or a result that keeps what was
// computed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>

#include "saltus/analysis.hpp"
#include "saltus/callback_model.hpp"
#include "saltus/simulate.hpp"
#include "support/sphere_model.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

constexpr const char* kOscillator = R"(model Oscillator
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
  annotation(experiment(StopTime = 1e12, Interval = 1e6));
end Oscillator;
)";

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

TEST(Limits, ARequestEndsReadingCheckingAndAnalysis) {
  const std::atomic<bool> stop{true};
  const WorkLimits limits{&stop, std::nullopt};
  const auto text = Model::from_text("a.mo", test::sphere_model(8), limits);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().items()[0].code, "interrupted");
  EXPECT_EQ(text.error().items()[0].message, "interrupted while the model was read");
  const auto model = Model::from_text("a.mo", test::sphere_model(8));
  ASSERT_TRUE(model);
  EXPECT_EQ(model->check(limits).items()[0].code, "interrupted");
  const auto analysis = analyze(*model, {.limits = limits});
  ASSERT_FALSE(analysis);
  EXPECT_EQ(analysis.error().items()[0].code, "interrupted");
  EXPECT_FALSE(model->check().has_errors());  // nothing of the end stays in the model
}

TEST(Limits, ARequestEndsTheStart) {
  const std::atomic<bool> stop{true};
  const auto model = Model::from_text("a.mo", test::sphere_model(8));
  ASSERT_TRUE(model);
  const auto result = simulate(*model, {.stop_requested = &stop});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, SimulationStatus::stopped);
  EXPECT_EQ(result->reason, "interrupted");
  EXPECT_EQ(result->message, "interrupted before the run began");
  EXPECT_EQ(result->variables.size(), model->variables().size());
  EXPECT_TRUE(result->final_values.empty());
}

// Reading, elaboration, structure, differentiation and the start of ever larger models: the limit falls into each of them. A fast machine may
// be done before the longest.
TEST(Limits, TimeEndsWhateverComesBeforeTheFirstStep) {
  for (const int n : {20, 30, 40}) {
    for (const double limit : {0.01, 0.03, 0.1, 0.3}) {
      const auto began = std::chrono::steady_clock::now();
      const auto model = Model::from_text("a.mo", test::sphere_model(n), {nullptr, limit, began});
      std::string reason = model || model.error().items()[0].code != "time-limit" ? "" : "time_limit";
      if (model) {
        const auto result = simulate(*model, {.stop = 1e6, .max_time = limit, .began = began});
        ASSERT_TRUE(result);
        // It may have ended just before the limit, which this line is behind.
        reason =
            result->ok() && seconds_since(began) < limit + 0.1 ? "time_limit" : to_string(result->reason);
      }
      EXPECT_EQ(reason, "time_limit") << n << ' ' << limit;
      EXPECT_LT(seconds_since(began), limit + 3.0) << n << ' ' << limit;  // a second, and a busy machine
    }
  }
}

TEST(Limits, TimeEndsARunWithWhatWasComputed) {
  const auto model = Model::from_text("a.mo", kOscillator);
  ASSERT_TRUE(model);
  const auto result = simulate(*model, {.max_time = 0.2, .keep_dense = false});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->reason, "time_limit");
  EXPECT_THAT(result->message, HasSubstr("the limit of 0.2 seconds was reached at time"));
  EXPECT_GT(result->end, 0.0);
  ASSERT_EQ(result->final_values.size(), 2U);
  EXPECT_LT(std::hypot(result->final_values[0], result->final_values[1]), 2.0);
}

// The right-hand side is asked for thousands of times in a step that never comes to its end.
TEST(Limits, TimeEndsAStepThatDoesNotEnd) {
  CallbackModel model;
  model.states = {{.name = "x", .start = 1.0}};
  // As good as noise, and the same for the same arguments.
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = 1e3 * at.x[0] * std::sin(1e15 * (at.x[0] + at.time));
  };
  const auto began = std::chrono::steady_clock::now();
  const auto result = simulate(model, {.stop = 1e9, .max_time = 0.2});
  ASSERT_TRUE(result);
  EXPECT_LT(seconds_since(began), 3.0);
}

TEST(Limits, MemoryThatNoMachineHasIsAReason) {
  const auto model = Model::from_text("a.mo", kOscillator);
  ASSERT_TRUE(model);
  struct Greedy : OutputSink {
    bool begin(std::span<const VariableInfo>) override { return true; }
    bool rows(const OutputRows&) override { throw std::bad_alloc(); }
    void event(const Event&) override {}
  } sink;
  const auto result = simulate(*model, {.stop = 10.0, .interval = 1e-3, .sink = &sink});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, SimulationStatus::stopped);
  EXPECT_EQ(result->reason, "out_of_memory");
}

struct WrongTolerance {
  const char* option;
  double value;
};

TEST(Limits, TolerancesBelowRoundingAreRefused) {
  const auto model = Model::from_text("a.mo", kOscillator);
  ASSERT_TRUE(model);
  for (const auto& [option, value] :
       {WrongTolerance{"tolerance", 1e-308}, {"tolerance", 1e-15}, {"rtol", 1e-16}, {"atol", 1e-200}}) {
    SimulationOptions options;
    const std::string_view name = option;
    (name == "tolerance" ? options.tolerance : name == "rtol" ? options.rtol : options.atol) = value;
    const auto result = simulate(*model, options);
    ASSERT_FALSE(result) << option;
    EXPECT_EQ(result.error().items()[0].code, "wrong-option-value");
    EXPECT_THAT(result.error().items()[0].message, HasSubstr(option));
    CallbackModel callback;
    callback.states = {{.name = "x", .start = 1.0}};
    callback.rhs = [](const CallbackPoint&, std::span<double> xdot) { xdot[0] = 1.0; };
    EXPECT_FALSE(simulate(callback, options)) << option;
  }
  EXPECT_FALSE(simulate(*model, {.atol_of = {{"x", 1e-300}}}));
}

TEST(Limits, SmallestTolerancesRunAndZeroStandsForTheAbsoluteOneAlone) {
  const auto model = Model::from_text("a.mo", kOscillator);
  ASSERT_TRUE(model);
  const auto smallest = simulate(*model, {.stop = 0.1, .tolerance = kSmallestRtol});
  ASSERT_TRUE(smallest);
  const auto absolute = simulate(*model, {.stop = 1.0, .rtol = 0.0, .atol = 1e-30, .max_steps = 100'000});
  ASSERT_TRUE(absolute);
  EXPECT_NEAR(absolute->final_value("x"), std::cos(absolute->end), 1e-12);
}

TEST(Limits, ATooSmallToleranceOfTheAnnotationIsRefused) {
  const auto model = Model::from_text(
      "a.mo",
      "model A Real x(start = 1); equation der(x) = -x; annotation(experiment(Tolerance = 1e-308)); end A;");
  ASSERT_TRUE(model);
  EXPECT_FALSE(simulate(*model));
}

// The derivative of the last link has a short program and a text of 2^60 terms.
TEST(Limits, ChainsAreAnalysedAndRunInTimeThatGrowsWithTheirLength) {
  for (const char* link :
       {"y[i - 1]*sin(y[i - 1])", "y[i - 1]/(2 + cos(y[i - 1]))", "max(y[i - 1], sin(y[i - 1])*y[i - 1])",
        "if y[i - 1] > 0.5 then y[i - 1]*y[i - 1] else 0.5*y[i - 1]"}) {
    const auto model = Model::from_text("a.mo", std::string(R"(model Chain
  parameter Integer n = 60;
  Real x(start = 0.1, fixed = true), y[n], z;
equation
  y[1] = x*sin(x);
  for i in 2:n loop y[i] = smooth(0, )") + link + R"(); end for;
  der(x) = z;
  der(y[n]) = z + sin(time);
end Chain;
)");
    ASSERT_TRUE(model) << link << model.error().items()[0].message;
    const auto analysis = analyze(*model, {.limits = {nullptr, 30.0}});
    ASSERT_TRUE(analysis) << link << analysis.error().items()[0].message;
    for (const std::string& text : analysis->modes[0].hidden_constraints) {
      EXPECT_LT(text.size(), 1000U);
    }
    const auto result = simulate(*model, {.max_time = 30.0});
    ASSERT_TRUE(result) << link;
    EXPECT_NE(result->reason, Reason::time_limit) << link;
  }
}

}  // namespace
}  // namespace saltus
