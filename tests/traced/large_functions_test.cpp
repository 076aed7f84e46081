// Functions of more paths than can be run: what was not traced is verified, and found out where it is not as was thought.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "saltus/simulate.hpp"
#include "saltus/simulation.hpp"
#include "saltus/traced_model.hpp"

namespace saltus {
namespace {

constexpr int kMany = 40;

// Oscillators with relays of their own: 2^40 paths that have nothing to do with each other.
TracedModel many_relays() {
  TracedModel model("Relays");
  model.reals("x", kMany, {.start = 0.5, .fixed = true});
  model.reals("v", kMany, {.start = 0.0, .fixed = true});
  model.residual([](const State& s, std::span<Real> r) {
    const std::vector<Real> x = s.array("x");
    const std::vector<Real> v = s.array("v");
    const std::vector<Real> dx = s.der_array("x");
    const std::vector<Real> dv = s.der_array("v");
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double k = 1.0 + 0.05 * static_cast<double>(i);
      r[2 * i] = dx[i] - v[i];
      r[2 * i + 1] = dv[i] - (x[i] > 0 ? -k : k);
    }
  });
  return model;
}

std::string many_relays_text() {
  return "model Relays Real x[40](each start = 0.5, each fixed = true), v[40](each start = 0, each fixed = "
         "true);"
         " equation for i in 1:40 loop der(x[i]) = v[i];"
         " der(v[i]) = if x[i] > 0 then -(1 + 0.05*(i - 1)) else 1 + 0.05*(i - 1); end for; end Relays;";
}

TEST(LargeFunctions, IndependentComparisonsTakeAsManyRunsAsTheyAre) {
  const TracedModel tracer = many_relays();
  const Model model = tracer.build().value();
  const TraceStatistics before = tracer.statistics();
  EXPECT_EQ(before.n_comparisons, 40u);
  EXPECT_FALSE(before.is_complete);
  EXPECT_LE(before.n_runs, 300u);
  const SimulationOptions options{.stop = 10.0, .tolerance = 1e-9};
  const SimulationResult found = simulate(model, options).value();
  const SimulationResult expected =
      simulate(Model::from_text("r.mo", many_relays_text()).value(), options).value();
  ASSERT_EQ(found.status, SimulationStatus::success) << found.message;
  EXPECT_GT(found.events.size(), 100u);
  EXPECT_EQ(found.events.size(), expected.events.size());
  EXPECT_EQ(found.statistics.accepted_steps, expected.statistics.accepted_steps);
  EXPECT_EQ(found.statistics.residual_evaluations, expected.statistics.residual_evaluations);
  EXPECT_EQ(found.final_values, expected.final_values);
  // Every configuration was verified, none was found to differ.
  EXPECT_EQ(tracer.statistics().n_extensions, 0u);
  EXPECT_GT(found.statistics.function_traces, 100);
  // A second run finds them verified.
  EXPECT_EQ(simulate(model, options).value().statistics.function_traces, 0);
}

// 12 relays whose outputs, plain numbers, are multiplied: what one changes depends on all others.
TracedModel entangled() {
  TracedModel model("Entangled");
  model.reals("x", 12, {.start = 0.0, .fixed = true});
  model.state("y", {.start = 0.0});
  model.residual([](const State& s, std::span<Real> r) {
    const std::vector<Real> x = s.array("x");
    const std::vector<Real> dx = s.der_array("x");
    double product = 1.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      r[i] = dx[i] - cos(s.time() * (0.5 + 0.1 * static_cast<double>(i)) + 0.3);
      product *= x[i] > 0.4 ? 1.1 + 0.1 * static_cast<double>(i) : 0.8;
    }
    r[12] = s.der("y") - product;
  });
  return model;
}

double exact_product(double t) {
  double product = 1.0;
  for (int i = 0; i < 12; ++i) {
    const double w = 0.5 + 0.1 * i;
    const double x = (std::sin(w * t + 0.3) - std::sin(0.3)) / w;
    product *= x > 0.4 ? 1.1 + 0.1 * i : 0.8;
  }
  return product;
}

TEST(LargeFunctions, WhatWasNotAsWasThoughtExtendsTheModel) {
  const TracedModel tracer = entangled();
  const Model model = tracer.build().value();
  EXPECT_FALSE(tracer.statistics().is_complete);
  const SimulationOptions options{.stop = 6.0, .tolerance = 1e-10};
  const SimulationResult result = simulate(model, options).value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  EXPECT_GT(tracer.statistics().n_extensions, 0u);
  // y is an integral of products: by the midpoint rule.
  double y = 0.0;
  constexpr int kSteps = 600'000;
  for (int k = 0; k < kSteps; ++k) {
    y += exact_product((k + 0.5) * 6.0 / kSteps) * 6.0 / kSteps;
  }
  EXPECT_NEAR(result.final_value("y"), y, 1e-4 * y);
  // What was found out is known from then on.
  const std::size_t n_extensions = tracer.statistics().n_extensions;
  EXPECT_EQ(simulate(model, options).value().final_values, result.final_values);
  EXPECT_EQ(tracer.statistics().n_extensions, n_extensions);
  EXPECT_EQ(simulate(tracer.build().value(), options).value().final_value("y"), result.final_value("y"));
  EXPECT_EQ(tracer.statistics().n_extensions, n_extensions);
}

class CountRows : public OutputSink {
 public:
  bool begin(std::span<const VariableInfo>) override {
    ++n_begins;
    return true;
  }
  bool rows(const OutputRows& rows) override {
    is_ascending = is_ascending && rows.times.front() >= last;
    last = rows.times.back();
    return true;
  }
  int n_begins = 0;
  double last = 0.0;
  bool is_ascending = true;
};

TEST(LargeFunctions, ASinkGetsOneRun) {
  const TracedModel tracer = entangled();
  const Model model = tracer.build().value();
  CountRows sink;
  const SimulationResult result = simulate(model, {.stop = 6.0, .sink = &sink}).value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  EXPECT_GT(tracer.statistics().n_extensions, 0u);
  EXPECT_EQ(sink.n_begins, 1);
  EXPECT_TRUE(sink.is_ascending);
  EXPECT_EQ(sink.last, 6.0);
}

TEST(LargeFunctions, ASimulationThatMeetsMoreEndsAndBeginsAgainWithIt) {
  const TracedModel tracer = entangled();
  int n_begun = 0;
  for (bool is_done = false; !is_done && n_begun < 100; ++n_begun) {
    Simulation simulation = std::move(Simulation::begin(tracer.build().value(), {.stop = 6.0}).value());
    while (!simulation.has_ended() && simulation.step()) {
    }
    const SimulationResult result = simulation.finish();
    is_done = result.status == SimulationStatus::success;
    EXPECT_TRUE(is_done || result.reason == Reason::model_extended) << result.message;
  }
  EXPECT_GT(n_begun, 1);
  EXPECT_LT(n_begun, 100);
}

// More surfaces than there are combinations to verify: some of them are.
TEST(LargeFunctions, SlidingIsVerifiedOnBothSides) {
  TracedModel tracer("Sliding");
  tracer.reals("x", 14, {.start = 0.3, .fixed = true});
  tracer.residual([](const State& s, std::span<Real> r) {
    const std::vector<Real> x = s.array("x");
    const std::vector<Real> dx = s.der_array("x");
    for (std::size_t i = 0; i < x.size(); ++i) {
      r[i] = dx[i] - (0.4 * sin(s.time() + static_cast<double>(i)) - (x[i] > 0 ? 1.0 : -1.0));
    }
  });
  const SimulationResult result = simulate(tracer.build().value(), {.stop = 3.0}).value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  EXPECT_NEAR(result.final_value("x[1]"), 0.0, 1e-9);
  EXPECT_NEAR(result.final_value("x[14]"), 0.0, 1e-9);
}

// 30 comparisons of which three together are too much for the function; nobody has tried these three.
TEST(LargeFunctions, AFailureThatWasNotTracedEndsTheRunThere) {
  TracedModel tracer("Failing");
  tracer.reals("x", 30, {.start = 0.0, .fixed = true});
  tracer.residual([](const State& s, std::span<Real> r) {
    const std::vector<Real> x = s.array("x");
    const std::vector<Real> dx = s.der_array("x");
    int n = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool is_high = x[i] > 0.5;
      n += is_high && (i == 5 || i == 15 || i == 25) ? 1 : 0;
      const double rate = i == 5 || i == 15 || i == 25 ? 1.0 + static_cast<double>(i) : 0.0;
      r[i] = dx[i] - rate - (is_high ? 0.1 : 0.2);
    }
    if (n == 3) {
      throw std::runtime_error("three at once");
    }
  });
  const SimulationResult result = simulate(tracer.build().value(), {.stop = 1.0}).value();
  EXPECT_EQ(result.status, SimulationStatus::failed);
  EXPECT_EQ(result.reason, Reason::traced_function_failed);
  EXPECT_NE(result.message.find("three at once"), std::string::npos) << result.message;
  EXPECT_NEAR(result.end, 0.5 / 6.2, 1e-6);  // the slowest of them is there
}

// 500 blocks of ten statements, each with an `if`; prints how long it takes.
TEST(LargeFunctions, FiveThousandLines) {
  constexpr std::size_t kStates = 100;
  constexpr std::size_t kBlocks = 500;  // of 10 statements
  TracedModel tracer("Generated");
  tracer.reals("x", kStates, {.start = 0.1, .fixed = true});
  tracer.residual([](const State& s, std::span<Real> r) {
    const std::vector<Real> x = s.array("x");
    const std::vector<Real> dx = s.der_array("x");
    std::vector<Real> f(kStates, 0.0);
    for (std::size_t k = 0; k < kBlocks; ++k) {
      const std::size_t i = k % kStates;
      const std::size_t j = (7 * k + 3) % kStates;
      const double c = 0.01 * static_cast<double>(k % 17);
      Real a = x[i] * c + x[j];
      Real b = a * a - 0.5 * x[i];
      const Real d = sin(a) + c * b;
      if (a - b > 0.1 + c) {
        b = b + 0.2 * a;
      } else {
        b = b - c;
      }
      a = a + b * d;
      const Real e = d / (1.0 + a * a);
      b = b * e - c * a;
      f[i] += 0.01 * b;
      f[j] -= 0.01 * e;
    }
    for (std::size_t i = 0; i < kStates; ++i) {
      r[i] = dx[i] - (f[i] - x[i]);
    }
  });
  const auto began = std::chrono::steady_clock::now();
  const Result<Model> model = tracer.build();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  ASSERT_TRUE(model);
  std::printf("5,000 statements, %zu comparisons, %zu runs: %.3f s\n", tracer.statistics().n_comparisons,
              tracer.statistics().n_runs, seconds);
  EXPECT_EQ(tracer.statistics().n_comparisons, kBlocks);
  EXPECT_LE(tracer.statistics().n_runs, kBlocks + 3);
}

}  // namespace
}  // namespace saltus
